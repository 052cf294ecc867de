//! The policies beside well-kept crates that answer the same question. Those read the clock, so each
//! test is over long before anything could leave one of their windows.

use std::num::NonZeroU32;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use metastable::policy::breaker::{
    Breaker, Ends, Evaluated, HalfOpen, Limit, Passage, Position, Results, State, Window,
};
use metastable::policy::budget::{Deposits, Permission, SlidingWindow, SlidingWindowLedger};
use metastable::policy::outcome::{Failure, Failures, Outcome};
use metastable::policy::retry::Exponential;
use metastable::random::Sprout;
use metastable::time::{Span, Time};
use metastable::unit::Fraction;
use proptest::prelude::*;
use recloser::{Error, Recloser};
use tower::retry::budget::{Budget as _, TpsBudget};

/// Ours and tower's for one ratio: a minute's window, deposits by request.
fn budgets(ratio: f32, minimum_per_second: u32) -> (SlidingWindowLedger, TpsBudget) {
    let ours = SlidingWindowLedger::new(SlidingWindow {
        ratio: Fraction::new(f64::from(ratio)).expect("a share"),
        window: Span::from_secs(60),
        deposits: Deposits::Requests,
        minimum_per_second,
    });
    (ours, TpsBudget::new(Duration::from_secs(60), minimum_per_second, ratio))
}

fn call(circuit: &mut metastable::policy::breaker::Circuit, failed: bool) -> bool {
    let outcome = if failed { Outcome::Failed(Failure::Error) } else { Outcome::Succeeded };
    match circuit.ask(Time::ZERO, &mut Sprout::new(0, 0)) {
        Passage::Passes(ticket) => {
            circuit.report(Time::ZERO, ticket, outcome, Span::ZERO);
            true
        }
        Passage::Rejected => false,
    }
}

fn call_theirs(recloser: &Recloser, failed: bool) -> bool {
    match recloser.call(|| if failed { Err(()) } else { Ok(()) }) {
        Ok(()) | Err(Error::Inner(())) => true,
        Err(Error::Rejected) => false,
    }
}

proptest! {
    /// Of ratios whose inverse is whole, tower's and Finagle's tokens are the ratio that is meant.
    #[test]
    fn towers_retry_budget_grants_the_same(
        ratio in prop::sample::select(vec![1.0_f32, 0.5, 0.25, 0.2, 0.1, 0.05]),
        minimum in 0_u32..2,
        steps in prop::collection::vec(any::<bool>(), 1..500),
    ) {
        let (mut ours, theirs) = budgets(ratio, minimum);
        for deposit in steps {
            if deposit {
                ours.first_sent(Time::ZERO);
                theirs.deposit();
            } else {
                prop_assert_eq!(ours.withdraw(Time::ZERO) == Permission::Granted, theirs.withdraw());
            }
        }
    }

    /// backon multiplies in f32, so its waits agree to within that.
    #[test]
    fn backons_exponential_waits_are_the_same(
        base_ms in 1_u64..10_000, times_ms in 0_u64..1_000_000, factor in 1.0_f32..10.0,
    ) {
        let cap_ms = base_ms + times_ms;
        let ours = Exponential::new(Span::from_millis(base_ms), factor.into(), Span::from_millis(cap_ms));
        let ours = ours.expect("it grows");
        let theirs = ExponentialBuilder::new()
            .with_min_delay(Duration::from_millis(base_ms))
            .with_max_delay(Duration::from_millis(cap_ms))
            .with_factor(factor)
            .with_max_times(100)
            .build();
        for (retry, theirs) in (0..).zip(theirs) {
            let ours = ours.wait(retry).as_secs_f64();
            prop_assert!((ours / theirs.as_secs_f64() - 1.0).abs() < 1e-4, "{retry}: {ours} {theirs:?}");
        }
    }

    /// recloser decides from the first result after its ring is full, one later than a window is
    /// full here: given one good call before all others, it opens at the same call.
    #[test]
    fn reclosers_breaker_opens_at_the_same_call(
        size in prop::sample::select(vec![1_u32, 2, 4, 5, 8, 10, 20]), share in 0.0..1.0_f64,
        failures in prop::collection::vec(any::<bool>(), 1..100),
    ) {
        let failed = (share * f64::from(size)).ceil().max(1.0);
        let forever = Span::from_secs(100_000);
        let mut ours = Breaker {
            position: Position::InsideRetry,
            window: Window::Count(NonZeroU32::new(size).expect("some")),
            counted: Failures::ALL,
            failed: Some(Limit::at_least(Fraction::new(failed / f64::from(size)).expect("a share"))),
            slow: None,
            minimum_calls: size,
            open: Exponential::new(forever, 1.0, forever).expect("it does not shrink"),
            ends: Ends::AtTheInstant,
            half_open: HalfOpen::permits(NonZeroU32::MIN),
            results: Results::Tagged,
            evaluated: Evaluated::AtEachResult,
        }.open();
        let theirs = Recloser::custom()
            .error_rate(failed as f32 / size as f32)
            .closed_len(size as usize)
            .open_wait(Duration::from_secs(100_000))
            .build();
        prop_assert!(call_theirs(&theirs, false));
        for failed in failures {
            prop_assert_eq!(call(&mut ours, failed), call_theirs(&theirs, failed));
        }
        prop_assert!(ours.state(Time::ZERO) != State::HalfOpen);
    }
}

/// tower #857: a price of 1 / 0.3 cut to 3 makes the ratio a third.
#[test]
fn a_ratio_of_three_tenths_is_meant() {
    let (mut ours, theirs) = budgets(0.3, 0);
    for _ in 0..9 {
        ours.first_sent(Time::ZERO);
        theirs.deposit();
    }
    let granted = (0..9).filter(|_| ours.withdraw(Time::ZERO) == Permission::Granted).count();
    assert_eq!((granted, (0..9).filter(|_| theirs.withdraw()).count()), (2, 3));
}
