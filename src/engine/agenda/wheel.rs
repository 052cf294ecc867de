//! A timing wheel: what comes due in no order that is known beforehand.
//!
//! Time is cut into spans of equal length, and the next 4,096 of them have a bucket each. An entry is
//! thrown into the bucket of its span, unsorted; only when a bucket is reached is it sorted, a few
//! entries at a time. What lies beyond the last bucket goes to a heap, which is asked at every pop, so
//! nothing ever depends on where an entry was put: entries are totally ordered, and the wheel yields
//! what a heap would.
//!
//! The one thing to get wrong is the length of a span. Too long, and a bucket is a heap's work sorted;
//! too short, and all is beyond the last bucket. No rate of a scenario tells it, since storms multiply
//! rates, so it is taken from what is pending: at first from the spread of those that come soonest, and
//! anew whenever a bucket turns out crowded, or buckets empty. Each time costs a pass over what is
//! pending, and is allowed only after as many pushes and pops.
//!
//! Where few are pending there are no buckets at all: up to 32 entries are kept sorted.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Entry;

const BUCKETS: usize = 4_096;
/// As many as a word has bits, so that one word more tells which of them are not zero.
const WORDS: usize = BUCKETS / 64;
const _: () = assert!(WORDS == 64);

/// No node.
const NONE: u32 = u32::MAX;
/// How many entries a bucket should have.
const FILL: usize = 8;
/// With so many near ones, an insertion would move more than a bucket costs.
const CROWD: usize = 32;
/// How many buckets are reached, or entries thrown past them, before they are called thin.
const SAMPLE: usize = 256;
/// The shortest and the longest span are two to the power of this, in nanoseconds: numbers of spans
/// and sums of them fit into 64 bits.
const SHIFTS: (u32, u32) = (4, 48);
/// About a millisecond, until something is known.
const FIRST_SHIFT: u32 = 20;

/// An entry in a bucket, and the one that was thrown into it before.
#[derive(Clone, Copy, Debug)]
struct Node {
    entry: Entry,
    next: u32,
}

/// An ordered set of entries. See the module's documentation.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// What comes due before the first bucket begins, in descending order; empty only if all buckets
    /// are.
    near: Vec<Entry>,
    /// The number of the span of the first bucket, counted from time zero.
    begins: u64,
    /// No bucket has an entry of a later span than this.
    latest: u64,
    /// The length of a span is two to the power of this, in nanoseconds.
    shift: u32,
    /// The newest node of each bucket.
    newest: Box<[u32; BUCKETS]>,
    /// One bit for each bucket that has an entry.
    occupied: [u64; WORDS],
    /// One bit for each word of them that is not zero.
    words: u64,
    /// The entries of all buckets, so that memory follows what is pending and not where it falls.
    nodes: Vec<Node>,
    /// The first of the nodes that are free; each knows the next.
    free: u32,
    /// How many entries the buckets have.
    in_buckets: usize,
    /// What was beyond the last bucket when it came, or tied with too many.
    far: BinaryHeap<Reverse<Entry>>,
    /// What has been seen since the length of a span was chosen.
    seen: Seen,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// How many entries have come into buckets, or have been popped.
    moved: usize,
    /// How many buckets have been reached.
    reached: usize,
    /// How many entries they had.
    found: usize,
    /// How many entries were beyond the last bucket.
    beyond: usize,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            near: Vec::new(),
            begins: 0,
            latest: 0,
            shift: FIRST_SHIFT,
            newest: Box::new([NONE; BUCKETS]),
            occupied: [0; WORDS],
            words: 0,
            nodes: Vec::new(),
            free: NONE,
            in_buckets: 0,
            far: BinaryHeap::new(),
            seen: Seen::default(),
        }
    }
}

impl Wheel {
    /// Forgets all entries, and what it has learned from them; keeps the memory.
    pub(super) fn clear(&mut self) {
        self.near.clear();
        self.begins = 0;
        self.shift = FIRST_SHIFT;
        if self.in_buckets > 0 {
            self.newest.fill(NONE);
            self.occupied = [0; WORDS];
            self.words = 0;
            self.in_buckets = 0;
        }
        self.nodes.clear();
        self.free = NONE;
        self.far.clear();
        self.seen = Seen::default();
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        if self.near.last().is_some_and(|&least| entry < least) {
            self.near.push(entry);
        } else if self.in_buckets > 0 && self.span_of(entry) >= self.begins {
            self.push_later(entry);
        } else if self.near.len() < CROWD {
            self.push_near(entry);
        } else {
            self.push_to_crowd(entry);
        }
    }

    /// Removes and returns the least entry; [`Entry::NONE`] if there is none.
    #[inline]
    pub(super) fn pop(&mut self) -> Entry {
        let near = self.near.last().copied().unwrap_or(Entry::NONE);
        if self.far.peek().is_some_and(|far| far.0 < near) {
            return self.pop_far();
        }
        if self.near.pop().is_some() {
            self.seen.moved += 1;
            if self.near.is_empty() && self.in_buckets > 0 {
                self.reach_next();
            }
        }
        near
    }

    #[inline(never)]
    fn pop_far(&mut self) -> Entry {
        let entry = self.far.pop().map_or(Entry::NONE, |entry| entry.0);
        self.seen.moved += 1;
        if self.near.is_empty() {
            // Nothing else would bring the first bucket along.
            self.begins = self.begins.max(self.span_of(entry));
        }
        entry
    }

    fn span_of(&self, entry: Entry) -> u64 {
        entry.time().as_nanos() >> self.shift
    }

    /// Where it belongs among the near ones, which then reach at least that far.
    fn push_near(&mut self, entry: Entry) {
        let at = self.near.partition_point(|&other| other > entry);
        self.near.insert(at, entry);
        self.begins = self.begins.max(self.span_of(entry) + 1);
    }

    fn push_later(&mut self, entry: Entry) {
        if !self.throw(entry) {
            self.learn_from_far();
        }
    }

    /// Into its bucket, or past all of them: whether it has a bucket.
    fn throw(&mut self, entry: Entry) -> bool {
        let span = self.span_of(entry);
        let has_bucket = span - self.begins < BUCKETS as u64;
        if has_bucket {
            self.push_to_bucket(entry, span);
        } else {
            self.far.push(Reverse(entry));
        }
        has_bucket
    }

    #[inline]
    fn push_to_bucket(&mut self, entry: Entry, span: u64) {
        let bucket = span as usize % BUCKETS;
        let node = Node { entry, next: self.newest[bucket] };
        self.newest[bucket] = self.free;
        if let Some(place) = self.nodes.get_mut(self.free as usize) {
            self.free = place.next;
            *place = node;
        } else {
            self.newest[bucket] = self.nodes.len() as u32;
            self.nodes.push(node);
        }
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        self.words |= 1 << (bucket / 64);
        self.latest = if self.in_buckets == 0 { span } else { self.latest.max(span) };
        self.in_buckets += 1;
        self.seen.moved += 1;
    }

    #[inline(never)]
    fn learn_from_far(&mut self) {
        self.seen.beyond += 1;
        let is_due = self.seen.beyond >= SAMPLE && 2 * self.seen.beyond >= self.pending();
        if is_due && self.has_thin_buckets(FILL / 2) {
            self.resize(self.shift + 3);
        } else if is_due && self.has_thin_buckets(2 * FILL) {
            // A fuller bucket than need be costs less than the heap.
            self.resize(self.shift + 1);
        } else if is_due {
            self.seen.beyond = 0;
        }
    }

    /// Whether buckets had fewer entries than so many in the mean.
    fn has_thin_buckets(&self, mean: usize) -> bool {
        self.seen.found < mean * self.seen.reached.max(1)
    }

    /// Makes the entries of the next bucket the near ones.
    fn reach_next(&mut self) {
        let span = self.next_span();
        self.begins = span + 1;
        self.empty(span as usize % BUCKETS);
        self.near.sort_unstable_by(|one, other| other.cmp(one));
        self.seen.reached += 1;
        self.seen.found += self.near.len();
        if self.near.len() > 2 * CROWD {
            self.narrow();
        } else if self.seen.reached >= SAMPLE {
            if self.has_thin_buckets(2) && self.may_resize() {
                self.resize(self.shift + 2);
            } else {
                // What was seen long ago counts less and less.
                self.seen.reached /= 2;
                self.seen.found /= 2;
            }
        }
    }

    /// The span of the first bucket that has an entry, if any has.
    fn next_span(&self) -> u64 {
        let first = self.begins as usize % BUCKETS;
        let (word, bit) = (first / 64, first % 64);
        let in_word = self.occupied[word] >> bit << bit;
        let bucket = if in_word != 0 {
            word * 64 + in_word.trailing_zeros() as usize
        } else {
            // Round the wheel: the word itself comes last, for its bits below.
            let after = (word + 1) % WORDS;
            let skipped = self.words.rotate_right(after as u32).trailing_zeros() as usize;
            let word = (after + skipped) % WORDS;
            word * 64 + self.occupied[word].trailing_zeros() as usize
        };
        self.begins + ((bucket + BUCKETS - first) % BUCKETS) as u64
    }

    /// Moves the entries of a bucket to the near ones.
    fn empty(&mut self, bucket: usize) {
        let newest = self.newest[bucket];
        let (mut index, mut oldest, before) = (newest, newest, self.near.len());
        while let Some(node) = self.nodes.get(index as usize) {
            self.near.push(node.entry);
            oldest = index;
            index = node.next;
        }
        if let Some(oldest) = self.nodes.get_mut(oldest as usize) {
            oldest.next = self.free;
            self.free = newest;
        }
        self.newest[bucket] = NONE;
        self.in_buckets -= self.near.len() - before;
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        if self.occupied[bucket / 64] == 0 {
            self.words &= !(1 << (bucket / 64));
        }
    }

    /// An entry that belongs among the near ones, which are many.
    #[inline(never)]
    fn push_to_crowd(&mut self, entry: Entry) {
        if !self.thin_out() {
            self.narrow();
        }
        if self.span_of(entry) >= self.begins {
            self.push_later(entry);
        } else if self.near.len() < CROWD {
            self.push_near(entry);
        } else {
            // They tie, or nearly.
            self.far.push(Reverse(entry));
        }
    }

    /// Leaves few of the near ones where they are, if they are not all of one span.
    fn thin_out(&mut self) -> bool {
        if self.in_buckets == 0 {
            self.shift = self.fitting_shift().unwrap_or(self.shift);
            self.begins = self.near.first().map_or(0, |&last| self.span_of(last) + 1);
        }
        let Some(kept) = self.near.len().checked_sub(FILL) else { return false };
        let begins = self.span_of(self.near[kept]) + 1;
        // Two spans must not share a bucket.
        let fits = self.in_buckets == 0 || self.latest - begins < BUCKETS as u64;
        if begins > self.span_of(self.near[0]) || !fits {
            return false;
        }
        self.begins = begins;
        let moved = self.near.partition_point(|&entry| self.span_of(entry) >= begins);
        for index in 0..moved {
            self.throw(self.near[index]);
        }
        self.near.drain(..moved);
        true
    }

    /// Shorter spans, if those that come soonest would be further apart then.
    fn narrow(&mut self) {
        if self.may_resize() {
            self.seen.moved = 0;
            if let Some(shift) = self.fitting_shift().filter(|&shift| shift < self.shift) {
                self.resize(shift);
            }
        }
    }

    /// Whether enough has happened to pay for it.
    fn may_resize(&self) -> bool {
        self.seen.moved >= self.pending()
    }

    fn pending(&self) -> usize {
        self.near.len() + self.in_buckets + self.far.len()
    }

    /// With which spans a bucket would have as many entries as it should, judging by the sooner half of
    /// the near ones; none if they tie. Ties are counted once, since no span parts them.
    fn fitting_shift(&self) -> Option<u32> {
        let half = (self.near.len() / 2).min(2 * CROWD);
        let sample = &self.near[self.near.len() - half..];
        let (last, first) = (sample.first()?.time(), sample.last()?.time());
        let gaps = sample.windows(2).filter(|pair| pair[0].time() != pair[1].time()).count();
        let gap = last.since(first).as_nanos().checked_div(gaps as u64)?;
        let shift = gap.saturating_mul(FILL as u64).checked_ilog2()?;
        Some(shift.clamp(SHIFTS.0, SHIFTS.1))
    }

    /// Spans of another length, and everything in its place by them.
    #[inline(never)]
    fn resize(&mut self, shift: u32) {
        while self.in_buckets > 0 {
            let span = self.next_span();
            self.empty(span as usize % BUCKETS);
        }
        self.near.extend(self.far.drain().map(|entry| entry.0));
        self.shift = shift.min(SHIFTS.1);
        self.begins = self.near.iter().map(|&entry| self.span_of(entry) + 1).min().unwrap_or(0);
        let mut index = 0;
        while let Some(&entry) = self.near.get(index) {
            if self.span_of(entry) < self.begins {
                index += 1;
            } else {
                self.near.swap_remove(index);
                self.throw(entry);
            }
        }
        self.near.sort_unstable_by(|one, other| other.cmp(one));
        self.seen = Seen::default();
    }
}
