//! Is what this attempt would fetch at hand already, or being fetched for somebody else?
//!
//! Whose memory it is: the caller's, who looks aside: it asks the [`Store`], and only what is not there
//! makes it call the service behind. One store for all requests of a client (a cache that they share),
//! or one for each of its instances (a cache in each process).
//!
//! Asked and told at these moments:
//!
//! * [`Store::draw`] when a request is born: what it asks for. Its retries ask for the same thing;
//! * [`Store::ask`] when an attempt would leave;
//! * [`Store::answered`] or [`Store::failed`] when a fetch ends: the answer is who waited for it;
//! * [`Store::gave_up`] when whoever leads a fetch has given it up, and [`Store::leave`] when whoever
//!   waits for one has;
//! * [`Store::flush`] when everything is lost.
//!
//! Memory: a store of keys takes 8 bytes for each key that there may be, whatever it holds, with a
//! capacity 8 more and with coalescing 4 more; fetches and waiters take what is out at once. A store by
//! hit ratio takes nothing.

mod entries;
mod flights;
mod popularity;

pub use flights::{Fetch, Place, Waiters};
pub use popularity::{Exponent, Popularity};

use entries::Entries;
use flights::Flights;
use popularity::Urn;

use std::num::{NonZeroU32, NonZeroU64};

use crate::random::Bits;
use crate::time::{Span, Time};
use crate::unit::Fraction;

/// A cache's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// What decides whether something is there.
    pub contents: Contents,
    /// What there is at the start of a run.
    pub start: Start,
    /// Whether an answer still fills the cache that comes when its fetch was given up.
    pub late_fills: LateFills,
}

/// What decides whether something is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contents {
    /// A share of requests hits.
    HitRatio(HitRatio),
    /// What was asked for before and has not been forgotten.
    Keys(Keys),
}

/// A cache of which only the hit ratio is known.
///
/// Whether a request hits is fixed when it is born: with ratio `r`, so does a request whose number,
/// drawn from [0, 1), is below `r`. So its retries miss again, though an answer that came late has
/// filled what they ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitRatio {
    /// The share of requests that hit once the cache is warm.
    pub warm: Fraction,
    /// How many answers must have come in since a flush until it is.
    pub fills: NonZeroU64,
    /// What the ratio is until then.
    pub course: Course,
}

/// The hit ratio of a cache that has had some of the fills that make it warm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Course {
    /// It grows in proportion to the fills. Where all keys are as popular that is exact, since each
    /// fill is of a key that was not there; where few keys are popular, a real cache is quicker at
    /// first and slower later.
    #[default]
    Gradual,
    /// Everything misses until the last of them: the worst there is, a cache that is switched on only
    /// when it is complete.
    AtOnce,
}

/// A cache that knows its keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keys {
    /// How many keys there are.
    pub count: NonZeroU32,
    /// How often each is asked for.
    pub popularity: Popularity,
    /// How many are kept, the least recently used going first; none for all. Those whose time is over
    /// keep their places until they are asked for, or are the least recently used.
    pub capacity: Option<NonZeroU32>,
    /// How long after its fill a key is good; none for ever. At the very instant it is not any more.
    pub time_to_live: Option<Span>,
    /// What happens to those who miss what is already being fetched.
    pub coalescing: Coalescing,
}

/// What happens to those who miss what is already being fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coalescing {
    /// They fetch it too.
    #[default]
    Off,
    /// They wait for the one fetch, which belongs to whoever was first and ends with its attempt.
    Leader(Orphans),
    /// They wait for the one fetch, which belongs to nobody and runs on when whoever was first has
    /// given up.
    Detached,
}

/// What happens to those who wait when the leader of their fetch gives up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orphans {
    /// They fail with it, as in Go's `singleflight` with the leader's context.
    #[default]
    Fail,
    /// Whoever has waited longest fetches anew, for all others.
    NextLeads,
}

/// What there is at the start of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Everything that the cache would hold. Of keys those that are asked for most, filled at
    /// instants spread evenly over a time to live, so that they do not all end at once.
    #[default]
    Warm,
    /// Nothing.
    Cold,
}

/// Whether an answer still fills the cache that comes when its fetch was given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LateFills {
    /// It does: work that was for nobody is for somebody after all.
    #[default]
    Fill,
    /// It is thrown away.
    Dropped,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is: the attempt has succeeded.
    Hit,
    /// It is not: whoever asks fetches it.
    Miss(Fetch),
    /// Somebody fetches it: whoever asks waits in this place.
    Waits(Place),
}

/// Whether an answer came in time for whoever led the fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leader {
    /// It did.
    Waits,
    /// It did not.
    Gone,
}

/// What becomes of a fetch whose leader has given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It is nobody's affair: nobody waits for it, or it does not depend on its leader.
    RunsOn,
    /// These have waited for it, and fail.
    Fails(Waiters),
    /// This one leads a new fetch, for those who wait.
    NextLeads {
        /// Who, as the caller named it.
        who: u32,
        /// The fetch.
        fetch: Fetch,
    },
}

/// What a cache remembers during a run.
#[derive(Clone, Debug)]
pub struct Store {
    cache: Cache,
    memory: Memory,
}

#[derive(Clone, Debug)]
enum Memory {
    HitRatio { rule: HitRatio, fills: u64 },
    Keys(Box<ByKey>),
}

#[derive(Clone, Debug)]
struct ByKey {
    keys: Keys,
    urn: Urn,
    entries: Entries,
    flights: Flights,
}

impl Cache {
    /// The share of requests that are fetched at the least, once everything is there that will be. Of a
    /// cache of keys that is not known, and so none.
    pub const fn least_misses(&self) -> Fraction {
        match self.contents {
            Contents::HitRatio(ratio) => ratio.warm.complement(),
            Contents::Keys(_) => Fraction::ZERO,
        }
    }

    /// A store at the start of a run; `bits` are for the ages of what is there.
    pub fn open(&self, bits: &mut impl Bits) -> Store {
        let memory = match self.contents {
            Contents::HitRatio(rule) => Memory::HitRatio {
                rule,
                fills: match self.start {
                    Start::Warm => rule.fills.get(),
                    Start::Cold => 0,
                },
            },
            Contents::Keys(keys) => {
                let mut entries = Entries::new(keys.count, keys.capacity);
                match self.start {
                    Start::Warm => entries.warm_up(keys.time_to_live, bits),
                    Start::Cold => {}
                }
                let urn = Urn::new(keys.popularity, keys.count);
                let flights = Flights::new(keys.count, keys.coalescing);
                Memory::Keys(Box::new(ByKey { keys, urn, entries, flights }))
            }
        };
        Store { cache: *self, memory }
    }
}

impl Key {
    /// Which of the keys: the most popular is number zero. Of a cache by hit ratio, where in [0, 1) the
    /// request stands, in steps of 2^-64.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl Store {
    /// What a new request asks for.
    #[inline]
    pub fn draw(&self, bits: &mut impl Bits) -> Key {
        match &self.memory {
            Memory::HitRatio { .. } => Key(bits.bits()),
            Memory::Keys(by) => Key(u64::from(by.urn.draw(bits))),
        }
    }

    /// Whether what the attempt of `who` asks for is there.
    #[inline]
    pub fn ask(&mut self, now: Time, key: Key, who: u32) -> Answer {
        match &mut self.memory {
            Memory::HitRatio { rule, fills } => {
                if rule.hits(*fills, key) {
                    Answer::Hit
                } else {
                    Answer::Miss(Fetch::alone(0))
                }
            }
            Memory::Keys(by) => {
                let key = key.0 as u32;
                if by.entries.look(now, key) { Answer::Hit } else { by.flights.join(key, who) }
            }
        }
    }

    /// A fetch was answered well: who waited for it.
    pub fn answered(&mut self, now: Time, fetch: Fetch, leader: Leader) -> Waiters {
        match &mut self.memory {
            Memory::HitRatio { fills, .. } => {
                let is_kept = leader == Leader::Waits || self.cache.late_fills == LateFills::Fill;
                *fills += u64::from(is_kept);
                Waiters::NOBODY
            }
            Memory::Keys(by) => {
                // A fetch that runs on by itself is never given up.
                let is_wanted = leader == Leader::Waits
                    || (by.keys.coalescing == Coalescing::Detached && by.flights.is_out(fetch));
                if is_wanted || self.cache.late_fills == LateFills::Fill {
                    let ends = by.keys.time_to_live.map_or(Time::NEVER, |length| now + length);
                    by.entries.fill(fetch.key(), ends);
                }
                by.flights.end(fetch)
            }
        }
    }

    /// A fetch has failed: who waited for it and fails too.
    pub fn failed(&mut self, fetch: Fetch) -> Waiters {
        match &mut self.memory {
            Memory::HitRatio { .. } => Waiters::NOBODY,
            Memory::Keys(by) => by.flights.end(fetch),
        }
    }

    /// Whoever leads a fetch has given it up.
    pub fn gave_up(&mut self, fetch: Fetch) -> Left {
        match &mut self.memory {
            Memory::HitRatio { .. } => Left::RunsOn,
            Memory::Keys(by) => match by.keys.coalescing {
                Coalescing::Off | Coalescing::Detached => Left::RunsOn,
                Coalescing::Leader(Orphans::NextLeads) => by.flights.promote(fetch),
                Coalescing::Leader(Orphans::Fail) => Left::Fails(by.flights.end(fetch)),
            },
        }
    }

    /// Whoever waits in this place waits no longer.
    pub fn leave(&mut self, place: Place) {
        match &mut self.memory {
            Memory::HitRatio { .. } => {}
            Memory::Keys(by) => by.flights.leave(place),
        }
    }

    /// The next of those who waited, in the order in which they came; none when all were told.
    pub fn next_waiter(&mut self, waiters: &mut Waiters) -> Option<u32> {
        match &mut self.memory {
            Memory::HitRatio { .. } => None,
            Memory::Keys(by) => by.flights.next_waiter(waiters),
        }
    }

    /// Everything is lost. What is being fetched is not, and fills the cache when it comes. In time
    /// that grows with the number of keys.
    pub fn flush(&mut self) {
        match &mut self.memory {
            Memory::HitRatio { fills, .. } => *fills = 0,
            Memory::Keys(by) => by.entries.clear(),
        }
    }
}

impl HitRatio {
    #[inline]
    fn hits(&self, fills: u64, key: Key) -> bool {
        let needed = self.fills.get();
        let share = match self.course {
            _ if fills >= needed => 1.0,
            Course::Gradual => fills as f64 / needed as f64,
            Course::AtOnce => 0.0,
        };
        // All 64 bits would round up to one for the highest, which a ratio of one would not cover.
        let stands = (key.0 >> 11) as f64 / (1_u64 << 53) as f64;
        stands < self.warm.as_f64() * share
    }
}

#[cfg(test)]
mod tests;
