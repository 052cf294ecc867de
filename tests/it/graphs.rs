//! Services that call services: what holds along paths, by hand and by theory.

use metastable::engine::agenda::Lanes;
use metastable::id::ServiceId;
use metastable::law::Law;
use metastable::model::{
    Arrivals, Client, Disturbance, Edge, ErrorCost, Errors, InnerCall, Meanwhile, Model, Need,
    OnAbandon, PassedOn, Service, Trigger,
};
use metastable::observe::{Fact, Observer, Tally};
use metastable::policy::deadline::Patience;
use metastable::policy::outcome::Failure;
use metastable::policy::shedding::Shedding;
use metastable::time::{Span, Time};
use metastable::unit::Fraction;

use crate::theory::agrees;
use crate::worlds::{at_ms, client, immediately, ms, rate, service, trace, watch};

/// What each service was sent, completed and worked on.
#[derive(Clone, Debug, Default)]
struct PerService {
    started: Vec<u64>,
    worked: Vec<Span>,
    refused: Vec<u64>,
    shed: Vec<u64>,
}

impl PerService {
    fn of(model: &Model) -> Self {
        let count = model.services.len();
        Self {
            started: vec![0; count],
            worked: vec![Span::ZERO; count],
            refused: vec![0; count],
            shed: vec![0; count],
        }
    }
}

impl Observer for PerService {
    fn observe(&mut self, _: Time, fact: Fact) {
        if let Fact::Started { service, .. } = fact {
            self.started[service.index()] += 1;
        } else if let Fact::Completed { service, work, .. } = fact {
            self.worked[service.index()] += work;
        } else if let Fact::Refused { service, .. } = fact {
            self.refused[service.index()] += 1;
        } else if let Fact::Shed { service, .. } = fact {
            self.shed[service.index()] += 1;
        }
    }

    fn finish(&mut self, _: Time) {}
}

fn per_service(model: &Model) -> PerService {
    watch::<Lanes, _>(model, 1, PerService::of(model))
}

fn call(to: u16) -> InnerCall {
    InnerCall::new(&format!("{to}"), Edge::new(ServiceId(to)))
}

/// Each service calls the next one; a client calls the first at these instants.
fn chain(services: Vec<Service>, arrivals: Arrivals, horizon: Span) -> Model {
    let last = services.len() - 1;
    let mut model = Model {
        services,
        clients: vec![client("web", ServiceId(0), arrivals)],
        ..Model::empty(horizon, Span::from_secs(1))
    };
    for id in 0..last {
        model.services[id].calls.list = vec![call(id as u16 + 1)];
    }
    model
}

fn once() -> Arrivals {
    Arrivals::Replay([Time::ZERO].into())
}

/// When requests end, and whether they succeed.
fn ends(model: &Model) -> Vec<(Time, bool)> {
    let succeeds = |fact| matches!(fact, Fact::Succeeded { .. });
    let ends = |fact| succeeds(fact) || matches!(fact, Fact::Failed { .. });
    let facts = trace::<Lanes>(model, 1).into_iter();
    facts.filter(|(_, fact)| ends(*fact)).map(|(now, fact)| (now, succeeds(fact))).collect()
}

/// Layers above a bottom that fails everything at once.
fn layers(above: usize, retries: impl Fn(usize) -> u32) -> Model {
    let mut services: Vec<Service> =
        (0..above).map(|layer| service(&format!("{layer}"), 1_000, Law::Fixed(ms(1)))).collect();
    services[above - 1].errors =
        Errors { share: Fraction::ONE, cost: ErrorCost::Nothing, ..Errors::NONE };
    let mut model = chain(services, once(), Span::from_secs(600));
    model.clients[0].edge.retry = immediately(retries(0));
    for layer in 0..above - 1 {
        model.services[layer].calls.list[0].edge.retry = immediately(retries(layer + 1));
    }
    model
}

/// Case F01 and lab L5: three attempts at each of so many hops.
#[test]
fn retries_multiply_through_layers() {
    for (hops, expected) in [(1, 3), (2, 9), (3, 27), (4, 81), (5, 243)] {
        let all = per_service(&layers(hops, |_| 2));
        assert_eq!(all.refused[hops - 1], expected, "{hops} hops");
        let only_the_client = per_service(&layers(hops, |hop| if hop == 0 { 2 } else { 0 }));
        assert_eq!(only_the_client.refused[hops - 1], 3);
    }
    assert_eq!(per_service(&layers(3, |_| 3)).refused[2], 64);
}

/// Case C07: a client with 2 s, own work of 1.5 s, then a call to a service of 1 s that has a timeout
/// of 10 s of its own. Nobody is ever answered in time; what that costs depends on what is handed on.
#[test]
fn a_deadline_that_is_handed_on_saves_work() {
    let work = |millis| Law::Fixed(ms(millis));
    let build = || {
        let services = vec![service("a", 1_000, work(1_500)), service("b", 1, work(1_000))];
        let every_second = (0..100).map(|second| at_ms(second * 1_000)).collect::<Vec<_>>();
        let arrivals = Arrivals::Replay(every_second.into());
        let mut model = chain(services, arrivals, Span::from_secs(300));
        model.clients[0].edge.timeout = Some(ms(2_000));
        model.services[0].calls.list[0].edge.timeout = Some(ms(10_000));
        model
    };
    let check = |model: &Model, busy_s: f64| {
        let tally = watch::<Lanes, _>(model, 1, Tally::default());
        assert_eq!((tally.succeeded, tally.failed), (0, 100));
        assert_eq!(per_service(model).worked[1].as_secs_f64(), busy_s);
    };
    check(&build(), 100.0);
    let mut refuses = build();
    refuses.services[0].calls.list[0].deadline = PassedOn::PassedOn;
    refuses.services[1].shedding = Shedding::Unfinishable;
    check(&refuses, 0.0);
    assert_eq!(per_service(&refuses).shed[1], 100);
    // Stopped work is not completed: that it was begun and ended is seen by the withdrawals.
    let mut cancels = build();
    cancels.services[0].calls.list[0].deadline = PassedOn::PassedOn;
    cancels.services[1].on_abandon = OnAbandon::StopsWork;
    check(&cancels, 0.0);
    let facts = trace::<Lanes>(&cancels, 1);
    let withdrawn = facts
        .iter()
        .filter(|(_, fact)| matches!(fact, Fact::Withdrawn { service: ServiceId(1), .. }));
    let instants: Vec<Time> = withdrawn.map(|(now, _)| *now).collect();
    // Begun at 1.5 s, ended at 2 s, and so on: half a second each, 50 s in all.
    assert_eq!(instants.len(), 100);
    assert_eq!(instants[..2], [at_ms(2_000), at_ms(3_000)]);
}

/// Case C09: three attempts of a second outside, three of a second inside, and a service that hangs.
#[test]
fn inner_retries_outlive_the_outer_attempt() {
    let build = |outer_ms| {
        let services = vec![
            service("a", 10, Law::Fixed(ms(0).max(Span::NANOSECOND))),
            service("b", 100, Law::Fixed(ms(1))),
        ];
        let mut model = chain(services, once(), Span::from_secs(60));
        model.clients[0].edge.timeout = Some(ms(outer_ms));
        model.clients[0].edge.retry = immediately(2);
        let inner = &mut model.services[0].calls.list[0];
        inner.edge.timeout = Some(ms(1_000));
        inner.edge.retry = immediately(2);
        model.triggers = vec![Trigger {
            name: "hangs".to_owned(),
            instance: None,
            begins: Time::ZERO,
            lasts: Span::from_secs(60),
            disturbance: Disturbance::Stall { service: ServiceId(1) },
        }];
        model
    };
    let sent = |model: &Model| {
        let facts = trace::<Lanes>(model, 1).into_iter();
        facts
            .filter(
                |(_, fact)| matches!(fact, Fact::Sent { edge, .. } if edge.is_between_services()),
            )
            .count()
    };
    let model = build(999);
    assert_eq!(sent(&model), 9);
    assert_eq!(ends(&model), [(at_ms(2_997), false)]);
    let mut cancels = build(999);
    cancels.services[0].on_abandon = OnAbandon::StopsWork;
    cancels.services[0].calls.list[0].cancellation = PassedOn::PassedOn;
    assert_eq!(sent(&cancels), 3);
    let mut deadline = build(999);
    deadline.services[0].calls.list[0].deadline = PassedOn::PassedOn;
    assert_eq!(sent(&deadline), 3);
}

/// Lab L11: three services that hang, one after the other, each needed by nobody.
#[test]
fn timeouts_add_up_unless_a_deadline_is_handed_on() {
    let build = |attempts: u32| {
        let page = service("page", 10, Law::Fixed(Span::NANOSECOND));
        let mut services = vec![page];
        services.extend((1..=3).map(|id| service(&format!("{id}"), 1, Law::Fixed(ms(1)))));
        let mut model = Model {
            services,
            clients: vec![client("web", ServiceId(0), once())],
            ..Model::empty(Span::from_secs(100), Span::from_secs(1))
        };
        for id in 1..=3_u16 {
            let mut call = call(id);
            call.edge.timeout = Some(ms(5_000));
            call.edge.retry = immediately(attempts - 1);
            call.need = Need::BestEffort;
            call.step = id;
            model.services[0].calls.list.push(call);
            model.triggers.push(Trigger {
                name: format!("{id} hangs"),
                instance: None,
                begins: Time::ZERO,
                lasts: Span::from_secs(100),
                disturbance: Disturbance::Stall { service: ServiceId(id) },
            });
        }
        model
    };
    let seconds = |model: &Model| ends(model)[0].0.as_secs_f64();
    assert!((seconds(&build(1)) - 15.0).abs() < 1e-6);
    assert!((seconds(&build(3)) - 45.0).abs() < 1e-6);
    let mut model = build(3);
    let patience = Patience { request: Some(ms(500)), ..Patience::ENDLESS };
    model.clients[0].edge.deadline = Some(patience);
    for call in &mut model.services[0].calls.list {
        call.deadline = PassedOn::PassedOn;
    }
    assert_eq!(ends(&model), [(at_ms(500), false)]);
    // And nothing of it goes on: the first call takes all that is left, and no other one is made.
    let facts = trace::<Lanes>(&model, 1);
    let last = facts.iter().rfind(|(_, fact)| !matches!(fact, Fact::TriggerEnded { .. }));
    assert!(last.expect("something happens").0 <= at_ms(500));
}

/// Calls of one step leave together and those of the next when all have ended; own work comes before
/// and after; a worker is held meanwhile or not.
#[test]
fn steps_copies_and_own_work_take_their_time() {
    let build = || {
        let services = vec![
            service("a", 1, Law::Fixed(ms(10))),
            service("b", 10, Law::Fixed(ms(20))),
            service("c", 10, Law::Fixed(ms(30))),
        ];
        let mut model = Model {
            services,
            clients: vec![client(
                "web",
                ServiceId(0),
                Arrivals::Replay([at_ms(0), at_ms(0)].into()),
            )],
            ..Model::empty(Span::from_secs(1), ms(100))
        };
        model.services[0].calls.list = vec![call(1), call(2)];
        model
    };
    let at = |model: &Model| ends(model).iter().map(|(now, _)| *now).collect::<Vec<_>>();
    // Together: 10 ms, then 30; the second request waits for the one worker.
    assert_eq!(at(&build()), [40, 80].map(at_ms));
    // In sequence: 10, 20, 30.
    let mut model = build();
    model.services[0].calls.list[1].step = 1;
    assert_eq!(at(&model), [60, 120].map(at_ms));
    // Own work half before and half after.
    model.services[0].calls.work_before = Fraction::new(0.5).expect("a share");
    assert_eq!(at(&model), [60, 120].map(at_ms));
    // A worker that is not held begins the second one after 5 ms, and finishes the first one first.
    model.services[0].calls.meanwhile = Meanwhile::FreesWorker;
    assert_eq!(at(&model), [60, 65].map(at_ms));
    // Three copies at two workers: 20 ms, and 20 more.
    let mut model = build();
    model.services[1].workers = 2.try_into().expect("two");
    model.services[0].calls.list[0].copies = 3.try_into().expect("three");
    assert_eq!(at(&model), [50, 100].map(at_ms));
    assert_eq!(per_service(&model).started, [2, 6, 2]);
}

/// A needed call that fails ends the attempt at once; one that is not needed does not.
#[test]
fn what_is_needed_fails_what_needs_it() {
    let mut model = chain(
        vec![service("a", 1, Law::Fixed(ms(10))), service("b", 1, Law::Fixed(ms(5)))],
        once(),
        Span::from_secs(1),
    );
    model.services[0].calls.work_before = Fraction::new(0.5).expect("a share");
    model.services[1].errors =
        Errors { share: Fraction::ONE, failure: Failure::Error, ..Errors::NONE };
    assert_eq!(ends(&model), [(at_ms(10), false)]);
    assert_eq!(per_service(&model).worked, [ms(5), ms(5)]);
    model.services[0].calls.list[0].need = Need::BestEffort;
    assert_eq!(ends(&model), [(at_ms(15), true)]);
}

/// Two queues one after the other: the departures of the first are Poisson again (Burke 1956), so
/// each is an M/M/1 by itself, and a request takes the sum of both sojourns.
#[test]
fn a_tandem_is_two_queues() {
    let (arrival_rate, work) = (70.0, 0.01);
    let law = Law::Exponential { mean: ms(10) };
    let sojourn = work / (1.0 - arrival_rate * work);
    let found: Vec<f64> = (1..=20)
        .map(|seed| {
            let services = vec![service("a", 1, law.clone()), service("b", 1, law.clone())];
            let arrivals = Arrivals::Poisson(rate(arrival_rate));
            let mut model = chain(services, arrivals, Span::from_secs(2_000));
            model.services[0].calls.meanwhile = Meanwhile::FreesWorker;
            mean_latency(&model, seed)
        })
        .collect();
    agrees("a tandem", &found, 2.0 * sojourn, 0.02);
}

/// A Jackson network (Jackson 1957): of what the first service has served half goes to each of two
/// others, of different speed; every station is an M/M/1 at its own rate.
#[test]
fn a_jackson_network_is_its_stations() {
    let exponential = |millis| Law::Exponential { mean: ms(millis) };
    let arrival_rate = 60.0;
    let sojourn = |rate: f64, work: f64| work / (1.0 - rate * work);
    let expected = sojourn(60.0, 0.01) + 0.5 * sojourn(30.0, 0.02) + 0.5 * sojourn(30.0, 0.01);
    let found: Vec<f64> = (1..=20)
        .map(|seed| {
            let mut model = Model {
                services: vec![
                    service("a", 1, exponential(10)),
                    service("b", 1, exponential(20)),
                    service("c", 1, exponential(10)),
                ],
                clients: vec![client("web", ServiceId(0), Arrivals::Poisson(rate(arrival_rate)))],
                ..Model::empty(Span::from_secs(2_000), Span::from_secs(1))
            };
            let half = |to| InnerCall { share: Fraction::new(0.5).expect("a share"), ..call(to) };
            // Independent halves: on average each is called for half of the requests.
            model.services[0].calls.list = vec![half(1), InnerCall { step: 1, ..half(2) }];
            model.services[0].calls.meanwhile = Meanwhile::FreesWorker;
            mean_latency(&model, seed)
        })
        .collect();
    agrees("a Jackson network", &found, expected, 0.03);
}

/// Fork and join of two M/M/1 of equal speed: (12 - rho) / 8 of the sojourn of one (Flatto and Hahn
/// 1984, Nelson and Tantawi 1988).
#[test]
fn fork_and_join_of_two() {
    let (arrival_rate, work) = (60.0, 0.01);
    let rho = arrival_rate * work;
    let expected = (12.0 - rho) / 8.0 * work / (1.0 - rho);
    let found: Vec<f64> = (1..=20)
        .map(|seed| {
            let law = || Law::Exponential { mean: ms(10) };
            let mut model = Model {
                services: vec![
                    service("fork", 1_000, Law::Fixed(Span::NANOSECOND)),
                    service("b", 1, law()),
                    service("c", 1, law()),
                ],
                clients: vec![client("web", ServiceId(0), Arrivals::Poisson(rate(arrival_rate)))],
                ..Model::empty(Span::from_secs(2_000), Span::from_secs(1))
            };
            model.services[0].calls.list = vec![call(1), call(2)];
            mean_latency(&model, seed)
        })
        .collect();
    agrees("fork and join", &found, expected, 0.02);
}

fn mean_latency(model: &Model, seed: u64) -> f64 {
    #[derive(Default)]
    struct Mean(u64, f64);
    impl Observer for Mean {
        fn observe(&mut self, now: Time, fact: Fact) {
            if let Fact::Succeeded { latency, .. } = fact
                && now > at_ms(50_000)
            {
                self.0 += 1;
                self.1 += latency.as_secs_f64();
            }
        }
        fn finish(&mut self, _: Time) {}
    }
    let Mean(count, sum) = watch::<Lanes, _>(model, seed, Mean::default());
    sum / count as f64
}

/// On every edge, what was called has returned or is open, and every attempt has gone somewhere.
#[test]
fn calls_are_conserved_on_every_edge() {
    let mut model = layers(4, |_| 1);
    model.clients[0].arrivals = Arrivals::Poisson(rate(50.0));
    model.horizon = Span::from_secs(20);
    let facts = trace::<Lanes>(&model, 3);
    for edge in 1..4 {
        let count = |of: fn(&Fact) -> Option<usize>| {
            facts.iter().filter(|(_, fact)| of(fact) == Some(edge)).count()
        };
        let called =
            count(
                |fact| {
                    if let Fact::Called { edge, .. } = fact { Some(edge.index()) } else { None }
                },
            );
        let returned =
            count(
                |fact| {
                    if let Fact::Returned { edge, .. } = fact { Some(edge.index()) } else { None }
                },
            );
        assert!(called >= 900 && called - returned <= 1_000, "{called} {returned}");
        assert!(returned <= called);
    }
    assert!(Client::new("x", once(), Edge::new(ServiceId(0))).instance_count() == 1);
}

/// What is kept of services and edges adds up to what is kept of the whole, and window by window to the
/// run; time in service is what every worker and every wait for an answer took.
#[test]
fn services_and_edges_add_up() {
    let mut services = vec![
        service("a", 20, Law::Fixed(ms(2))),
        service("b", 4, Law::Exponential { mean: ms(10) }),
    ];
    services[1].shedding = Shedding::Expired;
    let mut model = chain(services, Arrivals::Poisson(rate(450.0)), Span::from_secs(20));
    model.clients[0].edge.timeout = Some(ms(200));
    model.clients[0].edge.retry = immediately(1);
    let call = &mut model.services[0].calls.list[0];
    call.edge.timeout = Some(ms(50));
    call.edge.retry = immediately(2);
    let recording = metastable::experiment::Workbench::default().record(&model, 7);
    let tally = recording.tally;
    let [a, b] = [0, 1].map(|id| recording.station(ServiceId(id)));
    let ids: Vec<_> = model.edges().map(|(id, _, _)| id).collect();
    let [web, inner] = [ids[0], ids[1]].map(|id| recording.link(id));
    assert_eq!(
        (web.requests, web.answered, web.failed),
        (tally.requests, tally.succeeded, tally.failed)
    );
    assert_eq!(
        (web.attempts, web.retries, web.timed_out),
        (tally.attempts, tally.retries, tally.timed_out)
    );
    assert_eq!((a.attempts, b.attempts), (web.attempts, inner.attempts));
    assert!(a.started >= inner.requests && inner.retries > 1_000 && web.retries > 1_000);
    assert_eq!(inner.attempts, inner.requests + inner.retries);
    assert_eq!(b.attempts, b.started + b.shed + b.queue);
    assert_eq!(a.completed + b.completed, tally.completed);
    assert_eq!(a.wasted + b.wasted, tally.wasted);
    assert_eq!(a.work + b.work, tally.work);
    assert_eq!(a.waited + b.waited, tally.waited);
    // Whoever serves at b works all the time; whoever serves at a waits for b most of it.
    let slack = ms(4 * 200).as_secs_f64();
    assert!((b.in_service.as_secs_f64() - b.work.as_secs_f64()).abs() < slack);
    assert!(a.in_service.as_secs_f64() > 5.0 * a.work.as_secs_f64());
    assert!(a.in_service <= Span::from_secs(20 * 20));
    let windows = recording.graph.stations().zip(recording.timeline.windows());
    for (stations, window) in windows {
        assert_eq!(stations.iter().map(|station| station.queue).sum::<u64>(), window.queue);
        assert_eq!(stations.iter().map(|station| station.started).sum::<u64>(), window.started);
    }
}
