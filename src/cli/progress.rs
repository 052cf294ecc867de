//! How far the work is, for people who wait: on standard error, if that is a terminal.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::options::Options;
use super::output::say;

/// Work that takes no longer than this is over before a bar could be read.
const GRACE: Duration = Duration::from_millis(300);
const TICK: Duration = Duration::from_millis(200);
const TEMPLATE: &str = "{bar:30} {human_pos} of {human_len} runs  {rate}  {eta} left";

/// The bar on the screen, so that an interruption can take it away.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Counts finished runs.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// `runs` are to be done.
    pub(super) fn over(runs: u64, options: &Options) -> Self {
        let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.with_key("rate", rate).progress_chars("━╸─"));
        }
        if !options.quiet {
            let shown = bar.clone();
            thread::spawn(move || {
                thread::sleep(GRACE);
                if !shown.is_finished() {
                    // Stays hidden where standard error is no terminal.
                    shown.set_draw_target(ProgressDrawTarget::stderr());
                    shown.enable_steady_tick(TICK);
                    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
                }
            });
        }
        Self(bar)
    }

    /// So many more runs are done.
    pub(super) fn steps(&self, runs: u64) {
        self.0.inc(runs);
    }

    /// Says a line above the bar.
    pub(super) fn say_above(&self, line: &str) {
        self.0.suspend(|| say(line));
    }

    /// One more run is done.
    pub(super) fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn rate(state: &ProgressState, text: &mut dyn fmt::Write) {
    // A template has nowhere to report a failed write to.
    let _ = write!(text, "{:.0}/s", state.per_sec());
}

/// Takes the bar off the screen.
pub(super) fn clear() {
    if let Some(bar) = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take() {
        bar.finish_and_clear();
    }
}
