//! The tipping line of two parameters against the full grid.

use std::sync::atomic::AtomicBool;

use metastable::experiment::{Along, Frontier, FrontierSearch, Range, Workbench};
use metastable::model::Model;
use metastable::scenario::{Alteration, Story, Trouble};

use crate::tip::SHORT;

const LOADS: Range = Range { from: 0.2, to: 0.95, logarithmic: false, whole: false };
const STALLS: Range = Range { from: 0.2, to: 3.0, logarithmic: false, whole: false };

fn world(story: &Story, load: f64, stall: f64) -> Result<Model, Trouble> {
    let load = format!("clients.web.load={load}");
    let stall = format!("triggers.gc.stall.lasts={stall:.4}s");
    let changes = [&load, &stall].map(|text| Alteration::new(text, "--x"));
    story.altered(&story.variants[0].name, &changes)
}

fn search(x: Range, y: Range) -> (FrontierSearch, Frontier) {
    let story = Story::parse(SHORT, "short.toml", &[]).unwrap();
    let search = FrontierSearch { x, y, seed: 1, most_runs: 2_000 };
    let stop = AtomicBool::new(false);
    let found = search.search(|x, y| world(&story, x, y), &stop, || ()).unwrap();
    (search, found)
}

/// The mixed zone at `x`, along a straight line between the columns on both sides.
fn zone(found: &Frontier, x: f64) -> Option<[f64; 2]> {
    let after = found.columns.iter().position(|column| column.at >= x)?.max(1);
    let [before, after] = [found.columns[after - 1], found.columns[after]];
    let (Along::Tips { mixed: a, .. }, Along::Tips { mixed: b, .. }) = (before.along, after.along)
    else {
        return None;
    };
    let part = (x - before.at) / (after.at - before.at);
    Some([a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])])
}

#[test]
fn the_line_is_that_of_the_grid_for_a_fifth_of_its_runs() {
    let (search, found) = search(LOADS, STALLS);
    assert!(!found.cut_short);
    assert!(5 * found.runs <= search.grid_runs(&found), "{} runs", found.runs);
    let story = Story::parse(SHORT, "short.toml", &[]).unwrap();
    let mut bench = Workbench::default();
    let mut looked_at = 0;
    // A step of the resolution on either side of the zone.
    let step = (STALLS.to - STALLS.from) / 50.0;
    for load in [0.35, 0.5, 0.65, 0.8, 0.92] {
        let Some([low, high]) = zone(&found, load) else { panic!("{load}: {found:?}") };
        for stall in [0.25, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0, 2.8, low - step, high + step] {
            let expected = match stall {
                stall if stall <= low - step => true,
                stall if stall >= high + step => false,
                _ => continue,
            };
            let model = world(&story, load, stall).unwrap();
            let is_well = |seed: &u64| bench.run("", &model, *seed).assessment.verdict.is_well();
            let recovered = (101..106).filter(is_well).count();
            assert_eq!(recovered >= 3, expected, "load {load}, stall {stall}: {recovered} of 5");
            looked_at += 1;
        }
    }
    assert!(looked_at > 40, "{looked_at}");
}

#[test]
fn where_nothing_tips_there_is_no_line() {
    let (_, found) = search(LOADS, Range { from: 0.02, to: 0.1, ..STALLS });
    assert_eq!(found.side, None);
    assert_eq!(found.columns.len(), 9);
    assert!(found.columns.iter().all(|column| column.along == Along::Recovers), "{found:?}");
}
