//! Cells and what is promised of them.

use metastable::experiment::SweepMetric;
use metastable::scenario::{Story, Sweep};
use metastable::time::Span;

use super::{STORM, parse};

fn sweep(more: &str) -> Sweep {
    let story: Story =
        parse(&format!("{STORM}{more}"), &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    story.sweep.unwrap()
}

fn labels(sweep: &Sweep) -> Vec<Vec<&str>> {
    sweep.cells.iter().map(|cell| cell.at.iter().map(|at| at.label.as_str()).collect()).collect()
}

#[test]
fn the_last_axis_is_innermost_and_variants_are_outermost() {
    let sweep = sweep(
        "[variants.v]\n\"services.api.shedding\" = \"expired\"\n[sweep.axes]\n\
         \"triggers.gc.stall.lasts\" = [\"1s\", \"0.5s\"]\n\"clients.web.load\" = [0.30, 0.5]\n",
    );
    assert_eq!(sweep.axes, ["triggers.gc.stall.lasts", "clients.web.load"]);
    assert_eq!(sweep.seeds, 5);
    let variants: Vec<&str> = sweep.cells.iter().map(|cell| cell.variant.as_str()).collect();
    assert_eq!(variants, ["base", "base", "base", "base", "v", "v", "v", "v"]);
    let four = [["1s", "0.3"], ["1s", "0.5"], ["0.5s", "0.3"], ["0.5s", "0.5"]];
    assert_eq!(labels(&sweep)[..4], four);
    assert_eq!(labels(&sweep)[4..], four);
    let rate =
        |index: usize| sweep.cells[index].model.clients[0].arrivals.mean_rate(Span::from_secs(60));
    assert_eq!([rate(0), rate(1), rate(7)], [300.0, 500.0, 500.0]);
    let numbers: Vec<Option<f64>> = sweep.cells[2].at.iter().map(|at| at.number).collect();
    assert_eq!(numbers, [Some(0.5), Some(0.3)]);
}

#[test]
fn ranges_do_not_drift() {
    let numbers =
        sweep("[sweep.axes]\n\"clients.web.load\" = { from = 0.1, to = 0.9, step = 0.1 }\n");
    let expected = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"];
    assert_eq!(labels(&numbers).concat(), expected);
    assert_eq!(numbers.cells[2].at[0].number, Some(0.3));
    let whole = sweep("[sweep.axes]\n\"services.api.workers\" = { from = 5, to = 12, step = 5 }\n");
    assert_eq!(labels(&whole).concat(), ["5", "10"]);
    let lengths = sweep(
        "[sweep.axes]\n\"triggers.gc.stall.lasts\" = { from = \"0.9s\", to = \"1.1s\", step = \"100ms\" }\n",
    );
    assert_eq!(labels(&lengths).concat(), ["900ms", "1s", "1.1s"]);
    let one = sweep("[sweep.axes]\n\"clients.web.load\" = { from = 0.1, to = 0.1, step = 0.1 }\n");
    assert_eq!(labels(&one).concat(), ["0.1"]);
}

#[test]
fn an_axis_may_run_over_whole_policies() {
    let sweep = sweep(
        "[sweep.axes]\n\"clients.web.call.retry\" = [{ never = {} }, { immediate = { max_retries = 1 } }]\n\
         \"services.api.shedding\" = [\"never\", \"expired\"]\n",
    );
    assert_eq!(labels(&sweep)[1], ["{ never = {} }", "expired"]);
    assert_eq!(sweep.cells[2].model.clients[0].edge.retry.max_retries, 1);
    assert_eq!(sweep.cells[0].at[0].number, None);
}

#[test]
fn a_sweep_without_axes_is_a_sweep_over_variants() {
    let sweep =
        sweep("[variants.v]\n\"clients.web.load\" = 0.1\n[sweep]\nseeds = 3\nvariants = [\"v\"]\n");
    assert_eq!((sweep.cells.len(), sweep.cells[0].variant.as_str(), sweep.seeds), (1, "v", 3));
    assert!(sweep.cells[0].at.is_empty());
}

#[test]
fn promises_choose_cells_by_value_and_by_variant() {
    let sweep = sweep(
        "[variants.v]\n\"services.api.shedding\" = \"expired\"\n\
         [sweep.axes]\n\"clients.web.load\" = [0.3, 0.5]\n\"triggers.gc.stall.lasts\" = [\"500ms\", \"1s\", \"2s\"]\n\
         [[sweep.expect]]\nrecovered = 5\n\
         [[sweep.expect]]\nwhere = { \"triggers.gc.stall.lasts\" = [\"0.5s\", \"2000ms\"], variant = \"v\" }\nrecovered_share = { min = 0.9 }\n\
         [[sweep.expect]]\nwhere = { \"clients.web.load\" = 0.50 }\nseeds = 20\nmedian_recovery_time_s = 1\n",
    );
    let cells: Vec<&[usize]> = sweep.expect.iter().map(|expect| expect.cells.as_slice()).collect();
    assert_eq!(cells[0], (0..12).collect::<Vec<_>>());
    assert_eq!(cells[1], [6, 8, 9, 11]);
    assert_eq!(cells[2], [3, 4, 5, 9, 10, 11]);
    assert_eq!([0, 1, 2].map(|index: usize| sweep.expect[index].seeds), [None, None, Some(20)]);
    assert_eq!(sweep.expect[2].metrics[0].0, SweepMetric::MedianRecoveryTime);
}

/// Promises about cells that an override has taken out of the sweep are nobody's mistake; a promise
/// about a cell that the file itself does not have is one.
#[test]
fn an_axis_moved_from_the_command_line_leaves_promises_behind() {
    let text = std::fs::read_to_string("scenarios/headroom.toml").unwrap();
    let moved = "sweep.axes.\"clients.web.load\" = [0.55]".to_owned();
    let story = Story::parse(&text, "headroom.toml", &[moved]).unwrap();
    let sweep = story.sweep.unwrap();
    assert_eq!(sweep.cells.len(), 8);
    assert!(sweep.expect.is_empty());
    let wrong = text.replacen("\"clients.web.load\" = 0.3", "\"clients.web.load\" = 0.35", 1);
    assert_ne!(wrong, text);
    assert!(Story::parse(&wrong, "headroom.toml", &[]).is_err());
}
