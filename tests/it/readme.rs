//! The word of the README, and of a page that shows commands as it does, is kept: every command in its `sh` and `console` blocks is run, and where the
//! block shows what comes out, that is what comes out.
//!
//! In a `console` block a line that begins with `$ ` is a command and the lines after it are its
//! output, both streams together. In the output `[..]` stands for anything within a line, and a line
//! `...` for any lines. A command must succeed, unless the next one is `$ echo $?` and shows how it
//! failed. All commands are run one after another in one folder with a copy of the scenarios.

use std::fs;
use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../README.md");
/// Every page whose word is kept.
const PAGES: &[(&str, &str)] = &[
    ("README.md", README),
    ("docs/graphs.md", include_str!("../../docs/graphs.md")),
    ("docs/report.md", include_str!("../../docs/report.md")),
    ("docs/two-states.md", include_str!("../../docs/two-states.md")),
    ("docs/tipping.md", include_str!("../../docs/tipping.md")),
    ("docs/ci.md", include_str!("../../docs/ci.md")),
];

/// What a reader is told to type.
#[derive(Debug, PartialEq, Eq)]
struct Typed {
    line: usize,
    command: String,
    /// What is shown to come out, if anything is.
    output: Option<Vec<String>>,
}

/// The commands of every `sh` and `console` block in `text`, in order.
fn commands(text: &str) -> Vec<Typed> {
    let mut found: Vec<Typed> = Vec::new();
    let mut block = None;
    let mut continues = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_none() { Some(language.trim()) } else { None };
            continues = false;
            continue;
        }
        let typed = match block {
            Some("sh") if line.trim().is_empty() || line.starts_with('#') => continue,
            Some("sh") => Some(line),
            Some("console") if continues => Some(line),
            Some("console") => line.strip_prefix("$ "),
            Some(_) | None => continue,
        };
        match (typed, found.last_mut()) {
            (Some(typed), Some(last)) if continues => {
                last.command.push('\n');
                last.command.push_str(typed);
            }
            (Some(typed), _) => {
                found.push(Typed { line: index + 1, command: typed.to_owned(), output: None });
            }
            (None, Some(last)) => {
                last.output.get_or_insert_default().push(line.trim_end().to_owned());
            }
            (None, None) => panic!("README.md:{}: output before any command", index + 1),
        }
        continues = typed.is_some_and(|typed| typed.ends_with('\\'));
    }
    found
}

/// The command for a shell that knows `metastable`, or none if it is one that builds, tests or
/// fetches and is not for us to run.
fn runnable(command: &str) -> Option<String> {
    if let Some(run) = command.strip_prefix("cargo run") {
        let arguments = run.split_once(" -- ").map_or("", |(_, arguments)| arguments);
        return Some(format!("metastable {arguments}"));
    }
    let leave = ["cargo ", "git ", "cd ", ".ci/", "rustup "];
    if leave.iter().any(|start| command.starts_with(start)) {
        return None;
    }
    Some(command.to_owned())
}

/// Whether `found` is what `shown` says, with its wildcards.
fn matches(shown: &[String], found: &[&str]) -> bool {
    match (shown.split_first(), found.split_first()) {
        (None, _) => found.is_empty(),
        (Some((first, rest)), _) if first == "..." => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        (Some((shown, rest)), Some((line, others))) => {
            line_matches(shown, line) && matches(rest, others)
        }
        (Some(_), None) => false,
    }
}

fn line_matches(shown: &str, found: &str) -> bool {
    let mut parts = shown.split("[..]");
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let copy = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &copy);
        } else {
            fs::copy(&path, &copy).expect("a copy");
        }
    }
}

#[cfg(unix)]
#[test]
fn every_command_does_what_is_shown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    copy_folder(&scenarios, &folder.path().join("scenarios"));
    let binary = Path::new(env!("CARGO_BIN_EXE_metastable"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );

    for (page, text) in PAGES {
        try_all(page, &commands(text), folder.path(), &path);
    }
}

/// Runs what a page shows, one command after another.
#[cfg(unix)]
fn try_all(page: &str, typed: &[Typed], folder: &Path, path: &str) {
    let mut run = 0;
    let mut last = 0;
    for (index, Typed { line, command, output }) in typed.iter().enumerate() {
        let (status, text) = if command == "echo $?" {
            (0, format!("{last}\n"))
        } else if let Some(command) = runnable(command) {
            let done = Command::new("sh")
                .args(["-c", &format!("exec 2>&1\n{command}")])
                .current_dir(folder)
                .env("PATH", path)
                .env_remove("NO_COLOR")
                .output()
                .expect("a shell");
            run += 1;
            (done.status.code().unwrap_or(-1), String::from_utf8(done.stdout).expect("text"))
        } else {
            continue;
        };
        let is_asked = typed.get(index + 1).is_some_and(|next| next.command == "echo $?");
        assert!(
            status == 0 || is_asked,
            "{page}:{line}: `{command}` failed with {status}:\n{text}"
        );
        if let Some(shown) = output {
            let found: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
            let shown_text = shown.join("\n");
            assert!(
                matches(trim_end(shown), &found),
                "{page}:{line}: `{command}` shows\n{shown_text}\n--- but says\n{text}"
            );
        }
        last = status;
    }
    assert!(run > 0, "{page} shows no command");
}

/// Without the empty lines at the end.
fn trim_end(lines: &[String]) -> &[String] {
    let length = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    &lines[..length]
}

/// What checks every change runs the tests as the README tells people to.
#[cfg(unix)]
#[test]
fn ci_tests_as_the_readme_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let done =
        Command::new("bash").arg(root.join(".ci/readme-test-command")).output().expect("bash");
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{error}");
    let extracted = String::from_utf8(done.stdout).expect("text");
    let mut told: Vec<String> = commands(README).into_iter().map(|typed| typed.command).collect();
    told.retain(|command| command.starts_with("cargo test"));
    told.dedup();
    assert_eq!(told, [extracted.trim_end()]);

    let script = fs::read_to_string(root.join(".ci/run")).expect("the script");
    assert!(script.contains(".ci/readme-test-command"), "the script does not ask the README");
    let own = script.lines().find(|line| line.trim_start().starts_with("cargo test"));
    assert_eq!(own, None, "the script has a test command of its own");
}

#[test]
fn commands_and_outputs_are_told_apart() {
    let text = "cargo test\n```toml\n$ no\n```\n```console\n$ a \\\n  b\nout\n\n$ c\n```\n```sh\n# d\ne\n```\n";
    let typed = |line, command: &str, output: Option<&[&str]>| Typed {
        line,
        command: command.to_owned(),
        output: output.map(|lines| lines.iter().map(|&line| line.to_owned()).collect()),
    };
    let expected =
        [typed(6, "a \\\n  b", Some(&["out", ""])), typed(10, "c", None), typed(14, "e", None)];
    assert_eq!(commands(text), expected);
    assert_eq!(runnable("cargo run --release -- run x").as_deref(), Some("metastable run x"));
    assert_eq!(
        runnable("NO_COLOR=1 metastable run x").as_deref(),
        Some("NO_COLOR=1 metastable run x")
    );
    assert_eq!(runnable("cargo test"), None);
}

#[test]
fn wildcards_match_and_nothing_else_does() {
    let check = |shown: &[&str], found: &[&str], expected: bool| {
        let shown: Vec<String> = shown.iter().map(|&line| line.to_owned()).collect();
        assert_eq!(matches(&shown, found), expected, "{shown:?} {found:?}");
    };
    check(&["a", "b"], &["a", "b"], true);
    check(&["a", "b"], &["a"], false);
    check(&["a"], &["a", "b"], false);
    check(&["a", "..."], &["a", "b", "c"], true);
    check(&["...", "c"], &["a", "b", "c"], true);
    check(&["...", "b"], &["a", "b", "c"], false);
    check(&["took [..] s, [..] runs"], &["took 0.3 s, 40 runs"], true);
    check(&["took [..] s"], &["took 0.3 ms"], false);
    check(&["aa[..]aa"], &["aaa"], false);
}
