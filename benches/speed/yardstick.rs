//! Loops written by hand for one world each, to hold the engine against: they know that there is one
//! service with fixed or exponential work, one client, one timeout, one wait, one stall, and nothing
//! else. Ring buffers, the same random bits, the same counts, and no feature that their world does
//! not use.
//!
//! What they count is compared with what the engine records, so that neither is fast by being wrong.

use std::collections::VecDeque;

use hdrhistogram::Histogram;
use metastable::observe::Recording;
use metastable::random::{Bits, Draw, Purpose, Sprout, Stream};
use metastable::time::Span;

const SECOND: u64 = 1_000_000_000;
const NEVER: u64 = u64::MAX;

fn nanos(length: f64) -> u64 {
    Span::from_nanos_f64(length).as_nanos()
}

/// A world as these loops know it; lengths and instants in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    pub(crate) workers: usize,
    pub(crate) work: u64,
    pub(crate) mean_gap: f64,
    pub(crate) timeout: u64,
    pub(crate) max_retries: u32,
    /// Of a wait that doubles from this to the cap, spread evenly between nothing and itself.
    pub(crate) backoff: Option<(u64, u64)>,
    pub(crate) stall: (u64, u64),
    pub(crate) horizon: u64,
}

/// What one second saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Second {
    arrivals: u64,
    goodput: u64,
    failed: u64,
    attempts: u64,
    timed_out: u64,
    throughput: u64,
    wasted: u64,
    queue: u64,
}

/// All that is counted.
#[derive(Debug)]
pub(crate) struct Counts {
    seconds: Vec<Second>,
    second: Second,
    ends: u64,
    waited: u64,
    latency: Histogram<u64>,
}

impl Counts {
    fn new() -> Self {
        let latency = Histogram::new(3).expect("three digits");
        Self { seconds: Vec::new(), second: Second::default(), ends: SECOND, waited: 0, latency }
    }

    #[inline(always)]
    fn at(&mut self, now: u64) -> &mut Second {
        if now >= self.ends {
            self.close(now);
        }
        &mut self.second
    }

    #[cold]
    fn close(&mut self, now: u64) {
        while self.ends <= now {
            self.seconds.push(self.second);
            self.second = Second { queue: self.second.queue, ..Second::default() };
            self.ends += SECOND;
        }
    }

    /// # Panics
    /// If the engine has recorded anything else.
    pub(crate) fn compare(&self, recording: &Recording) {
        let windows = recording.timeline.windows();
        assert_eq!(self.seconds.len(), windows.len());
        for (own, window) in self.seconds.iter().zip(windows) {
            let found = Second {
                arrivals: window.arrivals,
                goodput: window.goodput,
                failed: window.failed,
                attempts: window.attempts,
                timed_out: window.timed_out,
                throughput: window.throughput,
                wasted: window.wasted,
                queue: window.queue,
            };
            assert_eq!(*own, found);
        }
        assert_eq!(self.waited, recording.tally.waited.as_nanos());
        assert_eq!(self.latency.len(), recording.tally.succeeded);
    }
}

/// A request; its slot is used again when nothing refers to it.
#[derive(Clone, Copy, Debug)]
struct Request {
    born: u64,
    attempt: u32,
    refs: u32,
}

/// In place of the number of an attempt: it has ended.
const ENDED: u32 = u32::MAX;

#[derive(Default)]
struct Requests {
    slots: Vec<Request>,
    free: Vec<u32>,
}

impl Requests {
    #[inline(always)]
    fn open(&mut self, born: u64) -> u32 {
        let request = Request { born, attempt: 0, refs: 0 };
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = request;
            return slot;
        }
        self.slots.push(request);
        self.slots.len() as u32 - 1
    }

    #[inline(always)]
    fn release(&mut self, slot: u32) {
        let request = &mut self.slots[slot as usize];
        request.refs -= 1;
        if request.refs == 0 && request.attempt == ENDED {
            self.free.push(slot);
        }
    }
}

/// An attempt somewhere: since or until when, of which request, and which of its attempts.
type Item = (u64, u32, u32);

/// The retries that wait, in buckets of a millisecond.
struct Calendar {
    buckets: Vec<Vec<(u64, u64, u32)>>,
    /// What is due in the bucket under way, the latest first.
    due: Vec<(u64, u64, u32)>,
    bucket: u64,
    pushed: u64,
    waiting: usize,
}

const BUCKETS: u64 = 4_096;
const BUCKET: u32 = 20;

impl Calendar {
    fn new() -> Self {
        let buckets = vec![Vec::new(); BUCKETS as usize];
        Self { buckets, due: Vec::new(), bucket: 0, pushed: 0, waiting: 0 }
    }

    fn push(&mut self, at: u64, slot: u32) {
        let entry = (at, self.pushed, slot);
        self.pushed += 1;
        let bucket = at >> BUCKET;
        if bucket <= self.bucket {
            let place = self.due.partition_point(|other| *other > entry);
            self.due.insert(place, entry);
        } else {
            self.buckets[(bucket % BUCKETS) as usize].push(entry);
            self.waiting += 1;
        }
    }

    /// The next instant, if it is before `limit`; buckets before that are gone through.
    #[inline(always)]
    fn next(&mut self, limit: u64) -> u64 {
        while self.due.is_empty() && self.waiting > 0 && (self.bucket + 1) << BUCKET <= limit {
            self.bucket += 1;
            std::mem::swap(&mut self.due, &mut self.buckets[(self.bucket % BUCKETS) as usize]);
            self.waiting -= self.due.len();
            self.due.sort_unstable_by(|one, other| other.cmp(one));
        }
        if self.due.is_empty() && self.waiting == 0 {
            self.bucket = self.bucket.max(limit.min(NEVER - 1) >> BUCKET);
        }
        self.due.last().map_or(NEVER, |entry| entry.0)
    }
}

struct Loop {
    world: Plain,
    counts: Counts,
    requests: Requests,
    queue: VecDeque<Item>,
    working: VecDeque<Item>,
    timers: VecDeque<Item>,
    idle: usize,
    stalled: bool,
}

/// Poisson arrivals, fixed work, a timeout, retries, a stall.
pub(crate) fn storm(world: Plain, seed: u64) -> Counts {
    let mut gaps = Stream::new(seed, Purpose::Arrivals, "web");
    let mut jitter = Stream::new(seed, Purpose::Jitter, "web");
    let gap = |bits: &mut Stream| nanos(bits.exponential() * world.mean_gap);
    let mut calendar = Calendar::new();
    let mut run = Loop {
        world,
        counts: Counts::new(),
        requests: Requests::default(),
        queue: VecDeque::new(),
        working: VecDeque::new(),
        timers: VecDeque::new(),
        idle: world.workers,
        stalled: false,
    };
    let mut arrival = gap(&mut gaps);
    let (mut begins, mut ends) = world.stall;
    loop {
        let done =
            if run.stalled { NEVER } else { run.working.front().map_or(NEVER, |item| item.0) };
        let timer = run.next_timer();
        let stall = begins.min(ends);
        let known = done.min(timer).min(stall).min(arrival);
        let retry = if world.backoff.is_some() { calendar.next(known) } else { NEVER };
        let now = known.min(retry);
        if now >= world.horizon {
            run.counts.close(world.horizon);
            return run.counts;
        }
        if now == done {
            run.complete(now);
        } else if now == timer {
            run.time_out(now, |attempt, slot| match world.backoff {
                None => true,
                Some((base, cap)) => {
                    let most = (base << attempt).min(cap);
                    calendar.push(now + nanos(jitter.uniform() * most as f64), slot);
                    false
                }
            });
        } else if now == begins {
            (run.stalled, begins) = (true, NEVER);
            let lasts = ends - now;
            run.working.iter_mut().for_each(|item| item.0 += lasts);
        } else if now == ends {
            (run.stalled, ends) = (false, NEVER);
            run.start_waiting(now);
        } else if now == arrival {
            arrival = now + gap(&mut gaps);
            let slot = run.requests.open(now);
            run.counts.at(now).arrivals += 1;
            run.send(now, slot, 0);
        } else {
            let (_, _, slot) = calendar.due.pop().expect("one is due");
            let attempt = run.requests.slots[slot as usize].attempt;
            run.send(now, slot, attempt);
        }
    }
}

impl Loop {
    /// When the first timer fires that means anything.
    #[inline(always)]
    fn next_timer(&mut self) -> u64 {
        while let Some(&(at, slot, attempt)) = self.timers.front() {
            if self.requests.slots[slot as usize].attempt == attempt {
                return at;
            }
            self.timers.pop_front();
            self.requests.release(slot);
        }
        NEVER
    }

    #[inline(always)]
    fn send(&mut self, now: u64, slot: u32, attempt: u32) {
        self.counts.at(now).attempts += 1;
        self.requests.slots[slot as usize].refs += 2;
        self.timers.push_back((now + self.world.timeout, slot, attempt));
        if self.idle > 0 && !self.stalled {
            self.idle -= 1;
            self.working.push_back((now + self.world.work, slot, attempt));
        } else {
            self.counts.second.queue += 1;
            self.queue.push_back((now, slot, attempt));
        }
    }

    #[inline(always)]
    fn complete(&mut self, now: u64) {
        let (_, slot, attempt) = self.working.pop_front().expect("one is done");
        let request = &mut self.requests.slots[slot as usize];
        let is_waited_for = request.attempt == attempt;
        let second = self.counts.at(now);
        second.throughput += 1;
        second.goodput += u64::from(is_waited_for);
        second.wasted += u64::from(!is_waited_for);
        if is_waited_for {
            request.attempt = ENDED;
            self.counts.latency.record(now - request.born).expect("it fits");
        }
        self.requests.release(slot);
        self.idle += 1;
        self.start_waiting(now);
    }

    #[inline(always)]
    fn start_waiting(&mut self, now: u64) {
        while self.idle > 0 && !self.stalled {
            let Some((since, slot, attempt)) = self.queue.pop_front() else { return };
            self.counts.waited += now - since;
            self.counts.at(now).queue -= 1;
            self.idle -= 1;
            self.working.push_back((now + self.world.work, slot, attempt));
        }
    }

    /// The client gives up an attempt; whether it sends the next one `at_once`.
    #[inline(always)]
    fn time_out(&mut self, now: u64, at_once: impl FnOnce(u32, u32) -> bool) {
        let (_, slot, attempt) = self.timers.pop_front().expect("a timer fires");
        self.counts.at(now).timed_out += 1;
        if attempt == self.world.max_retries {
            self.requests.slots[slot as usize].attempt = ENDED;
            self.counts.second.failed += 1;
        } else {
            self.requests.slots[slot as usize].attempt += 1;
            if at_once(attempt, slot) {
                self.send(now, slot, attempt + 1);
            }
        }
        self.requests.release(slot);
    }
}

/// One worker, exponential work, everybody waits.
pub(crate) fn single_server(mean_gap: f64, mean_work: f64, horizon: u64, seed: u64) -> Counts {
    let mut gaps = Stream::new(seed, Purpose::Arrivals, "web");
    let mut keys = Stream::new(seed, Purpose::Requests, "web");
    let mut counts = Counts::new();
    let mut queue: VecDeque<(u64, u64)> = VecDeque::new();
    let mut gap = move || nanos(gaps.exponential() * mean_gap);
    let work_of = |key: u64| {
        let mut bits = Sprout::of(key, 0, Draw::Work);
        nanos(bits.exponential() * mean_work).max(1)
    };
    let (mut arrival, mut done, mut born) = (gap(), NEVER, 0);
    loop {
        let now = arrival.min(done);
        if now >= horizon {
            counts.close(horizon);
            let part = Second { queue: 0, ..counts.second } != Second::default();
            if part || counts.second.queue > 0 {
                counts.seconds.push(counts.second);
            }
            return counts;
        }
        if now == done {
            let second = counts.at(now);
            second.throughput += 1;
            second.goodput += 1;
            counts.latency.record(now - born).expect("it fits");
            done = match queue.pop_front() {
                None => NEVER,
                Some((since, key)) => {
                    counts.waited += now - since;
                    counts.second.queue -= 1;
                    born = since;
                    now + work_of(key)
                }
            };
        } else {
            arrival = now + gap();
            let key = keys.bits();
            let second = counts.at(now);
            second.arrivals += 1;
            second.attempts += 1;
            if done == NEVER {
                born = now;
                done = now + work_of(key);
            } else {
                second.queue += 1;
                queue.push_back((now, key));
            }
        }
    }
}
