//! The stepped solver beside the engine: what a coarse step hides, and that a fine one hides nothing.

use metastable::experiment::{Run, Workbench};
use metastable::scenario::Story;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/order-status-stepped.toml");
const PAGE: &str = include_str!("../../docs/stepped-solver.md");

/// A variant of the story at some rate, worked out in steps of `step` or, without one, event by event.
fn run(variant: &str, rate: f64, step: Option<&str>) -> Run {
    let solver = match step {
        Some(step) => format!("solver.stepped.step={step}"),
        None => "solver=events".to_owned(),
    };
    let overrides = [format!("clients.shop.arrival_rate={rate}"), solver];
    let story =
        Story::read(FILE.as_ref(), &overrides).unwrap_or_else(|trouble| panic!("{trouble}"));
    let told = story.variants.iter().find(|told| told.name == variant);
    let told = told.unwrap_or_else(|| panic!("there is no variant {variant}"));
    Workbench::default().run(variant, &told.model, 1)
}

/// "never", or the second from which on goodput holds; and how many requests were answered.
fn cells(run: &Run) -> [String; 2] {
    let back = run
        .assessment
        .back_at
        .map_or_else(|| "never".to_owned(), |at| at.as_secs_f64().to_string());
    let answered = run.recording.tally.succeeded;
    [back, format!("{},{:03}", answered / 1_000, answered % 1_000)]
}

/// The table of the page is what comes out.
#[test]
fn the_table_of_the_page() {
    const STEPS: [&str; 9] = ["1s", "500ms", "200ms", "100ms", "20ms", "10ms", "5ms", "2ms", "1ms"];
    let steps = STEPS.iter().map(|step| Some(*step)).chain([None]);
    let rows: Vec<String> = steps
        .map(|step| {
            let variants = ["slow for 11 s", "no retries", "drops what has expired"];
            let numbers = variants.map(|variant| cells(&run(variant, 80.3, step)).join(" | "));
            let name = step.unwrap_or("event by event");
            format!("| {name} | {} |", numbers.join(" | "))
        })
        .collect();
    let told: Vec<&str> = PAGE
        .lines()
        .skip_while(|line| !line.starts_with("| step |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(rows, told, "the table should be\n{}", rows.join("\n"));
}

/// A step well below the work of an attempt gives the engine's answer, to a hundredth of its goodput.
#[test]
fn fine_steps_agree_with_the_engine() {
    let variants = [
        "slow for 20 s",
        "slow for 11 s",
        "slow for 12 s",
        "no retries",
        "back-off from 2 s",
        "back-off from 4 s",
        "back-off from 8 s",
    ];
    for rate in [80.0, 80.3] {
        for variant in variants {
            let (fine, exact) = (run(variant, rate, Some("1ms")), run(variant, rate, None));
            let (fine_tally, exact_tally) = (&fine.recording.tally, &exact.recording.tally);
            assert_eq!(fine.assessment, exact.assessment, "{variant} at {rate}");
            assert_eq!(fine_tally.requests, exact_tally.requests, "{variant} at {rate}");
            for (fine, exact) in [
                (fine_tally.succeeded, exact_tally.succeeded),
                (fine_tally.attempts, exact_tally.attempts),
                (fine_tally.timed_out, exact_tally.timed_out),
            ] {
                let off = fine.abs_diff(exact);
                assert!(off * 100 <= exact, "{variant} at {rate}: {fine} for {exact}");
            }
        }
    }
}

/// Where requests fall on whole milliseconds, ties decide about dropping the expired, and no step is short
/// enough to break them.
#[test]
fn ties_are_no_matter_of_the_step() {
    for step in ["2ms", "1ms", "500us"] {
        let back = cells(&run("drops what has expired", 80.0, Some(step)))[0].clone();
        assert_eq!(back, "146", "{step}");
    }
    assert_eq!(cells(&run("drops what has expired", 80.0, None))[0], "never");
}

/// Eighty thousand requests a second cost no more than eighty.
#[test]
fn load_costs_nothing() {
    let overrides = [
        "clients.shop.arrival_rate=80000".to_owned(),
        "services.orders.service_time=10us".to_owned(),
        "solver.stepped.step=1s".to_owned(),
    ];
    let text = std::fs::read_to_string(FILE).unwrap();
    let alone = text.split("[expect]").next().unwrap();
    let story = Story::parse(alone, "order-status-stepped.toml", &overrides)
        .unwrap_or_else(|trouble| panic!("{trouble}"));
    let large = Workbench::default().run("base", &story.variants[0].model, 1);
    let small = run("slow for 20 s", 80.0, Some("1s"));
    assert_eq!(large.assessment, small.assessment);
    assert_eq!(large.recording.tally.attempts, 1_000 * small.recording.tally.attempts);
    // The engine would refuse as many.
    let overrides = [&overrides[..2], &["solver=events".to_owned()]].concat();
    let trouble = Story::parse(alone, "order-status-stepped.toml", &overrides).unwrap_err();
    assert!(trouble.to_string().contains("in flight at once"), "{trouble}");
}
