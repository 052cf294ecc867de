//! `[triggers.NAME]`: what disturbs the system, when, and for how long.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::Length;
use super::number::{fraction, positive, whole};
use super::people::{NamedEdge, People};
use super::service::MOST_WORKERS;
use super::world::Complaints;
use crate::model::{self, Disturbance, Subject};
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::{Span, Time};

/// A trigger as it is written: one kind, named by its table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::scenario) enum Trigger {
    /// Work in service is frozen and nothing starts, while arrivals go on.
    Stall(Stall),
    /// Work that begins takes longer.
    Slowdown(Slowdown),
    /// Demand is multiplied.
    Surge(Surge),
    /// The service is gone.
    Outage(Outage),
    /// The network takes longer, each way.
    Latency(Latency),
    /// A share of attempts fails, beside those that fail anyway.
    Errors(Errors),
    /// A share of attempts and of answers is lost.
    Loss(Loss),
    /// The service has another number of workers.
    Capacity(Capacity),
    /// Everything in a cache is lost.
    Flush(Flush),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Stall {
    /// Which service.
    service: String,
    /// Which of its instances, counted from 1. Unit: number. Default: all of them.
    instance: Option<i64>,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Slowdown {
    /// Which service.
    service: String,
    /// Which of its instances, counted from 1. Unit: number. Default: all of them.
    instance: Option<i64>,
    /// How many times as long work takes. Unit: factor.
    factor: f64,
    /// What becomes of work that has begun. Default: `"untouched"`.
    #[serde(default)]
    in_progress: InProgress,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum InProgress {
    /// It goes on as it began.
    #[default]
    Untouched,
    /// The rest of it takes longer too.
    Stretched,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Surge {
    /// Whose demand.
    client: String,
    /// How many times as much comes. Unit: factor.
    factor: f64,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Outage {
    /// Which service.
    service: String,
    /// Which of its instances, counted from 1. Unit: number. Default: all of them.
    instance: Option<i64>,
    /// What becomes of those that wait. Default: `"lost"`.
    #[serde(default)]
    queue: Queue,
    /// What becomes of work that has begun. Default: `"lost"`.
    #[serde(default)]
    in_service: InService,
    /// Whether those whose attempts are lost hear of it. Default: `"at_once"`.
    #[serde(default)]
    clients_learn: Notice,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "QueueInOutage")]
enum Queue {
    /// They wait on.
    Kept,
    /// They are lost.
    #[default]
    Lost,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum InService {
    /// It is lost.
    #[default]
    Lost,
    /// It is finished.
    Finished,
    /// It stands still, and goes on afterwards.
    Frozen,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Notice {
    /// They hear at once.
    #[default]
    AtOnce,
    /// They hear nothing.
    Never,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LatencyTrigger")]
pub(in crate::scenario) struct Latency {
    /// Whose calls; or `service` and `call`.
    client: Option<String>,
    /// Whose call; with `call`.
    service: Option<String>,
    /// With `service`: which of its calls.
    call: Option<String>,
    /// How much longer a message takes.
    adds: Length,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ErrorsTrigger")]
pub(in crate::scenario) struct Errors {
    /// Which service.
    service: String,
    /// Which of its instances, counted from 1. Unit: number. Default: all of them.
    instance: Option<i64>,
    /// The share of attempts that fail. Unit: share.
    share: f64,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LossTrigger")]
pub(in crate::scenario) struct Loss {
    /// Whose calls; or `service` and `call`.
    client: Option<String>,
    /// Whose call; with `call`.
    service: Option<String>,
    /// With `service`: which of its calls.
    call: Option<String>,
    /// The share that is lost; 1 is a partition. Unit: share.
    share: f64,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Capacity {
    /// Which service.
    service: String,
    /// Which of its instances, counted from 1. Unit: number. Default: all of them.
    instance: Option<i64>,
    /// How many workers there are, whatever an autoscaler orders; what it has counts again afterwards. Unit:
    /// workers.
    workers: i64,
    /// When it begins.
    begins: Length,
    /// For how long.
    lasts: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

/// A cache is empty from an instant on: this has no length.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Flush {
    /// Whose calls; or `service` and `call`.
    client: Option<String>,
    /// Whose call; with `call`.
    service: Option<String>,
    /// With `service`: which of its calls.
    call: Option<String>,
    /// When it begins.
    begins: Length,
    /// That it comes again. Default: it comes once.
    repeat: Option<Repeat>,
}

/// How a trigger comes again.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Repeat {
    /// From one beginning to the next.
    every: Length,
    /// How often it comes. Unit: times.
    times: i64,
}

/// A trigger that comes more often than this is a state, not a disturbance.
const MOST_TIMES: u32 = 1_000;
/// A thousand times slower is a stall.
const LARGEST_FACTOR: f64 = 1_000.0;

/// When a trigger acts, as it is written.
struct When<'a> {
    begins: &'a Length,
    /// None for what is over the moment it begins.
    lasts: Option<&'a Length>,
    repeat: Option<&'a Repeat>,
    spot: Spot<'a>,
}

impl Trigger {
    /// The trigger, once for each time it comes; none if anything is wrong with it.
    pub(super) fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        horizon: Option<Span>,
        people: &People<'_>,
        out: &mut Complaints,
    ) -> Option<Vec<model::Trigger>> {
        let (kind, begins, lasts, repeat) = match self {
            Self::Stall(t) => ("stall", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Slowdown(t) => ("slowdown", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Surge(t) => ("surge", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Outage(t) => ("outage", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Latency(t) => ("latency", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Errors(t) => ("errors", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Loss(t) => ("loss", &t.begins, Some(&t.lasts), &t.repeat),
            Self::Flush(t) => ("flush", &t.begins, None, &t.repeat),
            Self::Capacity(t) => ("capacity", &t.begins, Some(&t.lasts), &t.repeat),
        };
        let spot = spot.at(kind);
        let disturbance = self.disturbance(spot, people, out);
        let instance = self.instance(disturbance, spot.at("instance"), people, out);
        let when = When { begins, lasts, repeat: repeat.as_ref(), spot };
        let times = when.times(horizon, out);
        let (disturbance, instance, times) = (disturbance?, instance?, times?);
        let triggers = times.into_iter().map(|(begins, lasts)| model::Trigger {
            name: name.to_owned(),
            instance,
            begins,
            lasts,
            disturbance,
        });
        Some(triggers.collect())
    }

    /// Which instance it is about, counted from zero; none inside for all of them.
    fn instance(
        &self,
        disturbance: Option<Disturbance>,
        spot: Spot<'_>,
        people: &People<'_>,
        out: &mut Complaints,
    ) -> Option<Option<u16>> {
        let written = match self {
            Self::Stall(t) => t.instance,
            Self::Slowdown(t) => t.instance,
            Self::Outage(t) => t.instance,
            Self::Errors(t) => t.instance,
            Self::Capacity(t) => t.instance,
            Self::Surge(_) | Self::Latency(_) | Self::Loss(_) | Self::Flush(_) => None,
        };
        let Some(number) = written else { return Some(None) };
        let Subject::Service(service) = disturbance?.subject() else { return Some(None) };
        out.keep(people.instance(number, service, spot)).flatten().map(Some)
    }

    fn disturbance(
        &self,
        spot: Spot<'_>,
        people: &People<'_>,
        out: &mut Complaints,
    ) -> Option<Disturbance> {
        match self {
            Self::Stall(stall) => {
                let service = out.keep(people.service(&stall.service, spot.at("service")))?;
                Some(Disturbance::Stall { service })
            }
            Self::Slowdown(slowdown) => {
                let service = out.keep(people.service(&slowdown.service, spot.at("service")));
                let factor = positive(slowdown.factor, LARGEST_FACTOR, "factor", spot.at("factor"));
                let factor = out.keep(factor);
                let in_progress = match slowdown.in_progress {
                    InProgress::Untouched => model::InProgress::Untouched,
                    InProgress::Stretched => model::InProgress::Stretched,
                };
                Some(Disturbance::Slowdown { service: service?, factor: factor?, in_progress })
            }
            Self::Surge(surge) => {
                let client = out.keep(people.client(&surge.client, spot.at("client")));
                let factor = out.keep(people.surge(surge.factor, client, spot, LARGEST_FACTOR));
                Some(Disturbance::Surge { client: client?, factor: factor? })
            }
            Self::Outage(outage) => {
                let service = out.keep(people.service(&outage.service, spot.at("service")))?;
                Some(Disturbance::Outage(model::Outage {
                    service,
                    queue: match outage.queue {
                        Queue::Kept => model::QueueFate::Kept,
                        Queue::Lost => model::QueueFate::Lost,
                    },
                    in_service: match outage.in_service {
                        InService::Lost => model::ServiceFate::Lost,
                        InService::Finished => model::ServiceFate::Finished,
                        InService::Frozen => model::ServiceFate::Frozen,
                    },
                    clients: outage.clients_learn.notice(),
                }))
            }
            Self::Latency(latency) => {
                let named = NamedEdge {
                    client: latency.client.as_deref(),
                    service: latency.service.as_deref(),
                    call: latency.call.as_deref(),
                };
                let edge = out.keep(people.edge(named, spot)).flatten();
                let adds = out.keep(latency.adds.above_zero(spot.at("adds"), ""));
                Some(Disturbance::Latency { edge: edge?, adds: adds? })
            }
            Self::Errors(errors) => {
                let service = out.keep(people.service(&errors.service, spot.at("service")));
                let share = out.keep(fraction(errors.share, "the share", spot.at("share")));
                Some(Disturbance::ErrorShare { service: service?, share: share? })
            }
            Self::Loss(loss) => {
                let named = NamedEdge {
                    client: loss.client.as_deref(),
                    service: loss.service.as_deref(),
                    call: loss.call.as_deref(),
                };
                let edge = out.keep(people.edge(named, spot)).flatten();
                let share = out.keep(fraction(loss.share, "the share", spot.at("share")));
                Some(Disturbance::Loss { edge: edge?, share: share? })
            }
            Self::Flush(flush) => {
                let named = NamedEdge {
                    client: flush.client.as_deref(),
                    service: flush.service.as_deref(),
                    call: flush.call.as_deref(),
                };
                let edge = out.keep(people.edge(named, spot)).flatten();
                Some(Disturbance::Flush { edge: edge? })
            }
            Self::Capacity(capacity) => {
                let service = out.keep(people.service(&capacity.service, spot.at("service")));
                let what = "the number of workers";
                let workers = whole(capacity.workers, 1, MOST_WORKERS, what, spot.at("workers"))
                    .map_err(|diagnostic| {
                        let none = capacity.workers == 0;
                        diagnostic.help(none.then(|| {
                            "a service without workers is an outage: write outage = { .. }"
                                .to_owned()
                        }))
                    });
                let workers = out.keep(workers).and_then(NonZeroU32::new);
                Some(Disturbance::Capacity { service: service?, workers: workers? })
            }
        }
    }
}

impl Notice {
    pub(super) const fn notice(self) -> model::Notice {
        match self {
            Self::AtOnce => model::Notice::AtOnce,
            Self::Never => model::Notice::Never,
        }
    }
}

impl When<'_> {
    /// Each time the trigger begins, and how long it lasts.
    fn times(&self, horizon: Option<Span>, out: &mut Complaints) -> Option<Vec<(Time, Span)>> {
        let begins = out.keep(self.begins.span(self.spot.at("begins")));
        let lasts = match self.lasts {
            None => Some(Span::ZERO),
            Some(lasts) => {
                let instead = "for no trigger, leave it out";
                out.keep(lasts.above_zero(self.spot.at("lasts"), instead))
            }
        };
        let (begins, lasts) = (begins?, lasts?);
        out.keep(check_begin(begins, horizon, self.spot.at("begins")))?;
        let Some(repeat) = self.repeat else {
            return Some(vec![(Time::ZERO + begins, lasts)]);
        };
        let spot = self.spot.at("repeat");
        let every = out.keep(repeat.every.above_zero(spot.at("every"), ""));
        let times = whole(repeat.times, 2, MOST_TIMES, "the number of times", spot.at("times"));
        let (every, times) = (every?, out.keep(times)?);
        if every <= lasts {
            let message = format!("it lasts {lasts}, so it cannot come again every {every}");
            out.add(Diagnostic::error(spot.at("every").value(), message));
            return None;
        }
        let last = begins + every.saturating_mul(u64::from(times - 1));
        out.keep(check_begin(last, horizon, spot.at("times")))?;
        let times = (0..u64::from(times)).map(|index| begins + every.saturating_mul(index));
        Some(times.map(|begins| (Time::ZERO + begins, lasts)).collect())
    }
}

/// That something begins while the run goes on.
pub(super) fn check_begin(
    begins: Span,
    horizon: Option<Span>,
    spot: Spot<'_>,
) -> Result<(), Diagnostic> {
    match horizon {
        Some(horizon) if begins >= horizon => Err(Diagnostic::error(
            spot.value(),
            format!("this begins when the run is over: the horizon is {horizon}"),
        )
        .help("an earlier beginning, or a longer horizon".to_owned())),
        Some(_) | None => Ok(()),
    }
}
