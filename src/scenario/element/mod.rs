//! The words of the grammar: one element, one file, with its shape (what is written), its meaning
//! (what the model gets) and what can be wrong with it.

mod admission;
mod any;
mod arrivals;
mod bound;
mod budget;
mod client;
mod criterion;
mod document;
mod expect;
mod length;
mod lever;
mod number;
mod people;
mod retry;
mod service;
mod service_time;
mod sweep;
mod trigger;
mod variant;
mod world;

pub(super) use client::CALL_KEYS;
pub(super) use document::{Document, ROOT_KEYS, WORLD_KEYS};
pub(super) use expect::PROMISE_KEYS;
pub(super) use length::parse_length;
pub(super) use number::thousands;
pub(super) use sweep::Sweep;
pub(super) use world::{Complaints, check_name};
