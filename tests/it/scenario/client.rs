//! What the keys of a call mean, and what is said about wrong ones.

use std::fmt::Write;
use std::num::{NonZeroU16, NonZeroU32};

use metastable::model::{Edge, Scope};
use metastable::policy::breaker::{
    Breaker, Cancelled, Comparison, Ends, Evaluated, HalfOpen, Limit, Position, Results, Slow,
    Stay, StayEnd, Trials, Window,
};
use metastable::policy::budget::{
    Budget, Charged, Concurrency, Deposits, FailedAttempt, Metered, Prices, RefundableQuota, Rule,
    SlidingWindow, TokenThreshold,
};
use metastable::policy::deadline::{Clock, Least, Misfit, Overrun, Patience};
use metastable::policy::hedge::{Delay, Hedge, Losers, OnFailure, Percentile};
use metastable::policy::outcome::{Failure, Failures};
use metastable::policy::pool::{AcquireClock, ColdStart, Dead, Pool};
use metastable::policy::retry::AtCap;
use metastable::policy::retry::{
    Backoff, Decorrelated, DoublingRange, Exponential, First, Growth, Jitter, Linear, Retry,
    SmoothDoubling, Spread,
};
use metastable::policy::throttle::{Adaptive, Again, AtEmpty, Cubic, RateLimit, Throttle};
use metastable::time::Span;
use metastable::unit::{Fraction, Rate};

use super::{STORM, parse};

const RETRY: &str = "call.retry.immediate = { max_retries = 3 }";

/// The call of [`STORM`] with other keys in the place of its retry and its timeout.
pub(super) fn edge(keys: &str) -> Edge {
    let text = STORM.replace("call.timeout = \"1s\"\n", "").replace(RETRY, keys);
    let mut story = parse(&text, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    story.variants.remove(0).model.clients.remove(0).edge
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn share(share: f64) -> Fraction {
    Fraction::new(share).unwrap()
}

fn retry(kind: &str) -> Retry {
    edge(&format!("call.retry.{kind}")).retry
}

#[test]
fn retries_are_counted_as_retries_or_as_attempts() {
    let number = |count: &str| retry(&format!("immediate = {{ {count} }}")).max_retries;
    assert_eq!(number("max_retries = 3"), 3);
    assert_eq!(number("max_attempts = 3"), 2);
    assert_eq!(number("max_attempts = 1"), 0);
    assert_eq!(number("max_retries = \"unlimited\""), Retry::UNLIMITED);
    assert_eq!(number("max_attempts = \"unlimited\""), Retry::UNLIMITED);
    let story = parse(STORM, &["clients.web.call.retry.immediate.max_attempts=2"]).unwrap();
    assert_eq!(story.variants[0].model.clients[0].edge.retry.max_retries, 1);
}

#[test]
fn waits_of_every_kind() {
    let wait = |kind: &str| retry(kind).backoff;
    let fixed = |more: &str| wait(&format!("fixed = {{ max_retries = 2, wait = \"1s\"{more} }}"));
    let around = |spread| Backoff::Jittered(Growth::Fixed(ms(1_000)), Jitter::after_cap(spread));
    assert_eq!(fixed(", jitter = \"none\""), Backoff::fixed(ms(1_000)));
    assert_eq!(fixed(", jitter = \"full\""), around(Spread::Full));
    assert_eq!(fixed(", jitter = \"equal\""), around(Spread::Equal));
    let spread = fixed(", jitter = { proportional = 0.2 }");
    assert_eq!(spread, around(Spread::Proportional(share(0.2))));
    assert_eq!(fixed(", jitter = { stretch = 1 }"), around(Spread::Stretch(Fraction::ONE)));
    assert_eq!(fixed(", jitter = { added = \"5ms\" }"), around(Spread::Added(ms(5))));

    let exponential = |more: &str| {
        wait(&format!("exponential = {{ max_retries = 2, base = \"1s\", cap = \"8s\"{more} }}"))
    };
    let doubling = Exponential::new(ms(1_000), 2.0, ms(8_000)).unwrap();
    let before = Jitter::before_cap(Spread::Full);
    assert_eq!(
        exponential(", jitter = \"full\", jitter_before_cap = true"),
        Backoff::Jittered(Growth::Exponential(doubling), before)
    );
    assert_eq!(exponential(", at_cap = \"stops\""), Backoff::from(doubling.stopping_at_cap()));
    assert_eq!(exponential(", at_cap = \"holds\""), Backoff::from(doubling));

    let linear = |more: &str| {
        wait(&format!(
            "linear = {{ max_retries = 2, base = \"1ms\", increment = \"2ms\", cap = \"9ms\"{more} }}"
        ))
    };
    let growth = |at_cap| Linear { base: ms(1), increment: ms(2), cap: ms(9), at_cap };
    assert_eq!(linear(""), Backoff::from(growth(AtCap::Holds)));
    assert_eq!(linear(", at_cap = \"stops\""), Backoff::from(growth(AtCap::Stops)));
    assert_eq!(
        linear(", jitter = \"full\", jitter_before_cap = true"),
        Backoff::Jittered(Growth::Linear(growth(AtCap::Holds)), before)
    );

    let ends = "{ max_retries = 2, base = \"5ms\", cap = \"2s\" }";
    let (base, cap) = (ms(5), ms(2_000));
    assert_eq!(
        wait(&format!("decorrelated = {ends}")),
        Backoff::Decorrelated(Decorrelated { base, cap })
    );
    let range = DoublingRange::new(base, cap).unwrap();
    assert_eq!(wait(&format!("doubling_range = {ends}")), Backoff::DoublingRange(range));
    assert_eq!(
        wait(&format!("smooth_doubling = {ends}")),
        Backoff::SmoothDoubling(SmoothDoubling { base, cap })
    );
}

#[test]
fn what_is_retried_and_whether_the_first_retry_waits() {
    let fixed = |more: &str| retry(&format!("fixed = {{ max_retries = 2, wait = \"1s\"{more} }}"));
    assert_eq!((fixed("").on, fixed("").first), (Failures::ALL, First::Waits));
    assert_eq!(fixed(", first = \"at_once\"").first, First::AtOnce);
    let some = Failures::of(&[Failure::TimedOut, Failure::Reset]);
    assert_eq!(fixed(", on = [\"timeout\", \"reset\"]").on, some);
    let all = ", on = [\"timeout\", \"refused\", \"error\", \"reset\", \"unavailable\"]";
    assert_eq!(fixed(all).on, Failures::ALL);
}

#[test]
fn budgets() {
    let budget = |kind: &str| edge(&format!("{RETRY}\ncall.budget.{kind}")).budget;
    let of = |rule| Some(Budget::from(rule));
    let window = SlidingWindow::of_all_sends(share(0.2), ms(10_000));
    let sliding =
        |more: &str| budget(&format!("sliding_window = {{ ratio = 0.2, window = \"10s\"{more} }}"));
    assert_eq!(sliding(", deposits = \"sends\""), of(Rule::SlidingWindow(window)));
    assert_eq!(
        sliding(", deposits = \"requests\", minimum_per_second = 10"),
        of(Rule::SlidingWindow(SlidingWindow {
            deposits: Deposits::Requests,
            minimum_per_second: 10,
            ..window
        }))
    );
    let successes = SlidingWindow { deposits: Deposits::Successes, ..window };
    assert_eq!(sliding(", deposits = \"successes\""), of(Rule::SlidingWindow(successes)));
    assert_eq!(sliding("").unwrap().charged, Charged::AtDispatch);
    assert_eq!(sliding(", charged = \"at_decision\"").unwrap().charged, Charged::AtDecision);

    let bucket = |counted| {
        of(Rule::TokenThreshold(TokenThreshold { max_tokens: 10, ratio_thousandths: 125, counted }))
    };
    let threshold = |more: &str| {
        budget(&format!("token_threshold = {{ max_tokens = 10, ratio = 0.125{more} }}"))
    };
    assert_eq!(threshold(""), bucket(Failures::ALL));
    let refused = Failures::of(&[Failure::Refused]);
    assert_eq!(threshold(", counts = [\"refused\"]"), bucket(refused));

    let quota = |prices, clean_success| {
        of(Rule::RefundableQuota(RefundableQuota { capacity: 500, prices, clean_success }))
    };
    let paid =
        |more: &str| budget(&format!("refundable_quota = {{ capacity = 500, cost = 5{more} }}"));
    assert_eq!(paid(""), quota(Prices { timed_out: 5, refused: 5, other: 5 }, 1));
    assert_eq!(
        paid(", timeout_cost = 10, refusal_cost = 7, clean_success = 2"),
        quota(Prices { timed_out: 10, refused: 7, other: 5 }, 2)
    );

    let places =
        |ratio, minimum, failed| of(Rule::Concurrency(Concurrency { ratio, minimum, failed }));
    let left = FailedAttempt::Left;
    assert_eq!(budget("concurrency = { share = 0.2, minimum = 3 }"), places(share(0.2), 3, left));
    assert_eq!(budget("concurrency = { max_outstanding = 3 }"), places(Fraction::ZERO, 3, left));
    assert_eq!(
        budget("concurrency = { share = 0.2, failed_attempt = \"counts\" }"),
        places(share(0.2), 0, FailedAttempt::Counts)
    );
}

#[test]
fn throttles() {
    let throttle = |kind: &str| edge(&format!("call.throttle.{kind}")).throttle;
    assert_eq!(edge("call.throttle = { none = {} }").throttle, None);
    let adaptive = |not_accepted| Adaptive::new(2.0, ms(120_000), not_accepted);
    let refused = Failures::of(&[Failure::Refused]);
    assert_eq!(
        throttle("adaptive = { k = 2, window = \"2m\" }"),
        adaptive(Failures::of(&[Failure::Error]).complement()).map(Throttle::Adaptive)
    );
    assert_eq!(
        throttle("adaptive = { k = 2, window = \"2m\", not_accepted = [\"refused\"] }"),
        adaptive(refused).map(Throttle::Adaptive)
    );
    let cubic = |throttled, at_empty| Some(Throttle::Cubic(Cubic { throttled, at_empty }));
    assert_eq!(throttle("cubic = {}"), cubic(refused, AtEmpty::Waits));
    assert_eq!(
        throttle("cubic = { throttled = [\"error\"], at_empty = \"drops\" }"),
        cubic(Failures::of(&[Failure::Error]), AtEmpty::Drops)
    );
    let limit = |burst, at_empty, again| {
        RateLimit::new(Rate::new(50.0).unwrap(), burst, at_empty, again).map(Throttle::RateLimit)
    };
    assert_eq!(throttle("rate_limit = { rate = 50 }"), limit(1, AtEmpty::Waits, Again::Metered));
    assert_eq!(
        throttle(
            "rate_limit = { rate = 50, burst = 5, at_empty = \"drops\", retries = \"bypass\" }"
        ),
        limit(5, AtEmpty::Drops, Again::Passes)
    );
    assert_eq!(edge("call.scope = \"per_instance\"").scope, Scope::PerInstance);
}

#[test]
fn breakers() {
    let breaker = |keys: &str| edge(&format!("call.breaker = {{ {keys} }}")).breaker.unwrap();
    let count = |count| NonZeroU32::new(count).unwrap();
    let usual = Breaker {
        position: Position::InsideRetry,
        window: Window::Time(ms(10_000)),
        counted: Failures::ALL,
        failed: Some(Limit::at_least(share(0.5))),
        slow: None,
        minimum_calls: 20,
        open: Exponential::new(ms(15_000), 1.0, Span::MAX).unwrap(),
        ends: Ends::AtTheInstant,
        half_open: HalfOpen::permits(count(10)),
        results: Results::Tagged,
        evaluated: Evaluated::AtEachResult,
    };
    assert_eq!(breaker(""), usual);
    assert_eq!(edge("call.breaker = \"none\"").breaker, None);
    let outside = Breaker { position: Position::OutsideRetry, ..usual };
    assert_eq!(breaker("position = \"outside_retry\""), outside);
    assert_eq!(breaker("position = \"inside_retry\""), usual);
    assert_eq!(
        breaker("window_calls = 5"),
        Breaker { window: Window::Count(count(5)), minimum_calls: 5, ..usual }
    );
    let more_than = |share| Limit { share, comparison: Comparison::MoreThan };
    let slow = Slow { longer_than: ms(60_000), limit: more_than(Fraction::ONE) };
    assert_eq!(
        breaker(
            "failed = \"none\", slow = { longer_than = \"60s\", share = 1 }, at_limit = \"holds\""
        ),
        Breaker { failed: None, slow: Some(slow), ..usual }
    );
    assert_eq!(breaker("failed = 0.1").failed, Some(Limit::at_least(share(0.1))));
    assert_eq!(
        breaker(
            "window = \"1s\", counts = [\"timeout\"], minimum_calls = 50, open = \"5s\", \
             open_growth = 2, open_max = \"60s\", open_ends = \"after_the_instant\", \
             results = \"untagged\", evaluated = { every = \"500ms\" }"
        ),
        Breaker {
            window: Window::Time(ms(1_000)),
            counted: Failures::of(&[Failure::TimedOut]),
            minimum_calls: 50,
            open: Exponential::new(ms(5_000), 2.0, ms(60_000)).unwrap(),
            ends: Ends::AfterTheInstant,
            results: Results::Untagged,
            evaluated: Evaluated::Every(ms(500)),
            ..usual
        }
    );
    let half_open = |keys: &str| breaker(&format!("half_open = {{ {keys} }}")).half_open;
    assert_eq!(
        half_open("share = 0.05, decided_after = 20").trials,
        Trials::Share { share: share(0.05), decided_after: count(20) }
    );
    let stay = |then| Some(Stay { longest: ms(1_000), then });
    assert_eq!(
        half_open("permits = 3, cancelled = \"lost\", longest = \"1s\""),
        HalfOpen {
            trials: Trials::Permits(count(3)),
            cancelled: Cancelled::Lost,
            longest: stay(StayEnd::Opens)
        }
    );
    assert_eq!(half_open("longest = \"1s\", then = \"renews\"").longest, stay(StayEnd::Renews));
}

#[test]
fn deadlines() {
    let deadline = |keys: &str| edge(&format!("call.deadline = {{ {keys} }}")).deadline.unwrap();
    let usual = Patience { request: Some(ms(800)), ..Patience::ENDLESS };
    assert_eq!(deadline("request = \"800ms\""), usual);
    assert_eq!(
        deadline(
            "request = \"800ms\", before_first = \"50ms\", reserve = \"40ms\", least = \"10ms\", \
             misfit = \"sleeps_to_deadline\", overrun = \"runs_on\""
        ),
        Patience {
            before_first: ms(50),
            reserve: ms(40),
            least: Least::Length(ms(10)),
            misfit: Misfit::SleepsToDeadline,
            overrun: Overrun::RunsOn,
            ..usual
        }
    );
    let whole = deadline("request = \"800ms\", least = \"whole_timeout\"").least;
    assert_eq!(whole, Least::WholeTimeout);
    assert_eq!(edge("call.deadline = \"none\"").deadline, None);
}

#[test]
fn hedges() {
    let hedge = |keys: &str| edge(&format!("call.hedge = {{ {keys} }}")).hedge.unwrap();
    let extra = |extra| NonZeroU32::new(extra).unwrap();
    let usual = Hedge {
        delay: Delay::Fixed(ms(100)),
        extra: extra(1),
        on_failure: OnFailure::SendsNext,
        fatal: Failures::NONE,
        losers: Losers::Cancelled,
    };
    assert_eq!(hedge("delay = \"100ms\", max_hedges = 1"), usual);
    assert_eq!(hedge("delay = \"100ms\", max_attempts = 2"), usual);
    assert_eq!(edge("call.hedge = \"none\"").hedge, None);
    assert_eq!(
        hedge(
            "delay = \"after_failure\", max_attempts = 5, on_failure = \"waits\", \
             fatal = [\"error\", \"reset\"], losers = \"run_on\""
        ),
        Hedge {
            delay: Delay::AfterFailureOnly,
            extra: extra(4),
            on_failure: OnFailure::Waits,
            fatal: Failures::of(&[Failure::Error, Failure::Reset]),
            losers: Losers::RunOn,
        }
    );
    let paced = |keys: &str| hedge(&format!("max_hedges = 1, delay = {{ {keys} }}")).delay;
    let percentile = |samples, minimum| {
        Delay::Percentile(Percentile {
            share: share(0.95),
            samples: NonZeroU16::new(samples).unwrap(),
            minimum,
            until_then: ms(50),
        })
    };
    let least = "percentile = 0.95, until_then = \"50ms\"";
    assert_eq!(paced(least), percentile(1_000, 100));
    assert_eq!(paced(&format!("{least}, samples = 20")), percentile(20, 20));
    assert_eq!(paced(&format!("{least}, samples = 300, minimum = 30")), percentile(300, 30));
    // A later layer that counts the other way has the say.
    let keys = "call.hedge = { delay = \"100ms\", max_hedges = 1 }";
    let story = parse(&STORM.replace(RETRY, keys), &["clients.web.call.hedge.max_attempts=4"]);
    let edge = story.unwrap().variants.remove(0).model.clients.remove(0).edge;
    assert_eq!(edge.hedge.unwrap().extra, extra(3));
}

#[test]
fn hedges_may_bypass_a_budget() {
    let metered = |kind: &str, more: &str| {
        let keys = "call.hedge = { delay = \"100ms\", max_hedges = 1 }";
        edge(&format!("{keys}\ncall.budget.{kind}{more} }}")).budget.unwrap().hedges
    };
    for kind in [
        "sliding_window = { ratio = 0.1, window = \"1s\"",
        "token_threshold = { max_tokens = 10, ratio = 0.1",
        "refundable_quota = { capacity = 500, cost = 5",
        "concurrency = { max_outstanding = 3",
    ] {
        assert_eq!(metered(kind, ""), Metered::Metered, "{kind}");
        assert_eq!(metered(kind, ", hedges = \"metered\""), Metered::Metered, "{kind}");
        assert_eq!(metered(kind, ", hedges = \"bypass\""), Metered::Free, "{kind}");
    }
}

#[test]
fn pools() {
    let pool = |keys: &str| edge(&format!("call.pool = {{ size = 10{keys} }}")).pool.unwrap();
    let usual = Pool {
        size: NonZeroU32::new(10).unwrap(),
        max_waiting: None,
        acquire_timeout: None,
        clock: AcquireClock::WholeWait,
        cold_start: ColdStart::IsFree,
        dead: None,
    };
    assert_eq!(pool(""), usual);
    assert_eq!(pool(", max_waiting = \"unlimited\", acquire_timeout = \"none\""), usual);
    assert_eq!(pool(", max_waiting = 0"), Pool { max_waiting: Some(0), ..usual });
    let timed = Pool { acquire_timeout: Some(ms(500)), clock: AcquireClock::EachWait, ..usual };
    assert_eq!(pool(", acquire_timeout = \"500ms\", clock = \"each_wait\""), timed);
    assert_eq!(edge("call.pool = \"none\"").pool, None);
    let cold = Pool { max_waiting: Some(0), cold_start: ColdStart::CountsAsWaiting, ..usual };
    assert_eq!(pool(", max_waiting = 0, cold_start = \"counts_as_waiting\""), cold);
    assert_eq!(pool(", cold_start = \"is_free\""), usual);
    let dead = Some(Dead { share: Fraction::HALF, reconnect: ms(20) });
    let found = pool(", dead = { share = 0.5, reconnect = \"20ms\" }");
    assert_eq!(found, Pool { dead, ..usual });
    assert_eq!(edge("call.pool = { size = 3 }").shared_pool, None);
    let named = edge("call.pool = { size = 3, name = \"seats\" }");
    assert_eq!(named.shared_pool.as_deref(), Some("seats"));
    let keys = "call.pool = { size = 10, acquire_timeout = \"500ms\" }";
    let story = parse(&STORM.replace(RETRY, keys), &["clients.web.call.pool.max_waiting=0"]);
    let edge = story.unwrap().variants.remove(0).model.clients.remove(0).edge;
    assert_eq!(edge.pool, Some(Pool { max_waiting: Some(0), ..usual }));
}

#[test]
fn a_timeout_may_count_the_wait_for_a_connection() {
    let patience = |keys: &str| edge(&format!("call.pool = {{ size = 10 }}\n{keys}")).patience();
    let timed = "call.timeout = \"1s\"\n";
    assert_eq!(patience(timed).clock, Clock::Dispatched);
    let ready = format!("{timed}call.timeout_from = \"ready\"\n");
    let found = patience(&ready);
    assert_eq!((found.clock, found.attempt, found.request), (Clock::Ready, Some(ms(1_000)), None));
    let found = patience(&format!("{ready}call.deadline = {{ request = \"3s\" }}"));
    assert_eq!((found.clock, found.request), (Clock::Ready, Some(ms(3_000))));
}

/// What is said of calls with these keys.
fn said(cases: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (what, keys) in cases {
        let trouble = parse(&STORM.replace(RETRY, keys), &[]).expect_err(what);
        writeln!(all, "## {what}\n{trouble}\n").unwrap();
    }
    all
}

macro_rules! assert_said {
    ($cases:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(said($cases)) })
    };
}

#[test]
fn wrong_retries() {
    assert_said!(&[
        ("neither retries nor attempts", "call.retry.immediate = {}"),
        ("both", "call.retry.immediate = { max_retries = 3, max_attempts = 4 }"),
        ("no attempt", "call.retry.immediate = { max_attempts = 0 }"),
        ("a wrong word", "call.retry.immediate = { max_retries = \"unlimted\" }"),
        ("two billion", "call.retry.immediate = { max_retries = 2147483647 }"),
        ("no kind of failure", "call.retry.immediate = { max_retries = 3, on = [] }"),
        ("an unknown failure", "call.retry.immediate = { max_retries = 3, on = [\"timeouts\"] }"),
        (
            "a failure without brackets",
            "call.retry.immediate = { max_retries = 3, on = \"error\" }"
        ),
        (
            "jitter in percent",
            "call.retry.fixed = { max_retries = 3, wait = \"1s\", jitter = { proportional = 20 } }"
        ),
        (
            "unknown jitter",
            "call.retry.fixed = { max_retries = 3, wait = \"1s\", jitter = \"ful\" }"
        ),
        (
            "jitter without its number",
            "call.retry.fixed = { max_retries = 3, wait = \"1s\", jitter = \"proportional\" }"
        ),
        (
            "a fixed wait with a cap",
            "call.retry.fixed = { max_retries = 3, wait = \"1s\", cap = \"2s\" }"
        ),
        (
            "a linear wait that never grows",
            "call.retry.linear = { max_retries = 3, base = \"1s\", increment = \"0s\", cap = \"2s\" }"
        ),
        (
            "a decorrelated cap below the base",
            "call.retry.decorrelated = { max_retries = 3, base = \"3s\", cap = \"2s\" }"
        ),
        (
            "half a millisecond",
            "call.retry.doubling_range = { max_retries = 3, base = \"25.5ms\", cap = \"2s\" }"
        ),
    ]);
}

#[test]
fn wrong_budgets_and_throttles() {
    let with = |keys: &str| format!("{RETRY}\n{keys}");
    let cases: Vec<(&str, String)> = vec![
        ("ratio in percent", with("call.budget.sliding_window = { ratio = 30, window = \"10s\" }")),
        ("a short window", with("call.budget.sliding_window = { ratio = 0.3, window = \"1us\" }")),
        (
            "unknown deposits",
            with(
                "call.budget.sliding_window = { ratio = 0.3, window = \"1s\", deposits = \"calls\" }",
            ),
        ),
        ("no tokens", with("call.budget.token_threshold = { max_tokens = 0, ratio = 0.1 }")),
        ("fine tokens", with("call.budget.token_threshold = { max_tokens = 9, ratio = 0.0001 }")),
        ("tokens in percent", with("call.budget.token_threshold = { max_tokens = 9, ratio = 10 }")),
        ("a retry too dear", with("call.budget.refundable_quota = { capacity = 5, cost = 10 }")),
        ("neither", with("call.budget.concurrency = {}")),
        ("both", with("call.budget.concurrency = { share = 0.2, max_outstanding = 3 }")),
        (
            "a minimum of nothing",
            with("call.budget.concurrency = { minimum = 2, max_outstanding = 3 }"),
        ),
        ("share in percent", with("call.budget.concurrency = { share = 20 }")),
        ("an unknown budget", with("call.budget.tokens = {}")),
        ("k below one", with("call.throttle.adaptive = { k = 0.5, window = \"2m\" }")),
        ("a rate of nothing", with("call.throttle.rate_limit = { rate = 0 }")),
        ("no burst", with("call.throttle.rate_limit = { rate = 5, burst = 0 }")),
    ];
    let cases: Vec<(&str, &str)> =
        cases.iter().map(|(what, keys)| (*what, keys.as_str())).collect();
    assert_said!(&cases);
}

#[test]
fn wrong_breakers_and_deadlines() {
    assert_said!(&[
        ("two windows", "call.breaker = { window = \"10s\", window_calls = 100 }"),
        ("failed in percent", "call.breaker = { failed = 50 }"),
        ("failed never", "call.breaker = { failed = 0 }"),
        ("nothing looked at", "call.breaker = { failed = \"none\" }"),
        ("a minimum never reached", "call.breaker = { window_calls = 10, minimum_calls = 20 }"),
        ("an open time that shrinks", "call.breaker = { open = \"5s\", open_growth = 0.5 }"),
        ("a longest below the first", "call.breaker = { open = \"5s\", open_max = \"1s\" }"),
        ("two kinds of trial", "call.breaker = { half_open = { permits = 1, share = 0.1 } }"),
        ("half a rule", "call.breaker = { half_open = { permits = 1, decided_after = 9 } }"),
        ("nothing through", "call.breaker = { half_open = { share = 0 } }"),
        ("an unknown key", "call.breaker = { minimum_call = 20 }"),
        ("a wrong word", "call.breaker = \"off\""),
        ("half-open without a breaker", "call.half_open = { share = 0.05 }"),
        ("a deadline without a length", "call.deadline = { reserve = \"1s\" }"),
        ("a deadline of nothing", "call.deadline = { request = \"0s\" }"),
        ("all of it in reserve", "call.deadline = { request = \"1s\", reserve = \"1s\" }"),
        ("a wrong least", "call.deadline = { request = \"1s\", least = \"all\" }"),
        ("a length for a deadline", "call.deadline = \"1s\""),
    ]);
}

#[test]
fn wrong_hedges_and_pools() {
    assert_said!(&[
        ("hedging with one attempt", "call.hedge = { delay = \"1s\", max_attempts = 1 }"),
        ("no hedge", "call.hedge = { delay = \"1s\", max_hedges = 0 }"),
        ("neither", "call.hedge = { delay = \"1s\" }"),
        ("both", "call.hedge = { delay = \"1s\", max_hedges = 1, max_attempts = 2 }"),
        ("retries of a hedge", "call.hedge = { delay = \"1s\", max_retries = 1 }"),
        ("a thousand", "call.hedge = { delay = \"1s\", max_hedges = 1000 }"),
        ("no delay", "call.hedge = { max_hedges = 1 }"),
        ("a delay below zero", "call.hedge = { delay = \"-1ms\", max_hedges = 1 }"),
        ("a number for a delay", "call.hedge = { delay = 100, max_hedges = 1 }"),
        ("a wrong word", "call.hedge = { delay = \"after_failures\", max_hedges = 1 }"),
        (
            "percentile in percent",
            "call.hedge = { delay = { percentile = 95, until_then = \"1s\" }, max_hedges = 1 }"
        ),
        (
            "a percentile of nothing yet",
            "call.hedge = { delay = { percentile = 0.95 }, max_hedges = 1 }"
        ),
        (
            "a minimum never reached",
            "call.hedge = { delay = { percentile = 0.9, until_then = \"1s\", samples = 10, minimum = 11 }, max_hedges = 1 }"
        ),
        (
            "no failure to follow",
            "call.hedge = { delay = \"after_failure\", max_hedges = 1, fatal = [\"timeout\", \"refused\", \"error\", \"reset\", \"unavailable\"] }"
        ),
        ("hedging without call", "hedge = { delay = \"1s\", max_hedges = 1 }"),
        ("off", "call.hedge = \"off\""),
        ("no size", "call.pool = { max_waiting = 5 }"),
        ("a size of nothing", "call.pool = { size = 0 }"),
        ("a wait below zero", "call.pool = { size = 1, max_waiting = -1 }"),
        (
            "patience where nobody waits",
            "call.pool = { size = 1, max_waiting = 0, acquire_timeout = \"30s\" }"
        ),
        ("the same through a preset", "call.preset = \"hikaricp\"\ncall.pool.max_waiting = 0"),
        ("no patience at all", "call.pool = { size = 1, acquire_timeout = \"0s\" }"),
        ("an unknown clock", "call.pool = { size = 1, clock = \"each\" }"),
        ("an unknown key", "call.pool = { size = 1, connection_timeout = \"30s\" }"),
        ("an unknown start", "call.timeout_from = \"sent\""),
        (
            "hedges that are neither",
            "call.budget.concurrency = { max_outstanding = 3, hedges = \"free\" }"
        ),
    ]);
}

#[test]
fn wrong_presets() {
    assert_said!(&[
        ("an unknown preset", "call.preset = \"aws_standart\""),
        ("nothing like one", "call.preset = \"x\""),
        ("no text", "call.preset = 3"),
        ("one of services", "call.preset = \"netflix_vegas\""),
        ("an unknown one of two", "call.preset = [\"finagle\", \"polly\"]"),
        (
            "a wrong key beside it",
            "call.preset = \"aws_standard\"\ncall.retry.exponential.max_attempts = -1"
        ),
        (
            "a cap below its base",
            "call.preset = \"gax_python\"\ncall.retry.exponential.cap = \"10ms\""
        ),
        (
            "both names of a number",
            "call.preset = \"aws_standard\"\ncall.retry.exponential = { max_attempts = 2, max_retries = 3 }"
        ),
    ]);
}
