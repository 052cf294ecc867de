//! Clients whose policies remember: budgets, throttles, breakers, deadlines, waits that follow from the
//! wait before.
//!
//! Out of line, and behind one question in the client's own handlers: most clients remember nothing
//! of a request but the number of its attempts, and pay for no more.

use super::Run;
use super::agenda::{Agenda, Event, Lane};
use super::calls::Kept;
use super::state::Memory;
use crate::model::Scope;
use crate::observe::{CallId, Fact, Guard, Observer};
use crate::policy::breaker::Passage;
use crate::policy::budget::{Charged, Extra, Permission};
use crate::policy::deadline::Timer;
use crate::policy::outcome::Outcome;
use crate::policy::retry::{Decision, Failure, Hint};
use crate::policy::throttle::{Kind, Turn};
use crate::time::Span;

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// A request has arrived: its first attempt leaves when its time allows, if it does.
    pub(super) fn begin_by_the_books(&mut self, call: u32) {
        self.world.calls.keep(call, Kept::nothing());
        let now = self.now;
        if let Some(ledger) = &mut self.memory(call).ledger {
            ledger.first_sent(now);
        }
        let patience = self.model.clients[self.world.calls.client(call).index()].edge.patience();
        match patience.first_send(now) {
            Decision::After(Span::ZERO) => self.depart(call),
            Decision::After(wait) => self.sleep(call, wait),
            Decision::GiveUp => self.fail(call),
            Decision::GiveUpAfter(wait) => {
                self.keep(call, |kept| kept.stops = true);
                self.sleep(call, wait);
            }
        }
    }

    /// The wait before the next attempt is over.
    #[inline(never)]
    pub(super) fn go_on_by_the_books(&mut self, call: u32) {
        let kept = self.world.calls.kept(call);
        if kept.stops {
            return self.fail(call);
        }
        if kept.has_turn {
            return self.pass_breaker(call);
        }
        if self.world.calls.attempt(call) > 0 {
            let client = self.world.calls.client(call);
            let budget = self.model.clients[client.index()].edge.budget;
            let asks = budget.is_some_and(|budget| budget.charged == Charged::AtDispatch);
            if asks && self.budget_denies(call) {
                return self.fail(call);
            }
        }
        self.depart(call);
    }

    /// An attempt is ready: the throttle is asked, then the breaker.
    fn depart(&mut self, call: u32) {
        let kind = if self.world.calls.attempt(call) == 0 { Kind::First } else { Kind::Again };
        let now = self.now;
        let (memory, bits) = self.memory_and_bits(call);
        let turn = memory.valve.as_mut().map_or(Turn::Now, |valve| valve.ask(now, kind, bits));
        match turn {
            Turn::Now => self.pass_breaker(call),
            Turn::After(wait) => {
                self.keep(call, |kept| kept.has_turn = true);
                self.sleep(call, wait);
            }
            Turn::Dropped => self.hold_back(call, Guard::Throttle),
        }
    }

    fn pass_breaker(&mut self, call: u32) {
        let now = self.now;
        let (memory, bits) = self.memory_and_bits(call);
        let passage = memory.circuit.as_mut().map(|circuit| circuit.ask(now, bits));
        let pass = match passage {
            None => None,
            Some(Passage::Passes(ticket)) => Some(ticket),
            Some(Passage::Rejected) => return self.hold_back(call, Guard::Breaker),
        };
        if self.world.calls.attempt(call) > 0
            && let Some(ledger) = &mut self.memory(call).ledger
        {
            ledger.again_sent();
        }
        self.keep(call, |kept| {
            kept.has_turn = false;
            kept.is_out = true;
            kept.pass = pass;
            kept.sent_at = now;
        });
        self.send(call);
    }

    /// An attempt fails on the client's side, without having been sent.
    fn hold_back(&mut self, call: u32, guard: Guard) {
        let client = self.world.calls.client(call);
        let attempt = self.world.calls.attempt(call);
        let fact = Fact::HeldBack { client, call: CallId(call), attempt, guard };
        self.observer.observe(self.now, fact);
        let mut kept = self.world.calls.kept(call);
        kept.has_turn = false;
        if let Some(ledger) = &mut self.memory(call).ledger {
            ledger.give_back(&mut kept.receipt);
        }
        self.world.calls.keep(call, kept);
        self.attempt_failed(call, Failure::Unavailable, Hint::Absent);
    }

    /// How long the client waits for the attempt that it has just sent; none for ever.
    pub(super) fn timeout_by_the_books(&mut self, call: u32) -> Option<Span> {
        let patience = self.model.clients[self.world.calls.client(call).index()].edge.patience();
        let (at, ends_request) =
            match patience.timer(self.world.calls.born(call), self.now, self.now) {
                Timer::Never => return None,
                Timer::Attempt(at) => (at, false),
                Timer::Request(at) => (at, true),
            };
        self.keep(call, |kept| kept.ends_request = ends_request);
        Some(at.since(self.now))
    }

    /// What becomes of a request whose attempt has failed. If the budget is charged at the decision,
    /// it has been asked.
    #[inline(never)]
    pub(super) fn decide_by_the_books(
        &mut self,
        call: u32,
        failure: Failure,
        hint: Hint,
    ) -> Decision {
        self.enter_in_the_books(call, Outcome::Failed(failure));
        let mut kept = self.world.calls.kept(call);
        if kept.ends_request && failure == Failure::TimedOut {
            return Decision::GiveUp;
        }
        let edge = &self.model.clients[self.world.calls.client(call).index()].edge;
        let attempt = self.world.calls.attempt(call);
        let (_, bits) = self.memory_and_bits(call);
        let decision = edge.retry.decide(attempt, failure, hint, &mut kept.waits, bits);
        let decision = match decision {
            Decision::After(wait) => {
                edge.patience().fit(self.world.calls.born(call), self.now, wait)
            }
            Decision::GiveUp | Decision::GiveUpAfter(_) => decision,
        };
        kept.failure = failure;
        kept.stops = matches!(decision, Decision::GiveUpAfter(_));
        self.world.calls.keep(call, kept);
        let at_decision = edge.budget.is_some_and(|budget| budget.charged == Charged::AtDecision);
        let asks = at_decision && matches!(decision, Decision::After(_));
        if asks && self.budget_denies(call) { Decision::GiveUp } else { decision }
    }

    /// An attempt that was sent has ended for its client, and everything that remembers is told.
    #[inline(never)]
    pub(super) fn enter_in_the_books(&mut self, call: u32, outcome: Outcome) {
        let mut kept = self.world.calls.kept(call);
        if !kept.is_out {
            return;
        }
        kept.is_out = false;
        let now = self.now;
        let memory = self.memory(call);
        if let Some(ledger) = &mut memory.ledger {
            ledger.ended(now, outcome, &mut kept.receipt);
        }
        if let Some(valve) = &mut memory.valve {
            valve.answered(now, outcome);
        }
        if let (Some(circuit), Some(pass)) = (&mut memory.circuit, kept.pass.take()) {
            circuit.report(now, pass, outcome, now.since(kept.sent_at));
        }
        self.world.calls.keep(call, kept);
    }

    /// Asks the client's budget, if it has one, for a retry, and tells if it says no.
    fn budget_denies(&mut self, call: u32) -> bool {
        let client = self.world.calls.client(call);
        let mut kept = self.world.calls.kept(call);
        let now = self.now;
        let Some(ledger) = &mut self.memory(call).ledger else { return false };
        let permission = ledger.withdraw(now, Extra::Retry(kept.failure), &mut kept.receipt);
        self.world.calls.keep(call, kept);
        match permission {
            Permission::Granted => false,
            Permission::Denied => {
                self.observer.observe(self.now, Fact::BudgetDenied { client, call: CallId(call) });
                true
            }
        }
    }

    fn sleep(&mut self, call: u32, wait: Span) {
        self.set_timer(call, wait, Event::RetryDue { call }, Lane::NONE);
    }

    fn keep(&mut self, call: u32, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.world.calls.kept(call);
        change(&mut kept);
        self.world.calls.keep(call, kept);
    }

    fn memory(&mut self, call: u32) -> &mut Memory {
        self.memory_and_bits(call).0
    }

    /// What remembers for this request: shared by all of its client, or of its instance alone.
    fn memory_and_bits(&mut self, call: u32) -> (&mut Memory, &mut crate::random::Stream) {
        let client = self.world.calls.client(call).index();
        let index = match self.model.clients[client].edge.scope {
            Scope::Shared => 0,
            Scope::PerInstance => usize::from(self.world.calls.instance(call)),
        };
        let state = &mut self.world.clients[client];
        (&mut state.memories[index], &mut state.jitter)
    }
}
