//! When the next request arrives.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::state::User;
use crate::id::TriggerId;
use crate::model::{Arrivals, Bursts, Profile, Think};
use crate::observe::Observer;
use crate::random::{Bits, Draw, Purpose, Sprout, Stream};
use crate::time::{Span, Time};

/// What an arrival process remembers.
#[derive(Clone, Debug)]
pub(super) struct Source {
    bits: Stream,
    /// How many arrivals it has yielded, since the rate last changed.
    yielded: u64,
    /// From when on even arrivals are counted: the one that was next when the rate last changed.
    counted_from: Time,
    /// Of bursts: whether one is on, and when the next change comes.
    on: bool,
    changes_at: Time,
    changes: Stream,
}

impl Source {
    pub(super) fn new(seed: u64, owner: &str) -> Self {
        Self {
            bits: Stream::new(seed, Purpose::Arrivals, owner),
            yielded: 0,
            counted_from: Time::ZERO,
            on: true,
            changes_at: Time::ZERO,
            changes: Stream::new(seed, Purpose::Bursts, owner),
        }
    }

    /// The rate is another one from now on. The arrival that has been yielded last is yet to come; even ones
    /// are spaced anew from there on, or all that the new rate would have brought by now came at once.
    pub(super) fn change_rate(&mut self, before: &Arrivals, after: &Arrivals) {
        if let (Arrivals::Even(old), Arrivals::Even(new)) = (before, after)
            && old != new
            && self.yielded > 0
        {
            let gaps = (self.yielded - 1) as f64;
            self.counted_from += Span::from_nanos_f64(gaps * old.mean_gap_nanos());
            self.yielded = 1;
        }
    }

    /// From now on it draws as under another seed. What has been drawn stands.
    pub(super) fn branch(&mut self, seed: u64, owner: &str) {
        self.bits = Stream::new(seed, Purpose::Arrivals, owner);
        self.changes = Stream::new(seed, Purpose::Bursts, owner);
    }

    /// The next arrival after one at `now`; none if there is none before `horizon`.
    ///
    /// `users` are not a process of their own: their next request depends on the answer to the last.
    #[inline]
    pub(super) fn next(&mut self, arrivals: &Arrivals, now: Time, horizon: Time) -> Option<Time> {
        let index = self.yielded;
        self.yielded += 1;
        match arrivals {
            Arrivals::Poisson(rate) => Some(now + self.gap(rate.mean_gap_nanos())),
            // From the number of the arrival and not from the one before: no error adds up.
            Arrivals::Even(rate) => {
                Some(self.counted_from + Span::from_nanos_f64(index as f64 * rate.mean_gap_nanos()))
            }
            Arrivals::Bursts(bursts) => self.next_of_bursts(bursts, now, horizon),
            Arrivals::Profile(profile) => self.next_of_profile(profile, 1.0, now, horizon),
            Arrivals::Volley { count, begins, within } => {
                let share = index as f64 / f64::from(*count);
                let offset = Span::from_nanos_f64(within.as_nanos() as f64 * share);
                (index < u64::from(*count)).then(|| *begins + offset)
            }
            Arrivals::Replay(instants) => instants.get(index as usize).copied(),
            Arrivals::Users(_) => None,
        }
    }

    /// The next arrival of a surge that began at `begun` and brings `extra` times the demand of the
    /// process on top of it. Poisson streams add up to a Poisson stream, so the customers who come
    /// anyway are the same with and without the surge.
    pub(super) fn next_of_surge(
        &mut self,
        arrivals: &Arrivals,
        extra: f64,
        begun: Time,
        now: Time,
        horizon: Time,
    ) -> Option<Time> {
        let index = self.yielded;
        self.yielded += 1;
        match arrivals {
            Arrivals::Poisson(rate) => Some(now + self.gap(rate.mean_gap_nanos() / extra)),
            Arrivals::Even(rate) => {
                let gap = rate.mean_gap_nanos() / extra;
                Some(begun + Span::from_nanos_f64(index as f64 * gap))
            }
            Arrivals::Profile(profile) => self.next_of_profile(profile, extra, now, horizon),
            Arrivals::Bursts(_)
            | Arrivals::Volley { .. }
            | Arrivals::Replay(_)
            | Arrivals::Users(_) => None,
        }
    }

    fn gap(&mut self, mean_nanos: f64) -> Span {
        Span::from_nanos_f64(self.bits.exponential() * mean_nanos)
    }

    /// A change of the switch forgets the gap drawn for the old rate: by lack of memory the gap that
    /// is left is as good as new.
    fn next_of_bursts(&mut self, bursts: &Bursts, now: Time, horizon: Time) -> Option<Time> {
        let mut from = now;
        while from < horizon {
            if from >= self.changes_at {
                self.on = !self.on;
                let mean = if self.on { bursts.mean_on } else { bursts.mean_off };
                let length = self.changes.exponential() * mean.as_nanos() as f64;
                self.changes_at += Span::from_nanos_f64(length);
                continue;
            }
            let rate = if self.on { Some(bursts.on) } else { bursts.off };
            let next = rate.map_or(Time::NEVER, |rate| from + self.gap(rate.mean_gap_nanos()));
            if next < self.changes_at {
                return Some(next);
            }
            from = self.changes_at;
        }
        None
    }

    /// By thinning (P. A. W. Lewis, G. S. Shedler, Naval Research Logistics 26, 1979): candidates at
    /// the highest rate, each kept with the ratio of the rate at its instant to the highest. The rate
    /// so changes at the very instant the profile says, and not after the next arrival.
    fn next_of_profile(
        &mut self,
        profile: &Profile,
        extra: f64,
        now: Time,
        horizon: Time,
    ) -> Option<Time> {
        let peak = profile.peak();
        if peak <= 0.0 {
            return None;
        }
        let mean_nanos = profile.base.mean_gap_nanos() / (peak * extra);
        let mut next = now;
        loop {
            next += self.gap(mean_nanos);
            if next >= horizon {
                return None;
            }
            if self.bits.uniform() * peak < profile.factor(next) {
                return Some(next);
            }
        }
    }
}

/// A surge and the additional requests it brings.
#[derive(Clone, Debug)]
pub(super) struct Surge {
    pub(super) source: Source,
    /// Draws the keys of its requests, so that those who come anyway keep theirs.
    pub(super) keys: Stream,
    /// Whose demand it raises.
    pub(super) client: u32,
    pub(super) begun: Time,
    pub(super) is_on: bool,
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    pub(super) fn schedule_first_arrivals(&mut self) {
        for client in 0..self.model.clients.len() as u32 {
            self.schedule_arrival(client);
            self.schedule_first_users(client);
        }
    }

    #[inline]
    fn schedule_arrival(&mut self, client: u32) {
        let state = &mut self.world.clients[client as usize];
        let lane = state.arrival_lane;
        let arrivals = &self.model.clients[client as usize].arrivals;
        if let Some(at) = state.source.next(arrivals, self.now, self.horizon) {
            self.schedule(at.since(self.now), Event::Arrival { client }, lane);
        }
    }

    /// A request arrives by itself, not from a closed loop.
    pub(super) fn arrive(&mut self, client: u32) {
        self.schedule_arrival(client);
        let state = &mut self.world.clients[client as usize];
        let key = if state.needs_keys { state.keys.bits() } else { 0 };
        if !state.thinnings.is_empty() {
            let kept: f64 = state.thinnings.iter().map(|(_, factor)| factor).product();
            if Sprout::of(key, 0, Draw::Thinning).uniform() >= kept {
                return;
            }
        }
        self.request_of_next_instance(client, key);
    }

    #[inline]
    pub(super) fn request_of_next_instance(&mut self, client: u32, key: u64) {
        let instance = self.next_instance(client);
        self.request(client, instance, key);
    }

    /// Requests go round the instances of a client.
    #[inline]
    pub(super) fn next_instance(&self, client: u32) -> u16 {
        match self.model.clients[client as usize].instances.get() {
            1 => 0,
            many => (self.world.clients[client as usize].arrived % u64::from(many)) as u16,
        }
    }

    /// A surge brings a request.
    pub(super) fn arrive_by_surge(&mut self, trigger: u32) {
        let trigger = TriggerId(trigger as u16);
        let surge = &mut self.world.surges[trigger.index()];
        if !surge.is_on {
            return;
        }
        let (key, client) = (surge.keys.bits(), surge.client);
        self.request_of_next_instance(client, key);
        self.schedule_surge_arrival(trigger, client);
    }

    pub(super) fn begin_surge(&mut self, trigger: TriggerId, client: u32) {
        let surge = &mut self.world.surges[trigger.index()];
        surge.is_on = true;
        surge.client = client;
        surge.begun = self.now;
        self.schedule_surge_arrival(trigger, client);
    }

    fn schedule_surge_arrival(&mut self, trigger: TriggerId, client: u32) {
        let extra = self.model.triggers[trigger.index()].surplus();
        let arrivals = &self.model.clients[client as usize].arrivals;
        let Surge { source, begun, .. } = &mut self.world.surges[trigger.index()];
        let next = source.next_of_surge(arrivals, extra, *begun, self.now, self.horizon);
        if let Some(at) = next {
            let event = Event::SurgeArrival { trigger: u32::from(trigger.0) };
            self.schedule(at.since(self.now), event, Lane::NONE);
        }
    }

    fn schedule_first_users(&mut self, client: u32) {
        let Arrivals::Users(users) = &self.model.clients[client as usize].arrivals else {
            return;
        };
        let Some(first) = self.world.clients[client as usize].first_user else {
            return;
        };
        let count = u32::from(users.count.get());
        for user in 0..count {
            let share = f64::from(user) / f64::from(count);
            let offset = Span::from_nanos_f64(users.start_within.as_nanos() as f64 * share);
            self.schedule(offset, Event::UserSends { user: first + user }, Lane::NONE);
        }
    }

    /// A user has thought enough.
    pub(super) fn user_sends(&mut self, user: u32) {
        let User { client, .. } = self.world.users[user as usize];
        self.world.users[user as usize].sent_at = self.now;
        let state = &mut self.world.clients[usize::from(client)];
        let instance = (user - state.first_user.unwrap_or(user)) as u16;
        let key = state.keys.bits();
        self.request(u32::from(client), instance, key);
    }

    /// A request of a closed loop has ended: its user thinks, and sends the next one.
    pub(super) fn user_thinks(&mut self, user: u32, key: u64) {
        let User { client, sent_at } = self.world.users[user as usize];
        let Arrivals::Users(users) = &self.model.clients[client as usize].arrivals else {
            return;
        };
        let wait = match &users.think {
            Think::After(law) => law.sample(&mut Sprout::of(key, 0, Draw::Think)),
            Think::Pace(pace) => (sent_at + *pace).since(self.now),
        };
        self.schedule(wait, Event::UserSends { user }, Lane::NONE);
    }
}
