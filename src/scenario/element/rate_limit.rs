//! `rate_limit = { rate = 900, burst = 100 }`: how many attempts per second are let in.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::client::check_rate;
use super::number::whole;
use crate::policy::admission;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// A token bucket as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RateLimit {
    /// How many attempts are let in. Unit: attempts per second.
    rate: f64,
    /// How many tokens the bucket holds. Unit: attempts.
    burst: i64,
}

const LARGEST_BURST: u32 = 1_000_000_000;

impl RateLimit {
    pub(super) fn rate_limit(&self, spot: Spot<'_>) -> Result<admission::RateLimit, Diagnostic> {
        let rate = check_rate(self.rate, spot.at("rate"))?;
        let burst = whole(self.burst, 1, LARGEST_BURST, "the burst", spot.at("burst"));
        let burst = burst.map_err(|diagnostic| {
            let none = self.burst == 0;
            diagnostic.help(none.then(|| {
                "a bucket that holds no token lets nothing in; burst = 1 allows no bursts"
                    .to_owned()
            }))
        })?;
        Ok(admission::RateLimit { rate, burst: NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN) })
    }
}
