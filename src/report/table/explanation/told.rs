//! The sentences: each says one thing, with the numbers of the run, or nothing where there is nothing of it.

use crate::analysis::{Hop, Mechanism, Patience, Verdict};
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
    pub(super) fn seat(&self) -> &str {
        &self.model.service(self.found.seat).name
    }

    /// Whether demand is a rate: that of a volley or of users who wait for answers is not.
    pub(super) fn has_a_rate(&self) -> bool {
        let rateless = |client: &Client| {
            matches!(client.arrivals, Arrivals::Volley { .. } | Arrivals::Users(_))
        };
        !self.model.clients.iter().any(rateless)
    }

    /// Whether anybody who calls the seat looks into a cache before.
    pub(super) fn is_cached(&self) -> bool {
        let mut edges = self.model.edges();
        edges.any(|(_, _, edge)| edge.to == self.found.seat && edge.cache.is_some())
    }

    /// Whether its work grows with what it has in hand.
    pub(super) fn slows_down(&self) -> bool {
        self.model.service(self.found.seat).slowdown != Slowdown::None
    }

    /// Whether anything was ever in a way that has to be explained.
    pub(super) fn is_disturbed(&self) -> bool {
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
        let when = match self.found.fresh_seen {
            Some((from, to)) => format!(
                "As from second {} to {}, fresh",
                seconds(from.as_secs_f64()),
                seconds(to.as_secs_f64())
            ),
            None => "Fresh".to_owned(),
        };
        Some(format!(
            "{when} requests alone bring “{}” {} attempts a second, of {} that it can serve{with}: a load {load}.",
            self.seat(),
            amount(fresh),
            amount(capacity),
        ))
    }

    /// Attempts per second that fresh requests alone would bring to the seat in the while that decides.
    pub(super) fn expected(&self) -> f64 {
        self.found.fresh * self.found.end.arrivals
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
            waits(patience)
        ))
    }

    /// The while that decides, in words.
    pub(super) fn meanwhile(&self) -> String {
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

    /// What most of that is which is sent besides first attempts.
    pub(super) fn sent_again(&self) -> &'static str {
        if self.found.fates.repeated >= 0.005 { "Sent again" } else { "Retries" }
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
        let repeats = if fates.repeated >= 0.005 {
            format!(
                " Its callers send {} of these; the others are repeats beneath their policies.",
                three_digits(times * (1.0 - fates.repeated))
            )
        } else {
            String::new()
        };
        Some(format!(
            "{}, for each of the {} attempts a second that fresh requests alone would bring, {} come to “{}”: {} \
             a second, {against}.{repeats}{hedges}{way}",
            self.meanwhile(),
            amount(self.expected()),
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
    pub(super) fn edge(&self, id: EdgeId) -> Option<String> {
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
    pub(super) fn held_back(&self) -> Option<String> {
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

    /// How much of what fresh requests would bring does not come, and what it waits for.
    pub(super) fn outside(&self) -> Option<String> {
        let (end, expected) = (self.found.end, self.expected());
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
}

/// How long callers wait, in seconds: `0.025`, or `0.25 to 0.4`.
fn waits(patience: Patience) -> String {
    let short = |value: f64| match format!("{value:.4}") {
        // A hundredth of a second is too coarse for the shortest of them.
        fine if value < 0.1 => fine.trim_end_matches('0').to_owned(),
        _ => seconds(value),
    };
    let [least, most] = [patience.least, patience.most].map(|span| short(span.as_secs_f64()));
    if least == most { least } else { format!("{least} to {most}") }
}

/// A rate in a few digits.
pub(super) fn amount(value: f64) -> String {
    if value < 10.0 { three_digits(value) } else { count(value) }
}
