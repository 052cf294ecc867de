//! `call.budget = { sliding_window = { ratio = 0.1, window = "10s" } }`: what bounds retries as a whole.

use schemars::JsonSchema;
use serde::Deserialize;

use super::failure::{FailureWord, failures};
use super::length::Length;
use super::number::{fraction, whole};
use super::people::call_of;
use super::world::Complaints;
use crate::id::ServiceId;
use crate::model::{Caller, Model};
use crate::policy::budget::{self, Prices, Rule};
use crate::policy::outcome::Failures;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A retry budget as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Budget {
    /// Every retry may be sent.
    None {},
    /// Retries are a share of what was deposited in a window (Finagle, tower, Linkerd).
    SlidingWindow(SlidingWindow),
    /// Retries are sent while more than half of the tokens are left (gRPC A6).
    TokenThreshold(TokenThreshold),
    /// A retry takes its price from a quota, a success gives it back (AWS SDKs).
    RefundableQuota(RefundableQuota),
    /// Retries that are out at once are bounded (Envoy).
    Concurrency(Concurrency),
    /// The budget of the client pays for whose request the call is made.
    Path(AlongThePath),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AlongThePath {
    /// When a retry is charged. Default: `"at_dispatch"`.
    #[serde(default)]
    charged: Charged,
    /// Whether hedges ask as well. Default: `"metered"`.
    #[serde(default)]
    hedges: Hedges,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlidingWindow {
    /// Retries for each deposit. Unit: retries per deposit.
    ratio: f64,
    /// How long a deposit counts.
    window: Length,
    /// So many retries are free in each second. Unit: retries per second. Default: `0`.
    #[serde(default)]
    minimum_per_second: i64,
    /// What is deposited. Default: `"sends"`.
    #[serde(default)]
    deposits: Deposits,
    /// When a retry is charged. Default: `"at_dispatch"`.
    #[serde(default)]
    charged: Charged,
    /// Whether hedges ask as well. Default: `"metered"`.
    #[serde(default)]
    hedges: Hedges,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenThreshold {
    /// How many tokens there are at most, and at first. Unit: tokens.
    max_tokens: i64,
    /// What a success gives back. Unit: tokens.
    ratio: f64,
    /// The kinds of failure that take a token. Default: all.
    counts: Option<Vec<FailureWord>>,
    /// When a retry is charged. Default: `"at_dispatch"`.
    #[serde(default)]
    charged: Charged,
    /// Whether hedges ask as well. Default: `"metered"`.
    #[serde(default)]
    hedges: Hedges,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefundableQuota {
    /// How much there is at most, and at first. Unit: tokens.
    capacity: i64,
    /// The price of a retry. Unit: tokens.
    cost: i64,
    /// The price of a retry after a timeout. Unit: tokens. Default: as `cost`.
    timeout_cost: Option<i64>,
    /// The price of a retry after a refusal. Unit: tokens. Default: as `cost`.
    refusal_cost: Option<i64>,
    /// What a request gives that succeeds without a retry. Unit: tokens. Default: `1`.
    #[serde(default = "one")]
    clean_success: i64,
    /// When a retry is charged. Default: `"at_dispatch"`.
    #[serde(default)]
    charged: Charged,
    /// Whether hedges ask as well. Default: `"metered"`.
    #[serde(default)]
    hedges: Hedges,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Concurrency {
    /// Retries may be this share of all that is out. This or `max_outstanding`. Unit: share.
    share: Option<f64>,
    /// With `share`: so many retries may always be out. Unit: retries. Default: 0.
    minimum: Option<i64>,
    /// So many retries may be out. This or `share`. Unit: retries.
    max_outstanding: Option<i64>,
    /// Whether the attempt that has just failed counts as out. Default: `"left"`.
    #[serde(default)]
    failed_attempt: FailedAttempt,
    /// When a retry is charged. Default: `"at_dispatch"`.
    #[serde(default)]
    charged: Charged,
    /// Whether hedges ask as well. Default: `"metered"`.
    #[serde(default)]
    hedges: Hedges,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Deposits {
    /// Every attempt, retries included.
    #[default]
    Sends,
    /// Every request, once.
    Requests,
    /// Every success.
    Successes,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FailedAttempt {
    /// It has left.
    #[default]
    Left,
    /// It still counts.
    Counts,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Charged {
    /// When it would leave.
    #[default]
    AtDispatch,
    /// Before its wait: what is denied fails at once.
    AtDecision,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Hedges {
    /// They ask as retries do.
    #[default]
    Metered,
    /// They do not ask.
    Bypass,
}

const fn one() -> i64 {
    1
}

/// A window slides in a hundred steps of at least a nanosecond; real ones are seconds long.
const SHORTEST_WINDOW: Span = Span::from_millis(1);
/// More of anything than a run has retries.
const MOST: u32 = 1_000_000_000;

impl Budget {
    /// The budget, which may be none.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<budget::Budget> {
        let (rule, charged, hedges) = match self {
            Self::None {} => return None,
            Self::SlidingWindow(kind) => {
                (kind.rule(spot.at("sliding_window"), out), kind.charged, kind.hedges)
            }
            Self::TokenThreshold(kind) => {
                (kind.rule(spot.at("token_threshold"), out), kind.charged, kind.hedges)
            }
            Self::RefundableQuota(kind) => {
                (kind.rule(spot.at("refundable_quota"), out), kind.charged, kind.hedges)
            }
            Self::Concurrency(kind) => {
                (kind.rule(spot.at("concurrency"), out), kind.charged, kind.hedges)
            }
            Self::Path(kind) => (Some(Rule::Path), kind.charged, kind.hedges),
        };
        Some(budget::Budget {
            rule: rule?,
            charged: match charged {
                Charged::AtDispatch => budget::Charged::AtDispatch,
                Charged::AtDecision => budget::Charged::AtDecision,
            },
            hedges: match hedges {
                Hedges::Metered => budget::Metered::Metered,
                Hedges::Bypass => budget::Metered::Free,
            },
        })
    }
}

/// That where the budget of a client goes along the path, every client that comes there has one that can.
pub(super) fn check_paths(model: &Model, spot: Spot<'_>) -> Result<(), Diagnostic> {
    for (_, caller, edge) in model.edges() {
        if edge.budget.is_none_or(|budget| budget.rule != Rule::Path) {
            continue;
        }
        let Some(here) = call_of(caller, model, spot).map(|call| call.at("budget").at("path"))
        else {
            continue;
        };
        let Caller::Service(id, _) = caller else {
            let message = "a client has nobody above it whose budget it could be charged to";
            return Err(Diagnostic::error(here.key, message)
                .help("give it one of its own, such as sliding_window".to_owned()));
        };
        for client in model.clients.iter().filter(|client| reaches(model, client.edge.to, id)) {
            if client.edge.budget.is_some_and(|budget| budget.can_go_along()) {
                continue;
            }
            let message = match client.edge.budget {
                None => format!("the client `{}` has no budget to charge this to", client.name),
                Some(_) => {
                    format!("the budget of the client `{}` cannot go along the path", client.name)
                }
            };
            let help = "give it call.budget.sliding_window or call.budget.token_threshold";
            return Err(Diagnostic::error(here.key, message).help(help.to_owned()));
        }
    }
    Ok(())
}

/// Whether what comes to `from` may come to `to`.
fn reaches(model: &Model, from: ServiceId, to: ServiceId) -> bool {
    let mut seen = vec![false; model.services.len()];
    let mut next = vec![from];
    while let Some(id) = next.pop() {
        if !std::mem::replace(&mut seen[id.index()], true) {
            next.extend(model.service(id).calls.list.iter().map(|call| call.edge.to));
        }
    }
    seen[to.index()]
}

/// A window that is long enough.
pub(super) fn window(length: &Length, spot: Spot<'_>) -> Result<Span, Diagnostic> {
    let window = length.span(spot)?;
    if window < SHORTEST_WINDOW {
        let message = format!("a window that slides must be at least {SHORTEST_WINDOW}");
        return Err(Diagnostic::error(spot.value(), message));
    }
    Ok(window)
}

impl SlidingWindow {
    fn rule(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Rule> {
        let ratio = out.keep(fraction(self.ratio, "the ratio", spot.at("ratio")));
        let window = out.keep(window(&self.window, spot.at("window")));
        let minimum = self.minimum_per_second;
        let what = "the minimum per second";
        let minimum = out.keep(whole(minimum, 0, MOST, what, spot.at("minimum_per_second")));
        Some(Rule::SlidingWindow(budget::SlidingWindow {
            ratio: ratio?,
            window: window?,
            minimum_per_second: minimum?,
            deposits: match self.deposits {
                Deposits::Sends => budget::Deposits::AllSends,
                Deposits::Requests => budget::Deposits::Requests,
                Deposits::Successes => budget::Deposits::Successes,
            },
        }))
    }
}

impl TokenThreshold {
    fn rule(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Rule> {
        let max_tokens =
            out.keep(whole(self.max_tokens, 1, 1_000, "the tokens", spot.at("max_tokens")));
        let ratio = out.keep(fraction(self.ratio, "the ratio", spot.at("ratio")))?;
        let thousandths = (ratio.as_f64() * 1_000.0).round();
        if thousandths == 0.0 || (thousandths / 1_000.0 - ratio.as_f64()).abs() > 1e-9 {
            let message = "a success gives whole thousandths of a token, at least one";
            out.add(
                Diagnostic::error(spot.at("ratio").value(), message)
                    .help("write a ratio such as 0.1 or 0.025".to_owned()),
            );
            return None;
        }
        let instead = "no budget is { none = {} }";
        let counted = failures(self.counts.as_ref(), Failures::ALL, instead, spot.at("counts"));
        Some(Rule::TokenThreshold(budget::TokenThreshold {
            max_tokens: max_tokens?,
            ratio_thousandths: thousandths as u32,
            counted: out.keep(counted)?,
        }))
    }
}

impl RefundableQuota {
    fn rule(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Rule> {
        let capacity = out.keep(whole(self.capacity, 1, MOST, "the capacity", spot.at("capacity")));
        let mut price = |key: &str, own: Option<i64>| {
            let (value, key) = own.map_or((self.cost, "cost"), |own| (own, key));
            let price = out.keep(whole(value, 0, MOST, "what a retry costs", spot.at(key)))?;
            let spot = spot.at(key);
            if let Some(capacity) = capacity
                && price > capacity
            {
                let message = format!(
                    "this retry is never paid: it costs more than the {capacity} there are"
                );
                out.add(Diagnostic::error(spot.value(), message));
                return None;
            }
            Some(price)
        };
        let other = price("cost", None);
        let timed_out = price("timeout_cost", self.timeout_cost);
        let refused = price("refusal_cost", self.refusal_cost);
        let what = "what a clean success gives";
        let clean_success =
            out.keep(whole(self.clean_success, 0, MOST, what, spot.at("clean_success")));
        Some(Rule::RefundableQuota(budget::RefundableQuota {
            capacity: capacity?,
            prices: Prices { timed_out: timed_out?, refused: refused?, other: other? },
            clean_success: clean_success?,
        }))
    }
}

impl Concurrency {
    fn rule(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<Rule> {
        let (share, most) = (spot.at("share"), spot.at("max_outstanding"));
        let failed = match self.failed_attempt {
            FailedAttempt::Left => budget::FailedAttempt::Left,
            FailedAttempt::Counts => budget::FailedAttempt::Counts,
        };
        match (self.share, self.max_outstanding) {
            (None, None) => {
                out.add(Diagnostic::error(spot.key, "`share` or `max_outstanding` is missing").help(
                    "add share = 0.2, minimum = 3 (of the attempts that are out), or max_outstanding = 3"
                        .to_owned(),
                ));
                None
            }
            (Some(_), Some(_)) if share.layer == most.layer => {
                let message = "`share` and `max_outstanding` exclude each other: both bound the \
                               retries that are out at once";
                let help = "keep one of the two; `minimum` goes with `share`".to_owned();
                out.add(Diagnostic::error(most.key, message).other(share.key, "").help(help));
                None
            }
            (None, Some(_)) if self.minimum.is_some() => {
                let spot = spot.at("minimum");
                out.add(
                    Diagnostic::error(spot.key, "a minimum goes with a `share`")
                        .help("leave it out, or write share = 0.2".to_owned()),
                );
                None
            }
            (ratio, count) if ratio.is_none() || (count.is_some() && most.layer > share.layer) => {
                let count = whole(count?, 1, MOST, "the number outstanding", most);
                let rule = budget::Concurrency::at_most(out.keep(count)?);
                Some(Rule::Concurrency(budget::Concurrency { failed, ..rule }))
            }
            (ratio, _) => {
                let ratio = out.keep(fraction(ratio?, "this", share));
                let minimum = self.minimum.unwrap_or(0);
                let minimum = out.keep(whole(minimum, 0, MOST, "the minimum", spot.at("minimum")));
                let (ratio, minimum) = (ratio?, minimum?);
                Some(Rule::Concurrency(budget::Concurrency { ratio, minimum, failed }))
            }
        }
    }
}
