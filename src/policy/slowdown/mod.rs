//! How much longer does work take because of the state the service is in?
//!
//! Whose memory it is: nobody's; the service's state is an argument. The factor comes on top of any
//! [law](crate::law) of work.
//!
//! When the engine calls it: once, when a worker begins an attempt, with the attempt itself counted
//! among those in service and no longer among those waiting. What is already being worked on keeps
//! its pace: a factor that moved with every start and end would reschedule every completion at each.

mod backlog;
mod scalability;

pub use backlog::Backlog;
pub use scalability::Scalability;

use crate::time::Span;

/// How work depends on the state of its service.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Slowdown {
    /// It does not.
    #[default]
    None,
    /// The more attempts are in service, the longer each takes.
    Scalability(Scalability),
    /// The more attempts wait, the longer each takes.
    Backlog(Backlog),
}

/// What is wrong with a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaw {
    /// A coefficient is not a finite number from zero up.
    Coefficient(f64),
}

impl Slowdown {
    /// By what the work of an attempt is multiplied that begins as number `in_service` (itself
    /// counted, so at least 1) while `waiting` others wait. At least 1.
    #[inline]
    pub fn factor(&self, in_service: u32, waiting: usize) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Scalability(law) => law.factor(in_service),
            Self::Backlog(law) => law.factor(waiting),
        }
    }

    /// `work` as it takes in that state.
    #[inline]
    pub fn stretch(&self, work: Span, in_service: u32, waiting: usize) -> Span {
        match self {
            Self::None => work,
            Self::Scalability(_) | Self::Backlog(_) => {
                Span::from_nanos_f64(work.as_nanos() as f64 * self.factor(in_service, waiting))
            }
        }
    }
}

/// A coefficient that never makes work shorter.
fn coefficient(value: f64) -> Result<f64, Flaw> {
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(Flaw::Coefficient(value)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_ever_takes_less(
            sigma in 0.0..10.0_f64,
            kappa in 0.0..10.0_f64,
            in_service in 1..u32::MAX,
            waiting in any::<usize>(),
            nanos in 1..u64::MAX,
        ) {
            let work = Span::from_nanos(nanos);
            for slowdown in [
                Slowdown::None,
                Slowdown::Scalability(Scalability::new(sigma, kappa).unwrap()),
                Slowdown::Backlog(Backlog::new(sigma, 10).unwrap()),
            ] {
                let longer = slowdown.stretch(work, in_service, waiting);
                // A float holds 53 bits of the length.
                prop_assert!(longer.as_nanos() >= nanos - (nanos >> 52), "{slowdown:?}");
                prop_assert!(slowdown.stretch(work, in_service, waiting.saturating_add(9)) >= longer);
            }
        }
    }

    #[test]
    fn coefficients_are_numbers_from_zero_up() {
        for wrong in [-0.1, f64::INFINITY] {
            assert_eq!(Scalability::new(wrong, 0.0), Err(Flaw::Coefficient(wrong)));
            assert_eq!(Scalability::new(0.0, wrong), Err(Flaw::Coefficient(wrong)));
            assert_eq!(Backlog::new(wrong, 0), Err(Flaw::Coefficient(wrong)));
        }
        assert!(Scalability::new(f64::NAN, 0.0).is_err());
    }
}
