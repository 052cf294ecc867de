//! How long attempts of clients that keep books wait, for their turn, a connection or an answer, and
//! what happens when that is over.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::flights::{Ends, Flight, Stage, UNTIMED};
use crate::observe::{CallId, Fact, Guard, Observer};
use crate::policy::deadline::{Misfit, Timer};
use crate::policy::hedge::Losers;
use crate::policy::outcome::{Failure, Outcome};
use crate::policy::retry::Hint;
use crate::time::{Span, Time};

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt could leave only when it is of no use any more: so the request fails, now or when
    /// its time is over.
    pub(super) fn miss_deadline(&mut self, flight: u32, guard: Guard) {
        let Flight { call, .. } = *self.world.calls.flights.get(flight);
        let patience = self.patience_of(call);
        let born = self.world.calls.born(call);
        if let (Misfit::SleepsToDeadline, Some(left)) =
            (patience.misfit, patience.left(born, self.now))
            && self.edge_of(call).hedge.is_none()
        {
            self.drop_flight(flight, Losers::Cancelled);
            let kept = self.world.calls.kept(call);
            (kept.stops, kept.failure) = (true, Failure::TimedOut);
            return self.sleep(call, left);
        }
        self.world.calls.flights.get_mut(flight).ends = Ends::Request;
        self.hold_back(flight, guard, Failure::TimedOut);
    }

    /// Works out when the client stops waiting for an attempt, or for a connection for it: what travels
    /// with the attempt.
    pub(super) fn set_limit(&mut self, flight: u32) {
        let Flight { call, ready, sent, stage, .. } = *self.world.calls.flights.get(flight);
        let born = self.world.calls.born(call);
        let patience = self.patience_of(call);
        let (mut until, mut ends, timer) = match stage {
            Stage::InLine(place) => (place.until, Ends::Wait, patience.timer_in_line(born, ready)),
            Stage::Throttled(_)
            | Stage::Leaving
            | Stage::Coalesced(_)
            | Stage::Leads
            | Stage::Told(_)
            | Stage::Repeats
            | Stage::Out
            | Stage::RunsOn
            | Stage::Fetches => (Time::NEVER, Ends::Attempt, patience.timer(born, ready, sent)),
        };
        match timer {
            Timer::Attempt(at) if at < until => (until, ends) = (at, Ends::Attempt),
            Timer::Request(at) if at < until => (until, ends) = (at, Ends::Request),
            Timer::Never | Timer::Attempt(_) | Timer::Request(_) => {}
        }
        let state = self.world.calls.flights.get_mut(flight);
        (state.until, state.ends) = (until, ends);
    }

    /// Schedules when that is.
    pub(super) fn start_timer(&mut self, flight: u32) {
        let Flight { call, until, .. } = *self.world.calls.flights.get(flight);
        let edge = self.world.calls.edge(call);
        let lane = self.world.edges[edge.index()].timeout_lane;
        let left = until.since(self.now);
        let timer = self.schedule(left, Event::FlightEnds { flight }, lane);
        self.world.calls.flights.get_mut(flight).timer = timer.unwrap_or(UNTIMED);
    }

    /// The client stops waiting in line for a connection when its time is over.
    pub(super) fn limit_wait(&mut self, flight: u32) {
        self.set_limit(flight);
        self.start_timer(flight);
    }

    /// A connection has been found for an attempt in line.
    pub(super) fn leave_at_once(&mut self, flight: u32) {
        self.leave_after(flight, Stage::Leaving, Span::ZERO);
    }

    /// There is no place in line for an attempt any more, which hears of that by the agenda: the one that
    /// has just given its connection back may belong to what falls with it.
    pub(super) fn turn_out(&mut self, flight: u32) {
        let Flight { call, attempt, .. } = *self.world.calls.flights.get(flight);
        let (edge, guard) = (self.world.calls.edge(call), Guard::Pool);
        let fact = Fact::HeldBack { edge, call: CallId(call), attempt, guard };
        self.observer.observe(self.now, fact);
        self.tell_at_once(flight, Some(Failure::Unavailable));
    }

    /// An attempt hears at this very instant, and not from here, what came of its wait.
    pub(super) fn tell_at_once(&mut self, flight: u32, failure: Option<Failure>) {
        let timer = self.schedule(Span::ZERO, Event::FlightTold { flight }, Lane::NONE);
        let state = self.world.calls.flights.get_mut(flight);
        state.stage = Stage::Told(failure);
        state.timer = timer.unwrap_or(UNTIMED);
    }

    pub(super) fn leave_after(&mut self, flight: u32, stage: Stage, wait: Span) {
        let timer = self.schedule(wait, Event::FlightLeaves { flight }, Lane::NONE);
        let state = self.world.calls.flights.get_mut(flight);
        state.stage = stage;
        state.timer = timer.unwrap_or(UNTIMED);
    }

    /// An attempt that was held up may leave.
    pub(super) fn flight_leaves(&mut self, flight: u32) {
        match self.world.calls.flights.get(flight).stage {
            Stage::Throttled(ticket) => self.look_at_throttle(flight, ticket),
            Stage::Leaving => self.launch(flight),
            Stage::Leads => self.ask_throttle(flight),
            Stage::Repeats => self.send_again(flight),
            Stage::InLine(_)
            | Stage::Coalesced(_)
            | Stage::Told(_)
            | Stage::Out
            | Stage::RunsOn
            | Stage::Fetches => unreachable!("it was not held up"),
        }
    }

    /// An attempt fails on the client's side, without having been sent.
    pub(super) fn hold_back(&mut self, flight: u32, guard: Guard, failure: Failure) {
        let Flight { call, attempt, .. } = *self.world.calls.flights.get(flight);
        let edge = self.world.calls.edge(call);
        let fact = Fact::HeldBack { edge, call: CallId(call), attempt, guard };
        self.observer.observe(self.now, fact);
        self.flight_failed(flight, failure, Hint::Absent);
    }

    /// A client waits no longer for an attempt.
    pub(super) fn flight_ends(&mut self, flight: u32) {
        let Flight { call, attempt, stage, ends, station: to, .. } =
            *self.world.calls.flights.get(flight);
        let edge = self.world.calls.edge(call);
        match stage {
            Stage::InLine(place) => {
                if let Some(leases) = self.leases(call) {
                    leases.leave(place);
                }
                let failure = match ends {
                    Ends::Wait => Failure::Unavailable,
                    Ends::Attempt | Ends::Request => Failure::TimedOut,
                };
                self.hold_back(flight, Guard::Pool, failure);
            }
            Stage::Out => {
                let fact = Fact::TimedOut { edge, call: CallId(call), attempt };
                self.observer.observe(self.now, fact);
                self.abandon(to, call, attempt);
                self.flight_failed(flight, Failure::TimedOut, Hint::Absent);
            }
            Stage::RunsOn => {
                self.enter(flight, Some(Outcome::Failed(Failure::TimedOut)));
                self.abandon(to, call, attempt);
                self.end_flight(flight);
            }
            Stage::Coalesced(_) => self.leave_fetch(flight),
            Stage::Throttled(_)
            | Stage::Leaving
            | Stage::Leads
            | Stage::Told(_)
            | Stage::Repeats
            | Stage::Fetches => {
                unreachable!("nobody waits for it")
            }
        }
    }
}
