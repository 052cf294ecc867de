//! Why a command cannot go on.

use metastable::scenario::Trouble;

use super::exit::Exit;
use super::interrupt;
use super::output::{colourful, complain, tell};

/// What ends a command early.
#[derive(Debug)]
pub(super) enum Failure {
    /// The scenario is wrong; it shows where.
    Scenario(Trouble),
    /// Something else is wrong; it says what, and what next.
    Other(anyhow::Error),
    /// Somebody wanted it to stop.
    Interrupted,
}

impl Failure {
    /// Tells it on standard error, once.
    pub(super) fn report(&self) -> Exit {
        match self {
            Self::Scenario(trouble) => {
                tell(&trouble.render(colourful()));
                Exit::Invalid
            }
            Self::Other(error) => {
                complain(&in_full(error));
                Exit::Invalid
            }
            Self::Interrupted => {
                interrupt::mourn();
                Exit::Incomplete
            }
        }
    }
}

/// An error with its causes, as far as it does not tell of them itself.
fn in_full(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |mut text, cause| {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
        text
    })
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Self::Scenario(trouble)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}
