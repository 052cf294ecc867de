//! `call.transport = { repeats = "on_reused", keep_alive = { server_idle_timeout = "5s" } }`: what happens
//! beneath a client's policies.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;

use super::length::{Length, no_word};
use super::maybe::Maybe;
use super::number::whole;
use super::tries::{Count, UNLIMITED};
use super::world::Complaints;
use crate::law::Law;
use crate::policy::transport;
use crate::scenario::schema::piece::LengthOrNone;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;
use crate::time::Span;

/// A transport as it is written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Transport {
    /// Which connections are kept idle, or `"none"`. Default: `"none"`.
    keep_alive: Option<Maybe<KeepAlive>>,
    /// What is sent again. Default: `"never"`.
    #[serde(default)]
    repeats: Repeats,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeepAlive {
    /// The server closes what has been idle for so long, or `"none"`. Default: `"none"`.
    #[schemars(with = "Option<LengthOrNone>")]
    server_idle_timeout: Option<Length>,
    /// The client closes what has been idle for so long, or `"none"`. Default: `"none"`.
    #[schemars(with = "Option<LengthOrNone>")]
    client_idle_timeout: Option<Length>,
    /// How many idle ones are kept, or `"unlimited"`. Unit: connections. Default: `"unlimited"`.
    max_idle: Option<Count>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Repeats {
    /// Nothing.
    #[default]
    Never,
    /// What failed on a connection that had carried an answer, once, on a fresh one (Go's
    /// `net/http`).
    OnReused,
    /// What nobody was reached for, again and again; what was refused unseen, once (gRFC A6).
    Transparent(Transparent),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Transparent {
    /// From one try to the next. Default: `"1s"`.
    pause: Option<Length>,
}

/// gRPC's first wait before it connects anew ("Connection Backoff Protocol", `INITIAL_BACKOFF`).
const USUAL_PAUSE: Span = Span::from_secs(1);
/// More connections than a run can have attempts in flight.
const MOST_IDLE: u32 = 1_000_000_000;
/// A connection that is never closed.
const NONE: &str = "none";

impl Transport {
    /// The transport; none if anything is wrong with it. `latency` is the law of the way.
    pub(super) fn build(
        &self,
        latency: Option<&Law>,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<transport::Transport> {
        let one_way = latency.map_or(Span::ZERO, Law::mean);
        let keep_alive = match self.keep_alive.as_ref().and_then(|keep_alive| keep_alive.0.as_ref())
        {
            None => Some(None),
            Some(written) => written.build(one_way, spot.at("keep_alive"), out).map(Some),
        };
        let repeats = match &self.repeats {
            Repeats::Never => Some(transport::Repeats::Never),
            Repeats::OnReused => Some(transport::Repeats::OnReused),
            Repeats::Transparent(Transparent { pause }) => {
                let spot = spot.at("repeats").at("transparent").at("pause");
                let pause = match pause {
                    None => Some(USUAL_PAUSE),
                    Some(length) => {
                        let why = "whoever cannot be reached would be asked without end at one \
                                   instant";
                        out.keep(length.above_zero(spot, why))
                    }
                };
                pause.map(|pause| transport::Repeats::Transparent { pause })
            }
        };
        Some(transport::Transport { keep_alive: keep_alive?, repeats: repeats? })
    }
}

impl KeepAlive {
    fn build(
        &self,
        one_way: Span,
        spot: Spot<'_>,
        out: &mut Complaints,
    ) -> Option<transport::KeepAlive> {
        let server = timeout(self.server_idle_timeout.as_ref(), spot.at("server_idle_timeout"));
        let client = timeout(self.client_idle_timeout.as_ref(), spot.at("client_idle_timeout"));
        let most = match self.max_idle {
            None | Some(Count::Unlimited) => Ok(None),
            Some(Count::Number(most)) => {
                let what = "the number of idle connections";
                let help = format!(
                    "write keep_alive = \"none\" to keep none, \"{UNLIMITED}\" for no bound"
                );
                whole(most, 1, MOST_IDLE, what, spot.at("max_idle"))
                    .map(NonZeroU32::new)
                    .map_err(|wrong| wrong.help(help))
            }
        };
        let (server, client, most) = (out.keep(server), out.keep(client), out.keep(most));
        Some(transport::KeepAlive {
            server_closes: server?,
            client_closes: client?,
            one_way,
            most: most?,
        })
    }
}

/// How long a connection may be idle; none for ever.
fn timeout(length: Option<&Length>, spot: Spot<'_>) -> Result<Option<Span>, Diagnostic> {
    match length {
        None => Ok(None),
        Some(length) if length.0 == NONE => Ok(None),
        Some(length) => {
            no_word(&length.0, &[NONE], spot)?;
            let instead = "no connection is kept with keep_alive = \"none\"";
            length.above_zero(spot, instead).map(Some)
        }
    }
}
