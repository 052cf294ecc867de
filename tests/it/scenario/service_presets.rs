//! Presets of services: each is what its source says, a service's own keys stand, and what does not
//! count is said.

use metastable::engine::agenda::Lanes;
use metastable::model::{Notice, QueueTimeout};
use metastable::observe::Tally;
use metastable::policy::admission::Admission;
use metastable::policy::limit::{EnvoyGradient, Gradient2, Limit, Range, Vegas};
use metastable::policy::shedding::{Codel, FollyCodel, QueueTimer, Shedding};
use metastable::time::Span;

use super::service_side::service_with;
use super::{STORM, parse};
use crate::worlds::watch;

fn named(name: &str, more: &str) -> metastable::model::Service {
    service_with(&format!("preset = \"{name}\"\n{more}"))
}

#[test]
fn they_are_what_their_sources_say() {
    let limit = |name| named(name, "").limit.expect(name);
    assert_eq!(limit("netflix_gradient2"), Limit::Gradient2(Gradient2::NETFLIX));
    assert_eq!(limit("netflix_vegas"), Limit::Vegas(Vegas::NETFLIX));
    assert_eq!(limit("envoy_adaptive_concurrency"), Limit::EnvoyGradient(EnvoyGradient::ENVOY));
    let shedding = |name| named(name, "").shedding;
    assert_eq!(shedding("folly_codel"), Shedding::FollyCodel(FollyCodel::DEFAULT));
    assert_eq!(shedding("rfc8289_codel"), Shedding::Codel(Codel::DEFAULT));
    let flow = named("k8s_apf", "");
    assert_eq!(flow.admission, Admission::Bounded { max_waiting: 300 });
    let timer = QueueTimer::After(Span::from_secs(15));
    assert_eq!(flow.queue_timeout, Some(QueueTimeout { timer, clients: Notice::AtOnce }));
}

#[test]
fn what_a_service_says_itself_stands() {
    let more = named("netflix_gradient2", "limit.gradient2.max = 500").limit;
    let range = Range::new(20, 20, 500).expect("a range");
    assert_eq!(more, Some(Limit::Gradient2(Gradient2 { range, ..Gradient2::NETFLIX })));
    // Another limit takes the place of the whole one, and so does none.
    let vegas = named("netflix_gradient2", "limit.vegas = {}").limit;
    assert_eq!(vegas, Some(Limit::Vegas(Vegas::NETFLIX)));
    assert_eq!(named("netflix_gradient2", "limit = { none = {} }").limit, None);
    assert_eq!(named("folly_codel", "shedding = \"expired\"").shedding, Shedding::Expired);
    let short = named("k8s_apf", "queue = { max_work = \"1s\" }\nqueue_timeout = \"none\"");
    assert_ne!(short.admission, Admission::Bounded { max_waiting: 300 });
    assert_eq!(short.queue_timeout, None);
    let patient = FollyCodel { target: Span::from_millis(20), ..FollyCodel::DEFAULT };
    let target = named("folly_codel", "shedding.folly_codel.target = \"20ms\"").shedding;
    assert_eq!(target, Shedding::FollyCodel(patient));
    let both = service_with("preset = [\"netflix_vegas\", \"folly_codel\", \"netflix_gradient2\"]");
    assert_eq!(both.limit, Some(Limit::Vegas(Vegas::NETFLIX)));
    assert_eq!(both.shedding, Shedding::FollyCodel(FollyCodel::DEFAULT));
}

#[test]
fn a_variant_and_a_lever_can_name_one() {
    let text = format!(
        "{STORM}[variants.v]\n\"services.api.preset\" = \"folly_codel\"\n\
         [variants.w]\n\"services.api.shedding\" = \"never\"\n\"services.api.preset\" = \"folly_codel\"\n\
         [levers.l]\nchange = {{ at = \"14s\", set = {{ \"services.api.preset\" = \"folly_codel\" }} }}\n"
    );
    let story = parse(&text, &["services.api.shedding=expired"]).unwrap();
    let shedding = |index: usize| story.variants[index].model.services[0].shedding;
    assert_eq!(shedding(0), Shedding::Expired);
    assert_eq!(shedding(1), Shedding::FollyCodel(FollyCodel::DEFAULT));
    assert_eq!(shedding(2), Shedding::Never);
    // The lever drops what waits; without it nothing is dropped.
    let shed = |text: &str| {
        let story = parse(text, &["services.api.shedding=never"]).unwrap();
        watch::<Lanes, _>(&story.variants[0].model, 1, Tally::default()).shed
    };
    assert_eq!(shed(STORM), 0);
    assert!(shed(&text) > 500, "{}", shed(&text));
}
