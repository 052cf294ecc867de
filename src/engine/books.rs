//! Clients whose policies remember: budgets, throttles, breakers, hedging, pools, deadlines, waits that
//! follow from the wait before.
//!
//! Out of line, and behind one question in the client's own handlers: most clients remember nothing
//! of a request but the number of its attempts, and pay for no more. Here every attempt has a flight
//! of its own, from when it is ready to leave until its client is done with it.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::cache::Aside;
use super::calls::Kept;
use super::client::{Answer, Reception, edge_at};
use super::flights::{Ends, Flight, Stage, UNTIMED};
use super::state::Memory;
use crate::model::{Edge, Scope};
use crate::observe::{CallId, Fact, Guard, Observer, Sending};
use crate::policy::budget::{Charged, Extra, Permission, Receipt, Rule};
use crate::policy::deadline::Patience;
use crate::policy::outcome::Outcome;
use crate::policy::retry::{Decision, Failure, Hint};
use crate::policy::throttle::{Kind, Ticket, Turn};
use crate::policy::transport::Departure;
use crate::random::Stream;
use crate::time::{Span, Time};

impl<'a, A: Agenda, O: Observer> Run<'a, A, O> {
    /// A request has arrived: its first attempt leaves when its time allows, if it does.
    #[inline(never)]
    pub(super) fn begin_by_the_books(&mut self, call: u32) {
        *self.world.calls.kept(call) = Kept::NOTHING;
        if !self.is_let_begin(call) {
            return self.fail(call, Failure::Unavailable, Hint::Absent);
        }
        match self.patience_of(call).first_send(self.now) {
            Decision::After(Span::ZERO) => self.depart(call, Sending::First, Receipt::NOTHING),
            Decision::After(wait) => self.sleep(call, wait),
            Decision::GiveUp => self.fail(call, Failure::TimedOut, Hint::Absent),
            Decision::GiveUpAfter(wait) => {
                self.world.calls.kept(call).stops = true;
                self.sleep(call, wait);
            }
        }
    }

    /// The wait before the next attempt is over.
    #[inline(never)]
    pub(super) fn go_on_by_the_books(&mut self, call: u32) {
        let sent = self.world.calls.attempt(call);
        let kept = self.world.calls.kept(call);
        let failure = kept.failure;
        if kept.stops {
            return self.fail(call, failure, Hint::Absent);
        }
        if kept.tries == 0 && sent > 0 {
            // They were made before a lever gave the client something to remember.
            kept.tries = sent;
        }
        if kept.tries == 0 {
            return self.depart(call, Sending::First, Receipt::NOTHING);
        }
        let budget = self.edge_of(call).budget;
        let asks = budget.is_some_and(|budget| budget.charged == Charged::AtDispatch);
        if asks && self.budget_denies(call) {
            return self.fail(call, failure, Hint::Absent);
        }
        let receipt = std::mem::take(&mut self.world.calls.kept(call).receipt);
        self.depart(call, Sending::Retry, receipt);
    }

    /// An attempt is ready, and `receipt` says what was charged for it: the throttle is asked, then the
    /// breaker, then the pool.
    pub(super) fn depart(&mut self, call: u32, kind: Sending, receipt: Receipt) {
        let attempt = self.world.calls.take_number(call);
        let kept = self.world.calls.kept(call);
        if kept.copies == 0 {
            kept.since = self.now;
        }
        kept.copies += 1;
        let flight = Flight { receipt, ..Flight::ready(call, attempt, kind, self.now) };
        let flight = self.world.calls.begin_flight(flight);
        self.expect_hedge(call);
        match self.look_aside(flight) {
            Aside::Goes => self.ask_throttle(flight),
            Aside::Stays => {}
        }
    }

    pub(super) fn ask_throttle(&mut self, flight: u32) {
        let Flight { call, kind, .. } = *self.world.calls.flights.get(flight);
        if self.memory(call).valve.is_none() {
            return self.pass_breaker(flight);
        }
        let asks_as = match kind {
            Sending::First => Kind::First,
            Sending::Retry | Sending::Hedge => Kind::Again,
        };
        let (now, born) = (self.now, self.world.calls.born(call));
        let longest = self.patience_of(call).slack(born, now).unwrap_or(Span::MAX);
        let (memory, bits) = self.memory_and_bits(call);
        let valve = memory.valve.as_mut();
        let turn = valve.map_or(Turn::Now, |valve| valve.ask(now, asks_as, longest, bits));
        self.take_turn(flight, turn);
    }

    /// The wait at a throttle is over, or it is time to look how long it will be.
    pub(super) fn look_at_throttle(&mut self, flight: u32, ticket: Option<Ticket>) {
        let Some(ticket) = ticket else { return self.pass_breaker(flight) };
        let call = self.world.calls.flights.get(flight).call;
        let (now, born) = (self.now, self.world.calls.born(call));
        let longest = self.patience_of(call).slack(born, now).unwrap_or(Span::MAX);
        let valve = self.memory(call).valve.as_mut();
        let turn = valve.map_or(Turn::Now, |valve| valve.look(now, ticket, longest));
        self.take_turn(flight, turn);
    }

    fn take_turn(&mut self, flight: u32, turn: Turn) {
        match turn {
            Turn::TooLate => self.miss_deadline(flight, Guard::Throttle),
            Turn::Now => self.pass_breaker(flight),
            Turn::After(wait) => self.leave_after(flight, Stage::Throttled(None), wait),
            Turn::InLine(ticket, wait) => {
                self.leave_after(flight, Stage::Throttled(Some(ticket)), wait);
            }
            Turn::Dropped => self.hold_back(flight, Guard::Throttle, Failure::Unavailable),
        }
    }

    pub(super) fn pass_breaker(&mut self, flight: u32) {
        if !self.is_let_go(flight) {
            return self.hold_back(flight, Guard::Breaker, Failure::Unavailable);
        }
        self.take_connection(flight);
    }

    /// The attempt is sent.
    pub(super) fn launch(&mut self, flight: u32) {
        let now = self.now;
        let Flight { call, attempt, kind, ready, .. } = *self.world.calls.flights.get(flight);
        let born = self.world.calls.born(call);
        if ready < now
            && self.patience_of(call).fit(born, now, Span::ZERO) != Decision::After(Span::ZERO)
        {
            return self.miss_deadline(flight, Guard::Pool);
        }
        let Some(station) = self.find_instance(flight) else {
            return self.hold_back(flight, Guard::Balancer, Failure::Unavailable);
        };
        if let Some(ledger) = &mut self.memory(call).ledger {
            match kind {
                Sending::First => ledger.first_sent(now),
                Sending::Retry | Sending::Hedge => ledger.again_sent(),
            }
        }
        let state = self.world.calls.flights.get_mut(flight);
        state.metered = true;
        state.stage = Stage::Out;
        (state.sent, state.departed) = (now, now);
        state.timer = UNTIMED;
        state.station = station;
        self.set_limit(flight);
        let edge = self.world.calls.edge(call);
        self.observer.observe(now, Fact::Sent { edge, call: CallId(call), attempt, kind });
        let reception = match self.board(flight) {
            Departure::Fresh | Departure::Reused => {
                self.put_on_its_way(edge, station, call, attempt)
            }
            Departure::Dies { after } => {
                self.leave_on_dying(call, attempt, after);
                Reception::Taken
            }
        };
        match reception {
            Reception::Taken => self.start_timer(flight),
            Reception::TurnedAway(failure, hint) => self.came_back(flight, failure, hint),
        }
    }

    /// An answer has come to an attempt that may have a flight.
    #[inline(never)]
    pub(super) fn hear_by_the_books(&mut self, call: u32, attempt: u32, answer: Answer) {
        let Some(flight) = self.world.calls.flight(call, attempt) else { return };
        match (self.world.calls.flights.get(flight).stage, answer) {
            (Stage::Out, Answer::Failure(failure, hint)) => self.came_back(flight, failure, hint),
            (Stage::RunsOn | Stage::Fetches, answer) => {
                let outcome = match answer {
                    Answer::Success => Outcome::Succeeded,
                    Answer::Failure(failure, _) => Outcome::Failed(failure),
                };
                self.enter(flight, Some(outcome));
                self.end_flight(flight);
            }
            (Stage::Out, Answer::Success) => unreachable!("it was waited for"),
            (
                Stage::Throttled(_)
                | Stage::InLine(_)
                | Stage::Leaving
                | Stage::Coalesced(_)
                | Stage::Leads
                | Stage::Repeats
                | Stage::Told(_),
                _,
            ) => {
                unreachable!("what was not sent is not answered")
            }
        }
    }

    /// An attempt has ended for its client without what was wanted.
    pub(super) fn flight_failed(&mut self, flight: u32, failure: Failure, hint: Hint) {
        self.enter(flight, Some(Outcome::Failed(failure)));
        let Flight { call, ends, kind, receipt, .. } = *self.world.calls.flights.get(flight);
        let request_ends = failure == Failure::TimedOut && ends == Ends::Request;
        self.end_flight(flight);
        let kept = self.world.calls.kept(call);
        kept.failure = failure;
        if kind != Sending::Hedge {
            kept.receipt = receipt;
        }
        if request_ends || self.copies_are_done(call, failure) {
            self.try_failed(call, failure, hint, request_ends);
        }
    }

    /// All attempts of a try have come to nothing, or one so that the others do not matter.
    pub(super) fn try_failed(
        &mut self,
        call: u32,
        failure: Failure,
        hint: Hint,
        request_ends: bool,
    ) {
        self.drop_flights(call);
        self.world.calls.drop_timer(call);
        let decision = if request_ends {
            Decision::GiveUp
        } else {
            self.decide_by_the_books(call, failure, hint)
        };
        self.follow(call, failure, hint, decision);
    }

    /// What becomes of a request of which a try has failed. If the budget is charged at the decision,
    /// it has been asked.
    fn decide_by_the_books(&mut self, call: u32, failure: Failure, hint: Hint) -> Decision {
        let (now, born) = (self.now, self.world.calls.born(call));
        let edge = self.edge_of(call);
        let mut kept = *self.world.calls.kept(call);
        let (_, bits) = self.memory_and_bits(call);
        let decision = edge.retry.decide(kept.tries, failure, hint, &mut kept.waits, bits);
        let decision = match decision {
            Decision::After(wait) => self.patience_of(call).fit(born, now, wait),
            Decision::GiveUp | Decision::GiveUpAfter(_) => decision,
        };
        kept.failure = failure;
        kept.stops = matches!(decision, Decision::GiveUpAfter(_));
        kept.tries += 1;
        kept.copies = 0;
        kept.denied = false;
        *self.world.calls.kept(call) = kept;
        let at_decision = edge.budget.is_some_and(|budget| budget.charged == Charged::AtDecision);
        let asks = at_decision && matches!(decision, Decision::After(_));
        if asks && self.budget_denies(call) { Decision::GiveUp } else { decision }
    }

    /// The request has been answered, by this attempt.
    #[inline(never)]
    pub(super) fn succeed_by_the_books(&mut self, call: u32, attempt: u32) {
        let calls = &self.world.calls;
        let answered = calls.flight(call, attempt);
        // A late answer is entered as what came of the attempt that is out.
        let is_out = |&flight: &u32| calls.flights.get(flight).stage == Stage::Out;
        let out = || calls.flights.from(calls.first_flight(call)).find(is_out);
        if let Some(flight) = answered.or_else(out) {
            let took = self.now.since(self.world.calls.kept(call).since);
            let was_sent = self.world.calls.flights.get(flight).stage == Stage::Out;
            self.enter(flight, Some(Outcome::Succeeded));
            if let Some(pace) =
                self.memory(call).pace.as_mut().filter(|_| answered.is_some() && was_sent)
            {
                pace.learned(took);
            }
            if answered.is_some() && was_sent {
                self.keep_connection(call);
            }
            self.end_flight(flight);
        }
        self.close_books(call);
        self.report_request(call, Outcome::Succeeded);
    }

    /// Everything that remembers is told how an attempt has ended for its client; without an outcome,
    /// because nobody needs it any more.
    pub(super) fn enter(&mut self, flight: u32, outcome: Option<Outcome>) {
        let now = self.now;
        self.tell_front(flight, outcome);
        self.tell_store(flight, outcome);
        let Flight { call, stage, metered, sent, pass, mut receipt, .. } =
            *self.world.calls.flights.get(flight);
        let memory = self.memory(call);
        if let Some(ledger) = &mut memory.ledger {
            match outcome {
                Some(outcome) if metered => ledger.ended(now, outcome, &mut receipt),
                None if metered => ledger.cancelled(&mut receipt),
                Some(_) | None => ledger.give_back(&mut receipt),
            }
        }
        if matches!(stage, Stage::Out | Stage::RunsOn)
            && let (Some(valve), Some(outcome)) = (&mut memory.valve, outcome)
        {
            valve.answered(now, outcome);
        }
        if let Some(pass) = pass {
            match outcome {
                Some(outcome) => self.report(call, pass, outcome, now.since(sent)),
                None => self.hand_back(call, pass),
            }
        }
        let state = self.world.calls.flights.get_mut(flight);
        state.receipt = receipt;
        state.pass = None;
    }

    /// A flight is over: its connection goes to whoever has waited longest for one.
    pub(super) fn end_flight(&mut self, flight: u32) {
        let Flight { call, next, leased, .. } = *self.world.calls.flights.get(flight);
        let first = self.world.calls.first_flight(call);
        if first == flight {
            self.world.calls.kept(call).first_flight = next;
        } else {
            let flights = &mut self.world.calls.flights;
            let before = flights.from(first).find(|&other| flights.get(other).next == flight);
            let before = before.expect("a flight is among those of its request");
            flights.get_mut(before).next = next;
        }
        if leased {
            self.return_connection(call);
        }
        self.world.calls.flights.end(flight);
        self.world.calls.release(call);
    }

    /// Asks the client's budget, if it has one, for a retry, and tells if it says no.
    fn budget_denies(&mut self, call: u32) -> bool {
        let Kept { failure, mut receipt, .. } = *self.world.calls.kept(call);
        let permission = self.withdraw(call, Extra::Retry(failure), &mut receipt);
        self.world.calls.kept(call).receipt = receipt;
        permission == Permission::Denied
    }

    /// Asks the client's budget, if it has one, and tells if it says no.
    pub(super) fn withdraw(
        &mut self,
        call: u32,
        extra: Extra,
        receipt: &mut Receipt,
    ) -> Permission {
        let now = self.now;
        let payer = self.payer(call);
        let Some(ledger) = &mut self.memory(payer).ledger else { return Permission::Granted };
        let permission = ledger.withdraw(now, extra, receipt);
        if permission == Permission::Denied {
            let edge = self.world.calls.edge(call);
            self.observer.observe(now, Fact::BudgetDenied { edge, call: CallId(call) });
        }
        permission
    }

    /// The request whose budget is charged: the client's at the top, if one budget goes along the path, and
    /// the request itself otherwise, or if what it was made for has ended.
    fn payer(&self, call: u32) -> u32 {
        if self.edge_of(call).budget.is_none_or(|budget| budget.rule != Rule::Path) {
            return call;
        }
        let mut payer = call;
        while self.world.calls.edge(payer).is_between_services() {
            let Some(above) = self.made_for(payer) else { return call };
            payer = above;
        }
        payer
    }

    pub(super) fn sleep(&mut self, call: u32, wait: Span) {
        self.set_timer(call, wait, Event::RetryDue { call }, Lane::NONE);
    }

    /// How long a request may take, and its attempts: what was handed on with it bounds it as well.
    pub(super) fn patience_of(&self, call: u32) -> Patience {
        let patience = self.edge_of(call).patience();
        match self.world.calls.sub(call).until {
            Time::NEVER => patience,
            until => patience.within(until.since(self.world.calls.born(call))),
        }
    }

    /// Nothing that was sent or charged for the request is needed any more.
    pub(super) fn close_books(&mut self, call: u32) {
        self.drop_flights(call);
        let mut receipt = self.world.calls.kept(call).receipt;
        if let Some(ledger) = &mut self.memory(call).ledger {
            ledger.give_back(&mut receipt);
        }
    }

    pub(super) fn edge_of(&self, call: u32) -> &'a Edge {
        edge_at(self.model, self.world.edges[self.world.calls.edge(call).index()].owner)
    }

    pub(super) fn memory(&mut self, call: u32) -> &mut Memory {
        self.memory_and_bits(call).0
    }

    /// What remembers for this request: shared by all of its client, or of its instance alone.
    pub(super) fn memory_and_bits(&mut self, call: u32) -> (&mut Memory, &mut Stream) {
        let edge = self.world.calls.edge(call).index();
        let scope = edge_at(self.model, self.world.edges[edge].owner).scope;
        let index = memory_index(scope, self.world.calls.instance(call));
        let state = &mut self.world.edges[edge];
        (&mut state.memories[index], &mut state.jitter)
    }
}

/// Which of an edge's memories is that of an instance of whoever calls over it.
pub(super) fn memory_index(scope: Scope, instance: u16) -> usize {
    match scope {
        Scope::Shared => 0,
        Scope::PerInstance => usize::from(instance),
    }
}
