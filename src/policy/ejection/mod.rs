//! Which instances are not asked for a while, given how those before were answered?
//!
//! Whose memory it is: the caller's, one [`Watch`] beside each [`Fleet`](super::balancer::Fleet). The
//! rules are those of Envoy's outlier detection (`outlier_detection_impl.cc` at 00c7146).
//!
//! Told and asked at these moments:
//!
//! * [`Watch::report`] when an attempt to an instance has ended: a row of failures ejects at once;
//! * [`Watch::sweep`] at the multiples of [`Ejection::interval`] ([`Ejection::next_sweep`]), before
//!   whatever else happens at that instant. Only a sweep lets an instance return, so one that is
//!   ejected for 30 s just after a sweep is away for almost 40; only a sweep compares instances, by
//!   what they answered since the sweep before;
//! * [`Watch::join`] and [`Watch::leave`] when an instance comes or goes.
//!
//! The answers are changes of standing, which the caller enters into its fleet: whether all are asked
//! when too many are ejected is the balancer's affair.

mod record;

use record::{Ends, Record};

use std::num::NonZeroU32;

use super::outcome::{Failures, Outcome};
use crate::random::Bits;
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// The parameters of ejection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ejection {
    /// The failures that count as such. Any other end of an attempt counts as good.
    pub counted: Failures,
    /// So many failures in a row eject.
    pub consecutive: Option<NonZeroU32>,
    /// Whoever answers well more rarely than most of the others is ejected.
    pub success_rate: Option<SuccessRate>,
    /// Whoever fails for too large a share is ejected.
    pub failure_share: Option<FailureShare>,
    /// From one sweep to the next. Not zero.
    pub interval: Span,
    /// How long the first ejection lasts; the n-th n times as long.
    pub base: Span,
    /// The longest that this becomes; where it is shorter than `base`, `base` is.
    pub longest: Span,
    /// Each ejection lasts longer by a random length up to this, so that not all return at once.
    pub jitter: Span,
    /// The share of instances that may be ejected at once.
    pub most: Fraction,
    /// What is held against that share.
    pub counting: Counting,
}

/// Compares each instance with all: ejected is whose share of good answers is below the mean less so
/// many standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuccessRate {
    /// Standard deviations, in thousandths: 1,900 are 1.9.
    pub deviations_thousandths: u32,
    /// Who is compared, and when.
    pub evidence: Evidence,
}

/// Holds each instance against a limit: ejected is whose share of failures reaches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureShare {
    /// The share of failures that is too much.
    pub limit: Fraction,
    /// Who is looked at, and when.
    pub evidence: Evidence,
}

/// How much must be known before instances are judged by shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Instances with fewer ends in an interval are left out.
    pub requests: u32,
    /// With fewer instances than this left, nobody is judged.
    pub instances: u32,
}

/// What is held against the largest share that may be ejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// The share with this one among them: of nine instances, a tenth is none.
    #[default]
    WithThis,
    /// The same, but while none is ejected one may be, however few there are (Envoy's
    /// `always_eject_one_host`).
    AlwaysOne,
    /// The share without this one, which must be below: of nine, a tenth is one (Envoy before it had
    /// that option).
    WithoutThis,
}

/// What has changed about an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is not to be asked.
    Ejected,
    /// It may be asked again.
    Returned,
}

/// What a report leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Stays,
    /// The instance is ejected now.
    Ejected,
}

/// What ejection remembers during a run: some 64 bytes for each instance.
#[derive(Clone, Debug)]
pub struct Watch {
    ejection: Ejection,
    records: Vec<Record>,
    /// Instances that are there.
    present: u32,
    /// Those of them that are ejected.
    ejected: u32,
}

impl Ejection {
    /// Envoy's defaults: five failures in a row, or 1.9 standard deviations below the mean of at least
    /// five instances; 30 s, 60 s, 90 s, … up to 300 s; a tenth of the instances. Judging by the share
    /// of failures is off ([`FailureShare::ENVOY`] is what it is when switched on).
    pub const ENVOY: Self = Self {
        counted: Failures::ALL,
        consecutive: NonZeroU32::new(5),
        success_rate: Some(SuccessRate::ENVOY),
        failure_share: None,
        interval: Span::from_secs(10),
        base: Span::from_secs(30),
        longest: Span::from_secs(300),
        jitter: Span::ZERO,
        most: share(1, 10),
        counting: Counting::WithThis,
    };

    /// The first sweep after `now`.
    pub const fn next_sweep(&self, now: Time) -> Time {
        let interval = if self.interval.is_zero() { 1 } else { self.interval.as_nanos() };
        Time::from_nanos((now.as_nanos() / interval + 1).saturating_mul(interval))
    }

    /// A watch over so many instances, of whom nothing is known.
    pub fn open(&self, instances: u32) -> Watch {
        Watch {
            ejection: *self,
            records: vec![Record::NEW; instances as usize],
            present: instances,
            ejected: 0,
        }
    }

    /// How long the ejection lasts after which an instance has been ejected `times` times in a row.
    fn length(&self, times: u32) -> Span {
        self.base.saturating_mul(u64::from(times)).min(self.longest.max(self.base))
    }
}

impl SuccessRate {
    /// Envoy's defaults.
    pub const ENVOY: Self =
        Self { deviations_thousandths: 1_900, evidence: Evidence { requests: 100, instances: 5 } };
}

impl FailureShare {
    /// Envoy's defaults.
    pub const ENVOY: Self =
        Self { limit: share(85, 100), evidence: Evidence { requests: 50, instances: 5 } };
}

const fn share(part: u32, whole: u32) -> Fraction {
    match Fraction::ratio(part, whole) {
        Some(share) => share,
        None => Fraction::ONE,
    }
}

impl Watch {
    /// An attempt to an instance has ended; `bits` are for the jitter of an ejection.
    #[inline]
    pub fn report(
        &mut self,
        now: Time,
        instance: u32,
        outcome: Outcome,
        bits: &mut impl Bits,
    ) -> Verdict {
        let failed = match outcome {
            Outcome::Succeeded => false,
            Outcome::Failed(failure) => self.ejection.counted.contains(failure),
        };
        let record = &mut self.records[instance as usize];
        if !record.is_present {
            return Verdict::Stays;
        }
        record.current.add(failed);
        record.in_a_row = if failed { record.in_a_row.saturating_add(1) } else { 0 };
        // What still comes from an instance that is ejected ejects it no further.
        if self.ejection.consecutive.is_none_or(|most| record.in_a_row != most.get())
            || record.is_ejected()
        {
            return Verdict::Stays;
        }
        // A row that ejects nobody because enough are ejected already begins anew.
        record.in_a_row = 0;
        self.eject(now, instance, bits)
    }

    /// Looks at all instances, as is due at the multiples of the interval, and tells what has changed,
    /// in order of number: first who returns, then who is ejected.
    pub fn sweep(&mut self, now: Time, bits: &mut impl Bits, mut tell: impl FnMut(u32, Change)) {
        for instance in 0..self.records.len() as u32 {
            let record = &mut self.records[instance as usize];
            if record.is_ejected() && record.until <= now {
                record.come_back(now);
                self.ejected -= 1;
                tell(instance, Change::Returned);
            }
            self.records[instance as usize].turn_over();
        }
        self.judge_success_rates(now, bits, &mut tell);
        self.judge_failure_shares(now, bits, &mut tell);
        for record in &mut self.records {
            record.forgive(now, self.ejection.interval);
        }
    }

    /// An instance is there, of which nothing is known.
    pub fn join(&mut self, instance: u32) {
        self.leave(instance);
        self.records[instance as usize] = Record::NEW;
        self.present += 1;
    }

    /// An instance is not there any more, and what was known of it is forgotten.
    pub fn leave(&mut self, instance: u32) {
        let record = &mut self.records[instance as usize];
        self.present -= u32::from(record.is_present);
        self.ejected -= u32::from(record.is_ejected());
        *record = Record::NEW;
        record.is_present = false;
    }

    /// Whether an instance is ejected.
    pub fn is_ejected(&self, instance: u32) -> bool {
        self.records[instance as usize].is_ejected()
    }

    /// How many are ejected.
    pub const fn ejected(&self) -> u32 {
        self.ejected
    }

    fn judge_success_rates(
        &mut self,
        now: Time,
        bits: &mut impl Bits,
        tell: &mut impl FnMut(u32, Change),
    ) {
        let Some(rule) = self.ejection.success_rate else { return };
        let judged = || self.judged(rule.evidence).map(|(_, ends)| ends.success_rate());
        let count = judged().count();
        if count == 0 || count < rule.evidence.instances as usize {
            return;
        }
        let mean = judged().sum::<f64>() / count as f64;
        let variance = judged().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>();
        let deviations = f64::from(rule.deviations_thousandths) / 1e3;
        let limit = mean - deviations * (variance / count as f64).sqrt();
        self.eject_each(now, rule.evidence, |ends| ends.success_rate() < limit, bits, tell);
    }

    fn judge_failure_shares(
        &mut self,
        now: Time,
        bits: &mut impl Bits,
        tell: &mut impl FnMut(u32, Change),
    ) {
        let Some(rule) = self.ejection.failure_share else { return };
        // Whoever was ejected a moment ago for its rate of success is a case the less.
        let count = self.judged(rule.evidence).count();
        if count == 0 || count < rule.evidence.instances as usize {
            return;
        }
        let rest = rule.limit.complement();
        let is_outlier = |ends: Ends| rest.covers(ends.good(), ends.all());
        self.eject_each(now, rule.evidence, is_outlier, bits, tell);
    }

    fn eject_each(
        &mut self,
        now: Time,
        evidence: Evidence,
        is_outlier: impl Fn(Ends) -> bool,
        bits: &mut impl Bits,
        tell: &mut impl FnMut(u32, Change),
    ) {
        for instance in 0..self.records.len() as u32 {
            let record = &self.records[instance as usize];
            if record.is_judged(evidence)
                && is_outlier(record.last)
                && self.eject(now, instance, bits) == Verdict::Ejected
            {
                tell(instance, Change::Ejected);
            }
        }
    }

    fn judged(&self, evidence: Evidence) -> impl Iterator<Item = (u32, Ends)> {
        let judged = (0..).zip(&self.records).filter(move |(_, record)| record.is_judged(evidence));
        judged.map(|(instance, record)| (instance, record.last))
    }

    fn eject(&mut self, now: Time, instance: u32, bits: &mut impl Bits) -> Verdict {
        if !self.has_room() {
            return Verdict::Stays;
        }
        let jitter = if self.ejection.jitter.is_zero() {
            Span::ZERO
        } else {
            Span::from_nanos_f64(self.ejection.jitter.as_nanos() as f64 * bits.uniform())
        };
        let record = &mut self.records[instance as usize];
        // One past the longest, as in Envoy, and no further: it takes the longer to be forgiven.
        let reached = self.ejection.base.saturating_mul(u64::from(record.times));
        if reached < self.ejection.longest + self.ejection.base {
            record.times = record.times.saturating_add(1);
        }
        let length = self.ejection.length(record.times);
        record.until = now + (length + jitter);
        self.ejected += 1;
        Verdict::Ejected
    }

    /// Whether one more may be ejected.
    fn has_room(&self) -> bool {
        self.ejection.has_room(self.ejected.into(), self.present.into())
    }
}

impl Ejection {
    /// Whether any of `present` instances may ever be ejected.
    pub fn may_eject_one_of(&self, present: u64) -> bool {
        self.has_room(0, present)
    }

    /// Whether one more of `present` may be ejected where `ejected` are.
    fn has_room(&self, ejected: u64, present: u64) -> bool {
        match self.counting {
            Counting::WithThis => self.most.covers(ejected + 1, present),
            Counting::AlwaysOne => ejected == 0 || self.most.covers(ejected + 1, present),
            // Below the share, unless the rest covers what is not ejected.
            Counting::WithoutThis => !self.most.complement().covers(present - ejected, present),
        }
    }
}

#[cfg(test)]
mod tests;
