//! Where does it collapse on the way up, and where does it come back on the way down?
//!
//! A parameter is moved in steps within one run, so that what has piled up stays: up until goodput breaks
//! down, and back again. Each step is held for a while, of which the first half is left out; it is held for
//! longer where the backlog may be falling, so that slow is not taken for stuck.
//!
//! What has piled up on the way depends on how long the way is, and so does the time that it takes to drain. Where
//! the loop ends must not depend on it: a value counts as the one at which it comes back if the backlog falls there,
//! and goes on falling from value to value, until all is well.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batch::as_far_as_it_goes;
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
    /// How many runs it took: one for each seed, and another where the way out was tried from the wrong end first.
    pub runs: u64,
    /// Whether it was stopped: these are the seeds that had been there and back.
    pub interrupted: bool,
}

/// Goodput on the way out and back, as a share of fresh demand at each value; none where the way did not
/// lead.
#[derive(Clone, Debug, PartialEq)]
pub struct Traverse {
    /// On the way out.
    pub out: Vec<Option<f64>>,
    /// On the way back.
    pub back: Vec<Option<f64>>,
    /// On the way back, whether a value was left while the backlog still fell.
    pub draining: Vec<bool>,
    /// The value at which it collapsed.
    pub collapsed: Option<usize>,
    /// The value at which it came back: where goodput is good, or from which on the backlog fell until it was.
    pub returned: Option<usize>,
    /// The value at which goodput was good again.
    pub good_again: Option<usize>,
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

/// For how many holds a value is held at the most while the backlog falls, and the one at the end of the way.
const MOST_HOLDS: u64 = 200;
const MOST_AT_THE_END: u64 = 10 * MOST_HOLDS;
/// Before that a value is left that has been held for so many holds, if what waits would take longer than the most.
const ENOUGH_HOLDS: u32 = 10;
/// A backlog that may be falling is watched for so many holds until that is certain.
const DOUBTFUL_HOLDS: u32 = 20;
/// So many standard deviations of a count are no chance, and so many may be worth a second look.
const CERTAIN: f64 = 4.0;
const SUSPECT: f64 = 1.0;
/// For how many windows, and how many of the longest timeouts, a value is held at the least.
const WINDOWS: u64 = 20;
const TIMEOUTS: u64 = 10;

/// Moves along `cells`, one axis in ascending order, and back, without triggers and levers, under each seed.
/// `hold` is how long each value is held, or as long as seems enough; `progress` is told of every run. `Ok`
/// of nothing if `stop` was set before any seed had been there and back.
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
    let Some(up) = rising.climb(seeds.start, stop) else { return Ok(None) };
    let (is_rising, first, tried) = if matches!(up.collapsed, Some(1..)) {
        (true, up, 1)
    } else {
        // It is not well at this end, or nothing happens this way: the other way may be the way out.
        let Some(down) = falling.climb(seeds.start, stop) else { return Ok(None) };
        progress();
        let is_ill_there = down.collapsed == Some(models.len() - 1);
        if up.collapsed == Some(0) && is_ill_there {
            return Err(NoRamp::NeverWell);
        }
        let is_rising = up.collapsed.is_none() && (down.collapsed.is_none() || is_ill_there);
        (is_rising, if is_rising { up } else { down }, 2)
    };
    progress();
    let staircase = if is_rising { rising } else { falling };
    let others: Vec<u64> = seeds.skip(1).collect();
    let climbs = as_far_as_it_goes(&others, stop, |_, &seed| {
        let traverse = staircase.climb(seed, stop);
        progress();
        traverse
    });
    let climbed: Vec<Traverse> = climbs.into_iter().flatten().flatten().collect();
    let interrupted = climbed.len() < others.len();
    let runs = tried + climbed.len() as u64;
    let traverses = [vec![first], climbed].concat();
    Ok(Some(Hysteresis {
        values: cells.iter().filter_map(|cell| cell.at.first().cloned()).collect(),
        rising: is_rising,
        hold,
        good: models[0].criterion.share.as_f64(),
        traverses,
        runs,
        interrupted,
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
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Good,
    /// Not good yet, and the backlog falls.
    Draining,
    Down,
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
        model.horizon = hold.saturating_mul(steps).saturating_mul(MOST_AT_THE_END);
        Ok(Self { model, hold, way })
    }

    /// Out until it collapses, and back; none if `stop` was set meanwhile.
    fn climb(&self, seed: u64, stop: &AtomicBool) -> Option<Traverse> {
        let none = vec![None; self.way.len()];
        let mut traverse = Traverse {
            out: none.clone(),
            back: none,
            draining: vec![false; self.way.len()],
            collapsed: None,
            returned: None,
            good_again: None,
        };
        let mut climber = Climber::new(self, seed, stop);
        let mut turn = self.way.len() - 1;
        for (step, &place) in self.way.iter().enumerate() {
            let Settled { share, state } = climber.settle_at(place, MOST_HOLDS)?;
            traverse.out[place] = Some(share);
            if state != State::Good {
                (turn, traverse.collapsed) = (step, Some(place));
                break;
            }
        }
        for (step, &place) in self.way[..turn].iter().enumerate().rev() {
            let most = if step == 0 { MOST_AT_THE_END } else { MOST_HOLDS };
            let Settled { share, state } = climber.settle_at(place, most)?;
            traverse.back[place] = Some(share);
            traverse.draining[place] = state == State::Draining;
            match state {
                State::Good => {
                    traverse.good_again.get_or_insert(place);
                    traverse.returned.get_or_insert(place);
                }
                State::Draining => {
                    traverse.returned.get_or_insert(place);
                }
                // What fell for a while, and then no more, had not come back.
                State::Down if traverse.good_again.is_none() => traverse.returned = None,
                State::Down => {}
            }
        }
        if traverse.collapsed.is_none() || traverse.good_again.is_none() {
            (traverse.returned, traverse.good_again) = (None, None);
        }
        Some(traverse)
    }
}

/// A run on its way.
struct Climber<'s> {
    staircase: &'s Staircase,
    course: Course<'s, Lanes>,
    meter: Meter,
    until: Time,
    stop: &'s AtomicBool,
}

impl<'s> Climber<'s> {
    fn new(staircase: &'s Staircase, seed: u64, stop: &'s AtomicBool) -> Self {
        let course = Course::new(&staircase.model, seed);
        Self { staircase, course, meter: Meter::of(&staircase.model), until: Time::ZERO, stop }
    }

    /// Goes on for half a hold, and counts what happens then: how much waits at its end.
    fn go_on(&mut self) -> u64 {
        self.meter.begin_anew();
        self.until += Span::from_nanos(self.staircase.hold.as_nanos() / 2);
        let until = self.until;
        self.course.go_on(&mut self.meter, |meter| meter.now < until);
        self.meter.waiting
    }

    /// Moves to a value and stays for a hold, or for as long as the backlog falls, and at the most for so many
    /// holds.
    fn settle_at(&mut self, place: usize, most: u64) -> Option<Settled> {
        self.course.pull(LeverId(place as u16), &mut self.meter);
        let first = self.go_on() as f64;
        // Half holds, and attempts that came in them: chance moves a backlog by the root of their number.
        let (mut halves, mut attempts) = (0_u32, 0_u64);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let waiting = self.go_on() as f64;
            halves += 1;
            attempts += self.meter.attempts;
            let share = self.meter.share();
            let settled = |state| Some(Settled { share, state });
            if share >= self.staircase.model.criterion.share.as_f64() {
                return settled(State::Good);
            }
            let fallen = first - waiting;
            let deviations = fallen / (attempts as f64).sqrt().max(1.0);
            if deviations <= CERTAIN {
                if deviations <= SUSPECT || halves >= 2 * DOUBTFUL_HOLDS {
                    return settled(State::Down);
                }
                continue;
            }
            let left = waiting / (fallen / f64::from(halves));
            let is_too_long = f64::from(halves) + left > 2.0 * most as f64;
            let is_enough = halves >= 2 * ENOUGH_HOLDS;
            if (is_enough && is_too_long) || u64::from(halves) >= 2 * most {
                return settled(State::Draining);
            }
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
        self.on_the_way_back(|traverse| traverse.returned)
    }

    /// The value at which goodput is good again, like [`Self::comeback`]. It lies beyond that where the backlog was
    /// so large that values were left before it was worked off.
    pub fn good_again(&self) -> Option<Corner> {
        self.on_the_way_back(|traverse| traverse.good_again)
    }

    fn on_the_way_back(&self, place: fn(&Traverse) -> Option<usize>) -> Option<Corner> {
        let beyond = if self.rising { f64::NEG_INFINITY } else { f64::INFINITY };
        let collapsed = self.traverses.iter().filter(|traverse| traverse.collapsed.is_some());
        self.corner(collapsed.map(place), beyond)
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
