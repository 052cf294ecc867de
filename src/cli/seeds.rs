//! Which seeds a story is run under.

use std::ops::Range;

use anyhow::anyhow;
use clap::Args;
use metastable::scenario::LARGEST_SEED;

use super::failure::Failure;

/// Seeds from the first on.
#[derive(Debug, Args)]
pub(super) struct Seeds {
    /// The first seed [default: the scenario's]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Run under N seeds, S to S + N - 1 [default: 1; in a sweep what [sweep] says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: Option<u64>,
}

impl Seeds {
    /// The seeds, where a story says what holds by default.
    pub(super) fn or(&self, first: u64, count: u64) -> Result<Range<u64>, Failure> {
        let (first, count) = (self.seed.unwrap_or(first), self.seeds.unwrap_or(count));
        if first > LARGEST_SEED {
            return Err(anyhow!("a seed must be from 0 to {LARGEST_SEED}").into());
        }
        Ok(first..first + count)
    }
}
