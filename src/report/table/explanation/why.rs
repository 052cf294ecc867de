//! The last word: why it is back, or why it is not.

use super::told::{Told, amount};
use crate::analysis::{Mechanism, Verdict, exceeds_capacity};
use crate::report::table::figure::{count, seconds, three_digits};

impl Told<'_> {
    pub(super) fn why(&self) -> Option<String> {
        let is_helped = self.run.recording.pulls.iter().next().is_some();
        Some(match self.verdict {
            Verdict::Overloaded if exceeds_capacity(self.model) => {
                "Fresh requests alone ask for more than can be served. No policy of clients mends that: \
                 more capacity does, or less demand."
                    .to_owned()
            }
            Verdict::Overloaded if self.is_disturbed() => {
                "It fails without the disturbance as well.".to_owned()
            }
            Verdict::Overloaded => self.why_undisturbed(),
            Verdict::Undecided => {
                "The disturbance ends too near the end of the run to tell; a longer horizon does.".to_owned()
            }
            Verdict::Unaffected if self.is_disturbed() => self.why_unaffected(),
            Verdict::Unaffected => "Nothing disturbs it, and it stays as it is.".to_owned(),
            Verdict::Recovered if is_helped => {
                "Not by itself: an operator acted before it was back.".to_owned()
            }
            Verdict::Recovered => self.why_back(),
            Verdict::Draining => format!(
                "The queue shrinks, slowly: {} attempts wait at the end of the run.",
                count(self.found.end.waiting as f64)
            ),
            Verdict::Metastable => self.why_not(),
        })
    }

    /// Why it fails where nobody disturbs it and fresh requests alone would not be too many.
    fn why_undisturbed(&self) -> String {
        let Mechanism { end, .. } = *self.found;
        if end.demand <= end.capacity {
            let why = self.errs().map_or_else(String::new, |says| format!(": {says}"));
            return format!(
                "It fails although nothing disturbs it, and not for want of capacity{why}."
            );
        }
        if self.found.is_multiplied() {
            return format!(
                "It fails although nothing disturbs it: what is sent besides first attempts makes {} a second \
                 of {}, and {} can be served.",
                amount(end.demand),
                amount(self.found.fresh * end.arrivals),
                amount(end.capacity)
            );
        }
        "It fails although nothing disturbs it.".to_owned()
    }

    /// What keeps a disturbance from being seen in goodput.
    fn why_unaffected(&self) -> String {
        let Mechanism { end, left, .. } = *self.found;
        if let Some(worst) = self.worst_instance() {
            return format!(
                "{} fails most of what it is sent, the others answer, and what is tried again finds them: goodput \
                 stays within the criterion, and that instance is no better off.",
                worst.name
            );
        }
        match left {
            Some(left) if left.waiting > 0 && end.waiting >= left.waiting => format!(
                "What the disturbance left is not gone, {} attempts wait at the end, but goodput stays within the \
                 criterion.",
                count(end.waiting as f64)
            ),
            Some(_) | None => "What the disturbance left was gone before it mattered.".to_owned(),
        }
    }

    fn why_back(&self) -> String {
        let Mechanism { capacity, end, left, .. } = *self.found;
        let expected = self.expected();
        let spare = end.capacity - end.demand;
        let waited = left.is_some_and(|left| left.waiting > 0);
        let back = self.run.assessment.back_at;
        let is_early = back.zip(left).is_some_and(|(back, left)| back < left.at);
        if let (true, Some(back)) = (is_early, back) {
            let at = seconds(back.as_secs_f64());
            let by = if end.capacity > 1.05 * capacity {
                format!(
                    " The autoscaler had brought workers: {} a second could be served, and {} with those that it \
                     begins with.",
                    amount(end.capacity),
                    amount(capacity)
                )
            } else {
                String::new()
            };
            return format!("At second {at} it was back, while the disturbance still went on.{by}");
        }
        if !waited && self.is_cached() && end.demand > expected && self.found.fates.failed >= 0.01 {
            let filled = if end.wasted > 0.5 && self.keeps_late_answers() {
                "answered came too late for those who had asked, and filled the cache all the same"
            } else {
                "answered in time filled the cache again"
            };
            return format!(
                "What “{}” {filled}, so that fewer and fewer requests went on to it.",
                self.seat()
            );
        }
        if !waited {
            "Nothing was left to work off when the disturbance was over.".to_owned()
        } else if self.slows_down() {
            "What it had in hand became few enough for its work to be short again, and the queue drained."
                .to_owned()
        } else if spare > 0.0 && end.capacity > 1.05 * capacity {
            format!(
                "The autoscaler brought workers: {} a second were served, and {} came with all that was tried \
                 again, so the queue drained.",
                amount(end.served),
                amount(end.demand)
            )
        } else if spare > 0.0 && self.has_a_rate() {
            format!(
                "Demand with all that is tried again stays {} attempts a second below what can be served, \
                 so the queue drains.",
                amount(spare)
            )
        } else {
            "Demand is above what is served, but not all of it waits: what is refused, dropped or answered \
             in time leaves no work behind, and the queue empties."
                .to_owned()
        }
    }

    fn why_not(&self) -> String {
        let Mechanism { held_s, end, fates, .. } = *self.found;
        let expected = self.expected();
        let loops = "The loop needs no disturbance to go on.";
        if self.slows_down() && end.served < 0.9 * expected {
            return format!(
                "Its work grows with what it has in hand: it serves {} a second, fewer than come, so what \
                 it has in hand stays as much. {loops}",
                amount(end.served)
            );
        }
        if fates.held_back > 0.5
            && end.demand < 0.5 * end.capacity
            && let Some(held_back) = self.held_back()
        {
            return format!(
                "The service is not busy: it serves {} of {} a second. {held_back} What would tell them \
                 to let go does not come. {loops}",
                amount(end.served),
                amount(end.capacity)
            );
        }
        if self.is_cached()
            && !self.found.is_multiplied()
            && end.demand > end.capacity
            && end.wasted > 0.5
        {
            return format!(
                "Answers that come too late are of no use and fill no cache for whoever asks next, so \
                 requests go on to “{}” that a cache would have answered, and make its answers late. \
                 {loops}",
                self.seat()
            );
        }
        if self.found.is_multiplied() && end.demand > end.capacity {
            let makes = if fates.hedged > 0.5 * fates.again {
                "What is out for long is sent once more, the copies keep the queue full, and a full queue \
                 keeps everything out for long."
            } else {
                "Late answers are tried again, what is tried again keeps the queue full, and a full queue \
                 makes answers late."
            };
            return format!(
                "{makes} {loops} It ends only if what arrives falls below {} a second: {} attempts for each \
                 that fresh requests bring, at the most.",
                amount(end.capacity),
                three_digits(end.capacity / expected)
            );
        }
        if self.outside().is_some() {
            return format!("What holds requests up is on their callers' side. {loops}");
        }
        if let Some(held) = held_s {
            return format!(
                "Each of its workers is held {} s for an attempt by what it calls, so it serves {} a \
                 second. {loops}",
                three_digits(held),
                amount(end.served)
            );
        }
        format!(
            "It serves {} a second, too late for whoever asked, and nothing makes what waits fewer: {} \
             attempts wait at the end. {loops}",
            amount(end.served),
            count(end.waiting as f64)
        )
    }
}
