//! Who waits, cohort by cohort, in the order in which they came.

use std::collections::VecDeque;

use crate::observe::CallId;
use crate::time::{Span, Time};

/// Attempts that were sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cohort {
    /// The cohort of fresh requests that they belong to.
    pub(super) call: CallId,
    /// When these came.
    pub(super) born: Time,
    /// When the attempts were sent.
    pub(super) sent: Time,
    /// Retries made before; none for first attempts.
    pub(super) retry: u32,
    /// How many of the attempts are in the line.
    pub(super) queued: u64,
    /// How many of them are still waited for, in the line or dropped from it.
    pub(super) open: u64,
}

/// The line, and those that it has dropped but their clients do not yet miss.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    cohorts: VecDeque<Cohort>,
    /// None before this one has anybody in the line.
    head: usize,
    /// None before this one is waited for.
    oldest: usize,
    queued: u64,
}

impl Line {
    pub(super) fn join(&mut self, cohort: Cohort) {
        self.queued += cohort.queued;
        self.cohorts.push_back(cohort);
    }

    /// Attempts in the line.
    pub(super) const fn queued(&self) -> u64 {
        self.queued
    }

    /// Cohorts, those of which nobody is in the line included.
    pub(super) fn len(&self) -> usize {
        self.cohorts.len()
    }

    pub(super) fn get(&self, index: usize) -> Cohort {
        self.cohorts[index]
    }

    pub(super) fn sent(&self, index: usize) -> Time {
        self.cohorts[index].sent
    }

    /// Finds the first cohort that somebody of is in the line, and how many are behind its first; none if
    /// the line is empty.
    pub(super) fn behind_head(&mut self) -> Option<u64> {
        while self.cohorts.get(self.head)?.queued == 0 {
            self.head += 1;
        }
        Some(self.queued - 1)
    }

    /// The cohort found by [`behind_head`](Self::behind_head).
    pub(super) fn head(&self) -> &Cohort {
        &self.cohorts[self.head]
    }

    /// So many of the head are answered.
    pub(super) fn serve(&mut self, count: u64) {
        let head = &mut self.cohorts[self.head];
        head.queued -= count;
        head.open = head.open.saturating_sub(count);
        self.queued -= count;
    }

    /// The head leaves the line, and nobody is told.
    pub(super) fn drop_head(&mut self) {
        let head = &mut self.cohorts[self.head];
        self.queued -= head.queued;
        head.queued = 0;
    }

    /// Takes up to `most` of a cohort out of the line and tells them; how many these are.
    pub(super) fn turn_away(&mut self, index: usize, most: u64) -> u64 {
        let cohort = &mut self.cohorts[index];
        let count = cohort.queued.min(most);
        cohort.queued -= count;
        cohort.open -= count;
        self.queued -= count;
        count
    }

    /// The oldest cohort that is waited for, if that was sent `timeout` before `now` or earlier.
    pub(super) fn overdue(&mut self, now: Time, timeout: Span) -> Option<Cohort> {
        while self.cohorts.get(self.oldest)?.open == 0 {
            self.oldest += 1;
        }
        self.cohorts.get(self.oldest).copied().filter(|cohort| cohort.sent + timeout <= now)
    }

    /// Whether the overdue cohort is at the head of the line.
    pub(super) const fn is_overdue_at_head(&self) -> bool {
        self.head == self.oldest
    }

    /// Takes the overdue cohort out of the line, but for the first `kept` of it; how many left.
    pub(super) fn withdraw_but(&mut self, kept: u64) -> u64 {
        let cohort = &mut self.cohorts[self.oldest];
        let left = cohort.queued.saturating_sub(kept);
        cohort.queued -= left;
        self.queued -= left;
        left
    }

    /// Nobody waits for the overdue cohort any longer.
    pub(super) fn give_up(&mut self) {
        self.cohorts[self.oldest].open = 0;
    }

    /// Forgets the cohorts of which nothing is left.
    pub(super) fn forget(&mut self) {
        while self.cohorts.front().is_some_and(|first| first.queued == 0 && first.open == 0) {
            self.cohorts.pop_front();
            self.head = self.head.saturating_sub(1);
            self.oldest = self.oldest.saturating_sub(1);
        }
    }
}
