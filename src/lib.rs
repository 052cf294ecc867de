//! Does a service come back by itself once a disturbance is over?
//!
//! Clients have timeouts and retry. A short stall makes a queue; the queue makes answers late; late
//! answers make retries; retries keep the queue full after the stall is long over. The service is
//! busy and useless: a metastable failure. This library simulates services, their clients and a
//! disturbance, and tells whether, when and why the system comes back.
//!
//! ```text
//! scenario file -> model -> engine -> facts -> observations -> verdict -> tables, charts
//!   scenario       model    engine    observe    observe       analysis   report
//! ```
//!
//! Three retries, a stall of two seconds, and a service at 70 % load that never comes back:
//!
//! ```
//! use metastable::analysis::Verdict;
//! use metastable::experiment::Workbench;
//! use metastable::scenario::Story;
//!
//! let story = Story::parse(
//!     r#"
//!     title = "Three immediate retries keep a stalled service down"
//!     horizon = "60s"
//!     [services.api]
//!     workers = 10
//!     service_time = "10ms"
//!     [clients.web]
//!     calls = "api"
//!     load = 0.7
//!     call.timeout = "1s"
//!     call.retry.immediate = { max_retries = 3 }
//!     [triggers.gc]
//!     stall = { service = "api", begins = "10s", lasts = "2s" }
//!     "#,
//!     "storm.toml",
//!     &[],
//! )?;
//! let run = Workbench::default().run("base", &story.variants[0].model, 1);
//! assert_eq!(run.assessment.verdict, Verdict::Metastable);
//! # Ok::<(), metastable::scenario::Trouble>(())
//! ```
//!
//! The modules in reading order: ground ([`time`], [`unit`](mod@unit), [`id`], [`random`],
//! [`law`]), then [`policy`], [`model`], [`observe`], [`engine`] and
//! [`stepped`], [`analysis`], [`experiment`], and
//! the two shores, [`scenario`] and [`report`].

pub mod time;
pub mod unit;

pub mod id;
pub mod law;
pub mod random;

pub mod policy;

pub mod model;

pub mod observe;

pub mod engine;
pub mod stepped;

pub mod analysis;

pub mod experiment;

pub mod report;
pub mod scenario;

/// The README's example compiles and holds.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
