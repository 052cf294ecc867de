//! `solver`: what works the runs out.

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::thousands;
use super::world::Complaints;
use crate::model::{self, Model};
use crate::scenario::tree::{Spot, quote};
use crate::scenario::trouble::Diagnostic;
use crate::stepped::{MAX_STEPS, Obstacle, obstacles};
use crate::time::Span;

/// The solver as it is written.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::scenario) enum Solver {
    /// Each attempt by itself.
    #[default]
    Events,
    /// In steps, with counts of attempts.
    Stepped(Stepped),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Stepped {
    /// The length of a step, which goes into the window a whole number of times.
    step: Length,
}

impl Solver {
    /// The solver; `spot` is where it is written.
    pub(super) fn build(&self, spot: Spot<'_>) -> Result<model::Solver, Diagnostic> {
        match self {
            Self::Events => Ok(model::Solver::Events),
            Self::Stepped(stepped) => {
                let step = stepped.step.above_zero(spot.at("stepped").at("step"), "")?;
                Ok(model::Solver::Stepped { step })
            }
        }
    }
}

/// Complains of everything in `model`, the world at `spot`, that its solver cannot do.
pub(super) fn check(model: &Model, spot: Spot<'_>, out: &mut Complaints) {
    let Some(step) = model.solver.step() else { return };
    let solver = spot.at("solver");
    for obstacle in obstacles(model, step) {
        let diagnostic = match obstacle {
            Obstacle::Step => not_whole(model.window, step, solver),
            Obstacle::Steps(steps) => too_many(steps, model, solver),
            Obstacle::Services => cannot(spot, &["services"], "it knows one"),
            Obstacle::Clients => cannot(spot, &["clients"], "it knows one"),
            Obstacle::Start => cannot(spot, &["start"], "its runs begin empty"),
            Obstacle::Tie => cannot(spot, &["tie"], "within a step nothing comes first"),
            Obstacle::Trigger(id) => {
                let name = &model.triggers[id.index()].name;
                cannot(spot, &["triggers", name], KINDS)
            }
            Obstacle::Lever(id) => {
                let name = &model.levers[id.index()].name;
                cannot(spot, &["levers", name], "nobody pulls a lever there")
            }
            Obstacle::Arrivals => of_client(model, spot, &["arrivals"], FLOWS),
            Obstacle::Retry => of_client(model, spot, &["call", "retry"], SAME_WAITS),
            Obstacle::Budget => of_client(model, spot, &["call", "budget"], FORGETS),
            Obstacle::Throttle => of_client(model, spot, &["call", "throttle"], FORGETS),
            Obstacle::Breaker => of_client(model, spot, &["call", "breaker"], FORGETS),
            Obstacle::Hedge => of_client(model, spot, &["call", "hedge"], ONE_BY_ONE),
            Obstacle::Pool => of_client(model, spot, &["call", "pool"], ONE_BY_ONE),
            Obstacle::Cache => of_client(model, spot, &["call", "cache"], ONE_BY_ONE),
            Obstacle::Transport => of_client(model, spot, &["call", "transport"], ONE_BY_ONE),
            Obstacle::Deadline => of_client(model, spot, &["call", "deadline"], ATTEMPTS),
            Obstacle::Latency => of_client(model, spot, &["call", "latency"], NO_NETWORK),
            Obstacle::Loss => of_client(model, spot, &["call", "loss"], NO_CHANCE),
            Obstacle::LateAnswers => of_client(model, spot, &["call", "late_answers"], ATTEMPTS),
            Obstacle::ServiceTime => of_service(model, spot, "service_time", SAME_WORK),
            Obstacle::Instances => of_service(model, spot, "instances", ONE_LINE),
            Obstacle::Queue => of_service(model, spot, "queue", ONE_LINE),
            Obstacle::Shedding => of_service(model, spot, "shedding", ONE_BY_ONE),
            Obstacle::Discipline => of_service(model, spot, "discipline", ONE_LINE),
            Obstacle::LoadDependence => of_service(model, spot, "load_dependence", SAME_WORK),
            Obstacle::Limit => of_service(model, spot, "limit", ONE_BY_ONE),
            Obstacle::RateLimit => of_service(model, spot, "rate_limit", ONE_BY_ONE),
            Obstacle::Errors => of_service(model, spot, "errors", NO_CHANCE),
            Obstacle::Refusals => of_service(model, spot, "refusals", FREE),
            Obstacle::QueueTimeout => of_service(model, spot, "queue_timeout", ONE_BY_ONE),
            Obstacle::Autoscaling => {
                of_service(model, spot, "autoscaling", "its workers change by triggers only")
            }
            Obstacle::Effect => of_service(model, spot, "effect", ONE_BY_ONE),
            Obstacle::Calls => of_service(model, spot, "calls", "it knows one service"),
        };
        out.add(diagnostic);
    }
}

fn not_whole(window: Span, step: Span, solver: Spot<'_>) -> Diagnostic {
    let message = format!("a window of {window} is not a whole number of steps of {step}");
    Diagnostic::error(solver.at("stepped").at("step").value(), message)
        .help(format!("write step = \"{window}\", or a step that goes into it"))
}

fn too_many(steps: u64, model: &Model, solver: Spot<'_>) -> Diagnostic {
    let message = format!(
        "a horizon of {} has {} steps; the limit is {}",
        model.horizon,
        thousands(steps),
        thousands(MAX_STEPS)
    );
    Diagnostic::error(solver.at("stepped").at("step").value(), message)
        .help("a longer step, or a shorter horizon".to_owned())
}

const KINDS: &str = "it knows stalls, slowdowns of what begins, surges and capacity";
const FLOWS: &str = "it knows even arrivals, and the means of poisson and profile";
const SAME_WAITS: &str = "those who fail together wait equally long, and then ask again";
const FORGETS: &str = "it keeps no memory of what was sent and what became of it";
const ONE_BY_ONE: &str = "it counts attempts and does not follow each";
const ATTEMPTS: &str = "its only clock is the timeout of an attempt";
const NO_NETWORK: &str = "its network takes no time";
const SAME_WORK: &str = "every attempt is the same work there";
const ONE_LINE: &str = "it has one line, first come, first served";
const NO_CHANCE: &str = "there is no chance in it";
const FREE: &str = "a refusal costs nothing there";

fn of_client(model: &Model, spot: Spot<'_>, keys: &[&str], why: &str) -> Diagnostic {
    let name = model.clients.first().map_or("", |client| &client.name);
    cannot(spot, &[&["clients", name], keys].concat(), why)
}

fn of_service(model: &Model, spot: Spot<'_>, key: &str, why: &str) -> Diagnostic {
    let name = model.services.first().map_or("", |service| &service.name);
    cannot(spot, &["services", name, key], why)
}

/// The complaint that the solver cannot do what stands at a path from `spot` on.
fn cannot(spot: Spot<'_>, path: &[&str], why: &str) -> Diagnostic {
    let place = path.iter().fold(spot, |spot, key| spot.at(key)).key;
    let path = path.iter().map(|key| quote(key)).collect::<Vec<_>>().join(".");
    Diagnostic::error(
        spot.at("solver").key,
        format!("the stepped solver cannot do `{path}`: {why}"),
    )
    .other(place, "this")
    .help("leave one of the two out: the usual solver, solver = \"events\", can do it".to_owned())
}
