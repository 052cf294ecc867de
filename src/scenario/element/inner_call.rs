//! `[services.NAME.calls.NAME]`: what a service calls while it serves an attempt.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::breaker::Breaker;
use super::budget::Budget;
use super::cache::Cache;
use super::call::{Call, LateAnswers, Scope, TimeoutFrom};
use super::deadline::Deadline;
use super::hedge::Hedge;
use super::length::Length;
use super::loss::Loss;
use super::maybe::Maybe;
use super::names::Names;
use super::number::{fraction, thousands, whole};
use super::people::service_called;
use super::pool::Pool;
use super::retry::Retry;
use super::service_time::ServiceTime;
use super::throttle::Throttle;
use super::transport::Transport;
use super::wait::Wait;
use super::world::{Complaints, check_name};
use crate::id::{EdgeId, ServiceId};
use crate::model::{self, Model, Need, PassedOn};
use crate::scenario::schema::piece::{ClientPresets, LengthOrNone};
use crate::scenario::tree::{Spot, quote};
use crate::scenario::trouble::Diagnostic;
use crate::unit::Fraction;

/// One call as it is written: whom, when and how often, and then every key of a client's call, each
/// of them by name, since flattened keys have no places.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InnerCall {
    /// The service called. Default: the name of the table.
    to: Option<String>,
    /// Calls of one step leave together, those of the next when all of them have ended. Unit: step.
    /// Default: `1`.
    step: Option<i64>,
    /// For which share of attempts the call is made. Unit: share. Default: `1`.
    share: Option<f64>,
    /// How many such calls are made at once. Unit: calls. Default: `1`.
    copies: Option<i64>,
    /// Whether its failure fails the attempt. Default: `true`.
    #[serde(default = "yes")]
    needed: bool,
    /// Whether the time that is left to the attempt bounds the call. Default: `false`.
    #[serde(default)]
    passes_deadline: bool,
    /// Whether the call is withdrawn when the attempt is withdrawn or has failed. Default: `false`.
    #[serde(default)]
    passes_cancellation: bool,
    /// Whether “do not try again” is told to whoever sent the attempt. Default: `false`.
    #[serde(default)]
    passes_guidance: bool,
    /// A policy of a widely used client, by name, or several of which the first has the say.
    #[schemars(with = "Option<ClientPresets>")]
    preset: Option<Names>,
    /// How long an attempt is waited for, or `"none"`. Default: `"none"`.
    #[schemars(with = "Option<LengthOrNone>")]
    timeout: Option<Length>,
    /// From when on. Default: `"dispatched"`.
    #[serde(default)]
    timeout_from: TimeoutFrom,
    /// What is tried again, and when. Default: `{ never = {} }`.
    retry: Option<Retry>,
    /// A wait of its own after a refusal: a length, a table, or `"none"`. Default: `"none"`.
    wait_after_refusal: Option<Wait>,
    /// How many retries may be sent. Default: `{ none = {} }`.
    budget: Option<Budget>,
    /// Whether an attempt may leave, given how the service has answered. Default: `{ none = {} }`.
    throttle: Option<Throttle>,
    /// When it stops calling for a while, or `"none"`. Default: `"none"`.
    breaker: Option<Maybe<Breaker>>,
    /// When another copy of an attempt is sent that is still out, or `"none"`. Default: `"none"`.
    hedge: Option<Maybe<Hedge>>,
    /// How many attempts may be out at once, or `"none"`. Default: `"none"`.
    pool: Option<Maybe<Pool>>,
    /// What need not be asked for, or `"none"`. Default: `"none"`.
    cache: Option<Maybe<Cache>>,
    /// What is sent again beneath all policies, or `"none"`. Default: `"none"`.
    transport: Option<Maybe<Transport>>,
    /// How long a request may take, all attempts together, or `"none"`. Default: `"none"`.
    deadline: Option<Maybe<Deadline>>,
    /// Whose memory budget, throttle, breaker, pool, cache and hedging are. Default: `"shared"`.
    #[serde(default)]
    scope: Scope,
    /// How long a message takes each way: a length or a law. Default: no time.
    latency: Option<ServiceTime>,
    /// What the network loses all the time, or `"none"`. Default: `"none"`.
    loss: Option<Maybe<Loss>>,
    /// What an answer to an attempt that was given up is worth. Default: `"wasted"`.
    #[serde(default)]
    late_answers: LateAnswers,
}

/// Calls by their names, as they are written.
#[derive(Clone, Debug, Default, JsonSchema)]
pub(super) struct InnerCalls(BTreeMap<String, InnerCall>);

impl<'de> Deserialize<'de> for InnerCalls {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Reads the table, and tells whoever writes names alone how a table of calls is written.
        struct Calls;

        fn by_name<E: Error>(name: &str) -> E {
            E::custom(format!(
                "the calls of a service are tables, named after what is called\nwrite calls.{} = {{}}",
                quote(name)
            ))
        }

        impl<'de> Visitor<'de> for Calls {
            type Value = InnerCalls;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<InnerCalls, E> {
                Err(by_name(name))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<InnerCalls, A::Error> {
                let first = names.next_element::<String>().ok().flatten();
                while names.next_element::<IgnoredAny>().is_ok_and(|name| name.is_some()) {}
                Err(by_name(first.as_deref().unwrap_or("NAME")))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<InnerCalls, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(map)).map(InnerCalls)
            }
        }
        deserializer.deserialize_any(Calls)
    }
}

/// What a worker does while calls are out.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WhileCalling {
    /// A worker waits for what it has called.
    #[default]
    HoldsWorker,
    /// It serves others meanwhile.
    FreesWorker,
}

/// Calls of a service stand one after another only so often.
const MOST_STEPS: u32 = 1_000;
/// More copies than anybody fans out to.
const MOST_COPIES: u32 = 10_000;
/// The most calls that one service can make; how many there can be at all, the model knows.
const MOST_CALLS: usize = 10_000;

/// The most services on a path of calls. An answer goes up the whole path in one instant.
const DEEPEST: u32 = 100;

const fn yes() -> bool {
    true
}

/// What a service calls, of what is written about that; none if anything is wrong with it.
pub(super) fn calls(
    InnerCalls(written): &InnerCalls,
    work_before: Option<f64>,
    meanwhile: WhileCalling,
    spot: Spot<'_>,
    services: &[&str],
    out: &mut Complaints,
) -> Option<model::Calls> {
    let work_before = match work_before {
        None => Some(Fraction::ONE),
        Some(share) => {
            let what = "the work before the calls";
            out.keep(fraction(share, what, spot.at("work_before_calls")))
        }
    };
    let here = spot.at("calls");
    if written.len() > MOST_CALLS {
        out.add(Diagnostic::error(here.key, "this service makes too many different calls"));
        return None;
    }
    let list: Vec<Option<model::InnerCall>> =
        written.iter().map(|(name, call)| call.build(name, here.at(name), services, out)).collect();
    let mut list: Vec<model::InnerCall> = list.into_iter().collect::<Option<_>>()?;
    list.sort_by_key(|call| call.step);
    let meanwhile = match meanwhile {
        WhileCalling::HoldsWorker => model::Meanwhile::HoldsWorker,
        WhileCalling::FreesWorker => model::Meanwhile::FreesWorker,
    };
    Some(model::Calls { list, work_before: work_before?, meanwhile })
}

impl InnerCall {
    /// The call; none if anything is wrong with it.
    fn build(
        &self,
        name: &str,
        spot: Spot<'_>,
        services: &[&str],
        out: &mut Complaints,
    ) -> Option<model::InnerCall> {
        if let Some(message) = check_name(name) {
            out.add(Diagnostic::error(spot.key, message));
        }
        let to = out.keep(service_called(name, self.to.as_deref(), services, spot));
        let step = self.step.unwrap_or(1);
        let step = out.keep(whole(step, 1, MOST_STEPS, "the step", spot.at("step")));
        let share = out.keep(self.share(spot.at("share")));
        let copies = self.copies.unwrap_or(1);
        let what = "the number of copies";
        let copies = out.keep(whole(copies, 1, MOST_COPIES, what, spot.at("copies")));
        // A call to nobody is still read to its end for other mistakes.
        let edge = self.call().build(to.unwrap_or(ServiceId(0)), spot, out);
        let passed = |passed| if passed { PassedOn::PassedOn } else { PassedOn::Kept };
        to?;
        Some(model::InnerCall {
            step: u16::try_from(step? - 1).ok()?,
            share: share?,
            copies: u16::try_from(copies?).ok().and_then(NonZeroU16::new)?,
            need: if self.needed { Need::Needed } else { Need::BestEffort },
            deadline: passed(self.passes_deadline),
            cancellation: passed(self.passes_cancellation),
            guidance: passed(self.passes_guidance),
            ..model::InnerCall::new(name, edge?)
        })
    }

    fn share(&self, spot: Spot<'_>) -> Result<Fraction, Diagnostic> {
        let share = fraction(self.share.unwrap_or(1.0), "the share", spot)?;
        if share == Fraction::ZERO {
            let message = "a call with share 0 is never made";
            return Err(Diagnostic::error(spot.value(), message)
                .help("leave the call out, or write a share above 0".to_owned()));
        }
        Ok(share)
    }

    /// The part that a client's call has too.
    fn call(&self) -> Call {
        let written = self.clone();
        Call {
            _preset: written.preset,
            timeout: written.timeout,
            timeout_from: written.timeout_from,
            retry: written.retry,
            wait_after_refusal: written.wait_after_refusal,
            budget: written.budget,
            throttle: written.throttle,
            breaker: written.breaker,
            hedge: written.hedge,
            pool: written.pool,
            cache: written.cache,
            transport: written.transport,
            deadline: written.deadline,
            scope: written.scope,
            latency: written.latency,
            loss: written.loss,
            late_answers: written.late_answers,
        }
    }
}

/// That a request does not pass more services than anybody's does.
fn check_depth(
    model: &Model,
    callees_first: &[ServiceId],
    services: Spot<'_>,
) -> Result<(), Diagnostic> {
    let mut depths = vec![1; model.services.len()];
    for id in callees_first {
        let calls = model.service(*id).calls.list.iter();
        let below = calls.map(|call| depths[call.edge.to.index()]).max().unwrap_or(0);
        depths[id.index()] = 1 + below;
        if below >= DEEPEST {
            let message = format!("calls go more than {DEEPEST} services deep from here");
            let place = services.at(&model.service(*id).name).key;
            return Err(Diagnostic::error(place, message)
                .help("leave out services that only hand on".to_owned()));
        }
    }
    Ok(())
}

/// That services call nobody who calls them in turn, and that all edges have numbers.
pub(super) fn check_calls(model: &Model, spot: Spot<'_>) -> Result<(), Diagnostic> {
    let here = spot.at("services");
    let between_services = model.services.iter().map(|service| service.calls.list.len());
    let edges = model.clients.len() + between_services.sum::<usize>();
    if edges > EdgeId::MOST {
        let most = thousands(EdgeId::MOST as u64);
        let message = format!("there are {} calls; the limit is {most}", thousands(edges as u64));
        return Err(Diagnostic::error(here.key, message)
            .note("the calls of clients and those between services are counted"));
    }
    let cycle = match model.callees_first() {
        Ok(order) => return check_depth(model, &order, here),
        Err(cycle) => cycle,
    };
    let services: Vec<&model::Service> = cycle.iter().map(|id| model.service(*id)).collect();
    let names = services.iter().chain(services.first()).map(|service| quote(&service.name));
    let message = format!(
        "services call each other in a circle: {}",
        names.collect::<Vec<_>>().join(" \u{2192} ")
    );
    let back = services.last().zip(cycle.first()).and_then(|(last, first)| {
        let call = last.calls.list.iter().find(|call| call.edge.to == *first)?;
        Some(here.at(&last.name).at("calls").at(&call.name))
    });
    Err(Diagnostic::error(back.unwrap_or(here).key, message)
        .help("every request would call for ever: leave one of these calls out".to_owned()))
}
