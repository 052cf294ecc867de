//! What stalls do to instants that are known beforehand.

use crate::model::{Disturbance, Trigger};
use crate::time::{Span, Time};

/// The stalls of a run, one after the other and apart from each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Stalls {
    list: Vec<(Time, Time)>,
    /// The first of them that is not over when the latest attempt starts.
    next: usize,
}

impl Stalls {
    /// Those of `triggers`. Stalls that overlap or meet are one: nothing starts between them, and what
    /// is frozen stays so.
    pub(super) fn reset(&mut self, triggers: &[Trigger]) {
        self.next = 0;
        self.list.clear();
        self.list.extend(
            triggers
                .iter()
                .filter(|trigger| is_stall(trigger))
                .map(|trigger| (trigger.begins, trigger.ends())),
        );
        self.list.retain(|(begins, ends)| begins < ends);
        self.list.sort_unstable();
        self.list.dedup_by(|later, earlier| {
            let meet = later.0 <= earlier.1;
            if meet {
                earlier.1 = earlier.1.max(later.1);
            }
            meet
        });
    }

    /// When an attempt starts that could at `from`, if that is not before the one asked before.
    #[inline(always)]
    pub(super) fn start(&mut self, from: Time) -> Time {
        while let Some(&(begins, ends)) = self.list.get(self.next) {
            if from < begins {
                return from;
            }
            if from < ends {
                return ends;
            }
            self.next += 1;
        }
        from
    }

    /// When work is done that begins at `start`, as told by [`start`](Self::start) just now.
    #[inline(always)]
    pub(super) fn completion(&self, start: Time, work: Span) -> Time {
        let mut done = start + work;
        for &(begins, ends) in self.list.get(self.next..).unwrap_or_default() {
            if done <= begins {
                break;
            }
            if start < ends {
                // At the very instant of its end, an attempt starts that the stall has kept waiting.
                done += if start < begins { ends.since(begins) } else { Span::ZERO };
            }
        }
        done
    }
}

const fn is_stall(trigger: &Trigger) -> bool {
    matches!(trigger.disturbance, Disturbance::Stall { .. })
}
