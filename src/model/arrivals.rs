//! When fresh requests arrive.

use std::num::NonZeroU16;
use std::sync::Arc;

use crate::law::Law;
use crate::time::{Span, Time};
use crate::unit::Rate;

/// The process by which fresh requests arrive at a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Independent of each other, at a mean rate.
    Poisson(Rate),
    /// Evenly spaced: request `k` = 0, 1, 2, … arrives at `k / rate`.
    Even(Rate),
    /// Poisson at one rate while a hidden switch is on and at another while it is off: a
    /// Markov-modulated Poisson process of two states. It begins off.
    Bursts(Bursts),
    /// Poisson at a rate that follows a profile over time.
    Profile(Profile),
    /// Requests that come once, evenly spread over `[begins, begins + within)`.
    Volley {
        /// How many.
        count: u32,
        /// When the first one comes.
        begins: Time,
        /// How long it takes them all to come; zero for all at one instant.
        within: Span,
    },
    /// At these instants, in ascending order.
    Replay(Arc<[Time]>),
    /// Closed loop: users who each send a request, wait until it has succeeded or failed, and think
    /// before the next one.
    Users(Users),
}

/// Parameters of [`Arrivals::Bursts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// Arrivals per second during a burst.
    pub on: Rate,
    /// Arrivals per second between bursts; none for silence.
    pub off: Option<Rate>,
    /// Mean length of a burst (exponential).
    pub mean_on: Span,
    /// Mean length of the time between bursts (exponential).
    pub mean_off: Span,
}

/// Parameters of [`Arrivals::Profile`].
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The rate at factor 1.
    pub base: Rate,
    /// Factors on the base rate at ascending offsets, straight lines between them; the first and the
    /// last hold outside. Never empty; two points at one offset are a step.
    pub points: Arc<[(Span, f64)]>,
    /// After this length the profile starts again; none runs through it once.
    pub period: Option<Span>,
}

/// Parameters of [`Arrivals::Users`].
#[derive(Clone, Debug, PartialEq)]
pub struct Users {
    /// How many users there are; each is an instance of the client.
    pub count: NonZeroU16,
    /// How long a user thinks.
    pub think: Think,
    /// Users begin spread over this length; zero for all at the start of the run.
    pub start_within: Span,
}

/// What a user's thinking is counted from.
#[derive(Clone, Debug, PartialEq)]
pub enum Think {
    /// After the end of a request, for a length drawn anew each time.
    After(Law),
    /// Until a fixed length after the start of a request, or not at all if it took longer: a load
    /// generator that paces itself.
    Pace(Span),
}

impl Profile {
    /// The factor at an offset from the start of the run.
    pub fn factor(&self, at: Time) -> f64 {
        let mut offset = at.since(Time::ZERO).as_nanos();
        if let Some(period) = self.period {
            offset %= period.as_nanos();
        }
        let next = self.points.partition_point(|(point, _)| point.as_nanos() <= offset);
        let Some(&(from, low)) = next.checked_sub(1).and_then(|index| self.points.get(index))
        else {
            return self.points[0].1;
        };
        let Some(&(to, high)) = self.points.get(next) else {
            return low;
        };
        let along = (offset - from.as_nanos()) as f64 / (to.as_nanos() - from.as_nanos()) as f64;
        low + (high - low) * along
    }

    /// The largest factor there is.
    pub fn peak(&self) -> f64 {
        self.points.iter().map(|(_, factor)| *factor).fold(0.0, f64::max)
    }

    /// The mean factor over `[0, horizon)`.
    fn mean(&self, horizon: Span) -> f64 {
        const STEPS: u64 = 1_000;
        let whole = self.period.unwrap_or(horizon).as_nanos();
        let at = |step| Time::from_nanos((2 * step + 1) * (whole / (2 * STEPS)).max(1));
        (0..STEPS).map(|step| self.factor(at(step))).sum::<f64>() / STEPS as f64
    }
}

impl Arrivals {
    /// Mean arrivals per second over a run of length `horizon`; for a closed loop the most there can
    /// be, with answers that take no time.
    pub fn mean_rate(&self, horizon: Span) -> f64 {
        match self {
            Self::Poisson(rate) | Self::Even(rate) => rate.per_second(),
            Self::Bursts(bursts) => {
                let (on, off) = (bursts.mean_on.as_secs_f64(), bursts.mean_off.as_secs_f64());
                let between = bursts.off.map_or(0.0, Rate::per_second);
                (bursts.on.per_second() * on + between * off) / (on + off)
            }
            Self::Profile(profile) => profile.base.per_second() * profile.mean(horizon),
            Self::Volley { count, .. } => f64::from(*count) / horizon.as_secs_f64(),
            Self::Replay(instants) => instants.len() as f64 / horizon.as_secs_f64(),
            Self::Users(users) => {
                let think = match &users.think {
                    Think::After(law) => law.mean(),
                    Think::Pace(pace) => *pace,
                };
                f64::from(users.count.get()) / think.max(Span::NANOSECOND).as_secs_f64()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_holds_steps_ramps_and_returns() {
        let second = Span::from_secs;
        let points = [(second(0), 1.0), (second(10), 1.0), (second(10), 3.0), (second(20), 1.0)];
        let profile =
            |period| Profile { base: Rate::new(100.0).unwrap(), points: Arc::from(points), period };
        let check = |period, secs, expected: f64| {
            let found = profile(period).factor(Time::ZERO + Span::from_secs_f64(secs));
            assert!((found - expected).abs() < 1e-12, "{secs}: {found}");
        };
        check(None, 5.0, 1.0);
        check(None, 9.999_999_999, 1.0);
        check(None, 10.0, 3.0);
        check(None, 15.0, 2.0);
        check(None, 500.0, 1.0);
        check(Some(second(20)), 30.0, 3.0);
        check(Some(second(20)), 35.0, 2.0);
        assert!((profile(Some(second(20))).mean(second(100)) - 1.5).abs() < 1e-3);
    }
}
