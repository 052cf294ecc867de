//! `[expect]`: what every run of a variant promises.

use std::fmt;

use serde::Deserialize;
use serde::de::{Error, MapAccess, Visitor};

use super::bound::Promise;
use super::sweep::check_seeds;
use super::world::Complaints;
use crate::analysis::Verdict;
use crate::experiment::{Expectation, Metric};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// Promises as they are written. The names of the metrics are keys here, so that a promise reads
/// like the output that it is about.
#[derive(Clone, Debug, Default)]
pub(in crate::scenario) struct Expect {
    seeds: Option<i64>,
    verdict: Option<Verdict>,
    metrics: Vec<(Metric, Promise)>,
}

const OWN_KEYS: [&str; 2] = ["seeds", "verdict"];

/// Every key there is.
pub(in crate::scenario) const PROMISE_KEYS: [&str; OWN_KEYS.len() + Metric::ALL.len()] = {
    let mut keys = [OWN_KEYS[0]; OWN_KEYS.len() + Metric::ALL.len()];
    keys[1] = OWN_KEYS[1];
    let mut index = 0;
    while index < Metric::ALL.len() {
        keys[OWN_KEYS.len() + index] = Metric::ALL[index].name();
        index += 1;
    }
    keys
};

/// The words for verdicts.
const VERDICT_WORDS: [&str; Verdict::ALL.len()] = {
    let mut words = [""; Verdict::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = Verdict::ALL[index].name();
        index += 1;
    }
    words
};

impl Expect {
    /// The promises, with one seed where none is given.
    pub(in crate::scenario) fn build(
        &self,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<Expectation> {
        let seeds = match self.seeds {
            None => Some(1),
            Some(seeds) => out.keep(check_seeds(seeds, spot.at("seeds"))),
        };
        if self.metrics.is_empty() && self.verdict.is_none() {
            // What can never be broken is no promise, and a check that holds without one says nothing.
            out.add(
                Diagnostic::error(spot.key, "nothing is promised here").help(
                    "promise a verdict or a number, such as retries = { max = 100 }".to_owned(),
                ),
            );
        }
        let mut metrics = Vec::new();
        for (metric, promise) in &self.metrics {
            let spot = spot.at(metric.name());
            if let Some(verdict) = self.verdict.filter(|verdict| never_returns(*verdict, *metric)) {
                out.add(
                    Diagnostic::error(
                        spot.key,
                        format!("a run that is {verdict} has no `{}`", metric.name()),
                    )
                    .help("this number exists only if the verdict is \"recovered\"".to_owned()),
                );
                continue;
            }
            if let Some(bound) = out.keep(promise.bound(spot)) {
                metrics.push((*metric, bound));
            }
        }
        Some(Expectation { seeds: seeds?, verdict: self.verdict, metrics })
    }
}

/// Whether `metric` is the date of something that does not happen under `verdict`.
const fn never_returns(verdict: Verdict, metric: Metric) -> bool {
    matches!(metric, Metric::BackAt | Metric::RecoveryTime)
        && !matches!(verdict, Verdict::Recovered)
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Promises;
        impl<'de> Visitor<'de> for Promises {
            type Value = Expect;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of promises")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Expect, A::Error> {
                let mut expect = Expect::default();
                while let Some(Key(key)) = map.next_key()? {
                    match key {
                        "seeds" => expect.seeds = Some(map.next_value()?),
                        "verdict" => expect.verdict = Some(map.next_value::<VerdictWord>()?.0),
                        name => {
                            let promise = map.next_value()?;
                            let metric = Metric::ALL.iter().find(|metric| metric.name() == name);
                            expect.metrics.extend(metric.map(|metric| (*metric, promise)));
                        }
                    }
                }
                Ok(expect)
            }
        }
        deserializer.deserialize_map(Promises)
    }
}

/// One of [`PROMISE_KEYS`].
struct Key(&'static str);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let known = PROMISE_KEYS.into_iter().find(|known| *known == key);
        known.map(Self).ok_or_else(|| D::Error::unknown_field(&key, &PROMISE_KEYS))
    }
}

struct VerdictWord(Verdict);

impl<'de> Deserialize<'de> for VerdictWord {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let verdict = Verdict::ALL.into_iter().find(|verdict| verdict.name() == word);
        verdict.map(Self).ok_or_else(|| D::Error::unknown_variant(&word, &VERDICT_WORDS))
    }
}
