//! Verdicts on worlds in which a sum or a lucky moment would deceive.

use metastable::analysis::{Verdict, exceeds_capacity};
use metastable::experiment::Workbench;
use metastable::id::{ClientId, ServiceId};
use metastable::law::Law;
use metastable::model::{Action, Arrivals, Edge, InnerCall, Lever, Model, Pull, Think, Users};
use metastable::policy::admission::Admission;
use metastable::policy::shedding::Shedding;
use metastable::time::Span;
use metastable::unit::Fraction;

use crate::worlds::{at_ms, client, immediately, ms, rate, retry_storm, service, stall, station};

fn verdicts(model: &Model, seeds: u64) -> Vec<Verdict> {
    let mut bench = Workbench::default();
    (1..=seeds).map(|seed| bench.run("", model, seed).assessment.verdict).collect()
}

fn check(model: &Model, expected: Verdict) {
    let found = verdicts(model, 5);
    assert!(found.iter().all(|verdict| *verdict == expected), "{found:?}, not {expected}");
}

/// The storm beside a second service with a client of its own.
fn storm_beside(workers: u32, per_second: f64) -> Model {
    let mut model = retry_storm(0.7);
    model.services.push(service("other", workers, Law::Fixed(ms(10))));
    model.clients.push(client("quiet", ServiceId(1), Arrivals::Poisson(rate(per_second))));
    model
}

#[test]
fn a_large_healthy_client_hides_no_small_one_that_is_down() {
    check(&storm_beside(1_000, 10_000.0), Verdict::Metastable);
}

#[test]
fn room_at_another_service_drains_no_backlog() {
    let mut model = storm_beside(1_000, 200.0);
    model.services[0].shedding = Shedding::Expired;
    check(&model, Verdict::Metastable);
}

/// A little more demand than capacity may run for a while without failing, and the control run with
/// it; it is overloaded all the same, and not tipped over.
#[test]
fn more_demand_than_capacity_is_overload() {
    for load in [1.01, 1.03, 1.2] {
        let mut model = retry_storm(load);
        model.clients[0].edge.retry = immediately(0);
        check(&model, Verdict::Overloaded);
    }
}

/// Requests of a single instant are no rate, and leave most windows with nothing to fail in: whether
/// they were served tells whether it is well.
#[test]
fn a_volley_is_served_or_not() {
    let volley = |count, work| {
        let all = Arrivals::Volley { count, begins: at_ms(500), within: Span::ZERO };
        station(10, Law::Fixed(work), all, Span::from_secs(60))
    };
    check(&volley(100, ms(1_000)), Verdict::Unaffected);
    check(&volley(1, Span::from_secs(3_600)), Verdict::Overloaded);
    assert!(!exceeds_capacity(&volley(1, Span::from_secs(3_600))));
    // Of a hundred seconds of work the last forty are left at the end.
    check(&volley(1_000, ms(1_000)), Verdict::Overloaded);
}

/// Without a queue, a load of 0.7 loses a request in twelve: windows are good and bad by chance, with
/// and without the trigger, and no good one is a recovery.
#[test]
fn good_windows_by_chance_are_no_recovery() {
    let mut model = retry_storm(0.75);
    model.clients[0].edge.retry = immediately(0);
    model.services[0].admission = Admission::Bounded { max_waiting: 0 };
    check(&model, Verdict::Overloaded);
}

/// The first stall has tipped it, and it stayed down for half a minute before the second one came.
#[test]
fn a_late_second_trigger_does_not_undo_what_the_first_one_showed() {
    let mut model = retry_storm(0.7);
    model.triggers.push(stall("again", ServiceId(0), at_ms(50_000), Span::from_secs(2)));
    check(&model, Verdict::Metastable);
    model.triggers.remove(0);
    check(&model, Verdict::Undecided);
}

/// What a service calls for each attempt is demand as well: a page of room enough that asks a service
/// three times, which has room for two.
#[test]
fn demand_multiplies_down_to_what_is_called() {
    let mut model = retry_storm(0.2);
    model.triggers.clear();
    model.services.push(service("stock", 4, Law::Fixed(ms(10))));
    let mut call = InnerCall::new("stock", Edge::new(ServiceId(1)));
    call.copies = 3.try_into().expect("three");
    model.services[0].calls.list = vec![call];
    assert!(exceeds_capacity(&model));
    check(&model, Verdict::Overloaded);
    model.services[1].workers = 10.try_into().expect("ten");
    assert!(!exceeds_capacity(&model));
    check(&model, Verdict::Unaffected);
}

/// A storm that was over long ago, and an operator who still keeps everybody out when the run ends:
/// that says nothing about what happens when he lets go.
#[test]
fn who_is_kept_out_at_the_end_is_not_down_for_good() {
    let mut model = retry_storm(0.7);
    let everybody = Fraction::ONE;
    let block = |at, lasts| Lever {
        name: "block".to_owned(),
        pulled: Pull::At(at),
        action: Action::Block { client: ClientId(0), share: everybody, lasts },
    };
    model.levers = vec![block(at_ms(50_000), Span::from_secs(60))];
    check(&model, Verdict::Undecided);
    model.levers = vec![block(at_ms(50_000), Span::from_secs(9))];
    check(&model, Verdict::Undecided);
    // Let go in time, it is seen to fail on: two seconds of a block drain nothing of this.
    model.levers = vec![block(at_ms(30_000), Span::from_secs(2))];
    check(&model, Verdict::Metastable);
}

/// Twenty users who wait for their answers ask for nothing while everything stands still. That is no sign
/// that it is back: it is when answers come again, as the stall ends.
#[test]
fn users_who_wait_in_silence_are_not_served() {
    let users = Arrivals::Users(Users {
        count: 20.try_into().expect("twenty"),
        think: Think::After(Law::Fixed(ms(100))),
        start_within: ms(100),
    });
    let mut model = station(10, Law::Fixed(ms(10)), users, Span::from_secs(60));
    model.triggers = vec![stall("stall", ServiceId(0), at_ms(20_000), Span::from_secs(10))];
    let found = Workbench::default().run("", &model, 1).assessment;
    assert_eq!((found.verdict, found.back_at), (Verdict::Recovered, Some(at_ms(30_000))));
    // Beside somebody else it is the same, counted client by client.
    model.services.push(service("other", 1, Law::Fixed(ms(1))));
    model.clients.push(client("other", ServiceId(1), Arrivals::Even(rate(10.0))));
    let found = Workbench::default().run("", &model, 1).assessment;
    assert_eq!((found.verdict, found.back_at), (Verdict::Recovered, Some(at_ms(30_000))));
}
