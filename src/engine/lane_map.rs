//! Gives out the lanes of the agenda: what is scheduled with one constant delay comes due in order.

use super::agenda::Lane;
use crate::time::Span;

/// Which delays have a lane.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneMap(Vec<Option<(Use, Span)>>);

/// What a delay is for. Equal delays of different kinds share no lane, as their classes could be out
/// of order at equal instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Work,
    Timeout,
    Retry,
    Journey,
}

impl LaneMap {
    /// No delay has a lane, but there is memory for as many as had.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn of(&mut self, kind: Use, delay: Span) -> Lane {
        let wanted = Some((kind, delay));
        let index = self.0.iter().position(|&known| known == wanted).unwrap_or_else(|| {
            self.0.push(wanted);
            self.0.len() - 1
        });
        Lane::number(index)
    }

    /// The lane of a delay; none where the delay is not constant.
    pub(super) fn of_optional(&mut self, kind: Use, delay: Option<Span>) -> Lane {
        delay.map_or(Lane::NONE, |delay| self.of(kind, delay))
    }

    /// A lane shared with nobody, for a single entry at a time; none where that could keep a lane that
    /// saves more from being used.
    pub(super) fn own(&mut self) -> Lane {
        if self.0.len() >= Lane::IN_USE {
            return Lane::NONE;
        }
        self.0.push(None);
        Lane::number(self.0.len() - 1)
    }
}
