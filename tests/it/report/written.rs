//! The page as a file.

use crate::cli::fixture::{Fixture, stderr, stdout};

/// What the scripts draw.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn one_page_holds_everything_and_is_the_same_when_made_again() {
    let fixture = Fixture::new();
    let said = fixture.output(&["report", "storm.toml", "--jobs", "1"]);
    assert_eq!(said.status.code(), Some(0), "{}", stderr(&said));
    assert_eq!((stdout(&said).as_str(), stderr(&said).as_str()), ("", "storm.html\n"));
    assert_eq!(fixture.names(), ["storm.html", "storm.toml"]);
    let page = fixture.read("storm.html");

    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"), "{}", &page[..200]);
    for words in [
        "<h1>A small storm</h1>",
        "“3 retries” never comes back",
        "<dt>Disturbance</dt>",
        "Of 4 cells, ",
        "aria-label=\"load 0.3, lasts 20ms: 3 of 3 seeds recover",
        "[triggers.gc]",
        "metastable report storm.toml --seed 1<",
        "Copyright (c) 2022 Leon Sorokin",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let data = data(&page);
    assert_eq!(data["names"], serde_json::json!(["3 retries", "no retries"]));
    assert_eq!(data["panels"][0]["lines"]["goodput"].as_array().unwrap().len(), 20);
    assert_eq!(data["cells"].as_array().unwrap().len(), 4);
    assert_eq!(
        data["cells"][1]["command"],
        "metastable run storm.toml --seed 1 --variant '3 retries' --set clients.web.load=0.3 \
         --set triggers.gc.stall.lasts=4s"
    );

    fixture.stdout(&["report", "storm.toml", "-o", "again.html", "--jobs", "4", "--quiet"]);
    assert!(page == fixture.read("again.html"));
}

/// The command of a cell of a variant that itself changes what an axis changes.
#[test]
fn the_command_of_a_cell_repeats_it_whatever_the_variant_sets() {
    let fixture = Fixture::new();
    let own = "[variants.\"no retries\"]\n\"triggers.gc.stall\" = { service = \"api\", begins = \"4s\", lasts = \"1s\" }\n\"clients.web.arrival_rate\" = 100\n";
    let text = fixture.read("storm.toml").replace("[variants.\"no retries\"]\n", own);
    fixture.write("storm.toml", &text.replace("variants = [\"3 retries\"]", ""));
    fixture.stdout(&["report", "storm.toml", "-o", "r.html", "--quiet"]);
    let data = data(&fixture.read("r.html"));
    let sweep =
        fixture.json(&["sweep", "storm.toml", "--seeds", "1", "--format", "json", "--quiet"]);
    for (nth, cell) in sweep["cells"].as_array().unwrap().iter().enumerate() {
        let command = data["cells"][nth]["command"].as_str().unwrap();
        let is_swept = command.starts_with("metastable sweep ");
        assert_eq!(is_swept, cell["variant"] == "no retries", "{command}");
        if is_swept {
            let command = format!("{} {command} --format json --quiet", "PATH=$BIN:$PATH");
            let said = std::process::Command::new("sh")
                .args(["-c", &command])
                .current_dir(fixture.path(""))
                .env(
                    "BIN",
                    std::path::Path::new(env!("CARGO_BIN_EXE_metastable")).parent().unwrap(),
                )
                .output()
                .unwrap();
            let alone: serde_json::Value = serde_json::from_slice(&said.stdout)
                .unwrap_or_else(|_| panic!("{command}: {}", stderr(&said)));
            assert_eq!(alone["cells"][0], *cell, "{command}");
        }
    }
}

/// What is drawn is what `run` counts.
#[test]
fn the_lines_are_those_of_the_run() {
    let fixture = Fixture::new();
    fixture.stdout(&["report", "storm.toml", "-o", "r.html", "--seed", "7"]);
    let data = data(&fixture.read("r.html"));
    let json = fixture.json(&["run", "storm.toml", "--seed", "7", "--format", "json"]);
    for (panel, run) in
        data["panels"].as_array().unwrap().iter().zip(json["runs"].as_array().unwrap())
    {
        assert_eq!(panel["verdict"], run["verdict"]);
        for (line, column) in [("demand", "arrivals"), ("goodput", "goodput"), ("queue", "queue")] {
            let windows = run["timeline"].as_array().unwrap();
            let counted: Vec<f64> = windows.iter().map(|w| w[column].as_f64().unwrap()).collect();
            let drawn = panel["lines"][line].as_array().unwrap();
            let drawn: Vec<f64> = drawn.iter().map(|value| value.as_f64().unwrap()).collect();
            assert_eq!(drawn, counted, "{line}");
        }
    }
}

/// The command on the page makes the page.
#[test]
fn options_are_repeated() {
    let fixture = Fixture::new();
    let arguments = ["--set", "clients.web.load=0.6", "--variant", "no retries", "--seeds", "2"];
    let mut command = vec!["report", "storm.toml", "--seed", "3", "-o", "r.html"];
    command.extend(arguments);
    fixture.stdout(&command);
    let page = fixture.read("r.html");
    let expected = "metastable report storm.toml --set clients.web.load=0.6 --variant &#39;no \
                    retries&#39; --seeds 2 --seed 3<";
    assert!(page.contains(expected), "{expected}");
    // That variant is not part of the sweep.
    assert!(!page.contains("id=\"cells\""));
    assert_eq!(data(&page)["names"], serde_json::json!(["no retries"]));
}

#[test]
fn hostile_names_stay_names() {
    let fixture = Fixture::new();
    let hostile = "</script><img src=x onerror=alert(1)>";
    let story = fixture.read("storm.toml").replace("A small storm", hostile).replace(
        "[triggers.gc]",
        &format!(
            "[variants.\"{hostile}\"]\n\"clients.web.load\" = 0.5\n# <!-- {hostile}\n[triggers.gc]"
        ),
    );
    fixture.write("hostile.toml", &story);
    fixture.stdout(&["report", "hostile.toml"]);
    let page = fixture.read("hostile.html");
    assert!(!page.contains("<img"), "a name became an element");
    assert!(!page.contains("<!--"), "a name became a comment");
    assert_eq!(page.matches("</script").count(), 3, "a name ended a script");
    assert_eq!(data(&page)["names"][1], hostile);
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_run() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("folder.html")).unwrap();
    for (name, words) in [
        ("folder.html", "this is a folder"),
        ("nowhere/r.html", "there is no folder nowhere"),
        ("r.pdf", "must end in .html"),
    ] {
        let output = fixture.output(&["report", "storm.toml", "-o", name, "--seeds", "100000"]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
        assert_eq!(fixture.names(), ["folder.html", "storm.toml"]);
    }
}

/// Where nobody is ever answered, who is open is laid over one another.
#[test]
fn those_who_are_never_answered_are_shown_waiting() {
    let fixture = Fixture::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/silent-server.toml");
    fixture.stdout(&["report", path, "-o", "r.html"]);
    let page = fixture.read("r.html");
    assert!(page.contains("Requests open in all variants"));
    let data = data(&page);
    assert_eq!(data["overlay"], "below");
    let open = &data["panels"][0]["lines"]["below"];
    assert!(open.as_array().unwrap().iter().any(|count| count.as_f64().unwrap() > 0.0), "{open}");
}

/// An axis that ends before the run does says so.
#[test]
fn what_is_left_out_is_told() {
    let fixture = Fixture::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/failover-wave.toml");
    fixture.stdout(&["report", path, "-o", "r.html"]);
    let page = fixture.read("r.html");
    assert!(page.contains("The axis ends early: nothing happens from second"), "a cut is not told");
    let end = data(&page)["extent"]["time"].as_f64().unwrap();
    assert!(end < data(&page)["panels"][0]["end"].as_f64().unwrap(), "{end}");
}

/// Where services call each other, their tables and the bars of their edges are there too.
#[test]
fn graphs_have_layers() {
    let fixture = Fixture::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/storefront.toml");
    fixture.stdout(&["report", path, "-o", "r.html"]);
    let page = fixture.read("r.html");
    assert!(page.contains("Amplification by layer"));
    assert!(page.contains("<b><i style=\"width:"), "no bars");
}
