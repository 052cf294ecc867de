//! How many workers should there be, and when do they count?
//!
//! Whose memory it is: the service's. What is scaled is called a worker here; a caller that adds
//! instances of ten workers counts instances, and measures per instance.
//!
//! Told and asked at these moments:
//!
//! * [`Autoscaler::look`] at the multiples of [`Scaling::every`] ([`Scaling::next_look`]), with what
//!   was measured since the look before;
//! * [`Autoscaler::arrived`] when new workers are due that an order has promised.
//!
//! An order goes this way: what the [`Rule`] recommends; of the recommendations of the last while the
//! most cautious ([`Direction::window`]); no more at once than [`Direction::step`] allows; and never
//! outside the bounds. These are the steps of Kubernetes' horizontal autoscaler (`horizontal.go`), and
//! other scalers differ in their rule.

mod extreme;

use extreme::{Extreme, Side};

use std::collections::VecDeque;
use std::num::NonZeroU32;

use crate::time::{Span, Time};
use crate::unit::Fraction;

/// An autoscaler's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// What is measured.
    pub measure: Measure,
    /// What it is held against, and what follows.
    pub rule: Rule,
    /// From one look to the next. Not zero.
    pub every: Span,
    /// How long a new worker takes to start.
    pub start_up: Span,
    /// The fewest workers.
    pub min: NonZeroU32,
    /// The most workers; where it is less than `min`, `min` is.
    pub max: NonZeroU32,
    /// How it grows.
    pub up: Direction,
    /// How it shrinks.
    pub down: Direction,
}

/// What is measured of all workers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The mean number of busy workers since the last look; per worker, its utilisation.
    Busy,
    /// How many attempts wait.
    Waiting,
    /// How many attempts are inside, waiting or in service.
    Inside,
}

/// What a measure is held against, and what follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// As many as would meet the target: `ceil(workers x measured / target)`. Kubernetes.
    Target {
        /// The measure per worker that is aimed at.
        target: PerWorker,
        /// While the measure is within this share of the target, nothing changes.
        tolerance: Fraction,
    },
    /// So many more above one threshold, so many fewer below another one. AWS' step scaling.
    Thresholds {
        /// The measure per worker above which workers are added.
        above: PerWorker,
        /// How many.
        add: NonZeroU32,
        /// The measure per worker below which workers are taken away; none never are.
        below: Option<PerWorker>,
        /// How many.
        remove: NonZeroU32,
    },
}

/// A measure per worker: finite and above zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct PerWorker(f64);

/// How quickly the number of workers may change one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Reaction time: of the recommendations of the last while, up to but not including this long
    /// ago, the most cautious is followed. With zero, always the last one.
    pub window: Span,
    /// The largest change; none for any.
    pub step: Option<Step>,
}

/// The largest change in one direction: the larger one of two, as Kubernetes has it unless told
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// So many workers.
    pub workers: u32,
    /// So many per cent of those that there were; downwards, at most 100.
    pub percent: u32,
    /// How long ago that was.
    pub period: Span,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Workers that can work. The difference to those that were ordered has not started, or is out of
    /// order.
    pub ready: u32,
    /// The [`Measure`], of all of them together.
    pub total: f64,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing.
    Stay,
    /// New workers start.
    Start {
        /// How many.
        workers: u32,
        /// When they count.
        ready: Time,
    },
    /// Workers go. Those that are still starting go first, the latest ordered first of all.
    Stop {
        /// How many that have not started, and will not.
        starting: u32,
        /// How many that work, or are ready to.
        ready: u32,
    },
}

/// What an autoscaler remembers during a run: looks and changes of the longest window.
#[derive(Clone, Debug)]
pub struct Autoscaler {
    scaling: Scaling,
    /// Those that were ordered, started or not.
    ordered: u32,
    /// When which number of those will be ready, in order of time.
    starting: VecDeque<(Time, u32)>,
    /// The least that was recommended lately, for growing, and the most, for shrinking.
    least: Extreme,
    most: Extreme,
    /// When how many came and went.
    changes: VecDeque<(Time, i64)>,
}

impl PerWorker {
    /// `measure`, if it is finite and above zero.
    pub fn new(measure: f64) -> Option<Self> {
        (measure.is_finite() && measure > 0.0).then_some(Self(measure))
    }

    /// The measure per worker.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Direction {
    /// Kubernetes' default for growing: at once, by four workers or to twice as many in 15 s.
    pub const KUBERNETES_UP: Self = Self {
        window: Span::ZERO,
        step: Some(Step { workers: 4, percent: 100, period: Span::from_secs(15) }),
    };
    /// Kubernetes' default for shrinking: to the most that was recommended in five minutes.
    pub const KUBERNETES_DOWN: Self = Self { window: Span::from_secs(300), step: None };
}

impl Scaling {
    /// How often Kubernetes looks.
    pub const KUBERNETES_EVERY: Span = Span::from_secs(15);

    /// The first look after `now`.
    pub const fn next_look(&self, now: Time) -> Time {
        let every = if self.every.is_zero() { 1 } else { self.every.as_nanos() };
        Time::from_nanos((now.as_nanos() / every + 1).saturating_mul(every))
    }

    /// An autoscaler at the start of a run, with so many workers, all of them ready.
    pub fn open(&self, workers: u32) -> Autoscaler {
        let mut autoscaler = Autoscaler {
            scaling: *self,
            ordered: workers,
            starting: VecDeque::new(),
            least: Extreme::new(Side::Least, self.up.window),
            most: Extreme::new(Side::Most, self.down.window),
            changes: VecDeque::new(),
        };
        // So that nothing counts as having held for a while that began a moment ago.
        autoscaler.least.record(Time::ZERO, workers);
        autoscaler.most.record(Time::ZERO, workers);
        autoscaler
    }

    fn longest_period(&self) -> Span {
        let period = |direction: Direction| direction.step.map_or(Span::ZERO, |step| step.period);
        period(self.up).max(period(self.down))
    }
}

impl Rule {
    /// How many workers there should be.
    fn recommend(&self, ordered: u32, reading: Reading) -> u32 {
        // Without anybody to measure nothing is known.
        if reading.ready == 0 {
            return ordered;
        }
        let per_worker = reading.total / f64::from(reading.ready);
        match self {
            Self::Target { target, tolerance } => {
                target.recommend(*tolerance, ordered, reading, per_worker)
            }
            Self::Thresholds { above, add, below, remove } => {
                if per_worker > above.0 {
                    ordered.saturating_add(add.get())
                } else if below.is_some_and(|below| per_worker < below.0) {
                    ordered.saturating_sub(remove.get())
                } else {
                    ordered
                }
            }
        }
    }
}

impl PerWorker {
    fn recommend(self, tolerance: Fraction, ordered: u32, reading: Reading, found: f64) -> u32 {
        let is_near = |ratio: f64| (1.0 - ratio).abs() <= tolerance.as_f64();
        let ratio = found / self.0;
        if ratio <= 1.0 || reading.ready >= ordered {
            return if is_near(ratio) { ordered } else { up_to(ratio * f64::from(reading.ready)) };
        }
        // Those that have not started count as idle before more are ordered, or each look of a long
        // start would order the same workers once more.
        let ratio = reading.total / f64::from(ordered) / self.0;
        if ratio <= 1.0 || is_near(ratio) { ordered } else { up_to(ratio * f64::from(ordered)) }
    }
}

/// The next whole number, forgiving an error of rounding: 50 x 0.9 / 0.75 are 60 and not 61.
fn up_to(workers: f64) -> u32 {
    (workers * (1.0 - 1e-12)).ceil() as u32
}

impl Autoscaler {
    /// What is to be done, given what was measured.
    pub fn look(&mut self, now: Time, reading: Reading) -> Order {
        let recommended = self.scaling.rule.recommend(self.ordered, reading);
        let least = self.least.record(now, recommended);
        let most = self.most.record(now, recommended);
        // Between what everybody lately wanted at least and at most, it stays.
        let cautious = self.ordered.max(least).min(most);
        let min = self.scaling.min.get();
        let bounded = self.within_steps(now, cautious).clamp(min, self.scaling.max.get().max(min));
        self.change(now, bounded)
    }

    /// How many workers are ready now that were not before.
    pub fn arrived(&mut self, now: Time) -> u32 {
        let mut arrived = 0;
        while let Some(&(ready, workers)) = self.starting.front()
            && ready <= now
        {
            self.starting.pop_front();
            arrived += workers;
        }
        arrived
    }

    /// Workers that were ordered, started or not.
    pub const fn ordered(&self) -> u32 {
        self.ordered
    }

    /// Those of them that have not started.
    pub fn starting(&self) -> u32 {
        self.starting.iter().map(|&(_, workers)| workers).sum()
    }

    /// As far towards `wanted` as the steps allow.
    fn within_steps(&mut self, now: Time, wanted: u32) -> u32 {
        let longest = self.scaling.longest_period();
        while self.changes.front().is_some_and(|&(when, _)| now.since(when) >= longest) {
            self.changes.pop_front();
        }
        let before = |period: Span| {
            let lately = self.changes.iter().filter(|&&(when, _)| now.since(when) < period);
            let change: i64 = lately.map(|&(_, change)| change).sum();
            u64::try_from(i64::from(self.ordered) - change).unwrap_or(0)
        };
        let (up, down) = (self.scaling.up.step, self.scaling.down.step);
        if wanted > self.ordered {
            let Some(step) = up else { return wanted };
            let most = step.above(before(step.period)).max(u64::from(self.ordered));
            wanted.min(u32::try_from(most).unwrap_or(u32::MAX))
        } else {
            let Some(step) = down else { return wanted };
            let least = step.below(before(step.period)).min(u64::from(self.ordered));
            wanted.max(u32::try_from(least).unwrap_or(u32::MAX))
        }
    }

    fn change(&mut self, now: Time, wanted: u32) -> Order {
        let change = i64::from(wanted) - i64::from(self.ordered);
        if change == 0 {
            return Order::Stay;
        }
        if !self.scaling.longest_period().is_zero() {
            self.changes.push_back((now, change));
        }
        let order = if wanted > self.ordered {
            let (workers, ready) = (wanted - self.ordered, now + self.scaling.start_up);
            self.starting.push_back((ready, workers));
            Order::Start { workers, ready }
        } else {
            self.stop(self.ordered - wanted)
        };
        self.ordered = wanted;
        order
    }

    fn stop(&mut self, workers: u32) -> Order {
        let mut left = workers;
        while left > 0
            && let Some((_, starting)) = self.starting.back_mut()
        {
            let gone = left.min(*starting);
            *starting -= gone;
            left -= gone;
            if *starting == 0 {
                self.starting.pop_back();
            }
        }
        Order::Stop { starting: workers - left, ready: left }
    }
}

impl Step {
    fn above(&self, before: u64) -> u64 {
        let more = (before * u64::from(self.percent)).div_ceil(100);
        before + more.max(u64::from(self.workers))
    }

    fn below(&self, before: u64) -> u64 {
        let kept = before * u64::from(100_u32.saturating_sub(self.percent)) / 100;
        kept.min(before.saturating_sub(u64::from(self.workers)))
    }
}

#[cfg(test)]
mod tests;
