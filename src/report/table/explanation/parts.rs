//! Sentences about parts of it: who is held up, one instance among several, what fails by itself, what is done
//! twice.

use super::told::{Told, amount};
use crate::analysis::Hold;
use crate::model::Trigger;
use crate::policy::cache::LateFills;
use crate::report::table::figure::{count, seconds, three_digits};
use crate::unit::Fraction;

/// An instance that fares worse than the others of its service.
pub(super) struct Worst {
    /// `“api” 3`, as it is called in tables.
    pub(super) name: String,
    says: String,
}

impl Told<'_> {
    /// Whom the seat holds up, and how.
    pub(super) fn held_up(&self) -> Option<String> {
        let from = self.found.disturbed_from?;
        let hold = |hold: &Hold| {
            let service = self.model.service(hold.service);
            let name = &service.name;
            let [then, usual] = [hold.then_s, hold.usual_s].map(three_digits);
            match hold.capacity {
                Some(capacity) => format!(
                    "each worker of “{name}” is held for {then} s by an attempt, against {usual} s before, so it can \
                     serve {} a second",
                    amount(capacity)
                ),
                None => format!("attempts at “{name}” take {then} s, against {usual} s before"),
            }
        };
        let holds: Vec<String> = self.found.holds.iter().map(hold).collect();
        (!holds.is_empty()).then(|| {
            format!(
                "From second {} to {}, waiting for “{}”, {}.",
                seconds(from.as_secs_f64()),
                seconds(self.found.end.to.as_secs_f64()),
                self.seat(),
                holds.join("; ")
            )
        })
    }

    /// The instance of the seat that fails the most, if the others are well.
    pub(super) fn worst_instance(&self) -> Option<Worst> {
        let names = self.model.instance_names();
        let all = self.model.instances().zip(self.run.recording.instances.seen()).zip(&names);
        let mut seen: Vec<_> =
            all.filter(|(((service, _), _), _)| *service == self.found.seat).collect();
        seen.sort_by_key(|((_, seen), _)| std::cmp::Reverse(seen.failed));
        let [(((_, nth), worst), name), others @ ..] = &seen[..] else { return None };
        let next = others.first().map_or(0, |((_, seen), _)| seen.failed);
        let share = worst.failed as f64 / worst.attempts.max(1) as f64;
        if share < 0.1 || worst.failed < 3 * next.max(1) {
            return None;
        }
        let name = if name.is_empty() { nth.to_string() } else { format!("“{name}”") };
        let says = format!(
            "Of {} attempts sent to {name}, {} fail, and {} are still out at the end; of the other {}, none fails \
             more than {}.",
            count(worst.attempts as f64),
            count(worst.failed as f64),
            count(worst.outstanding as f64),
            others.len(),
            count(next as f64)
        );
        Some(Worst { name, says })
    }

    pub(super) fn instance(&self) -> Option<String> {
        self.worst_instance().map(|worst| worst.says)
    }

    /// Which services fail attempts by themselves, and how many; as the parts of a sentence.
    pub(super) fn errs(&self) -> Option<String> {
        let services = self.model.services.iter();
        let parts: Vec<String> = services
            .filter(|service| service.errors.share != Fraction::ZERO)
            .map(|service| {
                let share = percent(service.errors.share);
                format!(
                    "“{}” answers {share} of its attempts with an error (errors.share)",
                    service.name
                )
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// What fails by itself, for good or for a while.
    pub(super) fn errors(&self) -> Option<String> {
        let by_trigger = |trigger: &Trigger| {
            let (service, share) = trigger.error_share()?;
            Some(format!(
                "“{}” answers {} of its attempts with an error while “{}” is on",
                self.model.service(service).name,
                percent(share),
                trigger.name
            ))
        };
        let triggers = self.model.triggers.iter().filter_map(by_trigger);
        let parts: Vec<String> = self.errs().into_iter().chain(triggers).collect();
        (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
    }

    /// How often an operation was executed again, where that is counted.
    pub(super) fn executed(&self) -> Option<String> {
        let services = self.run.recording.services();
        let parts: Vec<String> = self
            .model
            .services
            .iter()
            .zip(services)
            .filter(|(service, _)| service.effect.is_some())
            .map(|(service, total)| {
                let (all, again) = (total.seen.executions, total.seen.duplicates);
                let again = match again {
                    0 => "none of them twice for a request".to_owned(),
                    again => format!(
                        "{} of them for requests for which it had done so before",
                        count(again as f64)
                    ),
                };
                format!("“{}” executes {} operations, {again}", service.name, count(all as f64))
            })
            .collect();
        (!parts.is_empty()).then(|| format!("In the whole run {}.", parts.join("; ")))
    }

    /// Whether what comes too late for whoever asked for it still fills a cache before the seat.
    pub(super) fn keeps_late_answers(&self) -> bool {
        self.model.edges().any(|(_, _, edge)| {
            edge.to == self.found.seat
                && edge.cache.is_some_and(|cache| cache.late_fills == LateFills::Fill)
        })
    }
}

/// A share in per cent: `100 %`, `0.1 %`.
fn percent(share: Fraction) -> String {
    let percent = 100.0 * share.as_f64();
    if percent >= 1.0 { format!("{percent:.0} %") } else { format!("{} %", three_digits(percent)) }
}
