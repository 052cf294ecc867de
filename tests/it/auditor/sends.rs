//! What a client with a budget has sent, kept send by send.

use std::collections::VecDeque;

use metastable::policy::budget::{Budget, Rule, SlidingWindow};
use metastable::time::Time;

/// The sends of one client within the window of its budget, if it has one.
pub(super) struct Sends {
    budget: Option<SlidingWindow>,
    /// The slot of each, and whether it is a retry.
    sends: VecDeque<(u64, bool)>,
}

/// In how many steps the window slides.
const SLOTS: u64 = 100;

impl Sends {
    pub(super) fn under(budget: Option<Budget>) -> Self {
        let budget = budget.map(|budget| match budget.rule {
            Rule::SlidingWindow(window) => {
                assert_eq!(window, SlidingWindow::of_all_sends(window.ratio, window.window));
                window
            }
            Rule::TokenThreshold(_)
            | Rule::RefundableQuota(_)
            | Rule::Concurrency(_)
            | Rule::Path => {
                panic!("no books are kept for {budget:?}")
            }
        });
        Self { budget, sends: VecDeque::new() }
    }

    /// Whether there is room for a retry: with it, retries are at most the stated share of what was
    /// sent in the window.
    pub(super) fn has_room(&mut self, now: Time) -> bool {
        let Some(budget) = self.budget else { return true };
        let slot = slot_of(budget, now);
        while self.sends.front().is_some_and(|(old, _)| old + SLOTS <= slot) {
            self.sends.pop_front();
        }
        let retries = self.sends.iter().filter(|(_, retry)| *retry).count() as u64;
        let billionths = (budget.ratio.as_f64() * 1e9).round() as u64;
        (retries + 1) * 1_000_000_000 <= billionths * (self.sends.len() as u64 + 1)
    }

    pub(super) fn note(&mut self, now: Time, is_retry: bool) {
        if let Some(budget) = self.budget {
            self.sends.push_back((slot_of(budget, now), is_retry));
        }
    }
}

fn slot_of(budget: SlidingWindow, now: Time) -> u64 {
    now.as_nanos() / (budget.window.as_nanos() / SLOTS)
}
