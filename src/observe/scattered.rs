//! Counts of a run that is not told in the order of time.

use super::{Graph, Instances, Latency, Parties, Pulls, Recording, Tally, Timeline, Window};
use crate::time::{Span, Time};

/// What is seen of one client and one service by someone who knows at once what will become of an
/// attempt, and so tells its completion before the next arrival. Every count goes to the window of its
/// own instant; instants at the horizon or beyond it are never told.
///
/// Each kind of fact has a cursor of its own: most come in order among themselves, and then nothing is
/// divided.
#[derive(Debug)]
pub struct Scattered {
    width: Span,
    windows: Vec<Window>,
    arrivals: Cursor,
    starts: Cursor,
    completions: Cursor,
    timers: Cursor,
    last_success: Option<Time>,
    lost: u64,
    work: Span,
    wasted_work: Span,
    latency: Latency,
}

/// The window that was needed last.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    index: usize,
    begins: u64,
}

impl Cursor {
    #[inline(always)]
    fn seek(&mut self, now: Time, width: Span) -> usize {
        // An instant before the window wraps round to a long way behind it.
        if now.as_nanos().wrapping_sub(self.begins) >= width.as_nanos() {
            let index = width.times_in(now.since(Time::ZERO));
            (self.index, self.begins) = (index as usize, width.as_nanos() * index);
        }
        self.index
    }
}

impl Scattered {
    /// Nothing has been seen of a run that lasts for `horizon`, in windows of `width`.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn new(width: Span, horizon: Span) -> Self {
        let whole = width.times_in(horizon);
        let rest = horizon.saturating_sub(width.saturating_mul(whole));
        let windows = whole as usize + usize::from(!rest.is_zero());
        Self {
            width,
            windows: vec![Window::default(); windows],
            arrivals: Cursor::default(),
            starts: Cursor::default(),
            completions: Cursor::default(),
            timers: Cursor::default(),
            last_success: None,
            lost: 0,
            work: Span::ZERO,
            wasted_work: Span::ZERO,
            latency: Latency::new(),
        }
    }

    /// A fresh request.
    #[inline(always)]
    pub fn arrived(&mut self, now: Time) {
        self.arriving(now).arrivals += 1;
    }

    /// An attempt leaves and arrives.
    #[inline(always)]
    pub fn sent(&mut self, now: Time, is_retry: bool) {
        let window = self.arriving(now);
        window.attempts += 1;
        window.retries += u64::from(is_retry);
    }

    /// It is lost on its way.
    pub fn lost(&mut self) {
        self.lost += 1;
    }

    /// It is refused.
    #[inline]
    pub fn refused(&mut self, now: Time) {
        self.arriving(now).rejected += 1;
    }

    /// It waits.
    #[inline(always)]
    pub fn queued(&mut self, now: Time) {
        let window = self.arriving(now);
        // Until all is told, a difference, which may be below zero.
        window.queue = window.queue.wrapping_add(1);
    }

    /// It is dropped.
    #[inline]
    pub fn shed(&mut self, now: Time, is_from_queue: bool) {
        let window = &mut self.windows[self.starts.seek(now, self.width)];
        window.shed += 1;
        window.queue = window.queue.wrapping_sub(u64::from(is_from_queue));
    }

    /// A worker begins to serve it, after it has `waited` in the queue or has not been there.
    #[inline(always)]
    pub fn started(&mut self, now: Time, waited: Span, is_from_queue: bool) {
        let window = &mut self.windows[self.starts.seek(now, self.width)];
        window.started += 1;
        window.waited += waited;
        window.queue = window.queue.wrapping_sub(u64::from(is_from_queue));
    }

    /// It has been served, and answers a request after `useful`, if it does.
    #[inline(always)]
    pub fn completed(&mut self, now: Time, work: Span, useful: Option<Span>) {
        let window = &mut self.windows[self.completions.seek(now, self.width)];
        window.throughput += 1;
        self.work += work;
        match useful {
            Some(latency) => {
                window.goodput += 1;
                self.latency.record(latency);
                self.last_success = self.last_success.max(Some(now));
            }
            None => {
                window.wasted += 1;
                self.wasted_work += work;
            }
        }
    }

    /// Its client gives it up.
    #[inline(always)]
    pub fn timed_out(&mut self, now: Time) {
        self.timing(now).timed_out += 1;
    }

    /// Its client gives up the request with it.
    #[inline(always)]
    pub fn failed(&mut self, now: Time) {
        self.timing(now).failed += 1;
    }

    #[inline(always)]
    fn arriving(&mut self, now: Time) -> &mut Window {
        &mut self.windows[self.arrivals.seek(now, self.width)]
    }

    #[inline(always)]
    fn timing(&mut self, now: Time) -> &mut Window {
        &mut self.windows[self.timers.seek(now, self.width)]
    }

    /// All windows, those included of which not all has been told. In place of how many wait at its end,
    /// each has the difference to the one before.
    pub const fn windows(&self) -> &[Window] {
        self.windows.as_slice()
    }

    /// From window number `from` on, all is as in these `windows` of a finished run.
    ///
    /// # Panics
    /// If `from` is zero, or there are fewer windows.
    pub fn fill_from(&mut self, from: usize, windows: &[Window]) {
        let queue: u64 = self.windows[..from].iter().fold(0, |sum, w| sum.wrapping_add(w.queue));
        let mut before = queue;
        for (own, window) in self.windows[from..].iter_mut().zip(&windows[from..]) {
            *own = Window { queue: window.queue.wrapping_sub(before), ..*window };
            before = window.queue;
        }
    }

    /// From window number `from` on, each is like the one before it.
    ///
    /// # Panics
    /// If `from` is zero.
    pub fn repeat_from(&mut self, from: usize) {
        let last = self.windows[from - 1];
        self.windows[from..].fill(last);
    }

    /// The same as if all had been told in order.
    pub fn finish(mut self, horizon: Span) -> Recording {
        let mut queue = 0_u64;
        for window in &mut self.windows {
            queue = queue.wrapping_add(window.queue);
            window.queue = queue;
        }
        let sum = |count: fn(&Window) -> u64| self.windows.iter().map(count).sum::<u64>();
        let (requests, completed) =
            (sum(|window| window.arrivals), sum(|window| window.throughput));
        let timed_out = sum(|window| window.timed_out);
        let tally = Tally {
            requests,
            succeeded: sum(|window| window.goodput),
            last_success: self.last_success,
            lost: self.lost,
            failed: sum(|window| window.failed),
            attempts: sum(|window| window.attempts),
            retries: sum(|window| window.retries),
            timed_out,
            rejected: sum(|window| window.rejected),
            shed: sum(|window| window.shed),
            started: sum(|window| window.started),
            completed,
            wasted: sum(|window| window.wasted),
            work: self.work,
            wasted_work: self.wasted_work,
            waited: self.windows.iter().map(|window| window.waited).sum(),
            events: requests + timed_out + completed,
            ..Tally::default()
        };
        Recording {
            tally,
            timeline: Timeline::of_windows(self.width, self.windows, horizon),
            parties: Parties::none(),
            graph: Graph::none(),
            latency: self.latency,
            pulls: Pulls::default(),
            instances: Instances::default(),
        }
    }
}
