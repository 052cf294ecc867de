//! How an attempt ended, as its client sees it: what every client-side policy is told.

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// No answer within the timeout.
    TimedOut,
    /// The service said no on arrival: overloaded, rate limited, queue full.
    Refused,
    /// The service tried and answered with an error.
    Error,
    /// The connection broke while the attempt was under way.
    Reset,
    /// Nobody could be reached: no host, no connection.
    Unavailable,
}

impl Failure {
    /// Its name, as in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimedOut => "timeout",
            Self::Refused => "refused",
            Self::Error => "error",
            Self::Reset => "reset",
            Self::Unavailable => "unavailable",
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// With the answer that was waited for.
    Succeeded,
    /// Without it.
    Failed(Failure),
}

/// A set of kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failures(u8);

impl Failure {
    /// Every kind.
    pub const EACH: [Self; 5] =
        [Self::TimedOut, Self::Refused, Self::Error, Self::Reset, Self::Unavailable];

    const fn bit(self) -> u8 {
        match self {
            Self::TimedOut => 1,
            Self::Refused => 2,
            Self::Error => 4,
            Self::Reset => 8,
            Self::Unavailable => 16,
        }
    }
}

impl Failures {
    /// No kind.
    pub const NONE: Self = Self(0);
    /// Every kind.
    pub const ALL: Self = Self::of(&Failure::EACH);

    /// These kinds.
    pub const fn of(kinds: &[Failure]) -> Self {
        let (mut set, mut next) = (0, 0);
        while next < kinds.len() {
            set |= kinds[next].bit();
            next += 1;
        }
        Self(set)
    }

    /// Whether `kind` is one of them.
    #[inline]
    pub const fn contains(self, kind: Failure) -> bool {
        self.0 & kind.bit() != 0
    }

    /// All kinds but these.
    #[must_use]
    pub const fn complement(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_it_was_made_of() {
        let set = Failures::of(&[Failure::Refused, Failure::Reset]);
        let held = |set: Failures| Failure::EACH.map(|kind| set.contains(kind));
        assert_eq!(held(set), [false, true, false, true, false]);
        assert_eq!(held(set.complement()), [true, false, true, false, true]);
        assert_eq!(held(Failures::ALL), [true; 5]);
        assert_eq!(Failures::ALL.complement(), Failures::NONE);
    }
}
