//! Worlds with everything in them: networks, errors, outages, surges, levers, closed loops. Whatever
//! happens, the engine finishes, its books balance, and it tells the same on every event list.

use std::sync::Arc;

use metastable::analysis::{Fates, Stretch, mechanism};
use metastable::engine::agenda::{Heap, Lanes};
use metastable::experiment::Workbench;
use metastable::id::{ClientId, ServiceId};
use metastable::law::Law;
use metastable::model::{
    Action, Arrivals, Bursts, Calls, Condition, Disturbance, Edge, Effect, ErrorCost, Errors,
    InProgress, InnerCall, LateAnswers, Lever, Loss, Meanwhile, Model, Need, Notice, OnAbandon,
    Outage, PassedOn, Profile, Pull, QueueFate, Refusals, Scope, Service, ServiceFate, Sight,
    Think, Tie, Trigger, Users, WorkDraw,
};
use metastable::observe::{CallId, Station, Tally};
use metastable::policy::Class;
use metastable::policy::admission::{RateLimit, Rejection};
use metastable::policy::balancer::{Draws, Rule, Start, Ties};
use metastable::policy::breaker::{
    self, Breaker, Ends, Evaluated, HalfOpen, Position, Results, Window,
};
use metastable::policy::budget::{self, Budget};
use metastable::policy::cache::{
    Cache, Coalescing, Contents, Course, HitRatio, Keys, LateFills, Orphans, Popularity,
    Start as Filled,
};
use metastable::policy::deadline::{Clock, Least, Misfit, Patience};
use metastable::policy::discipline::{Crowded, Discipline};
use metastable::policy::effect::{Idempotency, Meanwhile as Meets};
use metastable::policy::hedge::{Delay, Hedge, Losers, OnFailure, Percentile};
use metastable::policy::limit::{Limit, Vegas};
use metastable::policy::outcome::Failures;
use metastable::policy::pool::{AcquireClock, ColdStart, Dead, Pool};
use metastable::policy::retry::{Exponential, Failure, Guidance, Hint};
use metastable::policy::slowdown::{Scalability, Slowdown};
use metastable::policy::throttle::{Adaptive, Throttle};
use metastable::policy::transport::{KeepAlive, Repeats, Transport};
use metastable::time::Span;
use metastable::unit::Fraction;
use proptest::prelude::*;

use crate::balancers::any_ejection;
use crate::whereabouts::{Watch, Whereabouts};
use crate::worlds::{any_model, at_ms, immediately, ms, rate, service, trace};

fn breaker(share: Fraction, open: Exponential) -> Breaker {
    Breaker {
        position: Position::InsideRetry,
        window: Window::Count(10.try_into().expect("ten")),
        counted: Failures::ALL,
        failed: Some(breaker::Limit::at_least(share)),
        slow: None,
        minimum_calls: 5,
        open,
        ends: Ends::AtTheInstant,
        half_open: HalfOpen::permits(2.try_into().expect("two")),
        results: Results::Tagged,
        evaluated: Evaluated::AtEachResult,
    }
}

/// Lets services call those after them, over edges with policies.
fn connect(model: &mut Model, pick: &mut impl FnMut(usize) -> usize, shares: &[Fraction]) {
    let last = model.services.len();
    model.services.push(service("last", 2, Law::Exponential { mean: ms(4) }));
    for caller in 0..last {
        let mut list = Vec::new();
        for callee in caller + 1..=last {
            if pick(3) > 0 {
                continue;
            }
            let kept = || [PassedOn::Kept, PassedOn::PassedOn];
            let mut call =
                InnerCall::new(&format!("{callee}"), Edge::new(ServiceId(callee as u16)));
            call.edge.timeout = [None, Some(ms(40))][pick(2)];
            call.edge.retry = immediately([0, 2][pick(2)] as u32);
            call.edge.hedge = any_hedge(pick);
            call.edge.pool = any_pool(pick);
            call.edge.cache = any_cache(pick);
            call.edge.transport = any_transport(pick);
            call.edge.loss = any_loss(pick, shares);
            call.edge.latency = [None, Some(Law::Fixed(ms(2)))][pick(2)].clone();
            call.step = pick(2) as u16;
            call.share = [Fraction::ONE, shares[7]][pick(2)];
            call.copies = [1, 3][pick(2)].try_into().expect("some");
            call.need = [Need::Needed, Need::BestEffort][pick(2)];
            call.deadline = kept()[pick(2)];
            call.cancellation = kept()[pick(2)];
            call.guidance = kept()[pick(2)];
            list.push(call);
        }
        list.sort_by_key(|call| call.step);
        model.services[caller].calls = Calls {
            list,
            work_before: [Fraction::ONE, Fraction::ZERO, shares[1]][pick(3)],
            meanwhile: [Meanwhile::HoldsWorker, Meanwhile::FreesWorker][pick(2)],
        };
    }
}

fn any_hedge(pick: &mut impl FnMut(usize) -> usize) -> Option<Hedge> {
    let percentile = Percentile {
        share: Fraction::new(0.9).expect("a share"),
        samples: 50.try_into().expect("fifty"),
        minimum: 5,
        until_then: ms(40),
    };
    let hedge = Hedge {
        delay: [
            Delay::Fixed(ms(0)),
            Delay::Fixed(ms(15)),
            Delay::Percentile(percentile),
            Delay::AfterFailureOnly,
        ][pick(4)],
        extra: [1, 3][pick(2)].try_into().expect("some"),
        on_failure: [OnFailure::SendsNext, OnFailure::Waits][pick(2)],
        fatal: [Failures::NONE, Failures::of(&[Failure::Error])][pick(2)],
        losers: [Losers::Cancelled, Losers::RunOn][pick(2)],
    };
    [None, Some(hedge)][pick(2)]
}

fn any_cache(pick: &mut impl FnMut(usize) -> usize) -> Option<Cache> {
    let keys = Keys {
        count: 5.try_into().expect("five"),
        popularity: Popularity::Uniform,
        capacity: [None, Some(2.try_into().expect("two"))][pick(2)],
        time_to_live: [None, Some(ms(50))][pick(2)],
        coalescing: [
            Coalescing::Off,
            Coalescing::Detached,
            Coalescing::Leader(Orphans::Fail),
            Coalescing::Leader(Orphans::NextLeads),
        ][pick(4)],
    };
    let ratio = HitRatio {
        warm: Fraction::HALF,
        fills: 20.try_into().expect("twenty"),
        course: Course::Gradual,
    };
    let cache = Cache {
        contents: [Contents::Keys(keys), Contents::HitRatio(ratio)][pick(2)],
        start: [Filled::Warm, Filled::Cold][pick(2)],
        late_fills: [LateFills::Fill, LateFills::Dropped][pick(2)],
    };
    [None, Some(cache)][pick(2)]
}

fn any_pool(pick: &mut impl FnMut(usize) -> usize) -> Option<Pool> {
    let pool = Pool {
        size: [1, 8][pick(2)].try_into().expect("some"),
        max_waiting: [None, Some(0), Some(3)][pick(3)],
        acquire_timeout: [None, Some(ms(25))][pick(2)],
        clock: [AcquireClock::WholeWait, AcquireClock::EachWait][pick(2)],
        cold_start: [ColdStart::IsFree, ColdStart::CountsAsWaiting][pick(2)],
        dead: [None, Some(Dead { share: Fraction::HALF, reconnect: ms(15) })][pick(2)],
    };
    [None, Some(pool)][pick(2)]
}

fn any_transport(pick: &mut impl FnMut(usize) -> usize) -> Option<Transport> {
    let keep_alive = KeepAlive {
        server_closes: [None, Some(ms(30))][pick(2)],
        client_closes: [None, Some(ms(80))][pick(2)],
        one_way: ms(3),
        most: [None, std::num::NonZeroU32::new(2)][pick(2)],
    };
    let pause = [ms(1), ms(20)][pick(2)];
    let repeats = [Repeats::Never, Repeats::OnReused, Repeats::Transparent { pause }][pick(3)];
    let transport = Transport { keep_alive: [None, Some(keep_alive)][pick(2)], repeats };
    [None, Some(transport)][pick(2)]
}

fn any_loss(pick: &mut impl FnMut(usize) -> usize, shares: &[Fraction]) -> Loss {
    let lossy = Loss {
        requests: shares[pick(3)],
        replies: shares[pick(3)],
        clients: [Notice::AtOnce, Notice::Never][pick(2)],
    };
    [Loss::NONE, lossy][pick(2)]
}

fn any_effect(pick: &mut impl FnMut(usize) -> usize) -> Option<Effect> {
    let meanwhile = [Meets::Conflicts, Meets::Executes, Meets::Waits][pick(3)];
    let retention = [None, Some(ms(15))][pick(2)];
    let keys = Idempotency::Keys { meanwhile, retention };
    let idempotency = [Idempotency::None, keys][pick(2)];
    let effect = Effect { idempotency, answer_takes: [Span::ZERO, ms(2)][pick(2)] };
    [None, Some(effect)][pick(2)]
}

/// Lets every call that has a pool draw from one that all of them share; says whether it does.
fn share_a_pool(model: &mut Model, pick: &mut impl FnMut(usize) -> usize) -> bool {
    if pick(3) > 0 {
        return false;
    }
    let of_services = model.services.iter_mut().flat_map(|service| &mut service.calls.list);
    let of_clients = model.clients.iter_mut().map(|client| &mut client.edge);
    let edges = of_services.map(|call| &mut call.edge).chain(of_clients);
    let mut shared = None;
    for edge in edges.filter(|edge| edge.pool.is_some()) {
        edge.pool = *shared.get_or_insert(edge.pool);
        edge.shared_pool = Some("seats".to_owned());
    }
    shared.is_some()
}

/// A model with a network, errors, other arrivals, any triggers and any levers laid over it.
fn any_wide_model() -> impl Strategy<Value = Model> {
    let share = prop::sample::select(vec![0.0, 0.1, 0.5, 1.0])
        .prop_map(|share| Fraction::new(share).expect("a share"));
    let shares = prop::collection::vec(share, 8);
    let choices = prop::collection::vec(0_usize..1_000, 600);
    let instants = prop::collection::vec((0_u64..2_500, 1_u64..1_200), 4);
    (any_model(), shares, choices, instants)
        .prop_map(|(model, shares, choices, instants)| widened(model, &shares, &choices, &instants))
}

fn widened(
    mut model: Model,
    shares: &[Fraction],
    choices: &[usize],
    instants: &[(u64, u64)],
) -> Model {
    let mut choices = choices.iter().copied();
    let mut pick = move |of: usize| choices.next().map_or(0, |choice| choice % of);
    model.tie = [Tie::CompletionWins, Tie::TimerWins][pick(2)];
    let hints = [Hint::Absent, Hint::After(ms(40)), Hint::Never];
    for service in &mut model.services {
        service.instances = [1, 3][pick(2)].try_into().expect("some");
        service.ejection = any_ejection(&mut pick);
        service.balancer.rule = [
            Rule::RoundRobin(Start::AtTheFirst),
            Rule::Random,
            Rule::TwoChoices(Draws::Different),
            Rule::LeastOutstanding(Ties::Random),
            Rule::ConsistentHash { places: 10.try_into().expect("ten") },
        ][pick(5)];
        service.work = [WorkDraw::PerAttempt, WorkDraw::PerRequest][pick(2)];
        service.discipline = [
            Discipline::Fifo,
            Discipline::Lifo,
            Discipline::AdaptiveLifo(Crowded::longer_than(3)),
            Discipline::EarliestDeadline,
            Discipline::Priority,
            Discipline::Random,
        ][pick(6)]
        .clone();
        service.on_abandon =
            [OnAbandon::Ignores, OnAbandon::LeavesQueue, OnAbandon::StopsWork][pick(3)];
        let scalability = Scalability::new(0.01, 0.01).expect("coefficients");
        service.slowdown = [Slowdown::None, Slowdown::Scalability(scalability)][pick(2)];
        service.limit = [
            None,
            Some(Limit::Fixed(4.try_into().expect("four"))),
            Some(Limit::Vegas(Vegas::NETFLIX)),
        ][pick(3)]
        .clone();
        service.rate_limit =
            [None, Some(RateLimit { rate: rate(60.0), burst: 2.try_into().expect("two") })]
                [pick(2)];
        service.errors = Errors {
            share: shares[pick(3)],
            cost: [ErrorCost::Nothing, ErrorCost::FullWork][pick(2)],
            failure: Failure::Error,
            hint: hints[pick(3)],
        };
        let costs = [Rejection::Free, Rejection::Late(ms(7)), Rejection::ByWorker(ms(3))];
        let sight = [Sight::Seen, Sight::Unseen][pick(2)];
        service.refusals = Refusals { cost: costs[pick(3)], hint: hints[pick(3)], sight };
        service.effect = any_effect(&mut pick);
    }
    let client = &mut model.clients[0];
    client.edge.latency =
        [None, Some(Law::Fixed(ms(3))), Some(Law::Exponential { mean: ms(20) })][pick(3)].clone();
    client.edge.late_answers = [LateAnswers::Wasted, LateAnswers::Accepted][pick(2)];
    client.edge.scope = [Scope::Shared, Scope::PerInstance][pick(2)];
    client.edge.retry.guidance = [
        Guidance::Ignored,
        Guidance::Minimum,
        Guidance::MinimumUpTo(ms(20)),
        Guidance::AtMostLonger(ms(5)),
        Guidance::Replaces,
        Guidance::FailsBeyond(ms(30)),
    ][pick(6)];
    client.class = Class::new(pick(3) as u8).expect("a class");
    let fifty = Fraction::new(0.5).expect("a share");
    let growth = Exponential::new(ms(100), 2.0, Span::from_secs(1)).expect("a growth");
    let inside = breaker(fifty, growth);
    let outside = Breaker { position: Position::OutsideRetry, ..inside };
    client.edge.breaker = [None, Some(inside), Some(outside)][pick(3)];
    let adaptive = Adaptive::new(2.0, Span::from_secs(2), Failures::ALL).expect("a throttle");
    client.edge.throttle = [None, Some(Throttle::Adaptive(adaptive))][pick(2)];
    let least = [Least::Length(ms(5)), Least::WholeTimeout][pick(2)];
    let misfit = [Misfit::FailsAtOnce, Misfit::SleepsToDeadline][pick(2)];
    let deadline = Patience {
        request: Some(ms(150)),
        before_first: [ms(0), ms(10)][pick(2)],
        least,
        misfit,
        clock: [Clock::Dispatched, Clock::Ready][pick(2)],
        ..Patience::ENDLESS
    };
    client.edge.deadline = [None, Some(deadline)][pick(2)];
    client.edge.hedge = any_hedge(&mut pick);
    client.edge.pool = any_pool(&mut pick);
    client.edge.cache = any_cache(&mut pick);
    client.edge.transport = any_transport(&mut pick);
    client.edge.loss = any_loss(&mut pick, shares);
    client.instances = 3.try_into().expect("three");
    let rated = [
        Arrivals::Poisson(rate(100.0)),
        Arrivals::Profile(Profile {
            base: rate(80.0),
            points: Arc::from([(ms(0), 0.5), (ms(500), 2.0)]),
            period: Some(ms(700)),
        }),
    ];
    let unrated = [
        Arrivals::Bursts(Bursts {
            on: rate(200.0),
            off: None,
            mean_on: ms(100),
            mean_off: ms(300),
        }),
        Arrivals::Volley { count: 50, begins: at_ms(100), within: ms(20) },
        Arrivals::Replay(Arc::from([at_ms(1), at_ms(1), at_ms(700)])),
        Arrivals::Users(Users {
            count: 20.try_into().expect("twenty"),
            think: [Think::After(Law::Exponential { mean: ms(50) }), Think::Pace(ms(40))][pick(2)]
                .clone(),
            start_within: ms(10),
        }),
    ];
    let surges = pick(2) == 0;
    client.arrivals = if surges { rated[pick(2)].clone() } else { unrated[pick(4)].clone() };

    let (service, client) = (ServiceId(0), ClientId(0));
    let outage = Outage {
        service,
        queue: [QueueFate::Kept, QueueFate::Lost][pick(2)],
        in_service: [ServiceFate::Lost, ServiceFate::Finished, ServiceFate::Frozen][pick(3)],
        clients: [Notice::AtOnce, Notice::Never][pick(2)],
    };
    let factor = [0.5, 3.0][pick(2)];
    let disturbances = [
        Disturbance::Slowdown {
            service,
            factor,
            in_progress: [InProgress::Untouched, InProgress::Stretched][pick(2)],
        },
        Disturbance::Surge { client, factor: if surges { factor } else { 0.5 } },
        Disturbance::Outage(outage),
        Disturbance::Latency { edge: client.into(), adds: ms(30) },
        Disturbance::ErrorShare { service, share: shares[4] },
        Disturbance::Loss { edge: client.into(), share: shares[5] },
        Disturbance::Flush { edge: client.into() },
        Disturbance::Capacity { service, workers: 2.try_into().expect("two") },
    ];
    for (index, &(begins, lasts)) in instants.iter().enumerate() {
        model.triggers.push(Trigger {
            name: format!("wide {index}"),
            instance: None,
            begins: at_ms(begins),
            lasts: ms(lasts),
            disturbance: disturbances[pick(disturbances.len())],
        });
    }
    connect(&mut model, &mut pick, shares);
    let shared = share_a_pool(&mut model, &mut pick);
    let mut changed = model.clone();
    for call in changed.services.iter_mut().flat_map(|service| &mut service.calls.list) {
        call.edge.timeout = Some(ms(60));
        if !shared {
            call.edge.pool = any_pool(&mut pick);
        }
    }
    changed.clients[0].edge.timeout = Some(ms(70));
    changed.clients[0].edge.hedge = any_hedge(&mut pick);
    if !shared {
        changed.clients[0].edge.pool = any_pool(&mut pick);
    }
    changed.clients[0].edge.transport = any_transport(&mut pick);
    changed.clients[0].edge.scope = [Scope::Shared, Scope::PerInstance][pick(2)];
    changed.services[0].workers = 7.try_into().expect("seven");
    changed.levers.clear();
    let levers = [
        Action::Block { client, share: shares[6], lasts: ms(400) },
        Action::DropQueue { service },
        Action::Restart {
            service,
            takes: ms(200),
            clients: [Notice::AtOnce, Notice::Never][pick(2)],
        },
        Action::Change(Arc::new(changed)),
    ];
    let alert = Condition::GoodputBelow { client, share: shares[7] };
    for (index, action) in levers.into_iter().enumerate() {
        let pulled = match pick(3) {
            0 => Pull::At(at_ms(300 * index as u64)),
            1 => Pull::Once { condition: alert, held: ms(250) },
            _ => {
                let condition = Condition::QueueAbove { service, waiting: 2 };
                Pull::Once { condition, held: Span::ZERO }
            }
        };
        model.levers.push(Lever { name: format!("lever {index}"), pulled, action });
    }
    let budget = [None, Some(Budget::from(budget::Rule::Path))][pick(2)];
    for call in model.services.iter_mut().flat_map(|service| &mut service.calls.list) {
        call.edge.budget = budget;
    }
    model
}

/// Whether the keys of a service leave no way to execute anything twice.
fn is_executed_once(service: &Service) -> bool {
    match service.effect.map(|effect| effect.idempotency) {
        None => true,
        Some(Idempotency::Keys { meanwhile, retention: None }) => meanwhile != Meets::Executes,
        Some(Idempotency::None | Idempotency::Keys { .. }) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_books_balance(model in any_wide_model(), seed in 0_u64..1_000) {
        let facts = trace::<Lanes>(&model, seed);
        prop_assert!(facts == trace::<Heap>(&model, seed), "the event lists differ");
        let mut watch = Watch::default();
        for (_, fact) in facts {
            watch.see(fact);
        }
        let run = Workbench::default().run("", &model, seed);
        let found = mechanism(&model, &run.recording, run.assessment.back_at).expect("a window");
        let Stretch { demand, served, wasted, .. } = found.end;
        prop_assert!([demand, served, found.fresh].iter().all(|rate| rate.is_finite() && *rate >= 0.0));
        let Fates { failed, again, timed_out, refused, .. } = found.fates;
        let shares = [wasted, failed, again, timed_out, refused];
        prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
        prop_assert!(found.capacity > 0.0);
        let tally = run.recording.tally;
        let of_client = |call: &CallId| !watch.made_by_services.contains(call);
        let requests = || watch.requests.iter().filter(|(call, _)| of_client(call));
        let ended = requests().filter(|(_, (ended, _))| *ended).count() as u64;
        prop_assert_eq!(tally.succeeded + tally.failed, ended);
        prop_assert_eq!(tally.requests, requests().count() as u64);
        let attempts = watch.attempts.keys().filter(|(call, _)| of_client(call));
        prop_assert_eq!(tally.attempts + tally.repeats, attempts.count() as u64);
        prop_assert!(tally.wasted_work <= tally.work);
        watch.agrees_about_instances(&model, &run.recording);
        let at_work = watch.attempts.values().filter(|place| **place == Whereabouts::Worker).count();
        prop_assert_eq!(at_work as u64, tally.serving());
        for service in run.recording.services() {
            let Station { completed, rejected, shed, withdrawn, lost, queue, serving, .. } = service.seen;
            let ended = completed + rejected + shed + withdrawn + lost;
            prop_assert_eq!(service.seen.attempts, ended + queue + serving);
            prop_assert!(service.seen.failed_at_once <= rejected);
        }
        prop_assert!(tally.retries + tally.hedges <= tally.attempts);
        if model.services.iter().all(is_executed_once) {
            prop_assert!(watch.most_executions() <= 1);
        }
    }
}

/// The generator reaches what happens beneath policies and to operations; otherwise the property above would
/// prove less than it says.
#[test]
fn random_worlds_repeat_and_execute() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut seen = Tally::default();
    for seed in 0..400 {
        let model = any_wide_model().new_tree(&mut runner).expect("a model").current();
        let tally = Workbench::default().record(&model, seed).tally;
        seen.repeats += tally.repeats;
        seen.duplicates += tally.duplicates;
        seen.replayed += tally.replayed;
        seen.conflicts += tally.conflicts;
        seen.keys_expired += tally.keys_expired;
        seen.ejections += tally.ejections;
    }
    let Tally { repeats, duplicates, replayed, conflicts, keys_expired, ejections, .. } = seen;
    for (what, count) in [
        ("repeats", repeats),
        ("duplicates", duplicates),
        ("replays", replayed),
        ("conflicts", conflicts),
        ("expired keys", keys_expired),
        ("ejections", ejections),
    ] {
        assert!(count > 50, "{count} {what}");
    }
}
