use super::fixture::{Fixture, STORM, stderr, stdout};

#[test]
fn kept_promises_end_well() {
    let text = Fixture::new().stdout(&["check", "storm.toml"]);
    assert!(text.starts_with("storm.toml\n"), "{text}");
    assert!(
        text.contains("  ok      no retries: verdict = recovered, back_at_s = 5 to 12 (2 seeds)"),
        "{text}"
    );
    assert!(text.contains("2 cells at lasts = 20ms"), "{text}");
    assert!(text.ends_with("5 promises kept, 0 broken, in 1 file\n"), "{text}");
}

#[test]
fn a_broken_promise_stands_beside_what_was_found() {
    let fixture = Fixture::new();
    fixture.write("storm.toml", &STORM.replace("min = 5, max = 12", "min = 1, max = 2"));
    let output = fixture.output(&["check", "storm.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("  FAILED  no retries (2 seeds)\n"), "{text}");
    assert!(text.contains("expected  back_at_s = 1 to 2\n"), "{text}");
    assert!(text.contains("found     back_at_s = "), "{text}");
    assert!(text.contains("(broken by seeds 1, 2)\n"), "{text}");
    assert!(text.ends_with("4 promises kept, 1 broken, in 1 file\n"), "{text}");
}

#[test]
fn programs_get_a_list_of_promises() {
    let fixture = Fixture::new();
    fixture.write("storm.toml", &STORM.replace("min = 5, max = 12", "min = 1, max = 2"));
    let output = fixture.output(&["check", "storm.toml", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let entries = json.as_array().unwrap();
    let broken: Vec<_> = entries.iter().filter(|entry| entry["held"] == false).collect();
    assert_eq!((entries.len(), broken.len()), (5, 1));
    assert_eq!(broken[0]["file"], "storm.toml");
    assert_eq!(broken[0]["variant"], "no retries");
    assert_eq!(broken[0]["expected"], "back_at_s = 1 to 2");
    assert!(broken[0]["found"].as_str().unwrap().starts_with("back_at_s = "));
}

#[test]
fn a_file_is_proved_once_however_often_it_is_named() {
    let fixture = Fixture::new();
    fixture.write("all/a.toml", STORM);
    let text = fixture.stdout(&["check", "storm.toml", "all/a.toml", "all", "./storm.toml"]);
    assert!(text.ends_with("10 promises kept, 0 broken, in 2 files\n"), "{text}");
}

#[test]
fn folders_are_searched_in_order() {
    let fixture = Fixture::new();
    fixture.write("all/b.toml", STORM);
    fixture.write("all/a/deep.toml", STORM);
    fixture.write("all/c.toml", STORM);
    fixture.write("all/.hidden.toml", "not read");
    fixture.write("all/notes.txt", "not read");
    let text = fixture.stdout(&["check", "all", "storm.toml"]);
    let files: Vec<&str> = text.lines().filter(|line| line.ends_with(".toml")).collect();
    assert_eq!(files, ["all/a/deep.toml", "all/b.toml", "all/c.toml", "storm.toml"]);
    assert!(text.ends_with("20 promises kept, 0 broken, in 4 files\n"), "{text}");
    assert_eq!(text, fixture.stdout(&["check", "all", "storm.toml", "--jobs", "1"]));
}

#[test]
fn an_unreadable_file_does_not_keep_the_others_from_being_run() {
    let fixture = Fixture::new();
    fixture.write("all/a.toml", &STORM.replace("load ", "laod "));
    fixture.write("all/b.toml", STORM);
    let output = fixture.output(&["check", "all"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("laod"), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("all/a.toml\n  FAILED  cannot be run\n"), "{text}");
    assert!(
        text.ends_with("5 promises kept, 0 broken, in 2 files; 1 file could not be run\n"),
        "{text}"
    );
}

#[test]
fn nothing_to_check_is_not_success() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("empty")).unwrap();
    let output = fixture.output(&["check", "empty"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no scenario (*.toml) in this folder"));

    let silent = STORM.split("[expect]").next().unwrap();
    fixture.write("silent.toml", silent);
    let output = fixture.output(&["check", "silent.toml"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("promises nothing"));
    assert_eq!(stdout(&fixture.output(&["check", "silent.toml", "-f", "json"])), "[]\n");
}
