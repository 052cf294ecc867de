//! Ctrl-C. Work stops soon, nothing is half-written, and one line says so.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::exit::Exit;
use super::failure::Failure;
use super::output::say;
use super::progress;

/// Work between runs asks this.
static STOP: AtomicBool = AtomicBool::new(false);
/// Whether the results are being written: from then on it is too late to write nothing.
static CLOSED: Mutex<bool> = Mutex::new(false);
/// Whether results are printed while the work goes on, so that an end leaves the front of them.
static PRINTING: AtomicBool = AtomicBool::new(false);
/// Whether something can be told of work that is not done, which takes until the runs that are under way are over.
static PARTIAL: AtomicBool = AtomicBool::new(false);
/// Whether the one line has been said.
static SAID: AtomicBool = AtomicBool::new(false);

/// How long the work may take to stop by itself. One run cannot be stopped in the middle, and can
/// take minutes.
const PATIENCE: Duration = Duration::from_millis(300);
/// The same where something is told of what is known by then.
const MORE_PATIENCE: Duration = Duration::from_secs(20);

/// That Ctrl-C is heard.
#[derive(Debug)]
pub(super) struct Interrupt(());

impl Interrupt {
    /// Listens for Ctrl-C, and for a polite request to end.
    pub(super) fn listen() -> Result<Self, Failure> {
        ctrlc::set_handler(on_signal).map_err(anyhow::Error::from)?;
        Ok(Self(()))
    }

    /// The same of a command that prints while it works.
    pub(super) fn listen_while_printing() -> Result<Self, Failure> {
        PRINTING.store(true, Ordering::Relaxed);
        Self::listen()
    }

    /// The same for work that can tell something of a part of itself.
    pub(super) fn listen_for_part() -> Result<Self, Failure> {
        PARTIAL.store(true, Ordering::Relaxed);
        Self::listen()
    }

    /// Set when work should stop.
    #[expect(clippy::unused_self, reason = "only who listens may ask")]
    pub(super) fn stop(&self) -> &'static AtomicBool {
        &STOP
    }

    /// From here on what is known of the results is written, and only a second Ctrl-C ends the command.
    #[expect(clippy::unused_self, reason = "only who listens may ask")]
    pub(super) fn close_on_part(&self) {
        *CLOSED.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// From here on the results are written, and only a second Ctrl-C ends the command.
    #[expect(clippy::unused_self, reason = "only who listens may ask")]
    pub(super) fn close(&self) -> Result<(), Failure> {
        let mut closed = CLOSED.lock().unwrap_or_else(PoisonError::into_inner);
        if STOP.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        *closed = true;
        Ok(())
    }
}

fn on_signal() {
    if STOP.swap(true, Ordering::Relaxed) {
        end();
    }
    let is_partial = PARTIAL.load(Ordering::Relaxed);
    let patience = if is_partial { MORE_PATIENCE } else { PATIENCE };
    // Whoever waits must not keep a second Ctrl-C from being heard.
    thread::spawn(move || {
        thread::sleep(patience);
        let closed = CLOSED.lock().unwrap_or_else(PoisonError::into_inner);
        if !*closed {
            // The lock is held to the end, so that nothing begins to be written meanwhile.
            end();
        }
    });
}

fn end() -> ! {
    progress::clear();
    mourn();
    process::exit(Exit::Incomplete.code().into());
}

/// Says that nothing came of it, once, whoever is first.
pub(super) fn mourn() {
    let printed = PRINTING.load(Ordering::Relaxed);
    let what = if printed { "what is printed ends early" } else { "nothing was written" };
    say_once(&format!("interrupted: {what}"));
}

/// Says that it is not all.
pub(super) fn own_up() {
    say_once("interrupted: this is what was known by then, and no file was written");
}

fn say_once(words: &str) {
    if !SAID.swap(true, Ordering::Relaxed) {
        say(words);
    }
}
