//! The wheel against the heap, and whether its spans follow what is pending.

use super::super::{Agenda, Event, Heap, Lane};
use super::*;
use crate::model::Tie;
use crate::time::Time;
use proptest::prelude::*;

const YEAR: u64 = 366 * 86_400 * 1_000_000_000;

/// A wheel and the reference, which must not differ.
#[derive(Default)]
struct Both {
    wheel: Wheel,
    heap: Heap,
    now: u64,
    sequence: u64,
}

impl Both {
    fn push(&mut self, delay: u64) {
        let time = Time::from_nanos(self.now + delay);
        let event = Event::Arrival { client: 0 };
        let entry = Entry::new(time, self.sequence, event, Tie::CompletionWins);
        self.sequence += 1;
        self.wheel.push(entry);
        self.heap.push(entry, Lane::NONE);
    }

    fn pop(&mut self) -> Entry {
        let entry = self.wheel.pop();
        assert_eq!(entry, self.heap.pop(|_| false));
        if entry != Entry::NONE {
            self.now = entry.time().as_nanos();
        }
        entry
    }

    fn pop_all(&mut self) {
        while self.pop() != Entry::NONE {}
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// So many, each this much later than the one before.
    Push {
        count: u64,
        delay: u64,
        apart: u64,
    },
    Pop(usize),
    /// Pop one and push one, as a service does.
    Turn {
        count: usize,
        delays: u64,
    },
    /// Behind what has been popped, which no engine does.
    Rewind,
    Clear,
}

/// Lengths of every order of magnitude up to a year.
fn length() -> impl Strategy<Value = u64> {
    (0_u32..55, any::<u64>()).prop_map(|(bits, any)| (any & ((1 << bits) - 1)).min(YEAR))
}

fn step() -> impl Strategy<Value = Step> {
    let apart = prop_oneof![Just(0), length().prop_map(|apart| apart >> 10)];
    prop_oneof![
        6 => (1_u64..80, length(), apart)
            .prop_map(|(count, delay, apart)| Step::Push { count, delay, apart }),
        6 => (1_usize..80).prop_map(Step::Pop),
        4 => (1_usize..400, length()).prop_map(|(count, delays)| Step::Turn { count, delays }),
        1 => Just(Step::Rewind),
        1 => Just(Step::Clear),
    ]
}

/// The same numbers every time, without a rule that one sees.
fn scattered(index: u64) -> u64 {
    let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 1
}

proptest! {
    /// Ties, bursts, delays from nanoseconds to a year, pushes before what is already sorted: the
    /// same entries in the same order.
    #[test]
    fn wheel_and_heap_agree(steps in prop::collection::vec(step(), 1..120)) {
        let mut both = Both::default();
        for step in steps {
            match step {
                Step::Push { count, delay, apart } => {
                    (0..count).for_each(|nth| both.push(delay + nth * apart));
                }
                Step::Pop(count) => (0..count).for_each(|_| _ = both.pop()),
                Step::Turn { count, delays } => for _ in 0..count {
                    both.pop();
                    both.push(scattered(both.sequence) % (delays + 1));
                }
                Step::Rewind => both.now /= 2,
                Step::Clear => {
                    both.wheel.clear();
                    both.heap.clear();
                }
            }
        }
        both.pop_all();
    }
}

/// A population that stays as large, with delays up to `delays`: how many entries of it are where
/// they cost a logarithm.
fn steady(pending: u64, delays: u64) -> (usize, Wheel) {
    let mut both = Both::default();
    (0..pending).for_each(|nth| both.push(scattered(nth) % delays));
    for _ in 0..8 * pending {
        both.pop();
        both.push(scattered(both.sequence) % delays);
    }
    (both.wheel.near.len() + both.wheel.far.len(), both.wheel.clone())
}

#[test]
fn spans_follow_what_is_pending() {
    for pending in [100, 2_000, 30_000] {
        for delays in [1_000_000, 2_000_000_000, 3_600_000_000_000, YEAR] {
            let (elsewhere, wheel) = steady(pending, delays);
            assert!(elsewhere < 100 + pending as usize / 50, "{pending} {delays}: {elsewhere}");
            let span = (1_u64 << wheel.shift) as f64;
            let filled = span * pending as f64 / delays as f64;
            assert!((0.5..40.0).contains(&filled), "{pending} {delays}: {filled}");
        }
    }
}

/// A thousand times as many at once, and a thousand times as soon, as in a storm.
#[test]
fn spans_follow_a_change() {
    let mut both = Both::default();
    (0..2_000).for_each(|nth| both.push(scattered(nth) % YEAR));
    for delays in [YEAR, 2_000_000_000, 50_000, 2_000_000_000] {
        for _ in 0..60_000 {
            both.pop();
            both.push(scattered(both.sequence) % delays);
        }
        let elsewhere = both.wheel.near.len() + both.wheel.far.len();
        assert!(elsewhere < 200, "{delays}: {elsewhere} of 2000");
    }
    both.pop_all();
}

/// Ten thousand users who are in step: no span can part them, and none must be tried for ever.
#[test]
fn ties_are_left_alone() {
    let mut both = Both::default();
    for round in 0..5 {
        (0..10_000).for_each(|_| both.push(1_000_000));
        assert!(both.wheel.shift >= 16, "{round}: {}", both.wheel.shift);
        both.pop_all();
    }
}

#[test]
fn few_entries_need_no_buckets() {
    let mut both = Both::default();
    (0..CROWD as u64).for_each(|nth| both.push(scattered(nth) % YEAR));
    for _ in 0..1_000 {
        assert_eq!((both.wheel.in_buckets, both.wheel.far.len()), (0, 0));
        both.pop();
        both.push(scattered(both.sequence) % YEAR);
    }
}
