//! `balancer = "random"`, or `{ rule = "two_choices", panic_below = 0.5 }`: which instance gets an attempt.

use std::fmt;
use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};

use super::number::{fraction, whole};
use super::world::Complaints;
use crate::policy::balancer;
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;

/// A balancer as it is written: the word for a rule, or a table with it.
#[derive(Clone, Debug)]
pub(super) struct Balancer(Table);

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BalancerTable")]
struct Table {
    /// How an instance is chosen. Default: `"round_robin"`.
    #[serde(default)]
    rule: Rule,
    /// Of `round_robin`: which instance is the first. Default: `"at_the_first"`.
    #[serde(default)]
    start: Start,
    /// Of `two_choices`: whether one instance may be drawn twice. Default: `"different"`.
    #[serde(default)]
    draws: Draws,
    /// Of `least_outstanding`: who is taken of several that are equal. Default: `"in_turn"`.
    #[serde(default)]
    ties: Ties,
    /// Of `consistent_hash`: how many places each instance has on the ring, 1 to 10,000. Unit:
    /// places. Default: `100`.
    places: Option<i64>,
    /// With a smaller share of healthy instances all of them are asked; 0: never. Unit: share.
    /// Default: `0.5`.
    panic_below: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Rule {
    /// Each in its turn.
    #[default]
    RoundRobin,
    /// Any one.
    Random,
    /// Of two drawn ones the one with fewer attempts out.
    TwoChoices,
    /// The one with the fewest attempts out.
    LeastOutstanding,
    /// By the request, so that its retries meet the same one.
    ConsistentHash,
}

/// The same as of a service that says nothing about its balancer.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BalancerStart")]
enum Start {
    /// Every caller begins with the first instance.
    #[default]
    AtTheFirst,
    /// Each caller begins with one of its own.
    Anywhere,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Draws {
    /// The two are different ones.
    #[default]
    Different,
    /// Both may be the same.
    Independent,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Ties {
    /// In turn.
    #[default]
    InTurn,
    /// The first of them.
    First,
    /// Any of them.
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

stands_for!(Balancer: Rule or Table);

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
