#![doc = include_str!("../README.md")]

pub mod time;
pub mod unit;

pub mod id;
pub mod law;
pub mod random;

pub mod policy;

pub mod model;

pub mod observe;

pub mod engine;

pub mod analysis;

pub mod experiment;

pub mod report;
pub mod scenario;
