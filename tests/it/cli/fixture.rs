//! A folder with scenarios in it, and the command run there.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// Small enough to run in milliseconds: some 280 requests a second for 20 seconds. The stall leaves more
/// waiting than fits into a timeout, so that three retries keep it down and none lets it come back.
pub(crate) const STORM: &str = r#"
title   = "A small storm"
base    = "3 retries"
horizon = "20s"
window  = "1s"

[services.api]
workers      = 4
service_time = "10ms"

[clients.web]
calls        = "api"
load         = 0.7
call.timeout = "1s"
call.retry.immediate = { max_retries = 3 }

[triggers.gc]
stall = { service = "api", begins = "3s", lasts = "2s" }

[expect]
verdict = "metastable"

[variants."no retries"]
"clients.web.call.retry" = { never = {} }
expect = { verdict = "recovered", seeds = 2, back_at_s = { min = 5, max = 12 } }

[sweep]
seeds = 3
variants = ["3 retries"]
[sweep.axes]
"clients.web.load"        = [0.3, 0.7]
"triggers.gc.stall.lasts" = ["20ms", "4s"]

[[sweep.expect]]
where = { "triggers.gc.stall.lasts" = "20ms" }
recovered_share = 1
"#;

pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// A folder with [`STORM`] as `storm.toml`.
    pub(crate) fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.write("storm.toml", STORM);
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Everything in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command with these arguments, in the folder and without colours in its environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metastable"));
        command.current_dir(self.folder.path()).args(args);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("RAYON_NUM_THREADS");
        command
    }

    pub(crate) fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// What the command prints; it must end with code 0.
    pub(crate) fn stdout(&self, args: &[&str]) -> String {
        let output = self.output(args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.stdout(args)).unwrap()
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What was said on standard error, without the folds of long messages.
pub(crate) fn stderr(output: &Output) -> String {
    folded_stderr(output).replace(&format!("\n{}", " ".repeat("error: ".len())), " ")
}

/// What was said on standard error, as it was printed.
pub(crate) fn folded_stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The keys of a JSON object, in order.
pub(crate) fn keys(object: &serde_json::Value) -> Vec<String> {
    object.as_object().unwrap().keys().cloned().collect()
}
