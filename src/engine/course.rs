//! A run that can be stopped between two events, cloned, and gone on with under other chances.
//!
//! What rare-event simulation needs: a world that has come half the way to where hardly any comes is
//! cloned, and each clone tries the other half by chances of its own.

use std::ptr;

use super::Run;
use super::agenda::{Agenda, Lanes};
use super::state::Owner;
use super::world::World;
use crate::id::LeverId;
use crate::model::{Action, Lever, Model, Service, WorkDraw};
use crate::observe::Observer;
use crate::policy::admission::Admission;
use crate::random::{Bits, Purpose, Sprout, Stream};
use crate::time::Time;

/// A run of a model under way.
#[derive(Clone, Debug)]
pub struct Course<'m, A = Lanes> {
    /// What the world follows now.
    model: &'m Model,
    levers: &'m [Lever],
    world: World<A>,
    now: Time,
    horizon: Time,
    has_begun: bool,
}

impl<'m, A: Agenda> Course<'m, A> {
    /// A run of `model` under `seed` in which nothing has happened yet.
    pub fn new(model: &'m Model, seed: u64) -> Self {
        let mut world = World::default();
        world.reset(model, seed);
        let horizon = Time::ZERO + model.horizon;
        Self { model, levers: &model.levers, world, now: Time::ZERO, horizon, has_begun: false }
    }

    /// When the last thing happened that has happened.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Goes on, telling `observer` every fact, for as long as `goes_on` says so, which is asked after each
    /// event; whether anything is left to happen before the horizon. Whoever stops a run and goes on with
    /// it sees the same facts as who does not stop.
    pub fn go_on<O: Observer>(
        &mut self,
        observer: &mut O,
        goes_on: impl FnMut(&O) -> bool,
    ) -> bool {
        self.act(observer, |run| run.play(goes_on))
    }

    /// Pulls a lever of the model now, whenever it would be pulled otherwise.
    pub fn pull(&mut self, lever: LeverId, observer: &mut impl Observer) {
        self.act(observer, |run| run.pull(u32::from(lever.0)));
    }

    fn act<O: Observer, T>(
        &mut self,
        observer: &mut O,
        act: impl FnOnce(&mut Run<'_, A, O>) -> T,
    ) -> T {
        let Self { model, levers, now, horizon, .. } = *self;
        let mut run = Run { model, levers, world: &mut self.world, observer, now, horizon };
        if !self.has_begun {
            run.begin();
        }
        let result = act(&mut run);
        let (follows, now): (*const Model, Time) = (run.model, run.now);
        (self.model, self.now, self.has_begun) = (self.followed(follows), now, true);
        result
    }

    /// The model at this address, which is the one the run began with or one that a lever leads to.
    fn followed(&self, follows: *const Model) -> &'m Model {
        let changes = self.levers.iter().filter_map(|lever| match &lever.action {
            Action::Change(model) => Some(&**model),
            Action::Block { .. } | Action::DropQueue { .. } | Action::Restart { .. } => None,
        });
        changes.into_iter().find(|model| ptr::eq(*model, follows)).unwrap_or(self.model)
    }
}

impl<A: Agenda> Course<'_, A> {
    /// From now on every draw is another one, as under another `seed`, and goes on to have the law it had:
    /// what has been drawn and can be seen by anybody stands. It is a function of the run so far and the
    /// seed.
    pub fn branch(&mut self, seed: u64) {
        let World { clients, edges, stations, surges, calls, .. } = &mut self.world;
        for (state, client) in clients.iter_mut().zip(&self.model.clients) {
            state.source.branch(seed, &client.name);
            state.keys = Stream::new(seed, Purpose::Requests, &client.name);
        }
        for (index, surge) in surges.iter_mut().enumerate() {
            let owner = format!("surge {index}");
            surge.source.branch(seed, &owner);
            surge.keys = Stream::new(seed, Purpose::Requests, &owner);
        }
        for edge in edges {
            let owner = match edge.owner {
                Owner::Client(id) => self.model.clients[id.index()].name.clone(),
                Owner::Service(id, nth) => {
                    let service = self.model.service(id);
                    format!("{} calls {}", service.name, service.calls.list[usize::from(nth)].name)
                }
            };
            edge.jitter = Stream::new(seed, Purpose::Jitter, &owner);
        }
        for (index, state) in stations.iter_mut().enumerate() {
            let service = self.model.service(state.of);
            let key = Stream::new(seed, Purpose::Service, &service.name).bits();
            state.bits = Sprout::new(key, index as u64);
        }
        if keys_are_unseen(self.model) {
            calls.branch(seed);
        }
    }
}

/// Whether nothing of what will be drawn from the key of a request is known to anybody before it is drawn:
/// neither the work that waits nor what an earlier attempt has met.
fn keys_are_unseen(model: &Model) -> bool {
    let is_blind = |service: &Service| {
        let by_number = match service.admission {
            Admission::Unbounded | Admission::Bounded { .. } | Admission::Headroom(_) => true,
            Admission::BoundedWork { .. } => false,
        };
        let by_attempt = match service.work {
            WorkDraw::PerAttempt => true,
            WorkDraw::PerRequest => service.service_time.constant().is_some(),
        };
        by_number && by_attempt && service.effect.is_none() && service.instances.get() == 1
    };
    !model.is_graph()
        && model.services.iter().all(is_blind)
        && model.clients.iter().all(|client| client.edge.cache.is_none())
}
