//! How much longer does work take among many others in service?
//!
//! Whose memory it is: nobody's.
//!
//! The universal scalability law (Gunther, "Guerrilla Capacity Planning", 2007, chapter 4): waiting
//! for what is shared (locks, a cache line) costs in proportion to the others, keeping it coherent
//! costs in proportion to the pairs. With coherency above zero, throughput has a peak and then falls:
//! a service with such work can collapse without a single retry.

use super::{Flaw, coefficient};
use crate::time::Span;

/// Contention and coherency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalability {
    contention: f64,
    coherency: f64,
}

impl Scalability {
    /// With `contention` (sigma) added per other in service, and `coherency` (kappa) per pair of
    /// others, both as shares of the work of one alone.
    ///
    /// # Errors
    /// [`Flaw::Coefficient`] if one is negative or not finite.
    pub fn new(contention: f64, coherency: f64) -> Result<Self, Flaw> {
        Ok(Self { contention: coefficient(contention)?, coherency: coefficient(coherency)? })
    }

    /// 1 + sigma (N - 1) + kappa N (N - 1) for the N-th in service.
    #[inline]
    pub fn factor(&self, in_service: u32) -> f64 {
        let n = f64::from(in_service);
        let others = f64::from(in_service.saturating_sub(1));
        1.0 + others * (self.contention + self.coherency * n)
    }

    /// Attempts per second that `in_service` at once complete, if each alone takes `work`.
    pub fn throughput(&self, in_service: u32, work: Span) -> f64 {
        f64::from(in_service) / (work.as_secs_f64() * self.factor(in_service))
    }

    /// The number in service at which throughput is highest, none if it never falls.
    pub fn peak(&self) -> Option<f64> {
        // The derivative of N / (1 + sigma (N - 1) + kappa N (N - 1)) is zero at
        // sqrt((1 - sigma) / kappa).
        (self.coherency > 0.0).then(|| ((1.0 - self.contention).max(0.0) / self.coherency).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_gunthers() {
        let check = |sigma, kappa, n, expected: f64| {
            let found = Scalability::new(sigma, kappa).unwrap().factor(n);
            assert!((found - expected).abs() < 1e-12, "{sigma} {kappa} {n}: {found}");
        };
        check(0.3, 0.2, 1, 1.0);
        check(0.1, 0.0, 11, 2.0);
        check(0.0, 0.01, 10, 1.9);
        check(0.5, 0.01, 3, 2.06);
    }

    /// 10 ms alone, coherency 10^-4: about 50 and about 200 in service both complete 4,000/s, the
    /// most is complete at 100 between them, and a full house of 1,000 completes about 990/s.
    #[test]
    fn one_demand_has_two_equilibria() {
        let law = Scalability::new(0.0, 1e-4).unwrap();
        let work = Span::from_millis(10);
        let first_at_least = |range: std::ops::Range<u32>| {
            range.into_iter().find(|&n| law.throughput(n, work) >= 4_000.0).unwrap()
        };
        let stable = first_at_least(1..100);
        let tipping = (100..1_000).rev().find(|&n| law.throughput(n, work) >= 4_000.0).unwrap();
        assert!((49..=51).contains(&stable), "{stable}");
        assert!((199..=203).contains(&tipping), "{tipping}");
        assert_eq!(law.peak(), Some(100.0));
        let collapsed = law.throughput(1_000, work);
        assert!((985.0..995.0).contains(&collapsed), "{collapsed}");
        assert_eq!(Scalability::new(0.2, 0.0).unwrap().peak(), None);
    }
}
