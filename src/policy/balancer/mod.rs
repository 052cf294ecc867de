//! Which of the instances of a service gets this attempt?
//!
//! Whose memory it is: the caller's. One [`Picker`] for all requests of a client, or one for each of
//! its instances; the [`Fleet`] that it picks from has the same owner, since what a balancer knows to
//! be outstanding is what it has sent itself. A thousand callers that each see one attempt out do not
//! see the thousand that wait at the instance.
//!
//! Asked and told at these moments:
//!
//! * [`Picker::pick`] when an attempt is about to leave, retries and hedges included;
//! * [`Fleet::sent`] when it has left, and [`Fleet::ended`] when the caller has learned how it ended
//!   or has given it up;
//! * [`Fleet::set`] when an instance comes, goes, or is [ejected](super::ejection).
//!
//! What a pick costs: the same at any size for a random one and for two choices, the logarithm of the
//! size in turn or by the ring (as long as few are unhealthy), the size for the least outstanding.

mod fleet;
mod ring;

pub use fleet::{Fleet, Standing};

use ring::Ring;

use std::num::NonZeroU16;

use crate::random::Bits;
use crate::unit::Fraction;

/// A load balancer's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balancer {
    /// How one is picked.
    pub rule: Rule,
    /// With a smaller share of healthy instances than this, all of them are picked from: few that are
    /// healthy would be flooded with what was meant for many (Envoy's healthy panic threshold, one
    /// half by default). With zero, unhealthy ones are never picked, and if there is no other, nobody
    /// is.
    pub panic_below: Fraction,
}

/// How one of several instances is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Each in its turn.
    RoundRobin(Start),
    /// Each as likely.
    Random,
    /// The one with fewer outstanding of two that are drawn; of equals, the one drawn first
    /// (Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001).
    TwoChoices(Draws),
    /// The one with the fewest outstanding.
    LeastOutstanding(Ties),
    /// The one that the request's key belongs to, on a ring on which each has so many places.
    ConsistentHash {
        /// Places of each instance: the more, the more even the shares.
        places: NonZeroU16,
    },
}

/// Whose turn it is first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Anybody's, as in Envoy: many callers that all began with the first would send it a herd.
    #[default]
    Anywhere,
    /// The first one's.
    AtTheFirst,
}

/// How two are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draws {
    /// Two different ones.
    #[default]
    Different,
    /// One after the other, and the same one may be drawn twice (Envoy).
    Independent,
}

/// Which of several that have equally few outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The next one after the last pick (nginx, HAProxy).
    #[default]
    InTurn,
    /// The first: while little is going on, it gets everything.
    First,
    /// Each as likely.
    Random,
}

/// Who gets an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// This instance.
    Instance(u32),
    /// There is none that may be picked: the attempt has failed without having been sent.
    Nobody,
}

/// From whom is picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// From the healthy ones.
    Healthy,
    /// From all that are there, since too few are healthy.
    All,
}

/// What a balancer remembers during a run.
#[derive(Clone, Debug)]
pub struct Picker {
    balancer: Balancer,
    /// Whoever comes from here on is next.
    turn: u32,
    /// Empty unless the rule needs one.
    ring: Ring,
}

impl Balancer {
    /// Each in its turn, from the first on; with fewer than half of them healthy, all.
    pub const IN_TURN: Self =
        Self { rule: Rule::RoundRobin(Start::AtTheFirst), panic_below: Fraction::HALF };

    /// A picker for up to `instances` instances; `bits` are for whose turn it is first. The memory of
    /// a ring grows with the instances times their places, 16 bytes each.
    pub fn open(&self, instances: u32, bits: &mut impl Bits) -> Picker {
        let (turn, ring) = match self.rule {
            Rule::RoundRobin(Start::Anywhere) => (below(instances, bits), Ring::default()),
            Rule::ConsistentHash { places } => (0, Ring::new(instances, places)),
            Rule::RoundRobin(Start::AtTheFirst)
            | Rule::Random
            | Rule::TwoChoices(_)
            | Rule::LeastOutstanding(_) => (0, Ring::default()),
        };
        Picker { balancer: *self, turn, ring }
    }

    /// From whom is picked.
    pub fn among(&self, fleet: &Fleet) -> Among {
        let (healthy, all) = (fleet.healthy().len() as u64, fleet.present().len() as u64);
        // At least the share is healthy if at most the rest of the whole is not.
        if self.panic_below.complement().covers(all - healthy, all) {
            Among::Healthy
        } else {
            Among::All
        }
    }
}

impl Picker {
    /// Who gets the attempt of a request with this key; only a ring looks at the key.
    #[inline]
    pub fn pick(&mut self, fleet: &Fleet, key: u64, bits: &mut impl Bits) -> Pick {
        let among = self.balancer.among(fleet);
        let candidates = match among {
            Among::Healthy => fleet.healthy(),
            Among::All => fleet.present(),
        };
        if candidates.is_empty() {
            return Pick::Nobody;
        }
        let picked = match self.balancer.rule {
            Rule::RoundRobin(_) => self.in_turn(candidates),
            Rule::Random => any_of(candidates, bits),
            Rule::TwoChoices(draws) => two_choices(fleet, candidates, draws, bits),
            Rule::LeastOutstanding(ties) => self.least(fleet, candidates, ties, bits),
            Rule::ConsistentHash { .. } => {
                return self.ring.owner(key, |instance| fleet.may_be_picked(instance, among));
            }
        };
        Pick::Instance(picked)
    }

    fn in_turn(&mut self, candidates: &[u32]) -> u32 {
        let place = candidates.partition_point(|&candidate| candidate < self.turn);
        let picked = candidates.get(place).copied().unwrap_or(candidates[0]);
        self.turn = picked + 1;
        picked
    }

    fn least(&mut self, fleet: &Fleet, among: &[u32], ties: Ties, bits: &mut impl Bits) -> u32 {
        let loads = || among.iter().map(|&instance| (instance, fleet.outstanding(instance)));
        let fewest = loads().map(|(_, load)| load).min().unwrap_or(0);
        let mut equals = loads().filter(|&(_, load)| load == fewest).map(|(instance, _)| instance);
        let picked = match ties {
            Ties::First => equals.next(),
            Ties::InTurn => {
                let turn = self.turn;
                equals.clone().find(|&equal| equal >= turn).or_else(|| equals.next())
            }
            Ties::Random => {
                let chosen = below(equals.clone().count() as u32, bits);
                equals.nth(chosen as usize)
            }
        }
        .unwrap_or(among[0]);
        self.turn = picked + 1;
        picked
    }
}

fn two_choices(fleet: &Fleet, among: &[u32], draws: Draws, bits: &mut impl Bits) -> u32 {
    let count = among.len() as u32;
    let first = below(count, bits);
    let second = match draws {
        Draws::Independent => below(count, bits),
        Draws::Different if count == 1 => first,
        // Drawn from one fewer, and moved past the first.
        Draws::Different => {
            let other = below(count - 1, bits);
            other + u32::from(other >= first)
        }
    };
    let (first, second) = (among[first as usize], among[second as usize]);
    if fleet.outstanding(second) < fleet.outstanding(first) { second } else { first }
}

fn any_of(among: &[u32], bits: &mut impl Bits) -> u32 {
    among[below(among.len() as u32, bits) as usize]
}

/// A number from zero up to, and not including, `count`; zero for none.
fn below(count: u32, bits: &mut impl Bits) -> u32 {
    // The high half of a product: uniform to one part in 2^64 / n.
    ((u128::from(bits.bits()) * u128::from(count)) >> 64) as u32
}

#[cfg(test)]
mod tests;
