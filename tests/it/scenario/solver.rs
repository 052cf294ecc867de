//! `solver`: what the stepped one is asked and cannot do, each with what is said about it.

use std::fmt::Write;

use super::{STORM, parse};
use metastable::model::Solver;
use metastable::time::Span;

/// [`STORM`] in steps of a second, with these changes.
fn stepped(
    overrides: &[&str],
) -> Result<metastable::scenario::Story, metastable::scenario::Trouble> {
    let text =
        STORM.replace("[services.api]", "solver.stepped = { step = \"1s\" }\n\n[services.api]");
    parse(&text, overrides)
}

#[test]
fn everything_it_cannot_do_is_named() {
    let mut all = String::new();
    for change in [
        "services.other={ workers = 1, service_time = \"1ms\" }",
        "clients.other={ calls = \"api\", load = 0.1 }",
        "tie=timer_wins",
        "clients.web.arrivals={ bursts = { peak = 2, mean_on = \"1s\", mean_off = \"2s\" } }",
        "clients.web.call.retry={ exponential = { max_retries = 3, base = \"1s\", factor = 2, cap = \"4s\", jitter = \"full\" } }",
        "clients.web.call.budget.sliding_window={ ratio = 0.1, window = \"10s\" }",
        "clients.web.call.throttle.rate_limit={ rate = 900 }",
        "clients.web.call.breaker={}",
        "clients.web.call.hedge={ delay = \"100ms\", max_hedges = 1 }",
        "clients.web.call.pool={ size = 10 }",
        "clients.web.call.deadline={ request = \"2s\" }",
        "clients.web.call.latency=1ms",
        "clients.web.call.late_answers=accepted",
        "services.api.service_time={ exponential = { mean = \"10ms\" } }",
        "services.api.shedding={ codel = {} }",
        "services.api.discipline=lifo",
        "services.api.load_dependence={ scalability = { contention = 0.1 } }",
        "services.api.limit.fixed={ max = 20 }",
        "services.api.rate_limit={ rate = 900, burst = 100 }",
        "services.api.errors={ share = 0.1 }",
        "services.api.queue_timeout=1s",
        "services.api.effect=counted",
        "clients.web.call.loss={ replies = 0.1 }",
        "clients.web.call.transport={ repeats = 'on_reused', keep_alive = {} }",
        "triggers.gc={ outage = { service = \"api\", begins = \"10s\", lasts = \"2s\" } }",
        "levers.drop={ drop_queue = { service = \"api\", at = \"20s\" } }",
    ] {
        match stepped(&[change]) {
            Ok(_) => panic!("{change} is let through"),
            Err(trouble) => {
                assert!(trouble.to_string().contains("the stepped solver cannot do"), "{trouble}");
                writeln!(all, "## {change}\n{trouble}\n").unwrap();
            }
        }
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(all) });
}

#[test]
fn wrong_solvers() {
    let mut all = String::new();
    for change in [
        "solver=stepd",
        "solver=stepped",
        "solver=1s",
        "solver.stepped={}",
        "solver.stepped.step=0s",
        "solver.stepped.step=300ms",
        "solver.stepped.step=2s",
        "solver.stepped.step=1us",
        "solver.stepped.stp=1s",
    ] {
        let trouble = stepped(&[change]).expect_err(change);
        writeln!(all, "## {change}\n{trouble}\n").unwrap();
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(all) });
}

/// A variant may have another solver, and an axis another step.
#[test]
fn a_solver_is_part_of_the_world() {
    let text = format!(
        "{STORM}[variants.coarse]\n\"solver.stepped.step\" = \"1s\"\n\
         [sweep]\nvariants = [\"coarse\"]\n[sweep.axes]\n\"solver.stepped.step\" = [\"1s\", \"10ms\"]\n"
    );
    let story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    let step = |millis| Solver::Stepped { step: Span::from_millis(millis) };
    let solvers: Vec<Solver> = story.variants.iter().map(|variant| variant.model.solver).collect();
    assert_eq!(solvers, [Solver::Events, step(1_000)]);
    let cells: Vec<Solver> =
        story.sweep.unwrap().cells.iter().map(|cell| cell.model.solver).collect();
    assert_eq!(cells, [step(1_000), step(10)]);
}

#[test]
fn a_seed_is_nothing_to_it() {
    let said = |overrides: &[&str]| stepped(overrides).unwrap().warnings.to_string();
    assert_eq!(said(&[]), "");
    assert!(said(&["seed=3"]).contains("`seed` has no effect"), "{}", said(&["seed=3"]));
    // The engine draws its arrivals.
    assert_eq!(said(&["seed=3", "solver=events"]), "");
}
