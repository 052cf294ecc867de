//! The report: what is written, and what a browser makes of it.

mod chromium;
mod driven;
mod written;
