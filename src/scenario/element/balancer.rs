//! `balancer = "random"`, or `{ rule = "two_choices", panic_below = 0.5 }`: which instance gets an attempt.

use std::fmt;
use std::num::NonZeroU16;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};

use super::number::{fraction, whole};
use super::world::Complaints;
use crate::policy::balancer;
use crate::scenario::tree::Spot;

/// A balancer as it is written: the word for a rule, or a table with it.
#[derive(Clone, Debug)]
pub(super) struct Balancer(Table);

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    rule: Rule,
    #[serde(default)]
    start: Start,
    #[serde(default)]
    draws: Draws,
    #[serde(default)]
    ties: Ties,
    places: Option<i64>,
    panic_below: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Rule {
    #[default]
    RoundRobin,
    Random,
    TwoChoices,
    LeastOutstanding,
    ConsistentHash,
}

/// The same as of a service that says nothing about its balancer.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Start {
    #[default]
    AtTheFirst,
    Anywhere,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Draws {
    #[default]
    Different,
    Independent,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ties {
    #[default]
    InTurn,
    First,
    Random,
}

/// With so many places the largest share of a hundred instances is a tenth above the smallest.
const MOST_PLACES: u32 = 10_000;
const USUAL_PLACES: i64 = 100;

impl Balancer {
    /// The balancer; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<balancer::Balancer> {
        let table = &self.0;
        let places = table.places.unwrap_or(USUAL_PLACES);
        let what = "the number of places";
        let places = out.keep(whole(places, 1, MOST_PLACES, what, spot.at("places")));
        let panic_below = match table.panic_below {
            None => Some(balancer::Balancer::IN_TURN.panic_below),
            Some(share) => out.keep(fraction(share, "this", spot.at("panic_below"))),
        };
        let rule = match table.rule {
            Rule::RoundRobin => balancer::Rule::RoundRobin(match table.start {
                Start::AtTheFirst => balancer::Start::AtTheFirst,
                Start::Anywhere => balancer::Start::Anywhere,
            }),
            Rule::Random => balancer::Rule::Random,
            Rule::TwoChoices => balancer::Rule::TwoChoices(match table.draws {
                Draws::Different => balancer::Draws::Different,
                Draws::Independent => balancer::Draws::Independent,
            }),
            Rule::LeastOutstanding => balancer::Rule::LeastOutstanding(match table.ties {
                Ties::InTurn => balancer::Ties::InTurn,
                Ties::First => balancer::Ties::First,
                Ties::Random => balancer::Ties::Random,
            }),
            Rule::ConsistentHash => balancer::Rule::ConsistentHash {
                places: u16::try_from(places?).ok().and_then(NonZeroU16::new)?,
            },
        };
        places?;
        Some(balancer::Balancer { rule, panic_below: panic_below? })
    }
}

impl<'de> Deserialize<'de> for Balancer {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Balancer;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a rule in quotes, or a table, { rule = \"..\" }")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Balancer, E> {
                let rule = Rule::deserialize(StrDeserializer::new(word))?;
                Ok(Balancer(Table { rule, ..Table::default() }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Balancer, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map)).map(Balancer)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
