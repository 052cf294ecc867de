//! Clients whose policies remember: budgets, waits that follow from the wait before, back-off that
//! ends a request.
//!
//! Out of line, and behind one question in the client's own handlers: most clients remember nothing
//! of a request but the number of its attempts, and pay for no more.

use super::Run;
use super::agenda::Agenda;
use super::calls::Kept;
use crate::observe::{CallId, Fact, Observer};
use crate::policy::budget::{Charged, Extra, Permission};
use crate::policy::outcome::Outcome;
use crate::policy::retry::{Decision, Failure, Hint};

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// What becomes of a request whose attempt has failed. If the budget is charged at the decision,
    /// it has been asked.
    #[inline(never)]
    pub(super) fn decide_by_the_books(&mut self, call: u32, failure: Failure) -> Decision {
        let client = self.world.calls.client(call);
        let retry = &self.model.clients[client.index()].edge.retry;
        let state = &mut self.world.clients[client.index()];
        let mut kept = self.world.calls.kept(call);
        if let Some(ledger) = &mut state.ledger {
            ledger.ended(self.now, Outcome::Failed(failure), &mut kept.receipt);
        }
        let attempt = self.world.calls.attempt(call);
        let bits = &mut state.jitter;
        let decision = retry.decide(attempt, failure, Hint::Absent, &mut kept.waits, bits);
        kept.failure = failure;
        kept.stops = matches!(decision, Decision::GiveUpAfter(_));
        let asks = matches!(decision, Decision::After(_)) && state.charged == Charged::AtDecision;
        if asks && self.budget_denies(call, &mut kept) {
            return Decision::GiveUp;
        }
        self.world.calls.keep(call, kept);
        decision
    }

    /// Whether the retry that is due is not sent: its wait was the end of the request, or the budget
    /// does not let it go.
    #[inline(never)]
    pub(super) fn is_stopped_by_the_books(&mut self, call: u32) -> bool {
        let client = self.world.calls.client(call);
        let mut kept = self.world.calls.kept(call);
        let asks = self.world.clients[client.index()].charged == Charged::AtDispatch;
        if kept.stops || (asks && self.budget_denies(call, &mut kept)) {
            return true;
        }
        self.world.calls.keep(call, kept);
        if let Some(ledger) = &mut self.world.clients[client.index()].ledger {
            ledger.again_sent();
        }
        false
    }

    /// The answer that was waited for is there.
    #[inline(never)]
    pub(super) fn enter_success_in_the_books(&mut self, call: u32) {
        let client = self.world.calls.client(call);
        let mut kept = self.world.calls.kept(call);
        if let Some(ledger) = &mut self.world.clients[client.index()].ledger {
            ledger.ended(self.now, Outcome::Succeeded, &mut kept.receipt);
        }
    }

    /// Asks the client's budget, if it has one, for a retry, and tells if it says no.
    fn budget_denies(&mut self, call: u32, kept: &mut Kept) -> bool {
        let client = self.world.calls.client(call);
        let Some(ledger) = &mut self.world.clients[client.index()].ledger else { return false };
        match ledger.withdraw(self.now, Extra::Retry(kept.failure), &mut kept.receipt) {
            Permission::Granted => false,
            Permission::Denied => {
                self.observer.observe(self.now, Fact::BudgetDenied { client, call: CallId(call) });
                true
            }
        }
    }
}
