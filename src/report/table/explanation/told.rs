//! The sentences: each says one thing, with the numbers of the run, or nothing where there is nothing of it.

use crate::analysis::{Hop, Mechanism, Verdict, exceeds_capacity};
use crate::experiment::Run;
use crate::id::{EdgeId, LeverId};
use crate::model::{Action, Arrivals, Caller, Client, Edge, Model};
use crate::policy::slowdown::Slowdown;
use crate::report::table::figure::{count, seconds, three_digits};
use crate::time::Time;

/// What there is to tell of one run.
pub(super) struct Told<'a> {
    pub(super) model: &'a Model,
    pub(super) run: &'a Run,
    pub(super) found: &'a Mechanism,
    pub(super) verdict: Verdict,
}

impl Told<'_> {
    fn seat(&self) -> &str {
        &self.model.service(self.found.seat).name
    }

    /// Whether demand is a rate: that of a volley or of users who wait for answers is not.
    fn has_a_rate(&self) -> bool {
        let rateless = |client: &Client| {
            matches!(client.arrivals, Arrivals::Volley { .. } | Arrivals::Users(_))
        };
        !self.model.clients.iter().any(rateless)
    }

    /// Whether anybody who calls the seat looks into a cache before.
    fn is_cached(&self) -> bool {
        let mut edges = self.model.edges();
        edges.any(|(_, _, edge)| edge.to == self.found.seat && edge.cache.is_some())
    }

    /// Whether its work grows with what it has in hand.
    fn slows_down(&self) -> bool {
        self.model.service(self.found.seat).slowdown != Slowdown::None
    }

    /// Whether anything was ever in a way that has to be explained.
    fn is_disturbed(&self) -> bool {
        self.found.left.is_some()
    }

    pub(super) fn load(&self) -> Option<String> {
        let Mechanism { fresh, capacity, held_s, .. } = *self.found;
        if !self.has_a_rate() {
            return None;
        }
        let service = self.model.service(self.found.seat);
        let with = if held_s.is_some() {
            ", its workers held by what it calls"
        } else if service.scaling.is_some() {
            " with the workers it begins with"
        } else if self.slows_down() {
            " while nothing slows its work down"
        } else {
            ""
        };
        let load = match fresh / capacity {
            load if load < 0.005 => "below 0.01".to_owned(),
            load => format!("of {load:.2}"),
        };
        Some(format!(
            "Fresh requests alone bring “{}” {} attempts a second, of {} that it can serve{with}: a load {load}.",
            self.seat(),
            amount(fresh),
            amount(capacity),
        ))
    }

    pub(super) fn disturbance(&self) -> Option<String> {
        let left = self.found.left?;
        let mut names: Vec<String> = Vec::new();
        for trigger in &self.model.triggers {
            let name = format!("“{}”", trigger.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let at = seconds(left.at.as_secs_f64());
        let when = match names.len() {
            // A run that begins with work under way.
            0 => format!("At second {at},"),
            1 => format!("When {} is over, at second {at},", names.join(" and ")),
            _ => format!("When {} are over, at second {at},", names.join(" and ")),
        };
        let work = left
            .work_s
            .map_or_else(String::new, |work_s| format!(": {} s of its work", three_digits(work_s)));
        Some(match left.waiting {
            0 => format!("{when} nobody waits for “{}”.", self.seat()),
            1 => format!("{when} one attempt waits for “{}”.", self.seat()),
            waiting => {
                format!(
                    "{when} {} attempts wait for “{}”{work}.",
                    count(waiting as f64),
                    self.seat()
                )
            }
        })
    }

    pub(super) fn operator(&self) -> Option<String> {
        let pulled = |(id, at): (LeverId, Time)| {
            let lever = &self.model.levers[id.index()];
            let does = match &lever.action {
                Action::Block { share, lasts, .. } => format!(
                    "blocks {:.0} % of the requests for {} s",
                    100.0 * share.as_f64(),
                    seconds(lasts.as_secs_f64())
                ),
                Action::DropQueue { service } => {
                    format!("drops the queue of “{}”", self.model.service(*service).name)
                }
                Action::Restart { service, takes, .. } => format!(
                    "restarts “{}” in {} s",
                    self.model.service(*service).name,
                    seconds(takes.as_secs_f64())
                ),
                Action::Change(_) => "changes the configuration".to_owned(),
            };
            format!("at second {} “{}” {does}", seconds(at.as_secs_f64()), lever.name)
        };
        let pulls: Vec<String> = self.run.recording.pulls.iter().map(pulled).collect();
        match (&pulls[..], self.model.levers.is_empty()) {
            ([], true) => None,
            ([], false) => Some("No lever was pulled.".to_owned()),
            _ => Some(format!("The operator acts: {}.", pulls.join("; "))),
        }
    }

    pub(super) fn too_late(&self) -> Option<String> {
        let (late, patience) = (self.found.too_late?, self.found.patience?);
        let later = match self.found.end.waited_s {
            Some(waited) if !self.verdict.is_well() => format!(
                ", and {} s from second {} on",
                three_digits(waited),
                seconds(self.found.end.from.as_secs_f64())
            ),
            Some(_) | None => String::new(),
        };
        Some(format!(
            "At second {} attempts have waited {} s on average when their turn comes{later}; whoever \
             sent them gives up after {} s.",
            seconds(late.from.as_secs_f64()),
            three_digits(late.waited_s),
            seconds(patience.as_secs_f64())
        ))
    }

    /// The while that decides, in words.
    fn meanwhile(&self) -> String {
        let (from, to) = (self.found.end.from.as_secs_f64(), self.found.end.to.as_secs_f64());
        format!("From second {} to {}", seconds(from), seconds(to))
    }

    pub(super) fn for_nobody(&self) -> Option<String> {
        let end = self.found.end;
        let matters = self.is_disturbed() && self.verdict != Verdict::Unaffected;
        (matters && end.wasted >= 0.005).then(|| {
            format!(
                "{}, {:.0} % of what “{}” serves is for nobody.",
                self.meanwhile(),
                100.0 * end.wasted,
                self.seat()
            )
        })
    }

    pub(super) fn retries(&self) -> Option<String> {
        let Mechanism { end, fates, path, .. } = self.found;
        if !self.has_a_rate() {
            return None;
        }
        let times = self.found.amplification().filter(|times| *times >= 1.05)?;
        let way = match &path[..] {
            [] | [_] => String::new(),
            hops => format!(" On the way there, attempts for each call: {}.", self.way(hops)),
        };
        let against = match end.demand / end.capacity {
            share if share < 0.01 => "less than a hundredth of what it can serve".to_owned(),
            share => format!("{} times what it can serve", three_digits(share)),
        };
        let hedges = if fates.hedged > 0.5 * fates.again {
            format!(" Of all attempts, {:.0} % are hedges.", 100.0 * fates.hedged)
        } else {
            String::new()
        };
        Some(format!(
            "{}, for each attempt that fresh requests alone would bring, {} come to “{}”: {} a second, \
             {against}.{hedges}{way}",
            self.meanwhile(),
            three_digits(times),
            self.seat(),
            amount(end.demand),
        ))
    }

    fn way(&self, hops: &[Hop]) -> String {
        let step = |hop: &Hop| {
            Some(format!("{} {}", self.edge(hop.edge)?, three_digits(hop.amplification)))
        };
        hops.iter().filter_map(step).collect::<Vec<_>>().join(", ")
    }

    /// `“page” to “inventory”`.
    fn edge(&self, id: EdgeId) -> Option<String> {
        let (_, caller, edge) = self.model.edges().find(|(known, ..)| *known == id)?;
        let from = match caller {
            Caller::Client(id) => &self.model.clients[id.index()].name,
            Caller::Service(id, _) => &self.model.service(id).name,
        };
        Some(format!("“{from}” to “{}”", self.model.service(edge.to).name))
    }

    pub(super) fn failures(&self) -> Option<String> {
        let fates = self.found.fates;
        let open = self.run.recording.tally.censored();
        if fates.ended == 0 && open > 0 {
            let are = if open == 1 { "one is" } else { &format!("{} are", count(open as f64)) };
            return Some(format!("{}, no request ends; {are} open in the end.", self.meanwhile()));
        }
        if fates.failed < 0.01 {
            return None;
        }
        let parts: Vec<String> = [
            (fates.timed_out, "are given up"),
            (fates.refused, "are refused"),
            (fates.failed_at_once, "fail at once"),
        ]
        .into_iter()
        .filter(|(share, _)| *share >= 0.005)
        .map(|(share, word)| format!("{:.0} % {word}", 100.0 * share))
        .collect();
        let attempts = match &parts[..] {
            [] => String::new(),
            parts => format!(" Of all attempts {}.", parts.join(" and ")),
        };
        Some(format!(
            "{}, {:.0} % of the requests that end fail.{attempts}{}",
            self.meanwhile(),
            100.0 * fates.failed,
            self.held_back().map_or_else(String::new, |says| format!(" {says}"))
        ))
    }

    /// Who holds attempts back on his own side, and by what.
    fn held_back(&self) -> Option<String> {
        let fates = self.found.fates;
        let id = fates.held_at.filter(|_| fates.held_back >= 0.01)?;
        let (_, _, edge) = self.model.edges().find(|(known, ..)| *known == id)?;
        let policies: Vec<&str> = [
            (edge.breaker.is_some(), "breaker"),
            (edge.throttle.is_some(), "throttle"),
            (edge.pool.is_some(), "pool"),
            (edge.deadline.is_some(), "deadline"),
            (edge.cache.is_some(), "cache"),
        ]
        .into_iter()
        .filter_map(|(is_there, name)| is_there.then_some(name))
        .collect();
        let by = match &policies[..] {
            [] => "before they are sent".to_owned(),
            policies => format!("by the {} of the call", policies.join(" or the ")),
        };
        Some(format!(
            "For each that is sent, {} are held back {by}, most of them from {}.",
            three_digits(fates.held_back),
            self.edge(id)?
        ))
    }

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
            Verdict::Unaffected if self.is_disturbed() => {
                "What the disturbance left was gone before it mattered.".to_owned()
            }
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
            return "It fails although nothing disturbs it, and not for want of capacity."
                .to_owned();
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

    fn why_back(&self) -> String {
        let Mechanism { capacity, fresh, end, left, .. } = *self.found;
        let spare = end.capacity - end.demand;
        let waited = left.is_some_and(|left| left.waiting > 0);
        let back = self.run.assessment.back_at;
        let is_early = back.zip(left).is_some_and(|(back, left)| back < left.at);
        if let (true, Some(back)) = (is_early, back) {
            let at = seconds(back.as_secs_f64());
            return format!("At second {at} it was back, while the disturbance still went on.");
        }
        if !waited && self.is_cached() && end.demand > fresh && self.found.fates.failed >= 0.01 {
            return format!(
                "What “{}” answered in time filled the cache again, so that fewer and fewer requests went on \
                 to it.",
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

    /// How much of what fresh requests would bring does not come, and what it waits for.
    pub(super) fn outside(&self) -> Option<String> {
        let Mechanism { fresh, end, .. } = *self.found;
        let expected = fresh * end.arrivals;
        if end.demand >= 0.9 * expected || self.verdict.is_well() || !self.has_a_rate() {
            return None;
        }
        let on = self.waits_outside()?;
        let come = if end.demand < 0.005 {
            "none come".to_owned()
        } else {
            format!("{} come", amount(end.demand))
        };
        Some(format!(
            "{}, of {} attempts a second that fresh requests would bring, {come} to “{}”: the others wait \
             on their callers' side, for {on}.",
            self.meanwhile(),
            amount(expected),
            self.seat()
        ))
    }

    /// What callers of the seat may wait for before they send anything.
    fn waits_outside(&self) -> Option<&'static str> {
        let edges = || self.model.edges().filter(|(_, _, edge)| edge.to == self.found.seat);
        let any = |has: fn(&Edge) -> bool| edges().any(|(_, _, edge)| has(edge));
        if any(|edge| edge.throttle.is_some()) {
            Some("their throttle")
        } else if any(|edge| edge.cache.is_some()) {
            Some("what another one has begun to fetch")
        } else if any(|edge| edge.pool.is_some()) {
            Some("a connection")
        } else {
            None
        }
    }

    fn why_not(&self) -> String {
        let Mechanism { fresh, held_s, end, fates, .. } = *self.found;
        let loops = "The loop needs no disturbance to go on.";
        if self.slows_down() && end.served < 0.9 * fresh {
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
                three_digits(end.capacity / fresh)
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

/// A rate in a few digits.
fn amount(value: f64) -> String {
    if value < 10.0 { three_digits(value) } else { count(value) }
}
