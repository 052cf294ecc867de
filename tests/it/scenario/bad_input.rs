//! Wrong scenarios, each with what is said about it. The snapshots are there to be read aloud: a
//! message that a stranger would not understand is a failure that no assertion can catch.

use std::fmt::Write;

use super::{STORM, parse};

/// A snapshot that shows nothing but what is said.
macro_rules! assert_said {
    ($said:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($said) })
    };
}

/// A mistake in [`STORM`]: `replace` a piece of it by another one.
struct Slip {
    what: &'static str,
    replace: &'static str,
    by: &'static str,
}

const fn slip(what: &'static str, replace: &'static str, by: &'static str) -> Slip {
    Slip { what, replace, by }
}

/// Everything that is said about the slips, one after another.
fn said(slips: &[Slip]) -> String {
    let mut all = String::new();
    for slip in slips {
        assert!(STORM.contains(slip.replace), "{}: nothing to replace", slip.what);
        let text = STORM.replacen(slip.replace, slip.by, 1);
        let trouble = parse(&text, &[]).expect_err(slip.what);
        writeln!(all, "## {}\n{trouble}\n", slip.what).unwrap();
    }
    all
}

/// Appends to the end of [`STORM`].
fn said_of_more(more: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (what, text) in more {
        let trouble = parse(&format!("{STORM}{text}"), &[]).expect_err(what);
        writeln!(all, "## {what}\n{trouble}\n").unwrap();
    }
    all
}

/// Overrides of [`STORM`].
fn said_of_overrides(overrides: &[&str]) -> String {
    let mut all = String::new();
    for argument in overrides {
        let trouble = parse(STORM, &[argument]).expect_err(argument);
        writeln!(all, "## --set {argument:?}\n{trouble}\n").unwrap();
    }
    all
}

#[test]
fn unknown_keys() {
    assert_said!(said(&[
        slip("at the root", "horizon =", "horizont ="),
        slip("a table at the root", "[services.api]", "[service.api]"),
        slip("of a service", "workers", "worker"),
        slip("of a client", "load", "laod"),
        slip("of a call", "call.timeout", "call.timeouts"),
        slip("of a retry", "max_retries", "max_retrys"),
        slip("a kind of retry", "retry.immediate", "retry.immediately"),
        slip("a kind of trigger", "stall =", "stal ="),
        slip("of a stall", "lasts", "last"),
        slip("a word", "load = 0.7", "load = 0.7\narrivals = \"poison\""),
        slip("nothing like any key", "load = 0.7", "load = 0.7\nxyz = 1"),
    ]));
}

#[test]
fn lengths_of_time() {
    assert_said!(said(&[
        slip("a wrong unit", "\"1s\"", "\"10 parsecs\""),
        slip("no unit", "\"1s\"", "\"10\""),
        slip("no quotes", "\"1s\"", "1s"),
        slip("a bare number", "\"60s\"", "60"),
        slip("zero", "\"1s\"", "\"0s\""),
        slip("negative", "\"2s\"", "\"-2s\""),
        slip("empty", "\"2s\"", "\"\""),
        slip("a comma", "\"2s\"", "\"1,5s\""),
        slip("half a nanosecond", "\"10ms\"", "\"0.5ns\""),
        slip("longer than time itself", "\"60s\"", "\"1000000000h\""),
        slip("too many windows", "\"60s\"", "\"1000000h\""),
        slip("no whole number of windows", "\"60s\"", "\"60.5s\""),
        slip("a stall of no length", "lasts = \"2s\"", "lasts = \"0s\""),
        slip("escapes blur the place", "\"2s\"", "\"2\\u0020parsecs\""),
    ]));
}

#[test]
fn numbers() {
    assert_said!(said(&[
        slip("no workers", "workers = 10", "workers = 0"),
        slip("fewer than none", "workers = 10", "workers = -3"),
        slip("half a worker", "workers = 10", "workers = 0.5"),
        slip("1e9 workers", "workers = 10", "workers = 1e9"),
        slip("a billion workers", "workers = 10", "workers = 1_000_000_000"),
        slip(
            "more digits than there are atoms",
            "workers = 10",
            "workers = 99999999999999999999999999999999999999999999"
        ),
        slip("above 64 bits", "workers = 10", "workers = 99999999999999999999"),
        slip("a negative load", "load = 0.7", "load = -1"),
        slip("a load in percent", "load = 0.7", "load = 70"),
        slip("a load of nothing", "load = 0.7", "load = 0"),
        slip("a load in quotes", "load = 0.7", "load = \"0.7\""),
        slip("not a number", "load = 0.7", "load = nan"),
        slip("infinite", "load = 0.7", "arrival_rate = inf"),
        slip("1e30 requests per second", "load = 0.7", "arrival_rate = 1e30"),
        slip("too many events", "load = 0.7", "arrival_rate = 1e8"),
        slip("a service time of nothing", "\"10ms\"", "{ fixed = \"0ms\" }"),
        slip("negative retries", "max_retries = 3", "max_retries = -1"),
        slip("a negative seed", "horizon", "seed = -1\nhorizon"),
        slip("a date", "workers = 10", "workers = 2024-01-01"),
        slip("a list", "workers = 10", "workers = [10]"),
        slip("a boolean", "load = 0.7", "load = true"),
    ]));
}

#[test]
fn what_belongs_together() {
    assert_said!(said(&[
        slip("a missing service", "calls = \"api\"", "calls = \"apy\""),
        slip("a trigger on a missing service", "service = \"api\"", "service = \"database\""),
        slip("a trigger after the horizon", "\"60s\"", "\"10s\""),
        slip("both load and arrival rate", "load = 0.7", "load = 0.7\narrival_rate = 700"),
        slip("neither", "load = 0.7\n", ""),
        slip(
            "two kinds in one table",
            "{ max_retries = 3 }",
            "{ max_retries = 3 }\ncall.retry.fixed = { max_retries = 3, wait = \"1s\" }"
        ),
        slip("no kind", "call.retry.immediate = { max_retries = 3 }", "call.retry = {}"),
        slip(
            "a word for a table",
            "call.retry.immediate = { max_retries = 3 }",
            "call.retry = \"never\""
        ),
        slip("a table for a word", "load = 0.7", "load = 0.7\narrivals = { even = {} }"),
        slip("a missing key of a table", "calls = \"api\"\n", ""),
        slip("a missing key of a short table", ", lasts = \"2s\"", ""),
        slip("a missing key of the root", "horizon = \"60s\"\n", ""),
        slip(
            "a cap below the base",
            "immediate = { max_retries = 3 }",
            "exponential = { max_retries = 3, base = \"2s\", cap = \"1s\" }"
        ),
        slip(
            "a factor that shrinks",
            "immediate = { max_retries = 3 }",
            "exponential = { max_retries = 3, base = \"1s\", cap = \"2s\", factor = 0.5 }"
        ),
        slip(
            "a budget in percent",
            "call.timeout",
            "call.budget.sliding_window = { ratio = 30, window = \"10s\" }\ncall.timeout"
        ),
        slip("an unknown law", "\"10ms\"", "{ exponentail = { mean = \"10ms\" } }"),
        slip("a law without its parameter", "\"10ms\"", "{ exponential = {} }"),
        slip("an empty title", "\"A storm\"", "\" \""),
        slip(
            "several mistakes at once",
            "workers = 10\nservice_time = \"10ms\"\n\n[clients.web]\ncalls = \"api\"\nload = 0.7",
            "worker = 10\nservice_time = 10\n\n[clients.web]\ncalls = \"api\"\nload = \"x\""
        ),
        slip(
            "several meanings at once",
            "workers = 10\nservice_time = \"10ms\"\n\n[clients.web]\ncalls = \"api\"\nload = 0.7",
            "workers = 0\nservice_time = \"10\"\n\n[clients.web]\ncalls = \"apu\"\nload = 700"
        ),
    ]));
}

/// What people write who know other tools, or who have half remembered the grammar.
#[test]
fn habits() {
    const RETRY: &str = "call.retry.immediate = { max_retries = 3 }";
    const STALL: &str = "stall = { service = \"api\", begins = \"10s\", lasts = \"2s\" }";
    assert_said!(said(&[
        slip("double brackets", "[services.api]", "[[services.api]]"),
        slip("a list for a table", STALL, "stall = [\"api\", \"10s\", \"2s\"]"),
        slip("a number for a table", RETRY, "call.retry.immediate = 3"),
        slip("a number for a choice", "workers = 10", "workers = 10\nqueue = 800"),
        slip("a length for a choice", "workers = 10", "workers = 10\nqueue = \"800ms\""),
        slip("a length for a law's table", "\"10ms\"", "{ exponential = \"10ms\" }"),
        slip("a law without a table", "\"10ms\"", "\"exponential\""),
        slip("parameters of nothing", RETRY, "call.retry.never = { max_retries = 3 }"),
        slip("a trigger without its kind", STALL, "service = \"api\""),
        slip("a call's key outside of it", "call.timeout", "timeout"),
        slip("a key of the root in a table", "workers = 10", "workers = 10\nwindow = \"1s\""),
        slip("goodput in percent", "[services", "[criterion]\ngoodput = 90\n[services"),
        slip("percent", "load = 0.7", "load = 70%"),
        slip("a decimal comma", "load = 0.7", "load = 0,7"),
        slip("a rate with its unit", "load = 0.7", "arrival_rate = \"700/s\""),
        slip("a fraction of seconds", "\"60s\"", "60.5"),
        slip("months for minutes", "\"60s\"", "\"1M\""),
        slip("a window longer than the run", "horizon", "window = \"2m\"\nhorizon"),
        slip("false for none", "\"1s\"", "false"),
    ]));
    assert_said!(said_of_more(&[
        ("a single list of promises", "[sweep.expect]\nrecovered = 5\n"),
        ("several promises", "[[expect]]\nretries = 3\n"),
        ("nothing promised", "[expect]\nseeds = 5\n"),
        ("nothing promised of cells", "[[sweep.expect]]\nseeds = 5\n"),
        ("a promise among changes", "[variants.x]\nverdict = \"recovered\"\n"),
        ("a word without quotes", "[variants.x]\nexpect.verdict = recovered\n"),
        ("several values in a variant", "[variants.x]\n\"clients.web.load\" = [0.1, 0.2]\n"),
    ]));
}

#[test]
fn runs_that_are_too_large() {
    let call = "call.timeout = \"1s\"\ncall.retry.immediate = { max_retries = 3 }";
    assert_said!(said(&[
        slip("a rate", "load = 0.7", "arrival_rate = 1e8"),
        slip("a horizon", "\"60s\"", "\"270h\""),
        slip("a window", "\"60s\"", "\"60s\"\nwindow = \"1us\""),
        slip("windows of a horizon", "\"60s\"", "\"3600000000s\""),
        slip(
            "retries",
            call,
            "call.timeout = \"10us\"\ncall.retry.immediate = { max_retries = \"unlimited\" }",
        ),
        slip("workers", "workers = 10", "workers = 1_000_000"),
        slip(
            "a volley",
            "load = 0.7",
            "arrivals = { volley = { requests = 4_000_000_000, at = \"1s\" } }",
        ),
    ]));
    assert_said!(said_of_overrides(&["clients.web.arrival_rate=1e9", "window=\"1us\""]));
}

#[test]
fn names() {
    assert_said!(said(&[
        slip(
            "empty",
            "[services.api]",
            "[services.\"\"]\nworkers = 1\nservice_time = \"1s\"\n[services.api]"
        ),
        slip("control characters", "[clients.web]", "[clients.\"we\\u0007b\"]"),
        slip("not quoted", "[clients.web]", "[clients.the web]"),
        slip(
            "endless",
            "[clients.web]",
            "[clients.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]"
        ),
    ]));
}

#[test]
fn syntax() {
    let deep = format!("x = {}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let dotted = format!("{}x = 1", "x.".repeat(5_000));
    let cases: Vec<(&str, &str)> = vec![
        ("empty", ""),
        ("nothing but a comment", "# nothing\n\n"),
        (
            "no clients",
            "title = \"x\"\nhorizon = \"1s\"\n[services.api]\nworkers = 1\nservice_time = \"1s\"",
        ),
        (
            "no services",
            "title = \"x\"\nhorizon = \"1s\"\n[clients.web]\ncalls = \"api\"\nload = 1",
        ),
        ("nothing but a title", "title = \"x\""),
        ("an unclosed table", "[services.api\nworkers = 1"),
        ("an unclosed text", "title = \"x\nhorizon = \"1s\""),
        ("no value", "title =\nhorizon = \"1s\""),
        ("no quotes", "title = \"x\"\nhorizon = 60s\nwindow = 1s\n"),
        ("a key twice", "title = \"x\"\ntitle = \"y\""),
        ("a table twice", "[services.api]\n[services.api]"),
        ("an unclosed list", "title = [1, 2\nhorizon = \"1s\"\nwindow = \"1s\""),
        ("not TOML at all", "{ \"title\": \"x\" }"),
        ("a wrong escape", "title = \"\\q\""),
        ("a list for everything", "services = []"),
        ("tabs and wide characters before it", "\ttitle = \"日本\"; x"),
        ("deep brackets", &deep),
        ("deep paths", &dotted),
    ];
    let mut all = String::new();
    for (what, text) in cases {
        let trouble = parse(text, &[]).expect_err(what).to_string();
        // Lines of thousands of characters are cut here, as the terminal does.
        let cut: Vec<String> =
            trouble.lines().map(|line| line.chars().take(150).collect()).collect();
        writeln!(all, "## {what}\n{}\n", cut.join("\n")).unwrap();
    }
    assert_said!(all);
}

#[test]
fn variants() {
    assert_said!(said_of_more(&[
        ("an unknown name", "[variants.x]\n\"clients.wbe.load\" = 0.5\n"),
        ("an unknown word", "[variants.x]\n\"clients.web.laod\" = 0.5\n"),
        ("an unknown root", "[variants.x]\n\"client.web.load\" = 0.5\n"),
        ("a wrong value", "[variants.x]\n\"clients.web.load\" = -0.5\n"),
        ("no quotes", "[variants.x]\nclients.web.load = 0.5\n"),
        ("no path", "[variants.x]\n\"clients..load\" = 0.5\n"),
        ("beyond a number", "[variants.x]\n\"clients.web.load.x\" = 0.5\n"),
        ("not the world", "[variants.x]\ntitle = \"y\"\n"),
        (
            "one within another",
            "[variants.x]\n\"clients.web.call\" = {}\n\"clients.web.call.timeout\" = \"1s\"\n"
        ),
        ("wrong together with the base", "[variants.x]\nhorizon = \"5s\"\n"),
        (
            "both within the variant",
            "[variants.x]\n\"clients.web.load\" = 0.5\n\"clients.web.arrival_rate\" = 5\n"
        ),
        ("called like the base", "[variants.base]\nhorizon = \"50s\"\n"),
        ("not a table", "[variants]\nx = 1\n"),
    ]));
}

#[test]
fn promises() {
    assert_said!(said_of_more(&[
        ("an unknown verdict", "[expect]\nverdict = \"metastabel\"\n"),
        ("an unknown metric", "[expect]\nretrys = 3\n"),
        ("an unknown metric of a variant", "[variants.x.expect]\nback_at = 3\n"),
        ("nothing like a metric", "[expect]\nfoo = 3\n"),
        ("a text", "[expect]\nretries = \"3\"\n"),
        ("no bound", "[expect]\nretries = {}\n"),
        ("an unknown bound", "[expect]\nretries = { minimum = 3 }\n"),
        ("upside down", "[expect]\nretries = { min = 3, max = 2 }\n"),
        ("not a number", "[expect]\nretries = nan\n"),
        ("no seeds", "[expect]\nseeds = 0\n"),
        ("an unknown client", "[expect]\nclients.wbe = { attempts = 3 }\n"),
        ("an unknown metric of a client", "[expect]\nclients.web = { attemps = 3 }\n"),
        ("a metric of the whole", "[expect]\nclients.web = { back_at_s = 3 }\n"),
        ("nothing of a client", "[expect]\nclients.web = {}\n"),
        ("no name", "[expect]\nclients = { attempts = 3 }\n"),
        ("an unknown service", "[expect]\nservices.db = { last_queue = 3 }\n"),
        ("a metric of a client", "[expect]\nservices.api = { succeeded_share = 1 }\n"),
        ("an unknown edge", "[expect]\nedges.\"web.apu\" = { attempts = 3 }\n"),
        ("an edge without quotes", "[expect]\nedges.web.api = { attempts = 3 }\n"),
        ("an unknown metric of an edge", "[expect]\nedges.\"web.api\".calls = 3\n"),
        ("nothing of an edge", "[expect]\nedges.\"web.api\" = {}\n"),
        ("upside down of a client", "[expect]\nclients.web.attempts = { min = 3, max = 2 }\n"),
        ("a median of one", "[expect]\nacross_seeds = \"median\"\nretries = 3\n"),
        ("a mean", "[expect]\nseeds = 5\nacross_seeds = \"mean\"\nretries = 3\n"),
        ("windows of nothing", "[expect]\nbusiest = { width = \"0s\", attempts = 3 }\n"),
        (
            "windows after the end",
            "[expect]\nbusiest = { width = \"10ms\", after = \"60s\", attempts = 3 }\n"
        ),
        ("nothing of the busiest", "[expect]\nbusiest = { width = \"10ms\" }\n"),
        (
            "another number of the busiest",
            "[expect]\nbusiest = { width = \"10ms\", retries = 3 }\n"
        ),
        ("a date of what never happens", "[expect]\nverdict = \"metastable\"\nback_at_s = 13\n"),
    ]));
}

#[test]
fn sweeps() {
    assert_said!(said_of_more(&[
        ("an axis that leads nowhere", "[sweep.axes]\n\"clients.wbe.load\" = [0.5]\n"),
        ("an axis of an unknown word", "[sweep.axes]\n\"clients.web.laod\" = [0.5, 0.6]\n"),
        ("an axis that is not the world", "[sweep.axes]\n\"sweep.seeds\" = [1, 2]\n"),
        ("no quotes", "[sweep.axes]\nclients.web.load = [0.5, 0.6]\n"),
        ("no values", "[sweep.axes]\n\"clients.web.load\" = []\n"),
        ("one value", "[sweep.axes]\n\"clients.web.load\" = 0.5\n"),
        ("a wrong value", "[sweep.axes]\n\"clients.web.load\" = [0.5, -1, 0.7]\n"),
        ("a value twice", "[sweep.axes]\n\"triggers.gc.stall.lasts\" = [\"1s\", \"1000ms\"]\n"),
        ("1e9 values", "[sweep.axes]\n\"clients.web.load\" = { from = 0, to = 1, step = 1e-9 }\n"),
        (
            "too many cells",
            "[sweep.axes]\n\"clients.web.load\" = { from = 0.001, to = 1, step = 0.001 }\n\"services.api.workers\" = { from = 1, to = 1000, step = 1 }\n"
        ),
        ("no step", "[sweep.axes]\n\"clients.web.load\" = { from = 0.1, to = 1 }\n"),
        (
            "a step of nothing",
            "[sweep.axes]\n\"clients.web.load\" = { from = 0.1, to = 1, step = 0 }\n"
        ),
        ("backwards", "[sweep.axes]\n\"clients.web.load\" = { from = 1, to = 0.1, step = 0.1 }\n"),
        (
            "lengths and numbers",
            "[sweep.axes]\n\"triggers.gc.stall.lasts\" = { from = \"1s\", to = \"2s\", step = 0.1 }\n"
        ),
        (
            "an unknown key of a range",
            "[sweep.axes]\n\"clients.web.load\" = { from = 0.1, to = 1, stepp = 0.1 }\n"
        ),
        ("infinite", "[sweep.axes]\n\"clients.web.load\" = { from = 0.1, to = inf, step = 0.1 }\n"),
        (
            "one within another",
            "[sweep.axes]\n\"clients.web.call\" = [{}]\n\"clients.web.call.timeout\" = [\"1s\"]\n"
        ),
        (
            "wrong together",
            "[sweep.axes]\n\"triggers.gc.stall.begins\" = [\"10s\", \"30s\"]\nhorizon = [\"20s\", \"60s\"]\n"
        ),
        ("wrong together with the base", "[sweep.axes]\nwindow = [\"1s\", \"7s\"]\n"),
        ("an unknown key", "[sweep]\nseed = 5\n"),
        ("no seeds", "[sweep]\nseeds = 0\n"),
        ("an unknown variant", "[variants.more]\n[sweep]\nvariants = [\"moore\"]\n"),
        ("no variants", "[sweep]\nvariants = []\n"),
        (
            "not an axis",
            "[sweep.axes]\n\"clients.web.load\" = [0.5, 0.6]\n[[sweep.expect]]\nwhere = { \"clients.web.loda\" = 0.5 }\nrecovered = 5\n"
        ),
        (
            "not on the axis",
            "[sweep.axes]\n\"clients.web.load\" = [0.5, 0.6]\n[[sweep.expect]]\nwhere = { \"clients.web.load\" = 0.7 }\nrecovered = 5\n"
        ),
        (
            "no quotes in where",
            "[sweep.axes]\n\"clients.web.load\" = [0.5, 0.6]\n[[sweep.expect]]\nwhere = { clients.web.load = 0.5 }\nrecovered = 5\n"
        ),
        (
            "no such variant in where",
            "[variants.more]\n[[sweep.expect]]\nwhere = { variant = \"mroe\" }\nrecovered = 5\n"
        ),
        (
            "a variant that is not swept",
            "[variants.more]\n[sweep]\nvariants = [\"base\"]\n[[sweep.expect]]\nwhere = { variant = \"more\" }\nrecovered = 5\n"
        ),
        ("an unknown metric", "[[sweep.expect]]\nrecoverd = 5\n"),
    ]));
}

#[test]
fn overrides() {
    assert_said!(said_of_overrides(&[
        "",
        "clients.web.load",
        "clients.web.load=",
        "=0.5",
        "clients web load=0.5",
        "clients.wbe.load=0.5",
        "clients.web.laod=0.5",
        "clients.web.load=half",
        "clients.web.load=-1",
        "clients.web.call.retry={ never = {}",
        "horizon=10",
        "horizon=10parsecs",
        "sweep.axes.clients.web.laod=[0.5]",
        "variants.x.clients.web.load=0.5",
        "variants.x={ \"clients.web.load\" = -0.5 }",
        "sweep.seeds=0",
        "triggers.gc.stall.begins=\"90s\"",
        "seed=18446744073709551615",
        "seed=18446744073709551616",
        "title=",
        "title=two\nlines",
    ]));
}
