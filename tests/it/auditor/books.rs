//! What came of everything.

/// Totals, times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Books {
    pub(crate) requests: u64,
    pub(crate) succeeded: u64,
    pub(crate) failed: u64,
    pub(crate) open: u64,
    pub(crate) sent: u64,
    pub(crate) retries: u64,
    pub(crate) timed_out: u64,
    pub(crate) denied: u64,
    pub(crate) refused: u64,
    pub(crate) shed: u64,
    /// Of those shed, the ones that left the queue by the clock.
    pub(crate) timed: u64,
    /// Refusals that a worker has said.
    pub(crate) said: u64,
    pub(crate) started: u64,
    pub(crate) completed: u64,
    pub(crate) wasted: u64,
    /// In queues at the horizon.
    pub(crate) queued: u64,
    /// In workers' hands at the horizon.
    pub(crate) in_service: u64,
    /// The most requests, waiting attempts and attempts in service there were at one instant.
    pub(crate) peak: u64,
    /// The integral over time of the number waiting.
    pub(crate) waiting_area: u128,
    /// What each attempt waited, summed, those that still wait up to the horizon.
    pub(crate) waiting_sum: u128,
    /// The integral over time of the number of open requests.
    pub(crate) open_area: u128,
    /// How long each request was open, summed.
    pub(crate) open_sum: u128,
    /// The integral over time of the number in workers' hands, stalls not counted.
    pub(crate) working_area: u128,
    /// The work of each attempt, summed, as far as it was done.
    pub(crate) working_sum: u128,
}

impl Books {
    /// What came in went out or is still there; time integrals are sums over individuals (Little's law
    /// before any division, so it holds to the nanosecond).
    pub(crate) fn balance(&self) {
        assert_eq!(self.requests, self.succeeded + self.failed + self.open);
        assert_eq!(
            self.sent,
            self.refused + self.shed + self.completed + self.queued + self.in_service
        );
        assert_eq!(self.started, self.completed + self.in_service);
        assert_eq!(self.completed, self.succeeded + self.wasted);
        assert!(self.sent >= self.requests);
        assert_eq!(self.sent, self.requests + self.retries);
        assert_eq!(self.waiting_area, self.waiting_sum);
        assert_eq!(self.open_area, self.open_sum);
        assert_eq!(self.working_area, self.working_sum);
    }
}
