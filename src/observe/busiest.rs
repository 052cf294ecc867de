//! How many attempts were sent in the busiest of many short windows?

use super::{Fact, Observer};
use crate::time::{Span, Time};

/// Windows of equal width, one after another from some instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busiest {
    /// The width of a window; above zero.
    pub width: Span,
    /// When the first one begins.
    pub after: Span,
}

/// Attempts in the busiest window so far. It keeps the window that it is in and the largest count
/// before it, however many windows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusiestCount {
    busiest: Busiest,
    window: u64,
    count: u64,
    most: u64,
}

impl BusiestCount {
    /// Nothing was sent.
    pub const fn new(busiest: Busiest) -> Self {
        Self { busiest, window: 0, count: 0, most: 0 }
    }

    /// The windows that it counts in.
    pub const fn busiest(&self) -> Busiest {
        self.busiest
    }

    /// Attempts sent in the busiest window; 0 if nothing was sent in any.
    pub const fn most(&self) -> u64 {
        self.most
    }
}

impl Observer for BusiestCount {
    fn observe(&mut self, now: Time, fact: Fact) {
        self.observe_many(now, fact, 1);
    }

    fn observe_many(&mut self, now: Time, fact: Fact, times: u64) {
        let Fact::Sent { .. } = fact else { return };
        let begins = Time::ZERO + self.busiest.after;
        if now < begins {
            return;
        }
        let window = self.busiest.width.times_in(now.since(begins));
        if window != self.window {
            (self.window, self.count) = (window, 0);
        }
        self.count += times;
        self.most = self.most.max(self.count);
    }

    fn finish(&mut self, _: Time) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::EdgeId;
    use crate::observe::{CallId, Sending};

    const EDGE: EdgeId = EdgeId::between_services(0);
    const SENT: Fact = Fact::Sent { edge: EDGE, call: CallId(0), attempt: 0, kind: Sending::First };

    #[test]
    fn windows_begin_after_a_while_and_are_counted_one_by_one() {
        let check = |sent_ms: &[u64], most| {
            let (width, after) = (Span::from_millis(10), Span::from_millis(50));
            let mut count = BusiestCount::new(Busiest { width, after });
            for &ms in sent_ms {
                count.observe(Time::ZERO + Span::from_millis(ms), SENT);
            }
            assert_eq!(count.most(), most, "{sent_ms:?}");
        };
        check(&[], 0);
        check(&[0, 49, 49, 49], 0);
        check(&[50, 59, 60], 2);
        // The end of one window and the start of the next are not one window.
        check(&[55, 56, 64, 65, 69, 70], 3);
        check(&[50, 51, 52, 1_000, 1_001], 3);
    }
}
