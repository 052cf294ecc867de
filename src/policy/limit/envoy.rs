//! How many at once, if the round trip is to stay near the one measured with nearly nobody there?
//!
//! Whose memory it is: the service's. Envoy's adaptive concurrency filter (`gradient_controller.cc`,
//! 054694f). Now and then the limit falls to its lower end until enough requests have been seen; a
//! quantile of their round trips is the yardstick. Between these probes, at the end of each window
//! that saw a sample, the limit is multiplied by yardstick / sample, plus the root of itself as
//! headroom for bursts. When it has been at its lower end for five windows, the yardstick is
//! suspected and measured again.
//!
//! Two things differ from Envoy: round trips are whole nanoseconds and their quantile is exact (by
//! nearest rank), where Envoy has microseconds in a histogram of two digits; and a probe's jitter is
//! drawn in nanoseconds instead of milliseconds.

use std::num::NonZeroU32;

use super::{Outcome, Sample};
use crate::random::Bits;
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// After how many windows at the lower end the yardstick is measured again.
const SUSPICIOUS: u32 = 5;

/// Parameters of the limit. Lengths of zero count as a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnvoyGradient {
    /// The lower end, and the limit while the yardstick is measured.
    pub min: NonZeroU32,
    /// The upper end; the lower end wins if it is above.
    pub max: NonZeroU32,
    /// Which quantile of the round trips is compared.
    pub quantile: Fraction,
    /// How long a window is.
    pub update_every: Span,
    /// From the end of one probe to the next.
    pub probe_every: Span,
    /// How many requests a probe takes.
    pub probe_requests: NonZeroU32,
    /// By up to which share a probe is put off, so that a fleet does not probe at once.
    pub jitter: Fraction,
    /// How much longer than the yardstick a round trip may take.
    pub buffer: Fraction,
}

/// The limit, the yardstick, the window.
#[derive(Clone, Debug)]
pub struct State {
    parameters: EnvoyGradient,
    limit: u32,
    /// While the yardstick is measured: the limit to return to.
    deferred: Option<u32>,
    yardstick: Span,
    /// When the last probe began. Round trips that began earlier do not count.
    epoch: Time,
    samples: Vec<Span>,
    windows_at_min: u32,
    window_ends: Time,
    probe_begins: Time,
}

impl EnvoyGradient {
    /// Envoy's defaults, and the intervals of its documentation, which have no default.
    pub const ENVOY: Self = Self {
        min: NonZeroU32::new(3).unwrap(),
        max: NonZeroU32::new(1_000).unwrap(),
        quantile: percent(50),
        update_every: Span::from_millis(100),
        probe_every: Span::from_secs(60),
        probe_requests: NonZeroU32::new(50).unwrap(),
        jitter: percent(15),
        buffer: percent(25),
    };

    /// The limit after `limit`, with round trips of `sample` where `yardstick` is the shortest.
    fn step(&self, limit: u32, yardstick: Span, sample: Span) -> u32 {
        let allowed = yardstick.as_nanos() as f64 * (1.0 + self.buffer.as_f64());
        let gradient = (allowed / sample.max(Span::NANOSECOND).as_nanos() as f64).clamp(0.5, 2.0);
        let scaled = f64::from(limit) * gradient;
        let wanted = (scaled + scaled.sqrt()) as u32;
        wanted.min(self.max.get()).max(self.min.get())
    }
}

const fn percent(percent: u32) -> Fraction {
    match Fraction::ratio(percent, 100) {
        Some(fraction) => fraction,
        None => Fraction::ONE,
    }
}

impl State {
    /// At its beginning: measuring the yardstick.
    pub fn new(parameters: EnvoyGradient) -> Self {
        let min = parameters.min.get();
        Self {
            parameters,
            limit: min,
            deferred: Some(min),
            yardstick: Span::ZERO,
            epoch: Time::ZERO,
            samples: Vec::new(),
            windows_at_min: 0,
            window_ends: Time::NEVER,
            probe_begins: Time::NEVER,
        }
    }

    /// The current limit, in attempts in flight.
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Does what came due up to and at `now`. Nothing can happen to the samples between two calls, so
    /// doing it late is doing it in time.
    #[inline]
    pub fn catch_up(&mut self, now: Time) {
        while self.window_ends.min(self.probe_begins) <= now {
            if self.probe_begins <= self.window_ends {
                self.begin_probe();
            } else {
                self.end_window(now);
            }
        }
    }

    /// An attempt has ended.
    pub fn learn(&mut self, now: Time, sample: Sample, bits: &mut impl Bits) {
        self.catch_up(now);
        let counts = match sample.outcome {
            Outcome::Answered => sample.round_trip <= now.since(self.epoch),
            Outcome::Dropped => false,
        };
        if !counts {
            return;
        }
        self.samples.push(sample.round_trip);
        let enough = self.samples.len() >= self.parameters.probe_requests.get() as usize;
        if let Some(limit) = self.deferred
            && enough
        {
            self.deferred = None;
            self.yardstick = self.take_quantile();
            self.limit = limit;
            let EnvoyGradient { update_every, probe_every, jitter, .. } = self.parameters;
            let probe_every = probe_every.max(Span::NANOSECOND);
            let put_off = bits.uniform() * jitter.as_f64() * probe_every.as_nanos() as f64;
            self.probe_begins = now + probe_every + Span::from_nanos_f64(put_off);
            self.window_ends = now + update_every.max(Span::NANOSECOND);
        }
    }

    #[cold]
    fn begin_probe(&mut self) {
        self.epoch = self.probe_begins;
        self.deferred = Some(self.limit);
        self.limit = self.parameters.min.get();
        self.windows_at_min = 0;
        self.samples.clear();
        // The probe ends with its last request, and starts both clocks again.
        self.probe_begins = Time::NEVER;
        self.window_ends = Time::NEVER;
    }

    #[cold]
    fn end_window(&mut self, now: Time) {
        let length = self.parameters.update_every.max(Span::NANOSECOND);
        let ended = self.window_ends;
        if self.samples.is_empty() {
            // Windows without samples change nothing: on to the one that is open at `now`.
            let skipped = length.times_in(now.since(ended)) + 1;
            self.window_ends = ended + length.saturating_mul(skipped);
            return;
        }
        self.window_ends = ended + length;
        let min = self.parameters.min.get();
        let sample = self.take_quantile();
        let before = self.limit;
        self.limit = self.parameters.step(before, self.yardstick, sample);
        if before == min && self.limit == min {
            self.windows_at_min += 1;
        } else {
            self.windows_at_min = 0;
        }
        if self.windows_at_min >= SUSPICIOUS {
            self.probe_begins = ended;
        }
    }

    /// The quantile of the samples, by nearest rank, and an empty window.
    fn take_quantile(&mut self) -> Span {
        let count = self.samples.len();
        let rank = (self.parameters.quantile.as_f64() * count as f64).ceil() as usize;
        let index = rank.clamp(1, count) - 1;
        let quantile = *self.samples.select_nth_unstable(index).1;
        self.samples.clear();
        quantile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn ms(millis: u64) -> Span {
        Span::from_millis(millis)
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + ms(millis)
    }

    /// Case E09.
    #[test]
    fn one_step() {
        let check = |limit, sample_us: u64, expected| {
            let sample = Span::from_nanos(sample_us * 1_000);
            assert_eq!(EnvoyGradient::ENVOY.step(limit, ms(10), sample), expected);
        };
        check(100, 10_000, 136);
        check(100, 12_500, 110);
        check(100, 50_000, 57);
        check(4, 50_000, 3);
        check(100, 1_000, 214);
        check(900, 10_000, 1_000);
    }

    /// With the gradient held at 0.9, x + sqrt(x) = x / 0.9 at x = 0.9 L = 81. Rounding down makes
    /// every limit from 69 on a resting place from below, so only from above is 90 reached.
    #[test]
    fn fixed_point() {
        let parameters = EnvoyGradient { buffer: Fraction::ZERO, ..EnvoyGradient::ENVOY };
        let settle = |start| (0..200).fold(start, |limit, _| parameters.step(limit, ms(9), ms(10)));
        assert_eq!(settle(1_000), 90);
        assert_eq!(settle(91), 90);
        assert_eq!(settle(90), 90);
        assert!((69..=90).contains(&settle(3)));
    }

    /// Plays the windows of a controller: answers with a round trip, one after the other.
    struct Player {
        state: State,
        bits: Stream,
    }

    impl Player {
        fn new(parameters: EnvoyGradient) -> Self {
            let bits = Stream::new(1, Purpose::Service, "envoy");
            Self { state: State::new(parameters), bits }
        }

        fn answer(&mut self, now: Time, round_trip: Span) -> u32 {
            let sample = Sample { round_trip, in_flight: 1, outcome: Outcome::Answered };
            self.state.learn(now, sample, &mut self.bits);
            self.state.limit()
        }
    }

    const STILL: EnvoyGradient = EnvoyGradient { jitter: Fraction::ZERO, ..EnvoyGradient::ENVOY };

    /// 50 answers of 10 ms end the first probe at 500 ms; the windows end at 600, 700, .. ms.
    #[test]
    fn windows_and_probes_keep_their_times() {
        let mut player = Player::new(STILL);
        for k in 1..50 {
            assert_eq!(player.answer(at(k * 10), ms(10)), 3);
            assert!(player.state.deferred.is_some());
        }
        assert_eq!(player.answer(at(500), ms(10)), 3);
        assert_eq!((player.state.deferred, player.state.yardstick), (None, ms(10)));
        // g = 1.25: 3.75 + 1.94 = 5; then 6.25 + 2.5 = 8; the sample is that of the window before.
        player.answer(at(550), ms(10));
        player.state.catch_up(at(599));
        assert_eq!(player.state.limit(), 3);
        player.state.catch_up(at(600));
        assert_eq!(player.state.limit(), 5);
        assert_eq!(player.answer(at(650), ms(10)), 5);
        // An idle minute is skipped; the window after it ends on the grid of the ones before.
        player.state.catch_up(at(60_449));
        assert_eq!((player.state.limit(), player.state.window_ends), (8, at(60_500)));
        // 60 s after the end of the first probe the next one begins, and old requests do not count.
        assert_eq!(player.answer(at(60_501), ms(10)), 3);
        assert_eq!((player.state.deferred, player.state.epoch), (Some(8), at(60_500)));
        assert!(player.state.samples.is_empty());
        for k in 0..50 {
            player.answer(at(60_600 + k), ms(20));
        }
        assert_eq!((player.state.limit(), player.state.yardstick), (8, ms(20)));
    }

    /// Five windows at the lower end, each with a sample, and the yardstick is measured again.
    #[test]
    fn a_limit_at_its_lower_end_is_suspicious() {
        let mut player = Player::new(STILL);
        for k in 1..=50 {
            player.answer(at(k), Span::NANOSECOND);
        }
        let probing = (1..20).find(|window| {
            player.answer(at(window * 100), ms(50));
            player.state.catch_up(at(50 + window * 100));
            player.state.deferred.is_some()
        });
        assert_eq!(probing, Some(5));
        assert_eq!(player.state.epoch, at(550));
    }

    #[test]
    fn probes_are_put_off_by_up_to_the_jitter() {
        let mut latest = Time::ZERO;
        for seed in 0..200 {
            let mut player = Player::new(EnvoyGradient::ENVOY);
            player.bits = Stream::new(seed, Purpose::Service, "envoy");
            for _ in 0..50 {
                player.answer(at(1_000), ms(10));
            }
            let begins = player.state.probe_begins;
            assert!((at(61_000)..at(70_000)).contains(&begins), "{begins}");
            latest = latest.max(begins);
        }
        assert!(latest > at(69_000));
    }
}
