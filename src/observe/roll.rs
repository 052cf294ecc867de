//! Windows of equal width, one after the other from the start of a run.

use crate::time::{Span, Time};

/// Which window a run is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Roll {
    width: Span,
    /// The end of the current window.
    until: Time,
}

impl Roll {
    /// A run at its start.
    ///
    /// # Panics
    /// If `width` is zero.
    pub(super) fn new(width: Span) -> Self {
        assert!(!width.is_zero(), "a window has a width");
        Self { width, until: Time::ZERO + width }
    }

    /// No windows: none ever ends.
    pub(super) const fn never() -> Self {
        Self { width: Span::ZERO, until: Time::NEVER }
    }

    pub(super) const fn width(&self) -> Span {
        self.width
    }

    /// Whether the current window has ended by `now`.
    #[inline(always)]
    pub(super) fn has_ended(&self, now: Time) -> bool {
        now >= self.until
    }

    /// Goes on to the next window if the current one has ended by `now`: when it did.
    pub(super) fn next_end(&mut self, now: Time) -> Option<Time> {
        let end = self.until;
        self.has_ended(now).then(|| {
            self.until = end + self.width;
            end
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_ends_once() {
        let at = |secs| Time::ZERO + Span::from_secs(secs);
        let mut roll = Roll::new(Span::from_secs(2));
        assert_eq!(roll.next_end(at(1)), None);
        let ends: Vec<Time> = std::iter::from_fn(|| roll.next_end(at(6))).collect();
        assert_eq!(ends, [2, 4, 6].map(at));
        assert!(!roll.has_ended(at(7)) && roll.has_ended(at(8)));
        assert!(!Roll::never().has_ended(at(1_000_000)));
    }
}
