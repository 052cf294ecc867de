//! Searches that are stopped tell what they know, and none takes more runs than it may.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use metastable::analysis::Side;
use metastable::experiment::{
    Along, Answer, Collapse, Effort, FrontierSearch, Halt, How, NoBasin, Range, TipSearch, basin,
    calm_model, hysteresis, odds,
};
use metastable::scenario::{Alteration, Dial, Story};
use metastable::time::Span;

use crate::tip::SHORT;

const STALLS: Range = Range { from: 0.2, to: 3.0, logarithmic: false, whole: false };
const LOADS: Range = Range { from: 0.2, to: 0.95, logarithmic: false, whole: false };

fn short() -> Story {
    Story::parse(SHORT, "short.toml", &[]).unwrap()
}

/// A flag that is set once so many runs are done.
struct Stop {
    after: u64,
    done: AtomicU64,
    flag: AtomicBool,
}

impl Stop {
    const fn after(after: u64) -> Self {
        Self { after, done: AtomicU64::new(0), flag: AtomicBool::new(false) }
    }

    fn step(&self) {
        if self.done.fetch_add(1, Ordering::Relaxed) + 1 == self.after {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_tipping_point_as_far_as_it_is_known() {
    let story = short();
    let dial = Dial::new(&story, "base", "triggers.gc.stall.lasts", "--axis", None).unwrap();
    let search = TipSearch { range: STALLS, seed: 1, most_runs: 300 };
    let whole = search.search(|value| dial.model(value), &AtomicBool::new(false), || ()).unwrap();
    assert!(!whole.interrupted && whole.runs > 60, "{whole:?}");
    // In the first look: values, and no border yet.
    let stop = Stop::after(10);
    let found = search.search(|value| dial.model(value), &stop.flag, || stop.step()).unwrap();
    assert!(found.interrupted && found.points.is_empty(), "{found:?}");
    assert!((10..40).contains(&found.runs), "{}", found.runs);
    // In the search: a border with a wider interval that holds the narrow one's middle, or nearly.
    let stop = Stop::after(45);
    let found = search.search(|value| dial.model(value), &stop.flag, || stop.step()).unwrap();
    let [point] = found.points.as_slice() else { panic!("{found:?}") };
    assert!(found.interrupted && found.runs < whole.runs);
    assert_eq!(point.side, Side::Below);
    let width = |point: &metastable::experiment::TippingPoint| {
        point.tips_at.interval.high - point.tips_at.interval.low
    };
    assert!(width(point) > width(&whole.points[0]), "{point:?}");
}

#[test]
fn a_line_as_far_as_it_is_known_and_never_more_runs_than_it_may() {
    let story = short();
    let world = |load: f64, stall: f64| {
        let texts =
            [format!("clients.web.load={load}"), format!("triggers.gc.stall.lasts={stall:.4}s")];
        story.altered("base", &texts.map(|text| Alteration::new(&text, "--x")))
    };
    let search = |most_runs| FrontierSearch { x: LOADS, y: STALLS, seed: 1, most_runs };
    let least = search(0).least_runs();
    for most_runs in [least, least + 30, 400] {
        let done = Stop::after(u64::MAX);
        let found = search(most_runs).search(world, &done.flag, || done.step()).unwrap();
        assert!(found.runs <= most_runs, "{} of {most_runs}", found.runs);
        assert_eq!(found.runs, done.done.into_inner());
        assert_eq!(found.columns.len() >= 9, !found.cut_short || found.side.is_some());
        let tips = found.columns.iter().filter(|c| matches!(c.along, Along::Tips { .. })).count();
        assert!(tips >= 6, "{found:?}");
    }
    // After the first column and before the last.
    let whole = search(2_000).search(world, &AtomicBool::new(false), || ()).unwrap();
    let stop = Stop::after(whole.runs * 2 / 3);
    let found = search(2_000).search(world, &stop.flag, || stop.step()).unwrap();
    assert!(found.interrupted && (1..9).contains(&found.columns.len()), "{found:?}");
    let stop = Stop::after(3);
    assert!(matches!(search(2_000).search(world, &stop.flag, || stop.step()), Err(Halt::Stopped)));
}

#[test]
fn a_basin_as_far_as_it_is_known_and_never_more_runs_than_it_may() {
    let model = short().variants[0].model.clone();
    let never = AtomicBool::new(false);
    let whole = basin(&model, 1..7, u64::MAX, &never, || ()).unwrap().unwrap();
    assert!(!whole.interrupted && whole.tipping_retries.is_some());
    let exactly = basin(&model, 1..7, whole.runs, &never, || ()).unwrap().unwrap();
    assert_eq!(exactly, whole);
    let too_few = basin(&model, 1..7, whole.runs - 1, &never, || ());
    assert_eq!(too_few, Err(NoBasin::TooMany(whole.runs - 1)));
    let stop = Stop::after(whole.runs / 4);
    let part = basin(&model, 1..7, u64::MAX, &stop.flag, || stop.step()).unwrap().unwrap();
    assert!(part.interrupted && part.drift.is_empty() && part.runs < whole.runs, "{part:?}");
    assert!(part.tipping.middle().is_some());
}

#[test]
fn a_loop_of_those_that_have_been_there_and_back() {
    let sweep = "sweep.axes={ \"clients.web.load\" = { from = 0.1, to = 1.2, step = 0.1 } }";
    let story = Story::parse(SHORT, "short.toml", &[sweep.to_owned()]).unwrap();
    let cells = story.sweep.unwrap().cells;
    let look = |stop: &Stop| {
        let hold = Some(Span::from_secs(5));
        hysteresis(&cells, hold, 1..9, &stop.flag, || stop.step()).unwrap()
    };
    let part = look(&Stop::after(2)).unwrap();
    assert!(part.interrupted && (2..8).contains(&part.traverses.len()), "{part:?}");
    let whole = look(&Stop::after(u64::MAX)).unwrap();
    assert_eq!((whole.traverses.len(), whole.runs, whole.interrupted), (8, 8, false));
    assert_eq!(whole.traverses[0], part.traverses[0]);
}

#[test]
fn odds_as_far_as_they_are_known() {
    let busy = ["clients.web.load=0.85".to_owned(), "services.api.workers=1".to_owned()];
    let story = Story::parse(SHORT, "short.toml", &busy).unwrap();
    let model = calm_model(&story.variants[0].model, 1).unwrap();
    let collapse = Collapse::Reaches(0.1);
    let effort = Effort { length: Span::from_secs(2), ..Effort::default() };
    let look =
        |how, stop: &Stop| odds(&model, collapse, how, 1, effort, &stop.flag, || stop.step());
    let Some(Answer::Plain(part)) = look(How::Plain, &Stop::after(50)) else { panic!() };
    let Some(Answer::Plain(whole)) = look(How::Plain, &Stop::after(u64::MAX)) else { panic!() };
    assert!(part.interrupted && (50..400).contains(&part.runs), "{part:?}");
    assert!(!whole.interrupted && whole.runs == 400, "{whole:?}");
    assert!(part.odds.interval.low < whole.odds.per_second);
    assert!(whole.odds.per_second < part.odds.interval.high);
    // The first runs of the search for a method count among all: none is made twice.
    let all = Stop::after(u64::MAX);
    assert_eq!(look(How::Either, &all), Some(Answer::Plain(whole)));
    assert_eq!(all.done.into_inner(), 400);
    let Some(Answer::Splitting(part)) = look(How::Splitting, &Stop::after(5)) else { panic!() };
    assert!(part.interrupted && (5..20).contains(&part.rates.len()), "{part:?}");
}
