//! What brings a collapse back: the answers that are known for the stories that come with it.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use metastable::experiment::{Advisor, Effect, Trial};
use metastable::scenario::{Parameter, Remedy, Story};

fn story(name: &str) -> Story {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
    Story::read(&path, &[]).unwrap()
}

fn trial(story: &Story, remedy: &Remedy) -> Trial {
    let stop = AtomicBool::new(false);
    let advisor = Advisor { seed: 1, most_runs: 400, stop: &stop };
    let variant = &story.variants[0].name;
    let world = |value| remedy.model(story, variant, value);
    let found = match &remedy.along {
        Some(Parameter { range, gentle, .. }) => advisor.try_along(*range, *gentle, world),
        None => advisor.try_fixed(&world(0.0).unwrap()),
    };
    found.unwrap_or_else(|halt| panic!("{halt:?}"))
}

/// The value from which the remedy called `name` helps, if it does at all.
fn value_of(remedies: &[Remedy], story: &Story, name: &str) -> Option<f64> {
    let remedy = remedies.iter().find(|remedy| remedy.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = remedies.iter().map(|remedy| remedy.name.as_str()).collect();
        panic!("{name}: there are {names:?}")
    });
    let trial = trial(story, remedy);
    match trial.effect {
        Effect::Helps(cure) => {
            assert!(cure.recovered >= 38 && cure.proved == 40, "{name}: {cure:?}");
            Some(cure.value.unwrap_or(0.0))
        }
        Effect::Never { runs, recovered } => {
            assert!(recovered * 4 < runs, "{name}: {recovered} of {runs}");
            None
        }
        Effect::Unreliable { runs, recovered } => panic!("{name}: {recovered} of {runs}"),
    }
}

#[test]
fn what_ends_the_retry_storm() {
    let storm = story("retry-storm.toml");
    let remedies = storm.remedies("3 retries");
    let value = |name: &str| value_of(&remedies, &storm, name);
    let between = |name: &str, low: f64, high: f64| {
        let found = value(name).unwrap_or_else(|| panic!("{name} does not help"));
        assert!((low..=high).contains(&found), "{name}: {found}");
    };
    between("web: shed load", 0.3, 0.5);
    between("api: cap the queue", 0.8, 1.0);
    between("web: retry budget", 0.1, 1.0);
    // A single retry is too many.
    between("web: fewer retries", 0.0, 0.0);
    assert_eq!(value("api: drop what has expired"), None);
    assert_eq!(value("api: drop what cannot finish"), Some(0.0));
}

/// Derived by hand: 2,626 attempts wait at second 100, and a little more comes from those who still try;
/// at 100 per second that is 26 to 27 seconds.
#[test]
fn how_long_a_block_must_last() {
    let reopening = story("reopening.toml");
    let ways = reopening.ways_out("nobody acts", 100.0, 26.3, ("--after", "80s"));
    let value = |name: &str| value_of(&ways, &reopening, name);
    let block = value("block all requests").unwrap();
    assert!((25.0..=30.0).contains(&block), "{block}");
    let half = value("block half of them").unwrap();
    assert!((60.0..=90.0).contains(&half), "{half}");
    assert_eq!(value("drop the queue"), Some(0.0));
}
