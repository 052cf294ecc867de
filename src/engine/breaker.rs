//! Circuit breakers at work. One inside the retry is asked for every attempt and told what came of
//! it; one outside is asked once for a request and told how that ended.

use super::Run;
use super::agenda::Agenda;
use super::flights::Flight;
use crate::model::Edge;
use crate::observe::{CallId, Fact, Guard, Observer};
use crate::policy::breaker::{Circuit, Passage, Position, Ticket};
use crate::policy::outcome::Outcome;
use crate::random::Stream;
use crate::time::{Span, Time};

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// Whether a fresh request may try at all. One that may not fails without a retry.
    pub(super) fn is_let_begin(&mut self, call: u32) -> bool {
        if position(self.edge_of(call)) != Some(Position::OutsideRetry) {
            return true;
        }
        match self.with_circuit(call, |circuit, now, bits| circuit.ask(now, bits)) {
            None => true,
            Some(Passage::Passes(ticket)) => {
                self.world.calls.kept(call).pass = Some(ticket);
                true
            }
            Some(Passage::Rejected) => {
                let (edge, guard) = (self.world.calls.edge(call), Guard::Breaker);
                let attempt = self.world.calls.attempt(call);
                let fact = Fact::HeldBack { edge, call: CallId(call), attempt, guard };
                self.observer.observe(self.now, fact);
                false
            }
        }
    }

    /// Whether an attempt may leave.
    pub(super) fn is_let_go(&mut self, flight: u32) -> bool {
        let Flight { call, .. } = *self.world.calls.flights.get(flight);
        if position(self.edge_of(call)) != Some(Position::InsideRetry) {
            return true;
        }
        match self.with_circuit(call, |circuit, now, bits| circuit.ask(now, bits)) {
            None => true,
            Some(Passage::Passes(ticket)) => {
                self.world.calls.flights.get_mut(flight).pass = Some(ticket);
                true
            }
            Some(Passage::Rejected) => false,
        }
    }

    /// What was let through has ended, `took` after it left.
    pub(super) fn report(&mut self, call: u32, pass: Ticket, outcome: Outcome, took: Span) {
        self.with_circuit(call, |circuit, now, _| circuit.report(now, pass, outcome, took));
    }

    /// What was let through has ended without a result.
    pub(super) fn hand_back(&mut self, call: u32, pass: Ticket) {
        self.with_circuit(call, |circuit, now, _| circuit.cancelled(now, pass));
    }

    /// A request has ended that a breaker outside the retry may have let begin.
    pub(super) fn report_request(&mut self, call: u32, outcome: Outcome) {
        if let Some(pass) = self.world.calls.kept(call).pass.take() {
            let took = self.now.since(self.world.calls.born(call));
            self.report(call, pass, outcome, took);
        }
    }

    /// Asks or tells the breaker, and notes whether that has opened it.
    fn with_circuit<T>(
        &mut self,
        call: u32,
        act: impl FnOnce(&mut Circuit, Time, &mut Stream) -> T,
    ) -> Option<T> {
        let now = self.now;
        let (memory, bits) = self.memory_and_bits(call);
        let circuit = memory.circuit.as_mut()?;
        let before = circuit.times_opened();
        let answer = act(circuit, now, bits);
        let opened = circuit.times_opened() - before;
        let edge = self.world.calls.edge(call);
        for _ in 0..opened {
            self.observer.observe(now, Fact::BreakerOpened { edge });
        }
        Some(answer)
    }
}

fn position(edge: &Edge) -> Option<Position> {
    edge.breaker.map(|breaker| breaker.position)
}
