//! Scenario files: what they mean, and what is said about wrong ones.

mod answers;
mod bad_input;
mod bad_service;
mod client;
mod data;
mod effects;
mod files;
mod fleets;
mod graphs;
mod grid;
mod meaning;
mod overlay;
mod presets;
mod priority;
mod promises;
mod reading;
mod robust;
mod schema;
mod service_presets;
mod service_side;
mod solver;
mod warnings;

use metastable::scenario::{Story, Trouble};

/// A small valid scenario that tests change.
const STORM: &str = r#"title = "A storm"
horizon = "60s"

[services.api]
workers = 10
service_time = "10ms"

[clients.web]
calls = "api"
load = 0.7
call.timeout = "1s"
call.retry.immediate = { max_retries = 3 }

[triggers.gc]
stall = { service = "api", begins = "10s", lasts = "2s" }
"#;

fn parse(text: &str, overrides: &[&str]) -> Result<Story, Trouble> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Story::parse(text, "storm.toml", &overrides)
}

/// What is warned about in `text` under each of these overrides, as a snapshot shows it.
fn warned_about(text: &str, all: &[&[&str]]) -> String {
    let said = all.iter().map(|arguments| {
        let story = parse(text, arguments);
        let story = story.unwrap_or_else(|trouble| panic!("{arguments:?}: {trouble}"));
        assert!(!story.warnings.is_empty(), "{arguments:?}");
        format!("## {}\n{}\n\n", arguments.join(" "), story.warnings)
    });
    said.collect()
}
