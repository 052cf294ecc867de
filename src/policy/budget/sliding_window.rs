//! May this retry be sent, if retries are to stay within a share of what happened lately?
//!
//! Whose memory it is: one ledger for all requests of a client.
//!
//! A retry is granted if, itself included, the retries of the window less the reserve are at most
//! `ratio` of what makes room for them. The reserve is `minimum_per_second x window`, and it is a
//! burst and not a rate: an idle client may spend all of it at once, and gets it back a window later
//! (Finagle `RetryBudget`, tower `TpsBudget`, Linkerd).
//!
//! Finagle and tower count in whole tokens: a retry costs 1000/p or 1/p of a deposit, cut to a whole
//! number, so that tower's ratio of 0.3 lets a third through (tower #857). Here the ratio is meant.

use super::Permission;
use crate::policy::window::{Counts, Sliding};
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// In how many steps a window slides.
pub(super) const SLOTS: usize = 100;

/// Parameters of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingWindow {
    /// The largest share of what makes room that may be retries.
    pub ratio: Fraction,
    /// How long a send is remembered; at least `SLOTS` nanoseconds.
    pub window: Span,
    /// What makes room for retries.
    pub deposits: Deposits,
    /// Retries that need no room, for each second of the window.
    pub minimum_per_second: u32,
}

/// What makes room for retries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deposits {
    /// Everything sent, the retries included: 0.1 means that one send in ten may be a retry.
    #[default]
    AllSends,
    /// First attempts: 0.1 means one retry for ten requests (Finagle, tower).
    Requests,
    /// Answers in time: in an outage the budget dries up (Linkerd).
    Successes,
}

impl SlidingWindow {
    /// Retries stay within `ratio` of everything sent in the last `window`, without a reserve.
    pub const fn of_all_sends(ratio: Fraction, window: Span) -> Self {
        Self { ratio, window, deposits: Deposits::AllSends, minimum_per_second: 0 }
    }

    /// Retries in a window that need no room.
    pub const fn reserve(&self) -> u64 {
        let per_window = self.minimum_per_second as u128 * self.window.as_nanos() as u128;
        (per_window / 1_000_000_000) as u64
    }
}

/// What made room and what was granted in the last window.
#[derive(Clone, Debug)]
pub struct Ledger {
    ratio: Fraction,
    deposits: Deposits,
    reserve: u64,
    window: Sliding<Sends, SLOTS>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sends {
    room: u64,
    retries: u64,
}

impl Counts for Sends {
    fn plus(self, other: Self) -> Self {
        Self { room: self.room + other.room, retries: self.retries + other.retries }
    }

    fn minus(self, other: Self) -> Self {
        Self { room: self.room - other.room, retries: self.retries - other.retries }
    }
}

impl Ledger {
    /// An empty ledger.
    pub fn new(budget: SlidingWindow) -> Self {
        Self {
            ratio: budget.ratio,
            deposits: budget.deposits,
            reserve: budget.reserve(),
            window: Sliding::new(budget.window),
        }
    }

    /// Counts a first attempt.
    #[inline]
    pub fn first_sent(&mut self, now: Time) {
        match self.deposits {
            Deposits::AllSends | Deposits::Requests => self.make_room(now),
            Deposits::Successes => {}
        }
    }

    /// Counts an answer in time.
    #[inline]
    pub fn succeeded(&mut self, now: Time) {
        match self.deposits {
            Deposits::Successes => self.make_room(now),
            Deposits::AllSends | Deposits::Requests => {}
        }
    }

    #[inline]
    fn make_room(&mut self, now: Time) {
        self.window.add(now, Sends { room: 1, retries: 0 });
    }

    /// Grants and counts a retry, or denies it.
    #[inline]
    pub fn withdraw(&mut self, now: Time) -> Permission {
        let Sends { room, retries } = self.window.total(now);
        let own = match self.deposits {
            Deposits::AllSends => 1,
            Deposits::Requests | Deposits::Successes => 0,
        };
        if !self.ratio.covers((retries + 1).saturating_sub(self.reserve), room + own) {
            return Permission::Denied;
        }
        self.window.add(now, Sends { room: own, retries: 1 });
        Permission::Granted
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.window.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ledger(ratio: f64, window: Span) -> Ledger {
        Ledger::new(SlidingWindow::of_all_sends(Fraction::new(ratio).unwrap(), window))
    }

    fn after(secs: f64) -> Time {
        Time::ZERO + Span::from_secs_f64(secs)
    }

    #[test]
    fn one_send_in_ten_may_be_a_retry() {
        let mut ledger = ledger(0.1, Span::from_secs(10));
        for _ in 0..8 {
            ledger.first_sent(Time::ZERO);
        }
        assert_eq!(ledger.withdraw(Time::ZERO), Permission::Denied);
        ledger.first_sent(Time::ZERO);
        assert_eq!(ledger.withdraw(Time::ZERO), Permission::Granted);
        assert_eq!(ledger.withdraw(Time::ZERO), Permission::Denied);
    }

    #[test]
    fn what_left_the_window_no_longer_pays() {
        let mut ledger = ledger(0.5, Span::from_secs(10));
        ledger.first_sent(Time::ZERO);
        assert_eq!(ledger.clone().withdraw(after(9.9)), Permission::Granted);
        assert_eq!(ledger.clone().withdraw(after(10.0)), Permission::Denied);
        assert_eq!(ledger.withdraw(after(1e6)), Permission::Denied);
    }

    #[test]
    fn nothing_sent_nothing_granted() {
        assert_eq!(ledger(0.99, Span::from_secs(1)).withdraw(Time::ZERO), Permission::Denied);
        assert_eq!(ledger(1.0, Span::from_secs(1)).withdraw(Time::ZERO), Permission::Granted);
    }

    /// Case A07: Finagle's default, and nothing that makes room. The reserve of 100 is spent at once
    /// and is back when the spending has left the window.
    #[test]
    fn the_reserve_is_a_burst() {
        let mut ledger = Ledger::new(SlidingWindow {
            ratio: Fraction::new(0.2).unwrap(),
            window: Span::from_secs(10),
            deposits: Deposits::Requests,
            minimum_per_second: 10,
        });
        let mut granted =
            |secs| (0..150).filter(|_| ledger.withdraw(after(secs)) == Permission::Granted).count();
        assert_eq!([granted(0.0), granted(5.0), granted(11.5)], [100, 0, 100]);
    }

    #[test]
    fn room_is_made_by_what_the_rule_names() {
        let granted = |deposits, requests: u32, successes: u32| {
            let ratio = Fraction::new(0.2).unwrap();
            let window = Span::from_secs(10);
            let mut ledger = Ledger::new(SlidingWindow {
                deposits,
                ..SlidingWindow::of_all_sends(ratio, window)
            });
            (0..requests).for_each(|_| ledger.first_sent(Time::ZERO));
            (0..successes).for_each(|_| ledger.succeeded(Time::ZERO));
            (0..1_000).filter(|_| ledger.withdraw(Time::ZERO) == Permission::Granted).count()
        };
        // 25 retries are a fifth of 125 sends; 20 are a fifth of 100 requests.
        assert_eq!(granted(Deposits::AllSends, 100, 50), 25);
        assert_eq!(granted(Deposits::Requests, 100, 50), 20);
        assert_eq!(granted(Deposits::Successes, 100, 50), 10);
    }

    proptest! {
        /// Whatever the traffic, retries granted within any one window of the slots stay within the
        /// rule, at the instant each is granted.
        #[test]
        fn never_more_than_its_rule(
            ratio in 0.0..=1.0_f64,
            minimum_per_second in 0_u32..3,
            deposits in prop_oneof![
                Just(Deposits::AllSends), Just(Deposits::Requests), Just(Deposits::Successes)
            ],
            steps in prop::collection::vec((0_u64..500, 0_u8..3), 1..400),
        ) {
            let window = Span::from_secs(10);
            let ratio = Fraction::new(ratio).unwrap();
            let budget = SlidingWindow { ratio, window, deposits, minimum_per_second };
            let mut ledger = Ledger::new(budget);
            let slot = window.as_nanos() / SLOTS as u64;
            let mut now = Time::ZERO;
            let mut log: Vec<(u64, bool, bool)> = Vec::new();
            for (millis, what) in steps {
                now += Span::from_millis(millis);
                let slot_now = now.as_nanos() / slot;
                match what {
                    0 => {
                        ledger.first_sent(now);
                        log.push((slot_now, deposits != Deposits::Successes, false));
                    }
                    1 => {
                        ledger.succeeded(now);
                        log.push((slot_now, deposits == Deposits::Successes, false));
                    }
                    _ => if ledger.withdraw(now) == Permission::Granted {
                        log.push((slot_now, deposits == Deposits::AllSends, true));
                        let kept = || log.iter().filter(|(slot, ..)| slot + SLOTS as u64 > slot_now);
                        let room = kept().filter(|(_, room, _)| *room).count() as f64;
                        let retries = kept().filter(|(.., retry)| *retry).count() as f64;
                        let reserve = f64::from(minimum_per_second) * 10.0;
                        prop_assert!(retries <= reserve + ratio.as_f64() * room + 1e-6);
                    },
                }
            }
        }
    }
}
