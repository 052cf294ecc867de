//! Golden traces: small worlds whose every fact was checked by hand.

use super::agenda::{Agenda, Heap, Lanes};
use super::{World, run};
use crate::id::ServiceId;
use crate::law::Law;
use crate::model::{Arrivals, Client, Disturbance, Edge, Model, Service, Trigger};
use crate::observe::Trace;
use crate::policy::retry::Retry;
use crate::time::{Span, Time};
use crate::unit::Rate;

/// One worker of 100 ms, one request every 250 ms from t = 0 on, one immediate retry after 200 ms, a
/// stall over [0.3 s, 0.6 s), cut at 1 s.
fn small_world() -> Model {
    let api = ServiceId(0);
    let millis = Span::from_millis;
    let edge = Edge {
        timeout: Some(millis(200)),
        retry: Retry { max_retries: 1, ..Retry::NEVER },
        ..Edge::new(api)
    };
    let arrivals = Arrivals::Even(Rate::new(4.0).unwrap());
    Model {
        services: vec![Service::new("api", 1.try_into().unwrap(), Law::Fixed(millis(100)))],
        clients: vec![Client::new("web", arrivals, edge)],
        triggers: vec![Trigger {
            name: "stall".to_owned(),
            instance: None,
            begins: Time::ZERO + millis(300),
            lasts: millis(300),
            disturbance: Disturbance::Stall { service: api },
        }],
        ..Model::empty(Span::from_secs(1), millis(250))
    }
}

fn trace<A: Agenda>(model: &Model) -> Trace {
    let mut trace = Trace::default();
    run(&mut World::<A>::default(), model, 1, &mut trace);
    trace
}

/// What to check by hand: request 1 is frozen with 50 ms left and done 50 ms after the stall. At 0.65
/// its completion comes before the timeout of its second attempt, and is late all the same; then the
/// timeout, then the hand-over. At 0.95 the retry of request 3 comes after the hand-over.
#[test]
fn golden_trace() {
    insta::assert_snapshot!(trace::<Lanes>(&small_world()), @r"
    0.000000 request 0 arrives at client 0
    0.000000 request 0 attempt 0 is sent by client 0
    0.000000 request 0 attempt 0 starts at service 0 after 0s
    0.100000 request 0 attempt 0 is done at service 0, in time
    0.100000 request 0 succeeds after 100ms
    0.250000 request 1 arrives at client 0
    0.250000 request 1 attempt 0 is sent by client 0
    0.250000 request 1 attempt 0 starts at service 0 after 0s
    0.300000 trigger 0 begins
    0.450000 request 1 attempt 0 times out
    0.450000 request 1 attempt 1 is sent by client 0
    0.450000 request 1 attempt 1 queues at service 0
    0.500000 request 2 arrives at client 0
    0.500000 request 2 attempt 0 is sent by client 0
    0.500000 request 2 attempt 0 queues at service 0
    0.600000 trigger 0 ends
    0.650000 request 1 attempt 0 is done at service 0, for nobody
    0.650000 request 1 attempt 1 times out
    0.650000 request 1 fails
    0.650000 request 1 attempt 1 starts at service 0 after 200ms
    0.700000 request 2 attempt 0 times out
    0.700000 request 2 attempt 1 is sent by client 0
    0.700000 request 2 attempt 1 queues at service 0
    0.750000 request 1 attempt 1 is done at service 0, for nobody
    0.750000 request 2 attempt 0 starts at service 0 after 250ms
    0.750000 request 3 arrives at client 0
    0.750000 request 3 attempt 0 is sent by client 0
    0.750000 request 3 attempt 0 queues at service 0
    0.850000 request 2 attempt 0 is done at service 0, for nobody
    0.850000 request 2 attempt 1 starts at service 0 after 150ms
    0.900000 request 2 attempt 1 times out
    0.900000 request 2 fails
    0.950000 request 2 attempt 1 is done at service 0, for nobody
    0.950000 request 3 attempt 0 times out
    0.950000 request 3 attempt 0 starts at service 0 after 200ms
    0.950000 request 3 attempt 1 is sent by client 0
    0.950000 request 3 attempt 1 queues at service 0
    ");
}

#[test]
fn both_agendas_tell_the_same() {
    assert_eq!(trace::<Lanes>(&small_world()), trace::<Heap>(&small_world()));
}
