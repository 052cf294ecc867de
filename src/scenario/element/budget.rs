//! `call.budget = { sliding_window = { ratio = 0.1, window = "10s" } }`: what bounds retries as a whole.

use serde::Deserialize;

use super::length::Length;
use super::number::fraction;
use super::world::Complaints;
use crate::policy::budget;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A retry budget as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Budget {
    None {},
    SlidingWindow(SlidingWindow),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SlidingWindow {
    ratio: f64,
    window: Length,
}

/// A window slides in a hundred steps of at least a nanosecond; real ones are seconds long.
const SHORTEST_WINDOW: Span = Span::from_millis(1);

impl Budget {
    /// The budget, which may be none.
    pub(super) fn build(&self, spot: Spot<'_>, out: &mut Complaints) -> Option<budget::Budget> {
        match self {
            Self::None {} => None,
            Self::SlidingWindow(SlidingWindow { ratio, window }) => {
                let spot = spot.at("sliding_window");
                let ratio = out.keep(fraction(*ratio, "the ratio", spot.at("ratio")));
                let window = out.keep(window.span(spot.at("window")));
                let window = window.filter(|window| {
                    let long_enough = *window >= SHORTEST_WINDOW;
                    if !long_enough {
                        let message =
                            format!("the window of a budget must be at least {SHORTEST_WINDOW}");
                        out.add(Diagnostic::error(spot.at("window").value(), message));
                    }
                    long_enough
                });
                let rule = budget::SlidingWindow::of_all_sends(ratio?, window?);
                Some(budget::Rule::SlidingWindow(rule).into())
            }
        }
    }
}
