//! Which seeds a story is run under.

use std::ops::{Range, RangeInclusive};

use clap::Args;
use clap::builder::RangedI64ValueParser;
use metastable::scenario::LARGEST_SEED;

/// What reads a number of runs or seeds in this range; one with a sign is out of range, and no slip of the pen.
pub(super) fn count(range: RangeInclusive<u64>) -> RangedI64ValueParser<u64> {
    let end = |end: u64| i64::try_from(end).unwrap_or(i64::MAX);
    RangedI64ValueParser::new().range(end(*range.start())..=end(*range.end()))
}

/// A single seed, or the first of several.
#[derive(Debug, Args)]
pub(super) struct First {
    /// The (first) seed [default: the scenario's]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
}

impl First {
    /// The seed, where a story says what holds by default.
    pub(super) fn or(&self, usual: u64) -> u64 {
        self.seed.unwrap_or(usual)
    }
}

/// Seeds from the first on.
#[derive(Debug, Args)]
pub(super) struct Seeds {
    #[command(flatten)]
    first: First,
    /// Run under N seeds, S to S + N - 1 [default: 1; in a sweep what [sweep] says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: Option<u64>,
}

fn seed(text: &str) -> Result<u64, String> {
    let seed = text.parse().ok().filter(|seed| *seed <= LARGEST_SEED);
    seed.ok_or_else(|| format!("a seed is a whole number from 0 to {LARGEST_SEED}"))
}

impl Seeds {
    /// How many seeds were asked for, if that was said.
    pub(super) const fn count(&self) -> Option<u64> {
        self.seeds
    }

    /// The seeds, where a story says what holds by default.
    pub(super) fn or(&self, first: u64, count: u64) -> Range<u64> {
        let (first, count) = (self.first.or(first), self.seeds.unwrap_or(count));
        first..first + count
    }
}
