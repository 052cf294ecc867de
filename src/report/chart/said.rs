//! What charts say, in words and numbers.

use super::looks::{axes, calling, grid, rendered, storm, variants, with_runs};
use super::{Chart, graph, heat_map, overlay, services, timeline};
use crate::experiment::Run;
use crate::id::ServiceId;
use crate::model::{Action, Arrivals, ErrorCost, Errors, Lever, Model, Pull};
use crate::policy::admission::RateLimit;
use crate::policy::retry::Retry;
use crate::time::{Span, Time};
use crate::unit::{Fraction, Rate};

/// Every text of a chart, in the order of the document.
fn said(chart: &Chart) -> Vec<String> {
    rendered(chart).1.into_iter().map(|(text, _)| text.trim().to_owned()).collect()
}

#[test]
fn a_timeline_says_what_it_shows() {
    let chart = with_runs(&variants()[..2], |runs| timeline("A storm", runs));
    let found = said(&chart);
    for expected in [
        "A storm",
        "3 retries",
        "metastable: not back by second 10",
        "no retries",
        "fresh demand",
        "goodput: answered in time",
        "attempts sent",
        "gc: 1 s stall",
        "capacity",
        "timeout",
        "per second",
        "waiting, s",
        "10 s",
    ] {
        assert!(found.iter().any(|text| text == expected), "{expected:?} is not among {found:?}");
    }
}

#[test]
fn a_graph_says_who_calls_whom_and_how_often() {
    let model = calling(2, |model| {
        let service = &mut model.services[3];
        service.name = "bottom".to_owned();
        service.errors = Errors { share: Fraction::ONE, cost: ErrorCost::Nothing, ..Errors::NONE };
    });
    let variants = [("base".to_owned(), model)];
    let [calls, lanes] = with_runs(&variants, graph_and_lanes).map(Option::unwrap);
    let found = said(&calls);
    // Each call to the bottom is tried four times, and so is each call of the one above it.
    for expected in ["web", "700 requests", "0 % succeed", "bottom", "× 4", "first attempts"] {
        assert!(found.iter().any(|text| text == expected), "{expected:?} is not among {found:?}");
    }
    let found = said(&lanes);
    for expected in ["bottom", "attempts that arrive", "capacity", "timeout", "gc: 1 s stall"] {
        assert!(found.iter().any(|text| text == expected), "{expected:?} is not among {found:?}");
    }
    assert_eq!(found.iter().filter(|text| *text == "per second").count(), 4);
    let lone = [("lone".to_owned(), storm(|_| {}))];
    assert!(with_runs(&lone, graph_and_lanes).iter().all(Option::is_none));
}

fn graph_and_lanes(runs: &[(&Model, &Run)]) -> [Option<Chart>; 2] {
    [graph("Calls", runs), services("Calls", runs[0])]
}

#[test]
fn capacity_far_above_the_demand_does_not_press_it_flat() {
    let labels = |workers: u32| {
        let wide = storm(|model| model.services[0].workers = workers.try_into().unwrap());
        let chart = with_runs(&[("wide".to_owned(), wide)], |runs| timeline("A storm", runs));
        said(&chart)
            .into_iter()
            .filter(|text| text.contains("capacity") || text == "1,000")
            .collect::<Vec<_>>()
    };
    assert_eq!(labels(2), ["capacity"]);
    assert_eq!(labels(10), ["↑ capacity"]);
}

#[test]
fn a_map_shows_every_cell_and_the_paths_of_its_axes() {
    let axes = axes(&["clients.web.load", "triggers.gc.stall.lasts"]);
    let chart = heat_map("A grid", &axes, &grid("base", 4));
    let found = said(&chart);
    let counts = found.iter().filter(|text| text.ends_with("/5")).count();
    assert_eq!(counts, 15, "{found:?}");
    for expected in [
        "web: load",
        "clients.web.load",
        "gc: stall lasts",
        "triggers.gc.stall.lasts",
        "not run",
        "0s",
        "3s",
        "+1 s",
    ] {
        assert!(found.iter().any(|text| text == expected), "{expected:?} is not among {found:?}");
    }
    assert!(found.iter().any(|text| text.starts_with("tipping line")), "{found:?}");
}

#[test]
fn a_rate_limit_below_the_capacity_is_what_bounds_the_service() {
    let limited = storm(|model| {
        let rate = Rate::new(80.0).unwrap();
        model.services[0].rate_limit = Some(RateLimit { rate, burst: 1.try_into().unwrap() });
    });
    let chart = with_runs(&[("limited".to_owned(), limited)], |runs| timeline("A storm", runs));
    let found = said(&chart);
    assert!(found.iter().any(|text| text == "rate limit"), "{found:?}");
    assert!(!found.iter().any(|text| text.contains("capacity")), "{found:?}");
}

#[test]
fn where_no_run_answers_the_open_requests_are_shown() {
    let all = variants();
    let silent = all.iter().position(|(name, _)| name == "never answered").unwrap();
    let shows = |chart: &Chart, words: &str| said(chart).iter().any(|text| text == words);
    with_runs(&all[silent..=silent], |runs| {
        let chart = timeline("Silence", runs);
        assert!(shows(&chart, "open") && !shows(&chart, "waiting, s"), "{:?}", said(&chart));
        let chart = overlay("Silence", runs);
        assert!(shows(&chart, "open requests") && !shows(&chart, "fresh demand"));
    });
    // One run with an answer, and one with a wait, are enough.
    let both = [all[silent].clone(), all[0].clone()];
    with_runs(&both, |runs| {
        let chart = timeline("A storm", runs);
        assert!(!shows(&chart, "open") && shows(&chart, "waiting, s"), "{:?}", said(&chart));
        assert!(shows(&overlay("A storm", runs), "goodput per second"));
    });
}

#[test]
fn the_time_axis_ends_where_nothing_happens_any_more() {
    let burst = |seconds: u64| {
        storm(|model| {
            model.triggers.clear();
            model.clients[0].edge.retry = Retry::NEVER;
            model.clients[0].arrivals = Arrivals::Volley {
                count: 40,
                begins: Time::ZERO + Span::from_secs(seconds),
                within: Span::ZERO,
            };
        })
    };
    let ends = |seconds| {
        let chart = with_runs(&[("base".to_owned(), burst(seconds))], |runs| {
            [timeline("A volley", runs), overlay("A volley", runs)]
        });
        chart.map(|chart| {
            let found = said(&chart);
            let quiet = found.iter().any(|text| text.contains("nothing happens from second"));
            (found.into_iter().rfind(|text| text.ends_with(" s")), quiet)
        })
    };
    // Forty of 10 ms at second 2 are done within a window of half a second.
    for (end, quiet) in ends(2) {
        assert_eq!((end.as_deref(), quiet), (Some("3.0 s"), true));
    }
    // At second 6 there is too little left to cut.
    for (end, quiet) in ends(6) {
        assert_eq!((end.as_deref(), quiet), (Some("10 s"), false));
    }
}

#[test]
fn an_overlay_shows_what_an_operator_did_in_every_run() {
    let drop = |name: &str, second| Lever {
        name: name.to_owned(),
        pulled: Pull::At(Time::ZERO + Span::from_secs(second)),
        action: Action::DropQueue { service: ServiceId(0) },
    };
    let with = |levers: Vec<Lever>| storm(|model| model.levers = levers);
    let runs = [
        ("a".to_owned(), with(vec![drop("relief", 6), drop("early", 5), drop("drop", 8)])),
        ("b".to_owned(), with(vec![drop("relief", 6), drop("early", 7), drop("drop", 8)])),
    ];
    let found = said(&with_runs(&runs, |runs| overlay("Levers", runs)));
    let dropped: Vec<_> = found.iter().filter(|text| text.contains("drop of the queue")).collect();
    // A name that says nothing of its own is left out.
    assert_eq!(dropped, ["relief: drop of the queue", "drop of the queue"]);
}

#[test]
fn the_long_names_of_maps_are_told_apart() {
    let of = |end: &str| format!("a retry budget of a tenth of what is sent in a window, {end}");
    let names = [of("without jitter"), of("with full jitter"), of("none for hedges")];
    let cells: Vec<_> = names.iter().flat_map(|name| grid(name, 4)).collect();
    let axes = axes(&["clients.web.load", "triggers.gc.stall.lasts"]);
    let found = said(&heat_map("Grids", &axes, &cells)).join(" ");
    for name in names {
        assert!(found.contains(&name), "{name} is not in {found}");
    }
}
