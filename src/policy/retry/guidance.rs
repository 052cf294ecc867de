//! What becomes of a wait when the service has said how long to stay away?
//!
//! Whose memory it is: nobody's; the answer carries it (HTTP `Retry-After`, gRPC
//! `grpc-retry-pushback-ms`, `x-amz-retry-after`).

use super::Decision;
use crate::time::Span;

/// What the answer that failed an attempt said about trying again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hint {
    /// Nothing; also when there was no answer.
    #[default]
    Absent,
    /// Not before this much time has passed.
    After(Span),
    /// Not at all: a negative pushback, "overloaded, do not retry".
    Never,
}

/// How a client takes such a hint. All but [`Guidance::Ignored`] obey [`Hint::Never`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guidance {
    /// Its own wait stands.
    #[default]
    Ignored,
    /// The longer of its own wait and the hint, however long: a hint of an hour is slept for an hour
    /// (psf/requests #4854) unless a deadline says otherwise.
    Minimum,
    /// The longer of its own wait and the hint, of which at most this much is believed.
    MinimumUpTo(Span),
    /// The hint, but not shorter than its own wait and at most this much longer: AWS, 5 s.
    AtMostLonger(Span),
    /// The hint in place of its own wait, longer or shorter: gRPC.
    Replaces,
    /// The longer of its own wait and the hint; a hint longer than this fails the request at once.
    FailsBeyond(Span),
}

impl Guidance {
    /// What becomes of a request that would retry after its own wait.
    #[inline]
    pub(super) fn weigh(self, own: Span, hint: Hint) -> Decision {
        if matches!(self, Self::Ignored) {
            return Decision::After(own);
        }
        let hint = match hint {
            Hint::Absent => return Decision::After(own),
            Hint::Never => return Decision::GiveUp,
            Hint::After(hint) => hint,
        };
        Decision::After(match self {
            Self::Ignored => own,
            Self::Minimum => own.max(hint),
            Self::MinimumUpTo(most) => own.max(hint.min(most)),
            Self::AtMostLonger(most) => hint.clamp(own, own + most),
            Self::Replaces => hint,
            Self::FailsBeyond(most) if hint > most => return Decision::GiveUp,
            Self::FailsBeyond(_) => own.max(hint),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_takes_a_hint_its_own_way() {
        let secs = Span::from_secs;
        let check = |guidance: Guidance, hint, expected| {
            assert_eq!(guidance.weigh(secs(2), hint), expected, "{guidance:?} {hint:?}");
        };
        let after = |n| Decision::After(secs(n));
        let hour = Hint::After(secs(3_600));
        let second = Hint::After(secs(1));
        check(Guidance::Ignored, hour, after(2));
        check(Guidance::Ignored, Hint::Never, after(2));
        check(Guidance::Minimum, hour, after(3_600));
        check(Guidance::Minimum, second, after(2));
        check(Guidance::MinimumUpTo(secs(60)), hour, after(60));
        check(Guidance::MinimumUpTo(secs(60)), second, after(2));
        check(Guidance::AtMostLonger(secs(5)), hour, after(7));
        check(Guidance::AtMostLonger(secs(5)), second, after(2));
        check(Guidance::Replaces, second, after(1));
        check(Guidance::Replaces, hour, after(3_600));
        check(Guidance::FailsBeyond(secs(60)), hour, Decision::GiveUp);
        check(Guidance::FailsBeyond(secs(60)), Hint::After(secs(60)), after(60));
        check(Guidance::FailsBeyond(secs(60)), second, after(2));
        for guidance in [
            Guidance::Minimum,
            Guidance::MinimumUpTo(secs(1)),
            Guidance::AtMostLonger(secs(1)),
            Guidance::Replaces,
            Guidance::FailsBeyond(secs(1)),
        ] {
            check(guidance, Hint::Never, Decision::GiveUp);
            check(guidance, Hint::Absent, after(2));
        }
    }
}
