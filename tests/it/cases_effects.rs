//! Cases of hidden repeats and of what is done twice, from public reports and derived by hand, through
//! scenario and engine.

use metastable::engine::agenda::Lanes;
use metastable::experiment::Workbench;
use metastable::model::Model;
use metastable::observe::{Fact, Recording, Tally};
use metastable::time::{Span, Time};

use crate::worlds::{at_ms, ms, told, trace, watch};

fn tally(model: &Model) -> Tally {
    watch::<Lanes, _>(model, 1, Tally::default())
}

/// The instants of some facts.
fn instants(model: &Model, is_one: impl Fn(&Fact) -> bool) -> Vec<Time> {
    let facts = trace::<Lanes>(model, 1).into_iter();
    facts.filter(|(_, fact)| is_one(fact)).map(|(at, _)| at).collect()
}

fn executed(model: &Model) -> Vec<Time> {
    instants(model, |fact| matches!(fact, Fact::Executed { .. }))
}

/// Calls over connections that the client keeps idle for a minute and the server for so long.
fn keep_alive(server: &str, per_second: f64, calls: f64, repeats: &str) -> Model {
    let client = format!(
        "arrival_rate = {per_second}\ncall.latency = \"1ms\"\n\
         call.transport = {{ repeats = \"{repeats}\", keep_alive = \
         {{ server_idle_timeout = \"{server}\", client_idle_timeout = \"60s\" }} }}"
    );
    let mut model = told("10s", "workers = 100\nservice_time = \"1us\"", &client, "");
    model.horizon = Span::from_secs_f64(calls / per_second);
    model.window = model.horizon;
    model
}

/// Case F05 (nodejs/node #20256, ingress-nginx #3099): a server that closes what has been idle for 5 s, and
/// a client that does not know. A gap between calls ends in the two milliseconds on the way before the end
/// with probability r exp(-5 r) 2 ms: the busier, the fewer are lost, and none where the client is first.
#[test]
fn a_keep_alive_race_is_lost_less_often_when_busy() {
    let lost = |server, per_second| {
        let found = tally(&keep_alive(server, per_second, 1e6, "never"));
        assert_eq!((found.failed, found.lost), (found.lost, found.failed));
        found.failed
    };
    let seldom = lost("5s", 0.2);
    assert!(seldom.abs_diff(147) <= 29, "{seldom}");
    assert!(lost("5s", 2.0) <= 3);
    assert_eq!(lost("75s", 0.2), 0);
    // A transport that repeats hides all of it, from its client and not from whoever counts connections.
    let hidden = tally(&keep_alive("5s", 0.2, 1e6, "on_reused"));
    assert_eq!((hidden.failed, hidden.repeats), (0, hidden.lost));
    assert!(hidden.repeats.abs_diff(147) <= 29, "{}", hidden.repeats);
}

/// Case F07 (gRFC A6): what the server's library refuses is sent again once for each request, beside three
/// attempts of the policy: four go over the wire. The bucket of ten has lost three tokens, so the next
/// request is left with six after its first failure, which is more than half, and with five after its
/// second, which is not.
#[test]
fn transparent_retries_are_outside_the_policy() {
    let busy = "workers = 1\nservice_time = \"100s\"\nqueue = { max_waiting = 0 }\n\
                refusals = { unseen = true }";
    let client = |at: &str| {
        format!(
            "arrivals = {{ replay = {{ at = [{at}] }} }}\n\
             call.retry.immediate = {{ max_attempts = 3 }}\n\
             call.budget.token_threshold = {{ max_tokens = 10, ratio = 0.1 }}\n\
             call.transport.repeats.transparent = {{}}"
        )
    };
    let first = "[clients.first]\ncalls = \"api\"\narrivals = { replay = { at = [\"0s\"] } }";
    let found = |at: &str, service: &str| {
        let found = watch::<Lanes, _>(
            &told("10s", service, &client(at), first),
            1,
            Recording::of(&told("10s", service, &client(at), first)),
        );
        let Tally { attempts, repeats, denied, .. } = found.tally;
        (attempts - 1, repeats, denied, found.server_attempts() - 1)
    };
    assert_eq!(found("\"1s\"", busy), (3, 1, 0, 4));
    assert_eq!(found("\"1s\", \"2s\"", busy), (3 + 2, 2, 1, 7));
    // What the application refuses itself is nobody's but the policy's.
    let seen = busy.replace("refusals = { unseen = true }", "");
    assert_eq!(found("\"1s\"", &seen), (3, 0, 0, 3));
}

/// What cannot leave is sent again until its time is over, once a second: at 0, 1, 2 and 3 s of 3.5.
#[test]
fn what_never_left_is_sent_until_the_deadline() {
    let client = "arrivals = { replay = { at = [\"0s\"] } }\ncall.timeout = \"3500ms\"\n\
                  call.transport.repeats.transparent = { pause = \"1s\" }";
    let gone = |lasts: &str| {
        let gone = format!(
            "[triggers.gone]\noutage = {{ service = \"api\", begins = \"0s\", lasts = \"{lasts}\" }}"
        );
        told("10s", "workers = 1\nservice_time = \"1ms\"", client, &gone)
    };
    let found = tally(&gone("9s"));
    assert_eq!((found.attempts, found.repeats, found.failed), (1, 3, 1));
    let failed = instants(&gone("9s"), |fact| matches!(fact, Fact::Failed { .. }));
    assert_eq!(failed, [at_ms(3_000)]);
    let found = tally(&gone("1500ms"));
    assert_eq!((found.attempts, found.repeats, found.succeeded), (1, 2, 1));
}

/// Case F11 (redis/lettuce #1309): a server of 20,000 commands/s is away for five seconds of 10,000/s. What
/// was queued meanwhile and comes all the same makes number n wait for 5 s + (n + 1) 50 us - n 100 us:
/// more than its second up to n = 80,000, and the line is gone at 10 s. Commands that are not sent again
/// lose the five seconds.
#[test]
fn a_replayed_queue_costs_more_than_a_lost_one() {
    let run = |trigger: &str| {
        let client = "arrivals = \"even\"\narrival_rate = 10_000\ncall.timeout = \"1s\"";
        let model = told("12s", "workers = 1\nservice_time = \"50us\"", client, trigger);
        Workbench::default().record(&model, 1)
    };
    let kept =
        run("[triggers.away]\nstall = { service = \"api\", begins = \"0s\", lasts = \"5s\" }");
    assert_eq!((kept.tally.requests, kept.tally.failed), (120_000, 80_001));
    let queue = |second: usize| kept.timeline.windows()[second].queue;
    assert!(queue(8).abs_diff(10_000) <= 1, "{}", queue(8));
    assert_eq!(queue(10), 0);
    let lost =
        run("[triggers.away]\noutage = { service = \"api\", begins = \"0s\", lasts = \"5s\" }");
    assert_eq!((lost.tally.failed, lost.tally.succeeded), (50_000, 70_000));
}

/// One request of 100 ms with one retry after 60 ms, at a service with `line` that counts.
fn retried(line: &str) -> Model {
    let service = format!("workers = 2\nservice_time = \"100ms\"\n{line}");
    let client = "arrivals = { replay = { at = [\"0s\"] } }\ncall.timeout = \"60ms\"\n\
                  call.retry.immediate = { max_retries = 1 }";
    told("10s", &service, client, "")
}

/// The second attempt comes at 60 ms, while the first is being served until 100 ms. It executes too, is
/// told of a conflict, or is answered with the first.
#[test]
fn a_second_attempt_meets_the_first() {
    let found = |line: &str| {
        let found = tally(&retried(line));
        let Tally { executions, executed_again, conflicts, replayed, succeeded, .. } = found;
        (executions, executed_again, conflicts, replayed, succeeded)
    };
    assert_eq!(found(""), (0, 0, 0, 0, 0));
    assert_eq!(found("effect = \"counted\""), (2, 1, 0, 0, 0));
    assert_eq!(found("effect.keys.meanwhile = \"executes\""), (2, 1, 0, 0, 0));
    assert_eq!(found("effect.keys = {}"), (1, 0, 1, 0, 0));
    let waits = "effect.keys.meanwhile = \"waits\"";
    assert_eq!(found(waits), (1, 0, 0, 1, 1));
    let answered = instants(&retried(waits), |fact| matches!(fact, Fact::Succeeded { .. }));
    assert_eq!(answered, [at_ms(100) + Span::NANOSECOND]);
    // Of work that stops with its client nothing is executed, and no key is left locked.
    let stops = "on_abandon = \"stops_work\"\neffect.keys = {}";
    assert_eq!(found(stops), (0, 0, 0, 0, 0));
    assert_eq!(tally(&retried(stops)).withdrawn, 2);
}

/// Every answer is lost, and three attempts come two seconds apart. Kept for a second a key is forgotten each
/// time; kept for ever it answers twice, in 5 ms.
#[test]
fn keys_are_kept_for_a_while() {
    let found = |keys: &str| {
        let service = format!("workers = 1\nservice_time = \"10ms\"\neffect.keys = {{ {keys} }}");
        let client = "arrivals = { replay = { at = [\"0s\"] } }\n\
                      call.loss = { replies = 1, clients_learn = \"at_once\" }\n\
                      call.retry.fixed = { wait = \"2s\", max_attempts = 3 }";
        let found = tally(&told("10s", &service, client, ""));
        (found.executions, found.keys_expired, found.replayed, found.work)
    };
    assert_eq!(found("retention = \"1s\""), (3, 2, 0, ms(30)));
    assert_eq!(found("answer_takes = \"5ms\""), (1, 0, 2, ms(20)));
}

/// A crash at 50 ms. Where the client hears of it, so does whoever keeps the lock; where nobody does, the
/// key stays locked for ever, and the retry finds it so.
#[test]
fn a_lock_outlives_a_crash_of_which_nobody_is_told() {
    let found = |learn: &str| {
        let service = "workers = 1\nservice_time = \"100ms\"\neffect.keys = {}";
        let client = "arrivals = { replay = { at = [\"0s\"] } }\ncall.timeout = \"1s\"\n\
                      call.retry.fixed = { wait = \"100ms\", max_retries = 1 }";
        let crash = format!(
            "[triggers.crash]\noutage = {{ service = \"api\", clients_learn = \"{learn}\", \
             begins = \"50ms\", lasts = \"10ms\" }}"
        );
        let found = tally(&told("10s", service, client, &crash));
        (found.executions, found.conflicts, found.succeeded)
    };
    assert_eq!(found("at_once"), (1, 0, 1));
    assert_eq!(found("never"), (0, 1, 0));
}

/// The first attempt is at one of two instances, and the second waits for it at the other.
fn at_two_instances(trigger: &str) -> Model {
    let service = "instances = 2\nworkers = 1\nservice_time = \"100ms\"\n\
                   effect.keys.meanwhile = \"waits\"";
    let client = "arrivals = { replay = { at = [\"0s\"] } }\ncall.timeout = \"60ms\"\n\
                  call.retry.immediate = { max_retries = 1 }";
    told("10s", service, client, trigger)
}

/// The first one's instance crashes at 80 ms: the second executes from then on. Or the second one's stands
/// still from 70 ms to 200 ms, and its answer with it.
#[test]
fn whoever_waits_goes_on_when_the_first_does_not() {
    assert_eq!(executed(&at_two_instances("")), [at_ms(100)]);
    let crash = "[triggers.crash]\n\
                 outage = { service = \"api\", instance = 1, begins = \"80ms\", lasts = \"1s\" }";
    assert_eq!(executed(&at_two_instances(crash)), [at_ms(180)]);
    let pause = "[triggers.pause]\n\
                 stall = { service = \"api\", instance = 2, begins = \"70ms\", lasts = \"130ms\" }";
    let model = at_two_instances(pause);
    assert_eq!(executed(&model), [at_ms(100)]);
    let replayed = instants(&model, |fact| matches!(fact, Fact::Replayed { .. }));
    assert_eq!(replayed, [at_ms(200) + Span::NANOSECOND]);
}

/// 10 ms each way and 5 ms of work: who is told of a loss hears of it when the answer would have come.
#[test]
fn a_broken_connection_is_heard_of_when_the_answer_would_have_come() {
    let model = |loss: &str| {
        let client = format!(
            "arrivals = {{ replay = {{ at = [\"0s\"] }} }}\ncall.timeout = \"1s\"\n\
             call.latency = \"10ms\"\ncall.loss = {{ {loss} }}"
        );
        told("10s", "workers = 1\nservice_time = \"5ms\"", &client, "")
    };
    let failed = |loss: &str| instants(&model(loss), |fact| matches!(fact, Fact::Failed { .. }));
    let told_so = "clients_learn = \"at_once\"";
    assert_eq!(failed(&format!("requests = 1, {told_so}")), [at_ms(20)]);
    assert_eq!(failed(&format!("replies = 1, {told_so}")), [at_ms(25)]);
    assert_eq!(failed("replies = 1"), [at_ms(1_000)]);
    let served = |loss: &str| tally(&model(loss)).completed;
    assert_eq!([served("requests = 1"), served("replies = 1")], [0, 1]);
}
