//! May this retry be sent, given what was sent and what became of it?
//!
//! Whose memory it is: one [`Ledger`] for all requests of a client (or for each instance of a
//! client), and a [`Receipt`] for each request. Budgets differ in kind, not in numbers: each kind is
//! one file.
//!
//! A ledger is told, and asked, at these moments:
//!
//! * [`Ledger::first_sent`] when the first attempt of a request leaves;
//! * [`Ledger::ended`] when an attempt ends, before anything is decided about the next one. An answer
//!   to an attempt that was given up is no second end;
//! * [`Ledger::withdraw`] when a retry or a metered hedge asks to go: when it is decided or when it
//!   would leave, as [`Budget::charged`] says;
//! * [`Ledger::again_sent`] when a granted retry, or any hedge, leaves;
//! * [`Ledger::cancelled`] when a client withdraws an attempt whose answer it needs no longer;
//! * [`Ledger::give_back`] when a granted retry is not sent after all.

mod concurrency;
mod refundable_quota;
mod sliding_window;
mod token_threshold;

pub use concurrency::{Concurrency, FailedAttempt, Outstanding};
pub use refundable_quota::{Prices, Quota, RefundableQuota};
pub use sliding_window::{Deposits, Ledger as SlidingWindowLedger, SlidingWindow};
pub use token_threshold::{Bucket, TokenThreshold};

use super::outcome::{Failure, Outcome};
use crate::time::Time;

/// A client's retry budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The kind of budget, with its parameters.
    pub rule: Rule,
    /// When a retry asks.
    pub charged: Charged,
    /// Whether hedges ask as well.
    pub hedges: Metered,
}

/// A kind of retry budget with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Retries stay under a share of what happened in the last while (Finagle, tower, Linkerd).
    SlidingWindow(SlidingWindow),
    /// Retries go while most things succeed (gRPC).
    TokenThreshold(TokenThreshold),
    /// Retries are paid for, and a success gives the price back (AWS).
    RefundableQuota(RefundableQuota),
    /// So many retries are outstanding at once (Envoy).
    Concurrency(Concurrency),
    /// Of a call between services: whatever budget the client has whose request it is made for. One
    /// budget goes along the whole path, so that layers add their retries up and do not multiply them.
    Path,
}

/// When a retry asks its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charged {
    /// When it is about to leave, after its wait.
    #[default]
    AtDispatch,
    /// When it is decided, before its wait: what is denied fails without waiting (Envoy, AWS).
    AtDecision,
}

/// Whether hedges ask the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metered {
    /// As retries do.
    #[default]
    Metered,
    /// They go free.
    Free,
}

/// What asks to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A retry after this failure.
    Retry(Failure),
    /// A second copy of an attempt that is still out.
    Hedge,
}

/// Whether a retry may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may, and has been charged.
    Granted,
    /// It may not; nothing has been charged.
    Denied,
}

/// What a request remembers of what its retries were charged. New for each request; with hedging,
/// one for each copy that is out at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// What the last retry cost, in the tokens of a [`RefundableQuota`].
    price: u32,
    /// Whether a retry holds a place of a [`Concurrency`] budget.
    holds_place: bool,
}

impl Receipt {
    /// Nothing was charged.
    pub const NOTHING: Self = Self { price: 0, holds_place: false };
}

/// What a budget remembers during a run.
#[derive(Clone, Debug)]
pub enum Ledger {
    /// Of a [`Rule::SlidingWindow`].
    SlidingWindow(SlidingWindowLedger),
    /// Of a [`Rule::TokenThreshold`].
    TokenThreshold(Bucket),
    /// Of a [`Rule::RefundableQuota`].
    RefundableQuota(Quota),
    /// Of a [`Rule::Concurrency`].
    Concurrency(Outstanding),
    /// Of a [`Rule::Path`]: it keeps nothing, and grants nothing. The client's is asked in its place; where
    /// there is no client any more, there is nobody to retry for.
    Path,
}

impl From<Rule> for Budget {
    /// Charged at dispatch, hedges metered.
    fn from(rule: Rule) -> Self {
        Self { rule, charged: Charged::default(), hedges: Metered::default() }
    }
}

impl Budget {
    /// Whether calls further down may be charged to it: what they are charged is never given back, since
    /// nobody at the top hears how they end.
    pub const fn can_go_along(&self) -> bool {
        match self.rule {
            Rule::SlidingWindow(_) | Rule::TokenThreshold(_) => true,
            Rule::RefundableQuota(_) | Rule::Concurrency(_) | Rule::Path => false,
        }
    }

    /// A ledger in which nothing has happened yet.
    pub fn open(&self) -> Ledger {
        match self.rule {
            Rule::SlidingWindow(rule) => Ledger::SlidingWindow(SlidingWindowLedger::new(rule)),
            Rule::TokenThreshold(rule) => Ledger::TokenThreshold(Bucket::new(rule)),
            Rule::RefundableQuota(rule) => Ledger::RefundableQuota(Quota::new(rule)),
            Rule::Concurrency(rule) => Ledger::Concurrency(Outstanding::new(rule)),
            Rule::Path => Ledger::Path,
        }
    }
}

impl Ledger {
    /// A first attempt is sent: it needs no permission.
    #[inline]
    pub fn first_sent(&mut self, now: Time) {
        match self {
            Self::SlidingWindow(ledger) => ledger.first_sent(now),
            Self::Concurrency(ledger) => ledger.sent(),
            Self::TokenThreshold(_) | Self::RefundableQuota(_) | Self::Path => {}
        }
    }

    /// A granted retry, or a hedge, is sent.
    #[inline]
    pub fn again_sent(&mut self) {
        match self {
            Self::Concurrency(ledger) => ledger.sent(),
            Self::SlidingWindow(_)
            | Self::TokenThreshold(_)
            | Self::RefundableQuota(_)
            | Self::Path => {}
        }
    }

    /// An attempt has ended.
    #[inline]
    pub fn ended(&mut self, now: Time, outcome: Outcome, receipt: &mut Receipt) {
        match (self, outcome) {
            (Self::SlidingWindow(ledger), Outcome::Succeeded) => ledger.succeeded(now),
            (Self::RefundableQuota(quota), Outcome::Succeeded) => quota.succeeded(*receipt),
            (Self::SlidingWindow(_) | Self::RefundableQuota(_), Outcome::Failed(_))
            | (Self::Path, _) => {}
            (Self::TokenThreshold(bucket), outcome) => bucket.ended(outcome),
            (Self::Concurrency(ledger), _) => ledger.ended(receipt),
        }
    }

    /// A retry or a hedge asks to be sent.
    #[inline]
    pub fn withdraw(&mut self, now: Time, extra: Extra, receipt: &mut Receipt) -> Permission {
        match self {
            Self::SlidingWindow(ledger) => ledger.withdraw(now),
            Self::TokenThreshold(bucket) => bucket.ask(),
            Self::RefundableQuota(quota) => {
                // A hedge follows no failure; what it costs is what a retry costs that follows an
                // ordinary one.
                let failure = match extra {
                    Extra::Retry(failure) => failure,
                    Extra::Hedge => Failure::Error,
                };
                quota.withdraw(failure, receipt)
            }
            Self::Concurrency(ledger) => ledger.withdraw(receipt),
            Self::Path => Permission::Denied,
        }
    }

    /// A granted retry is not sent after all. Only a place is given back: tokens and counts of a
    /// decision stay spent, as in the clients that charge at the decision.
    #[inline]
    pub fn give_back(&mut self, receipt: &mut Receipt) {
        match self {
            Self::Concurrency(ledger) => ledger.give_back(receipt),
            Self::SlidingWindow(_)
            | Self::TokenThreshold(_)
            | Self::RefundableQuota(_)
            | Self::Path => {}
        }
    }

    /// An attempt that was sent has ended without a result: its client has withdrawn it.
    #[inline]
    pub fn cancelled(&mut self, receipt: &mut Receipt) {
        match self {
            Self::Concurrency(ledger) => ledger.ended(receipt),
            Self::SlidingWindow(_)
            | Self::TokenThreshold(_)
            | Self::RefundableQuota(_)
            | Self::Path => {}
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        match self {
            Self::SlidingWindow(ledger) => ledger.clear(),
            Self::TokenThreshold(bucket) => bucket.clear(),
            Self::RefundableQuota(quota) => quota.clear(),
            Self::Concurrency(ledger) => ledger.clear(),
            Self::Path => {}
        }
    }
}
