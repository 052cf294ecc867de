//! `max_retries = 3`, or `max_attempts = 4`: how often a request is tried, and after which failures.

use std::fmt;

use serde::Deserialize;
use serde::de::{Error, Unexpected, Visitor};

use super::failure::{FailureWord, failures};
use super::number::whole;
use super::world::Complaints;
use crate::policy::outcome::Failures;
use crate::policy::retry::Retry;
use crate::scenario::schema::piece::stands_for;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A number, or the word for no bound.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Number(i64),
    Unlimited,
}

/// What every kind of retry says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tries<'r> {
    pub(super) max_retries: Option<Count>,
    pub(super) max_attempts: Option<Count>,
    pub(super) on: Option<&'r Vec<FailureWord>>,
}

/// What `unlimited` is called.
pub(super) const UNLIMITED: &str = "unlimited";
/// "Until it works", for any run that fits.
const MOST_RETRIES: u32 = 1_000_000;

impl Tries<'_> {
    /// The number of retries and the failures that they follow; none if anything is wrong.
    pub(super) fn build(self, spot: Spot<'_>, out: &mut Complaints) -> Option<(u32, Failures)> {
        let retries = out.keep(self.retries(spot));
        let instead = "a client that retries after no failure is { never = {} }";
        let on = out.keep(failures(self.on, Failures::ALL, instead, spot.at("on")));
        Some((retries?, on?))
    }

    /// Retries, by whichever of the two keys was named last.
    fn retries(self, spot: Spot<'_>) -> Result<u32, Diagnostic> {
        let (retries, attempts) = (spot.at("max_retries"), spot.at("max_attempts"));
        match (self.max_retries, self.max_attempts) {
            (None, None) => Err(Diagnostic::error(spot.key, "`max_retries` is missing").help(
                "add max_retries = 3, or max_attempts = 4, which counts the first attempt as well"
                    .to_owned(),
            )),
            (Some(_), Some(_)) if retries.layer == attempts.layer => {
                let (first, second) = if retries.key < attempts.key {
                    (retries, attempts)
                } else {
                    (attempts, retries)
                };
                let message = "`max_retries` and `max_attempts` exclude each other: attempts count \
                               the first one, retries do not, so 3 retries are 4 attempts";
                Err(Diagnostic::error(second.key, message)
                    .other(first.key, "")
                    .help("keep one of the two".to_owned()))
            }
            (Some(count), other) if other.is_none() || retries.layer > attempts.layer => {
                count.upto(0, MOST_RETRIES, "the number of retries", retries)
            }
            (_, Some(count)) => {
                let what = "the number of attempts, the first one included,";
                count.upto(1, MOST_RETRIES + 1, what, attempts).map(|attempts| match attempts {
                    Retry::UNLIMITED => Retry::UNLIMITED,
                    attempts => attempts - 1,
                })
            }
            (Some(_), None) => unreachable!("a number of retries alone has been taken"),
        }
    }
}

impl Count {
    fn upto(self, low: u32, high: u32, what: &str, spot: Spot<'_>) -> Result<u32, Diagnostic> {
        match self {
            Self::Number(value) => whole(value, low, high, what, spot).map_err(|wrong| {
                let help = (value > 0).then(|| format!("write \"{UNLIMITED}\" for no bound"));
                wrong.help(help)
            }),
            Self::Unlimited => Ok(Retry::UNLIMITED),
        }
    }
}

stands_for!(Count: i64 or "unlimited");

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number or \"{UNLIMITED}\"")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Count, E> {
                Ok(Count::Number(value))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Count, E> {
                if word == UNLIMITED {
                    return Ok(Count::Unlimited);
                }
                Err(E::invalid_value(Unexpected::Str(word), &self))
            }
        }
        deserializer.deserialize_any(Either)
    }
}
