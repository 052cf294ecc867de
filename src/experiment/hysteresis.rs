//! Where does it collapse on the way up, and where does it come back on the way down?
//!
//! A parameter is moved in steps within one run, so that what has piled up stays: up until goodput breaks
//! down, and back again. Each step is held for a while, of which the first half is left out; on the way back
//! it is held for longer where the backlog falls, so that slow is not taken for stuck.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::batch::in_parallel;
use super::meter::Meter;
use super::{Cell, Coordinate};
use crate::analysis::{Interval, median, median_interval};
use crate::engine::Course;
use crate::engine::agenda::Lanes;
use crate::id::LeverId;
use crate::model::{Action, Arrivals, Lever, Model, Pull, Solver, TooLarge};
use crate::time::{Span, Time};

/// A parameter that was moved there and back under several seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Hysteresis {
    /// The values, in ascending order.
    pub values: Vec<Coordinate>,
    /// Whether the way out is from the first value to the last: the end that is well comes first.
    pub rising: bool,
    /// For how long each value was held at the least.
    pub hold: Span,
    /// From which share of fresh demand on goodput counts as good.
    pub good: f64,
    /// The way of each seed.
    pub traverses: Vec<Traverse>,
}

/// Goodput on the way out and back, as a share of fresh demand at each value; none where the way did not
/// lead.
#[derive(Clone, Debug, PartialEq)]
pub struct Traverse {
    /// On the way out.
    pub out: Vec<Option<f64>>,
    /// On the way back.
    pub back: Vec<Option<f64>>,
    /// The value at which it collapsed.
    pub collapsed: Option<usize>,
    /// The value at which it came back.
    pub returned: Option<usize>,
}

/// A value at which something changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The median over the seeds.
    pub middle: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// Why there is no way up and back.
#[derive(Clone, Debug, PartialEq)]
pub enum NoRamp {
    /// Fewer than two values.
    TooFew,
    /// A value is not a number.
    NotANumber(String),
    /// Without triggers and levers nothing of the axis is left.
    NoDifference,
    /// This holds for a whole run.
    Lasting(&'static str),
    /// Demand of this client follows the clock.
    ByTheClock(String),
    /// A run in steps cannot be stopped in between.
    Stepped,
    /// The run would be too large.
    TooLarge(TooLarge),
    /// It is not well at either end.
    NeverWell,
}

impl fmt::Display for NoRamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew => f.write_str("there and back takes two values at least"),
            Self::NotANumber(label) => write!(f, "`{label}` is not a number, and the axis must be one"),
            Self::NoDifference => f.write_str(
                "nothing changes along this axis: the run is without triggers and levers",
            ),
            Self::Lasting(key) => {
                write!(f, "this cannot change while a run is under way: `{key}` holds for a whole run")
            }
            Self::ByTheClock(client) => write!(
                f,
                "the demand of `{client}` follows the clock, and the axis must be all that changes; \
                 give it arrivals at one rate"
            ),
            Self::Stepped => {
                f.write_str("the stepped solver cannot do this; leave `solver` out of the scenario")
            }
            Self::TooLarge(_) => f.write_str(
                "the run would be too large; fewer values or a shorter --hold make it smaller",
            ),
            Self::NeverWell => f.write_str(
                "it is not well at either end of this range, undisturbed, so that it cannot collapse",
            ),
        }
    }
}

impl std::error::Error for NoRamp {}

/// For how many holds a value is held at the most while the backlog falls.
const MOST_HOLDS: u64 = 100;
/// For how many windows, and how many of the longest timeouts, a value is held at the least.
const WINDOWS: u64 = 20;
const TIMEOUTS: u64 = 10;

/// Moves along `cells`, one axis in ascending order, and back, without triggers and levers, under each seed.
/// `hold` is how long each value is held, or as long as seems enough; `progress` is told of every run. `Ok`
/// of nothing if `stop` was set meanwhile.
///
/// # Errors
/// Why there is no such way.
pub fn hysteresis(
    cells: &[Cell],
    hold: Option<Span>,
    seeds: Range<u64>,
    stop: &AtomicBool,
    progress: impl Fn() + Sync,
) -> Result<Option<Hysteresis>, NoRamp> {
    let models: Vec<Model> = cells.iter().map(|cell| cell.model.undisturbed()).collect();
    refuse(cells, &models)?;
    let hold = hold.unwrap_or_else(|| usual_hold(&models[0]));
    let rising = Staircase::of(&models, hold, true)?;
    let falling = Staircase::of(&models, hold, false)?;
    let up = rising.climb(seeds.start);
    let is_rising = match (up.out[0], up.collapsed) {
        (_, Some(0)) => {
            let down = falling.climb(seeds.start);
            if down.collapsed == Some(models.len() - 1) {
                return Err(NoRamp::NeverWell);
            }
            false
        }
        (_, Some(_)) => true,
        // Nothing happens this way; if something does the other way, that is the way out.
        (_, None) => falling.climb(seeds.start).collapsed.is_none_or(|at| at == models.len() - 1),
    };
    let staircase = if is_rising { rising } else { falling };
    let seeds: Vec<u64> = seeds.collect();
    let traverses = in_parallel(&seeds, stop, |_, &seed| {
        let traverse = staircase.climb(seed);
        progress();
        traverse
    });
    Ok(traverses.map(|traverses| Hysteresis {
        values: cells.iter().filter_map(|cell| cell.at.first().cloned()).collect(),
        rising: is_rising,
        hold,
        good: models[0].criterion.share.as_f64(),
        traverses,
    }))
}

fn refuse(cells: &[Cell], models: &[Model]) -> Result<(), NoRamp> {
    let [first, .., last] = models else { return Err(NoRamp::TooFew) };
    for coordinate in cells.iter().flat_map(|cell| &cell.at) {
        if coordinate.number.is_none() {
            return Err(NoRamp::NotANumber(coordinate.label.clone()));
        }
    }
    match first.solver {
        Solver::Events => {}
        Solver::Stepped { .. } => return Err(NoRamp::Stepped),
    }
    if let Some(client) = first.clients.iter().find(|client| follows_the_clock(&client.arrivals)) {
        return Err(NoRamp::ByTheClock(client.name.clone()));
    }
    if first == last {
        return Err(NoRamp::NoDifference);
    }
    let lasting = models.iter().find_map(|model| first.lasting_difference(model));
    lasting.map_or(Ok(()), |key| Err(NoRamp::Lasting(key)))
}

/// Whether demand is not the same at all times, but for chance.
pub(super) const fn follows_the_clock(arrivals: &Arrivals) -> bool {
    match arrivals {
        Arrivals::Poisson(_) | Arrivals::Even(_) | Arrivals::Bursts(_) | Arrivals::Users(_) => {
            false
        }
        Arrivals::Profile(_) | Arrivals::Volley { .. } | Arrivals::Replay(_) => true,
    }
}

/// Long enough for what happens at a value to show.
fn usual_hold(model: &Model) -> Span {
    let timeouts = model.clients.iter().filter_map(|client| client.edge.timeout);
    let longest = timeouts.max().unwrap_or_default();
    model.window.saturating_mul(WINDOWS).max(longest.saturating_mul(TIMEOUTS))
}

/// A model that a lever leads from value to value.
struct Staircase {
    model: Model,
    hold: Span,
    /// Positions of the values in the order of the way out.
    way: Vec<usize>,
}

/// How it fares at a value.
struct Settled {
    share: f64,
    is_good: bool,
}

impl Staircase {
    fn of(models: &[Model], hold: Span, rising: bool) -> Result<Self, NoRamp> {
        let mut way: Vec<usize> = (0..models.len()).collect();
        if !rising {
            way.reverse();
        }
        let levers = models.iter().map(|model| Lever {
            name: String::new(),
            // By hand, and never by the clock.
            pulled: Pull::At(Time::NEVER),
            action: Action::Change(Arc::new(model.clone())),
        });
        let steps = 2 * models.len() as u64;
        let mut model = models[way[0]].clone();
        model.levers = levers.collect();
        for step in models {
            let run = Model { horizon: hold.saturating_mul(steps), ..step.clone() };
            let windows = run.horizon.as_nanos() / 1_000;
            let run = Model { window: Span::from_nanos(windows.max(1)), ..run };
            run.fits().map_err(NoRamp::TooLarge)?;
        }
        model.horizon = hold.saturating_mul(steps).saturating_mul(MOST_HOLDS);
        Ok(Self { model, hold, way })
    }

    /// Out until it collapses, and back.
    fn climb(&self, seed: u64) -> Traverse {
        let none = vec![None; self.way.len()];
        let mut traverse =
            Traverse { out: none.clone(), back: none, collapsed: None, returned: None };
        let mut climber = Climber::new(self, seed);
        let mut turn = self.way.len() - 1;
        for (step, &place) in self.way.iter().enumerate() {
            let Settled { share, is_good } = climber.settle_at(place);
            traverse.out[place] = Some(share);
            if !is_good {
                (turn, traverse.collapsed) = (step, Some(place));
                break;
            }
        }
        for &place in self.way[..turn].iter().rev() {
            let Settled { share, is_good } = climber.settle_at(place);
            traverse.back[place] = Some(share);
            if is_good && traverse.collapsed.is_some() {
                traverse.returned.get_or_insert(place);
            }
        }
        traverse
    }
}

/// A run on its way.
struct Climber<'s> {
    staircase: &'s Staircase,
    course: Course<'s, Lanes>,
    meter: Meter,
    until: Time,
}

impl<'s> Climber<'s> {
    fn new(staircase: &'s Staircase, seed: u64) -> Self {
        let course = Course::new(&staircase.model, seed);
        Self { staircase, course, meter: Meter::of(&staircase.model), until: Time::ZERO }
    }

    /// Goes on for half a hold, and counts what happens then: how much waits at its end.
    fn go_on(&mut self) -> u64 {
        self.meter.begin_anew();
        self.until += Span::from_nanos(self.staircase.hold.as_nanos() / 2);
        let until = self.until;
        self.course.go_on(&mut self.meter, |meter| meter.now < until);
        self.meter.waiting
    }

    /// Moves to a value and stays for a hold, or for as long as the backlog falls by more than chance.
    fn settle_at(&mut self, place: usize) -> Settled {
        self.course.pull(LeverId(place as u16), &mut self.meter);
        let mut before = self.go_on();
        let mut left = 2 * MOST_HOLDS;
        loop {
            let waiting = self.go_on();
            let share = self.meter.share();
            let is_good = share >= self.staircase.model.criterion.share.as_f64();
            let noise = 4.0 * (self.meter.attempts as f64).sqrt();
            let falls = (before as f64) - (waiting as f64) > noise;
            left -= 1;
            if is_good || !falls || left == 0 {
                return Settled { share, is_good };
            }
            before = waiting;
        }
    }
}

impl Hysteresis {
    /// The value at which it collapses on the way out, in the middle of the seeds; none if most do not. Those
    /// that do not count as beyond the end.
    pub fn collapse(&self) -> Option<Corner> {
        let beyond = if self.rising { f64::INFINITY } else { f64::NEG_INFINITY };
        self.corner(self.traverses.iter().map(|traverse| traverse.collapsed), beyond)
    }

    /// The value at which those that have collapsed come back, in their middle; none if most do not. Those that
    /// do not count as beyond the beginning.
    pub fn comeback(&self) -> Option<Corner> {
        let beyond = if self.rising { f64::NEG_INFINITY } else { f64::INFINITY };
        let collapsed = self.traverses.iter().filter(|traverse| traverse.collapsed.is_some());
        self.corner(collapsed.map(|traverse| traverse.returned), beyond)
    }

    /// How many seeds collapse, and how many come back.
    pub fn counts(&self) -> (usize, usize) {
        let count = |is: fn(&Traverse) -> bool| self.traverses.iter().filter(|t| is(t)).count();
        (
            count(|traverse| traverse.collapsed.is_some()),
            count(|traverse| traverse.returned.is_some()),
        )
    }

    /// The number of a value.
    pub fn number(&self, place: usize) -> f64 {
        self.values.get(place).and_then(|value| value.number).unwrap_or(f64::NAN)
    }

    fn corner(&self, places: impl Iterator<Item = Option<usize>>, beyond: f64) -> Option<Corner> {
        let found: Vec<f64> =
            places.map(|place| place.map_or(beyond, |place| self.number(place))).collect();
        let middle = median(found.iter().copied()).filter(|middle| middle.is_finite())?;
        Some(Corner { middle, interval: median_interval(found)? })
    }
}
