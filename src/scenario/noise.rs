//! Windows so short that chance decides whether they are good.

use super::source::Place;
use super::tree::Spot;
use super::trouble::Diagnostic;
use crate::model::{Arrivals, Model, Solver};
use crate::time::Span;

/// Fresh requests in a window below which goodput strays by a tenth of demand now and then: the
/// standard deviation of a Poisson count of 100 is a tenth of it.
const ENOUGH: f64 = 100.0;

/// The world with the fewest requests per window.
#[derive(Clone, Debug, Default)]
pub(super) struct Noise(Option<Thin>);

#[derive(Clone, Debug)]
struct Thin {
    requests: f64,
    window: Span,
    better: Option<Span>,
    name: String,
    place: Place,
}

impl Noise {
    pub(super) fn see(&mut self, name: impl Fn() -> String, root: Spot<'_>, model: &Model) {
        let random = |arrivals: &Arrivals| match arrivals {
            Arrivals::Poisson(_)
            | Arrivals::Bursts(_)
            | Arrivals::Profile(_)
            | Arrivals::Replay(_)
            | Arrivals::Users(_) => true,
            Arrivals::Even(_) | Arrivals::Volley { .. } => false,
        };
        if model.solver != Solver::Events {
            // In steps, only the mean comes.
            return;
        }
        let demand = model.fresh_demand();
        let requests = demand * model.window.as_secs_f64();
        let thinnest = self.0.as_ref().is_none_or(|known| requests < known.requests);
        if requests < ENOUGH
            && thinnest
            && model.clients.iter().any(|client| random(&client.arrivals))
        {
            self.0 = Some(Thin {
                requests,
                window: model.window,
                better: better_window(model.horizon, demand),
                name: name(),
                place: root.find("window").map_or(root.at("horizon").value(), Spot::value),
            });
        }
    }

    /// A warning of the thinnest of all.
    pub(super) fn warning<'n>(all: impl Iterator<Item = &'n Self>) -> Option<Diagnostic> {
        let thin = all.filter_map(|noise| noise.0.as_ref());
        let thin = thin.min_by(|a, b| a.requests.total_cmp(&b.requests))?;
        let message = format!(
            "a window of {} holds only about {} fresh requests, so chance alone can make it a bad one",
            thin.window,
            thin.requests.ceil()
        );
        let help = thin.better.map_or_else(
            || "longer windows over a longer horizon".to_owned(),
            |window| format!("write window = \"{window}\""),
        );
        Some(Diagnostic::warning(thin.place, message).note(format!("in {}", thin.name)).help(help))
    }
}

/// The shortest round window that holds enough requests and cuts the horizon into at least ten.
fn better_window(horizon: Span, demand: f64) -> Option<Span> {
    const SECONDS: [u64; 16] = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 300, 600, 3_600];
    let windows = SECONDS
        .iter()
        .flat_map(|second| [Span::from_millis(*second), Span::from_millis(*second * 10)]);
    let windows = windows.chain(
        SECONDS
            .iter()
            .flat_map(|second| [Span::from_millis(*second * 100), Span::from_secs(*second)]),
    );
    windows
        .filter(|window| window.as_secs_f64() * demand >= ENOUGH)
        .filter(|window| {
            horizon.as_nanos().is_multiple_of(window.as_nanos()) && window.times_in(horizon) >= 10
        })
        .min()
}
