//! What the shell is told.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// As it should.
    Done,
    /// A promise is broken.
    Broken,
    /// The scenario or the command line is wrong, or a file cannot be read or written.
    Invalid,
    /// Interrupted; no file was written.
    Incomplete,
    /// There was nothing to do.
    NothingRan,
    /// A broken invariant of the program itself.
    Bug,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Broken => 1,
            Self::Invalid => 2,
            Self::Incomplete => 3,
            Self::NothingRan => 4,
            Self::Bug => 70,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
