//! Whatever is written: an answer, never a panic; and the order of tables means nothing.

use proptest::prelude::*;

use super::{STORM, parse};

/// A scenario that uses every word of the grammar.
const EVERYTHING: &str = r#"
title = "Everything"
base = "as it is"
seed = 3
horizon = "20s"
window = "500ms"
criterion = { goodput = 0.8, hold = "5s" }

[services.api]
workers = 10
service_time = { exponential = { mean = "10ms" } }
queue = { max_work = "0.8s" }
shedding = "unfinishable"

[services.db]
workers = 3
service_time = { fixed = "1ms" }
queue = { max_waiting = 7 }

[clients.web]
calls = "api"
load = 0.7
call.timeout = "1s"
call.retry.exponential = { max_retries = 3, base = "10ms", factor = 1.5, cap = "2s" }
call.wait_after_refusal = "100ms"
call.budget.sliding_window = { ratio = 0.1, window = "10s", hedges = "bypass" }
call.hedge = { delay = { percentile = 0.95, until_then = "50ms" }, max_hedges = 1 }
call.pool = { size = 50, max_waiting = 100, acquire_timeout = "200ms" }
call.timeout_from = "ready"

[clients.batch]
calls = "db"
arrival_rate = 300
arrivals = "even"
call.timeout = "none"
call.retry = { fixed = { max_retries = 1, wait = "10ms" } }
call.budget = { none = {} }

[triggers.gc]
stall = { service = "api", begins = "5s", lasts = "1s" }

[variants."no \"retries\""]
"clients.web.call.retry" = { never = {} }
expect = { verdict = "recovered", back_at_s = { min = 1, max = 9 } }

[sweep]
seeds = 2
variants = ["as it is"]

[sweep.axes]
"clients.web.load" = { from = 0.1, to = 0.5, step = 0.2 }
"triggers.gc.stall.lasts" = ["500ms", "1.5s"]

[[sweep.expect]]
where = { "clients.web.load" = [0.1], variant = "as it is" }
recovered = 2

[expect]
seeds = 2
retries = { max = 9e9 }
"#;

/// Fragments that steer a mutation towards what a person might type.
const FRAGMENTS: [&str; 22] = [
    "\"",
    "'",
    "\"\"\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    "#",
    "-1",
    "0",
    "1e999",
    "nan",
    "99999999999999999999",
    "\"0s\"",
    "\u{1f4a5}",
    "\r",
    "\0",
    "clients.web",
];

#[derive(Clone, Debug)]
enum Edit {
    Remove(usize, usize),
    Insert(usize, usize),
    Repeat(usize, usize),
    Flip(usize, u8),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = 0..EVERYTHING.len();
    let edit = prop_oneof![
        (at.clone(), 1_usize..30).prop_map(|(at, length)| Edit::Remove(at, length)),
        (at.clone(), 0..FRAGMENTS.len()).prop_map(|(at, which)| Edit::Insert(at, which)),
        (at.clone(), 1_usize..60).prop_map(|(at, length)| Edit::Repeat(at, length)),
        (at, any::<u8>()).prop_map(|(at, byte)| Edit::Flip(at, byte)),
    ];
    prop::collection::vec(edit, 1..4)
}

fn edited(edits: &[Edit]) -> String {
    let mut bytes = EVERYTHING.as_bytes().to_vec();
    for edit in edits {
        let len = bytes.len();
        match *edit {
            Edit::Remove(at, length) => {
                let at = at.min(len);
                bytes.drain(at..(at + length).min(len));
            }
            Edit::Insert(at, which) => {
                let at = at.min(len);
                bytes.splice(at..at, FRAGMENTS[which].bytes());
            }
            Edit::Repeat(at, length) => {
                let at = at.min(len);
                let again = bytes[at..(at + length).min(len)].to_vec();
                bytes.splice(at..at, again);
            }
            Edit::Flip(at, byte) => {
                if let Some(target) = bytes.get_mut(at) {
                    *target ^= byte;
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Renders whatever comes of it.
fn survives(text: &str, overrides: &[&str]) -> Result<(), TestCaseError> {
    match parse(text, overrides) {
        Ok(story) => {
            let _ = story.warnings.render(true);
        }
        Err(trouble) => {
            prop_assert!(!trouble.is_empty());
            let plain = trouble.render(false);
            prop_assert!(plain.starts_with("error: "), "{plain}");
            let _ = trouble.render(true);
        }
    }
    Ok(())
}

#[test]
fn everything_is_understood() {
    let story = parse(EVERYTHING, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
    assert!(story.warnings.is_empty(), "{}", story.warnings);
    assert_eq!(story.sweep.unwrap().cells.len(), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_edit_of_a_file_panics(edits in edits()) {
        survives(&edited(&edits), &[])?;
    }

    #[test]
    fn no_override_panics(argument in "(clients|sweep|variants|x)?[.\"a-z]{0,12}=?[\\[{\"']?[0-9a-z.\"\\]} ]{0,8}|.*") {
        survives(STORM, &[&argument])?;
    }

    #[test]
    fn no_override_of_a_known_path_panics(
        path in prop::sample::select(vec![
            "title", "seed", "horizon", "window", "criterion", "criterion.hold", "services", "services.api",
            "services.api.queue", "services.api.service_time", "clients.web.load", "clients.web.call",
            "clients.web.call.retry", "clients.web.call.retry.fixed", "clients.web.call.budget", "triggers.gc",
            "triggers.gc.stall.begins", "variants", "variants.x", "sweep", "sweep.axes", "sweep.axes.horizon",
            "sweep.expect", "expect", "expect.retries",
        ]),
        value in prop::sample::select(vec![
            "0", "-1", "1.5", "nan", "1e300", "99999999999999999999999", "true", "1979-05-27", "[]", "[1]", "[[]]",
            "{}", "{ a = 1 }", "{ never = {} }", "\"\"", "\"1s\"", "\"0s\"", "none", "500ms", "[{}]", "[\"1s\", \"2s\"]",
            "{ from = 1, to = 2, step = 1 }", "{ min = 1 }", "18446744073709551615s",
        ]),
    ) {
        survives(EVERYTHING, &[&format!("{path}={value}")])?;
        survives(STORM, &[&format!("{path}={value}")])?;
    }

    /// Tables in any order: names key everything, so nothing else can.
    #[test]
    fn the_order_of_tables_means_nothing(order in Just((0..TABLES).collect::<Vec<_>>()).prop_shuffle()) {
        let (root, tables) = tables();
        let shuffled: String = order.iter().map(|index| tables[*index].as_str()).collect();
        let shuffled = parse(&format!("{root}{shuffled}"), &[]).unwrap();
        let straight = parse(EVERYTHING, &[]).unwrap();
        prop_assert_eq!(shuffled.variants.len(), straight.variants.len());
        for (shuffled, straight) in shuffled.variants.iter().zip(&straight.variants) {
            prop_assert_eq!(&shuffled.model, &straight.model);
            prop_assert_eq!(&shuffled.expect, &straight.expect);
        }
        let (shuffled, straight) = (shuffled.sweep.unwrap(), straight.sweep.unwrap());
        prop_assert_eq!(&shuffled.axes, &straight.axes);
        prop_assert_eq!(&shuffled.expect, &straight.expect);
        for (shuffled, straight) in shuffled.cells.iter().zip(&straight.cells) {
            prop_assert_eq!(&shuffled.model, &straight.model);
        }
    }
}

/// How many tables [`EVERYTHING`] has.
const TABLES: usize = 10;

/// The keys of the root, and the tables.
fn tables() -> (String, Vec<String>) {
    let mut parts = EVERYTHING.split("\n[").map(str::to_owned);
    let root = parts.next().unwrap();
    let tables: Vec<String> = parts.map(|table| format!("\n[{table}")).collect();
    assert_eq!(tables.len(), TABLES);
    (root, tables)
}
