//! May this retry be sent, given what was sent lately?
//!
//! Whose memory it is: one ledger for all requests of a client. Budgets differ in kind, not in
//! numbers: each kind is one file.

mod sliding_window;

pub use sliding_window::{Ledger as SlidingWindowLedger, SlidingWindow};

use crate::time::Time;

/// A kind of retry budget with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// Retries stay under a share of everything sent in the last while.
    SlidingWindow(SlidingWindow),
}

/// Whether a retry may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may, and has been charged.
    Granted,
    /// It may not; nothing has been charged.
    Denied,
}

/// What a budget remembers during a run.
#[derive(Clone, Debug)]
pub enum Ledger {
    /// Of a [`Budget::SlidingWindow`].
    SlidingWindow(SlidingWindowLedger),
}

impl Budget {
    /// An empty ledger.
    pub fn open(&self) -> Ledger {
        match self {
            Self::SlidingWindow(budget) => Ledger::SlidingWindow(SlidingWindowLedger::new(*budget)),
        }
    }
}

impl Ledger {
    /// A first attempt is sent: it needs no permission, and makes room for retries.
    #[inline]
    pub fn deposit(&mut self, now: Time) {
        match self {
            Self::SlidingWindow(ledger) => ledger.deposit(now),
        }
    }

    /// A retry asks to be sent.
    #[inline]
    pub fn withdraw(&mut self, now: Time) -> Permission {
        match self {
            Self::SlidingWindow(ledger) => ledger.withdraw(now),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        match self {
            Self::SlidingWindow(ledger) => ledger.clear(),
        }
    }
}
