//! Who gets what in `scenarios/priority.toml`, client by client: the file itself can only promise
//! what both get together.

use std::path::Path;

use metastable::engine::agenda::Lanes;
use metastable::engine::{self, World};
use metastable::model::Model;
use metastable::observe::{Fact, Observer};
use metastable::scenario::Story;
use metastable::time::Time;

/// Requests and answers in time, by client.
#[derive(Default)]
struct ByClient {
    requests: [u32; 2],
    succeeded: [u32; 2],
}

impl Observer for ByClient {
    fn observe(&mut self, _: Time, fact: Fact) {
        if let Fact::Arrived { client, .. } = fact {
            self.requests[client.index()] += 1;
        }
        if let Fact::Succeeded { client, .. } = fact {
            self.succeeded[client.index()] += 1;
        }
    }

    fn finish(&mut self, _: Time) {}
}

/// The share of its demand that is answered in time, of the shop and of the batch job.
fn shares(model: &Model, seed: u64) -> [f64; 2] {
    let mut seen = ByClient::default();
    engine::run(&mut World::<Lanes>::default(), model, seed, &mut seen);
    ["shop", "batch"].map(|name| {
        let client = model.clients.iter().position(|client| client.name == name).unwrap();
        f64::from(seen.succeeded[client]) / f64::from(seen.requests[client])
    })
}

#[test]
fn the_important_client_gets_everything_but_under_first_come_first_served() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/priority.toml");
    let story = Story::read(&path, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    for seed in 1..=3 {
        for variant in &story.variants {
            let [shop, batch] = shares(&variant.model, seed);
            if variant.name == story.variants[0].name {
                assert!(shop < 0.1 && batch < 0.1, "{seed}: {shop} and {batch}");
            } else {
                assert!(shop >= 0.99, "{} {seed}: {shop}", variant.name);
            }
            if variant.name.contains("headroom") {
                // What is left of the capacity: (1,000 - 700) / 700.
                assert!((0.40..0.46).contains(&batch), "{} {seed}: {batch}", variant.name);
            }
        }
    }
}
