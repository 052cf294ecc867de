//! Requests that surges bring, and those that they take away.

use super::pending::Rank;
use crate::engine::arrivals::Source;
use crate::engine::world::surge_owner;
use crate::model::{Arrivals, Disturbance, Model};
use crate::random::{Bits, Draw, Purpose, Sprout, Stream};
use crate::time::Time;

/// The surges of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Surges {
    more: Vec<More>,
    less: Vec<Less>,
    /// When the next request comes by any of them; [`Time::NEVER`] if none does.
    next: Time,
    /// Where names are put together that streams are keyed by.
    name: String,
}

/// A surge that brings more.
#[derive(Clone, Debug)]
struct More {
    source: Source,
    keys: Stream,
    /// How many times the usual demand comes on top of it.
    extra: f64,
    begins: Time,
    ends: Time,
    /// When its next request comes, and when that was planned.
    next: Time,
    planned: Rank,
}

/// One that lets only a share of the usual requests come.
#[derive(Clone, Debug)]
struct Less {
    begins: Time,
    ends: Time,
    share: f64,
}

impl Surges {
    pub(super) fn reset(&mut self, model: &Model, seed: u64) {
        self.more.clear();
        self.less.clear();
        let horizon = Time::ZERO + model.horizon;
        let arrivals = &model.clients[0].arrivals;
        for (index, trigger) in model.triggers.iter().enumerate() {
            let Disturbance::Surge { factor, .. } = trigger.disturbance else { continue };
            let (begins, ends) = (trigger.begins, trigger.ends());
            if factor <= 1.0 {
                self.less.push(Less { begins, ends, share: factor });
                continue;
            }
            let owner = surge_owner(&mut self.name, &model.triggers, index);
            let mut surge = More {
                source: Source::new(seed, owner),
                keys: Stream::new(seed, Purpose::Requests, owner),
                extra: trigger.surplus(),
                begins,
                ends,
                next: Time::NEVER,
                planned: Rank::by_trigger(begins, index),
            };
            surge.plan(arrivals, begins, horizon);
            self.more.push(surge);
        }
        // Factors are multiplied in the order in which they came.
        self.less.sort_by_key(|surge| surge.begins);
        self.look_ahead();
    }

    /// Whether any takes requests away.
    pub(super) fn takes_any(&self) -> bool {
        !self.less.is_empty()
    }

    /// Whether the request with `key` that would come at `now` does not.
    pub(super) fn takes(&self, key: u64, now: Time) -> bool {
        let on = self.less.iter().filter(|surge| surge.begins <= now && now < surge.ends);
        let share: f64 = on.map(|surge| surge.share).product();
        Sprout::of(key, 0, Draw::Thinning).uniform() >= share
    }

    /// The next request that one of them brings, if it comes before what was `planned` for `at`: when,
    /// when it was planned, and by which of them.
    #[inline(always)]
    pub(super) fn before(&self, at: Time, planned: Rank) -> Option<(Time, Rank, usize)> {
        if self.next > at { None } else { self.soonest().filter(|s| (s.0, s.1) < (at, planned)) }
    }

    #[cold]
    fn soonest(&self) -> Option<(Time, Rank, usize)> {
        let all = self.more.iter().enumerate().map(|(nth, surge)| (surge.next, surge.planned, nth));
        all.min().filter(|soonest| soonest.0 < Time::NEVER)
    }

    /// The key of the request that surge number `nth` brings now.
    pub(super) fn key(&mut self, nth: usize) -> u64 {
        self.more[nth].keys.bits()
    }

    /// Surge number `nth` has brought a request at `now`: its next one is `planned`.
    pub(super) fn plan(
        &mut self,
        nth: usize,
        arrivals: &Arrivals,
        now: Time,
        planned: Rank,
        horizon: Time,
    ) {
        self.more[nth].planned = planned;
        self.more[nth].plan(arrivals, now, horizon);
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.next = self.more.iter().map(|surge| surge.next).min().unwrap_or(Time::NEVER);
    }
}

impl More {
    fn plan(&mut self, arrivals: &Arrivals, now: Time, horizon: Time) {
        let Self { source, extra, begins, ends, .. } = self;
        let next = source.next_of_surge(arrivals, *extra, *begins, now, horizon);
        let next = next.map(|at| at.max(now)).filter(|at| *at < *ends && *at < horizon);
        self.next = next.unwrap_or(Time::NEVER);
    }
}
