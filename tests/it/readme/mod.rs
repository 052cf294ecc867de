//! The word of the README and of every page in `docs` is kept: each command in a `sh` or `console` block is run, and
//! where the block shows what comes out, that is what comes out.
//!
//! In a `console` block a line that begins with `$ ` is a command and the lines after it are its
//! output, both streams together. In the output `[..]` stands for anything within a line, and a line
//! `...` for any lines. A command must succeed, unless the next one is `$ echo $?` and shows how it
//! failed. A command goes on after a backslash, and down to the end of a here-document. The commands of a
//! page are run one after another in a folder of its own with a copy of the scenarios.

mod links;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

const README: &str = include_str!("../../../README.md");

/// Every page whose word is kept, in the order of their names: the README and whatever is in `docs`.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    let named = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page is text");
        let name = path.strip_prefix(root).expect("a page of ours").display().to_string();
        (name.replace('\\', "/"), text)
    };
    found.into_iter().map(named).collect()
}

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
    let mut document = None;
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
            (None, None) => panic!("line {}: output before any command", index + 1),
        }
        document = match document {
            None => typed.and_then(|typed| typed.split_once("<< '")?.1.strip_suffix('\'')),
            Some(end) => (line != end).then_some(end),
        };
        continues = document.is_some() || typed.is_some_and(|typed| typed.ends_with('\\'));
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
    let leave = ["cargo ", "git ", "cd ", ".ci/", "rustup ", "pip "];
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
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let binary = Path::new(env!("CARGO_BIN_EXE_metastable"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );

    // Pages have nothing to do with each other; within one, a command may need what one before it wrote.
    let left = Mutex::new(pages().into_iter());
    let next = || left.lock().expect("nobody panics with it").next();
    let try_some = || {
        let mut run = 0;
        while let Some((page, text)) = next() {
            let folder = tempfile::tempdir().expect("a temporary folder");
            copy_folder(&scenarios, &folder.path().join("scenarios"));
            run += try_all(&page, &commands(&text), folder.path(), &path);
        }
        run
    };
    let run: usize = thread::scope(|scope| {
        let hands = [(); 4].map(|()| scope.spawn(try_some));
        let runs = hands.map(thread::ScopedJoinHandle::join);
        runs.into_iter().map(|run| run.expect("every page shows what happens")).sum()
    });
    assert!(run > 40, "only {run} commands are shown: are the pages found?");
}

/// Runs what a page shows, one command after another, and counts what it has run.
#[cfg(unix)]
fn try_all(page: &str, typed: &[Typed], folder: &Path, path: &str) -> usize {
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
    run
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
    let text = "cargo test\n```toml\n$ no\n```\n```console\n$ a \\\n  b\nout\n\n$ c\n```\n```sh\n# d\ne\n```\n\
                ```console\n$ f << 'END'\n$ g\nEND\nout\n```\n";
    let typed = |line, command: &str, output: Option<&[&str]>| Typed {
        line,
        command: command.to_owned(),
        output: output.map(|lines| lines.iter().map(|&line| line.to_owned()).collect()),
    };
    let expected = [
        typed(6, "a \\\n  b", Some(&["out", ""])),
        typed(10, "c", None),
        typed(14, "e", None),
        typed(17, "f << 'END'\n$ g\nEND", Some(&["out"])),
    ];
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

/// The picture of the tutorial is the one that its reader gets.
#[test]
fn the_picture_of_the_tutorial_is_fresh() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metastable"));
        let done = command.args(arguments).current_dir(folder.path()).output().expect("the binary");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    run(&["init", "first.toml"]);
    run(&["run", "first.toml", "--variant", "base", "--plot", "plots"]);
    for picture in ["first-timeline.svg", "first-timeline.png"] {
        let made = fs::read(folder.path().join("plots").join(picture)).expect("a picture");
        let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
        let shown = fs::read(pictures.join(picture)).expect("the picture of the tutorial");
        assert!(
            made == shown,
            "docs/pictures/{picture} is stale; made again by:\n  metastable init first.toml\n  \
             metastable run first.toml --variant base --plot docs/pictures"
        );
    }
}
