//! `call.cache = { hit_ratio = 0.9, fills = 10_000 }`: what a caller need not fetch.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::{fraction, positive, thousands, whole};
use super::world::Complaints;
use crate::model::{Disturbance, Model};
use crate::policy::cache::{self, Contents, Exponent};
use crate::scenario::schema::piece::LengthOrNone;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::unit::Fraction;

/// A cache as it is written: by its hit ratio, or by its keys.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cache {
    /// The share of requests that hit a warm cache. This or `keys`. Unit: share.
    hit_ratio: Option<f64>,
    /// With `hit_ratio`: how many answers make an empty cache as good as a warm one. Unit: answers.
    fills: Option<i64>,
    /// With `hit_ratio`: how the ratio comes back. Default: `"gradual"`.
    #[serde(default)]
    course: Course,
    /// How many different things there are to ask for, at most 50 million. This or `hit_ratio`.
    /// Unit: keys.
    keys: Option<i64>,
    /// With `keys`: how often each one is asked for. Default: `"uniform"`.
    #[serde(default)]
    popularity: Popularity,
    /// With `keys`: how many are kept; what was asked for least recently goes. Unit: keys. Default:
    /// all of them.
    capacity: Option<i64>,
    /// With `keys`: how long one is kept after it was fetched, or `"none"` for ever. Default:
    /// "none".
    #[schemars(with = "Option<LengthOrNone>")]
    time_to_live: Option<Length>,
    /// With `keys`: what becomes of those who ask for what is being fetched. Default: `"off"`.
    #[serde(default)]
    coalescing: Coalescing,
    /// What there is at the beginning. Default: `"warm"`.
    #[serde(default)]
    start: Start,
    /// What becomes of an answer that comes after its fetch was given up. Default: `"fill"`.
    #[serde(default)]
    late_fills: LateFills,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Course {
    /// In proportion to the fills.
    #[default]
    Gradual,
    /// Everything misses until the last of them.
    AtOnce,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Popularity {
    /// Each as often.
    #[default]
    Uniform,
    /// The k-th in proportion to k to the power of minus this exponent. Unit: exponent.
    Zipf(f64),
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Coalescing {
    /// They fetch it too.
    #[default]
    Off,
    /// They wait for that fetch, which is the first one's and fails with it.
    Leader,
    /// They wait, and the next one fetches anew if it fails.
    NextLeads,
    /// They wait for a fetch that belongs to nobody.
    Detached,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CacheStart")]
enum Start {
    /// All that it keeps.
    #[default]
    Warm,
    /// Nothing.
    Cold,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LateFills {
    /// It is kept.
    #[default]
    Fill,
    /// It is thrown away.
    Dropped,
}

/// Some 20 bytes each, of every cache.
const MOST_KEYS: u32 = 50_000_000;
/// More than any run has answers.
const MOST_FILLS: u32 = 1_000_000_000;
/// From here on nearly everything is the first key.
const STEEPEST: f64 = 100.0;

impl Cache {
    /// The cache; none if anything is wrong with it.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<cache::Cache> {
        let (ratio, keys) = (spot.at("hit_ratio"), spot.at("keys"));
        let contents = match (self.hit_ratio, self.keys) {
            (None, None) => {
                out.add(Diagnostic::error(spot.key, "`hit_ratio` or `keys` is missing").help(
                    "add hit_ratio = 0.9 and fills = 10_000 (answers until it is warm), or keys = 10_000"
                        .to_owned(),
                ));
                None
            }
            (Some(_), Some(_)) if ratio.layer == keys.layer => {
                let (first, second) =
                    if ratio.key < keys.key { (ratio, keys) } else { (keys, ratio) };
                let message = "`hit_ratio` and `keys` exclude each other: of a cache that knows its \
                               keys the hit ratio comes out";
                out.add(
                    Diagnostic::error(second.key, message)
                        .other(first.key, "")
                        .help("keep one of the two".to_owned()),
                );
                None
            }
            (Some(share), other) if other.is_none() || ratio.layer > keys.layer => {
                self.by_ratio(share, spot, out).map(Contents::HitRatio)
            }
            (_, Some(count)) => self.by_keys(count, spot, out).map(Contents::Keys),
            (Some(_), None) => unreachable!("a hit ratio alone has been taken"),
        };
        Some(cache::Cache {
            contents: contents?,
            start: match self.start {
                Start::Warm => cache::Start::Warm,
                Start::Cold => cache::Start::Cold,
            },
            late_fills: match self.late_fills {
                LateFills::Fill => cache::LateFills::Fill,
                LateFills::Dropped => cache::LateFills::Dropped,
            },
        })
    }

    fn by_ratio(
        &self,
        share: f64,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<cache::HitRatio> {
        let warm = out.keep(fraction(share, "the hit ratio", spot.at("hit_ratio")));
        if warm == Some(Fraction::ZERO) {
            let message = "a cache that nothing hits is none";
            let help = "write cache = \"none\", or a hit ratio above 0".to_owned();
            out.add(Diagnostic::error(spot.at("hit_ratio").value(), message).help(help));
        }
        let Some(fills) = self.fills else {
            out.add(
                Diagnostic::error(spot.key, "`fills` is missing").help(
                    "add fills = 10_000: so many answers make a cold cache as good as a warm one"
                        .to_owned(),
                ),
            );
            return None;
        };
        let what = "the number of answers that fill it";
        let fills = out.keep(whole(fills, 1, MOST_FILLS, what, spot.at("fills")));
        Some(cache::HitRatio {
            warm: warm?,
            fills: NonZeroU64::new(u64::from(fills?))?,
            course: match self.course {
                Course::Gradual => cache::Course::Gradual,
                Course::AtOnce => cache::Course::AtOnce,
            },
        })
    }

    fn by_keys(&self, count: i64, spot: Spot<'_>, out: &mut Complaints) -> Option<cache::Keys> {
        let count = whole(count, 1, MOST_KEYS, "the number of keys", spot.at("keys"));
        let count = out.keep(count).and_then(NonZeroU32::new);
        let popularity = match self.popularity {
            Popularity::Uniform => Some(cache::Popularity::Uniform),
            Popularity::Zipf(exponent) => {
                let here = spot.at("popularity").at("zipf");
                let exponent = out.keep(positive(exponent, STEEPEST, "exponent", here));
                exponent.and_then(Exponent::new).map(cache::Popularity::Zipf)
            }
        };
        let capacity = match self.capacity {
            None => Some(None),
            Some(capacity) => {
                let what = "the number of keys that are kept";
                let help = format!(
                    "without `capacity` all keys are kept, of which there can be {}",
                    thousands(MOST_KEYS.into())
                );
                let capacity = whole(capacity, 1, MOST_KEYS, what, spot.at("capacity"));
                out.keep(capacity.map_err(|wrong| wrong.help(help))).map(NonZeroU32::new)
            }
        };
        let time_to_live = match &self.time_to_live {
            None => Some(None),
            Some(length) if length.0 == "none" => Some(None),
            Some(length) => {
                let instead = "the word \"none\" means that nothing grows old";
                out.keep(length.above_zero(spot.at("time_to_live"), instead)).map(Some)
            }
        };
        Some(cache::Keys {
            count: count?,
            popularity: popularity?,
            capacity: capacity?,
            time_to_live: time_to_live?,
            coalescing: match self.coalescing {
                Coalescing::Off => cache::Coalescing::Off,
                Coalescing::Leader => cache::Coalescing::Leader(cache::Orphans::Fail),
                Coalescing::NextLeads => cache::Coalescing::Leader(cache::Orphans::NextLeads),
                Coalescing::Detached => cache::Coalescing::Detached,
            },
        })
    }
}

/// That there is a cache where one is emptied. Where a variant has taken it away by the word `"none"`,
/// nothing is said: the others have it.
pub(super) fn check_flushes(model: &Model, spot: Spot<'_>) -> Result<(), Diagnostic> {
    for trigger in &model.triggers {
        let Disturbance::Flush { edge: flushed } = trigger.disturbance else { continue };
        let Some((_, caller, edge)) = model.edges().find(|(id, _, _)| *id == flushed) else {
            continue;
        };
        let call = super::people::call_of(caller, model, spot);
        if edge.cache.is_none() && call.is_none_or(|call| call.find("cache").is_none()) {
            let here = spot.at("triggers").at(&trigger.name).at("flush");
            let message = "there is no cache here that could be emptied";
            return Err(Diagnostic::error(here.key, message).help(
                "give the call one: cache = { hit_ratio = 0.9, fills = 10_000 }".to_owned(),
            ));
        }
    }
    Ok(())
}
