//! The words of the grammar: one element, one file, with its shape (what is written), its meaning
//! (what the model gets) and what can be wrong with it.

mod admission;
mod any;
mod arrivals;
mod bound;
mod breaker;
mod budget;
mod call;
mod client;
mod criterion;
mod deadline;
mod discipline;
mod document;
mod expect;
mod failure;
mod half_open;
mod hint;
mod jitter;
mod law;
mod length;
mod lever;
mod limit;
mod load_dependence;
mod maybe;
mod number;
mod people;
mod rate_limit;
mod retry;
mod service;
mod service_time;
mod shedding;
mod sweep;
mod throttle;
mod tries;
mod trigger;
mod variant;
mod world;

pub(super) use call::CALL_KEYS;
pub(super) use document::{Document, ROOT_KEYS, WORLD_KEYS};
pub(super) use expect::PROMISE_KEYS;
pub(super) use law::Quantiles;
pub(super) use length::parse_length;
pub(super) use number::thousands;
pub(super) use sweep::Sweep;
pub(super) use world::{Complaints, check_name};
