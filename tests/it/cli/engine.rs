use super::fixture::{Fixture, stderr, stdout};

/// Which engine plays a run is said to whoever asks, with the reason, and changes nothing.
#[test]
fn engines_are_named_and_agree() {
    let fixture = Fixture::new();
    let budget = "clients.web.call.budget.sliding_window={ratio=0.1, window=\"10s\"}";
    let run = |args: &[&str]| {
        let output = fixture.output(&[&["run", "storm.toml", "--format", "json"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (stdout(&output), stderr(&output))
    };
    let (by_default, nothing) = run(&[]);
    assert_eq!(nothing, "");
    let (by_shortcut, said) = run(&["--engine", "auto"]);
    assert_eq!(said, "3 retries: by the shortcut\nno retries: by the shortcut\n");
    let (by_events, said) = run(&["--engine", "events"]);
    assert!(said.starts_with("3 retries: event by event, though there is a shortcut\n"), "{said}");
    assert!(by_default == by_shortcut && by_default == by_events);
    let (_, said) = run(&["--engine", "auto", "--variant", "3 retries", "--set", budget]);
    assert_eq!(said, "3 retries: event by event; there is a client policy that remembers\n");
    assert_eq!(run(&["--engine", "events", "--quiet"]).1, "");
}

#[test]
fn a_sweep_says_it_once_for_all_cells() {
    let output = Fixture::new().output(&["sweep", "storm.toml", "--engine", "auto"]);
    assert_eq!(stderr(&output), "3 retries: by the shortcut (4 cells)\n");
}
