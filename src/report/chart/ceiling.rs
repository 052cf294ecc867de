//! What a service can do at most, and what keeps it from doing more.

use std::num::NonZeroU32;

use crate::model::Service;
use crate::policy::limit::Limit;

/// The least of what bounds a service, as far as that is fixed before a run.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Ceiling {
    /// Attempts that it can serve, 1/s.
    pub per_second: f64,
    /// What bounds it.
    pub name: String,
}

impl Ceiling {
    /// Of all instances of `service` together.
    pub(in crate::report) fn of(service: &Service) -> Self {
        let mut least =
            Self { per_second: service.capacity().per_second(), name: "capacity".to_owned() };
        let mut lower = |per_second: f64, name: String| {
            if per_second < least.per_second {
                least = Self { per_second, name };
            }
        };
        // Only a limit below the workers leaves some of them idle; one above them bounds the queue.
        let at_once = service.limit.as_ref().map(|limit| match limit {
            Limit::Fixed(most) => most.get(),
            Limit::Aimd(adaptive) => adaptive.range.max(),
            Limit::Vegas(adaptive) => adaptive.range.max(),
            Limit::Gradient2(adaptive) => adaptive.range.max(),
            Limit::EnvoyGradient(adaptive) => adaptive.max.get(),
        });
        if let Some(at_once) = at_once.and_then(NonZeroU32::new) {
            lower(service.capacity_of(at_once).per_second(), format!("limit of {at_once}"));
        }
        // Every instance has a bucket of its own.
        if let Some(limit) = &service.rate_limit {
            let all = limit.rate.per_second() * f64::from(service.instances.get());
            lower(all, "rate limit".to_owned());
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::policy::admission::RateLimit;
    use crate::time::Span;
    use crate::unit::Rate;

    #[test]
    fn the_least_bound_is_shown_under_its_own_name() {
        let some = |n: u32| NonZeroU32::new(n).unwrap();
        let check = |change: &dyn Fn(&mut Service), per_second: f64, name: &str| {
            let mut service = Service::new("api", some(10), Law::Fixed(Span::from_millis(10)));
            change(&mut service);
            let found = Ceiling::of(&service);
            assert!((found.per_second - per_second).abs() < 1e-6, "{found:?}");
            assert_eq!(found.name, name);
        };
        let rate =
            |per_second| Some(RateLimit { rate: Rate::new(per_second).unwrap(), burst: some(1) });
        check(&|_| {}, 1_000.0, "capacity");
        check(&|service| service.rate_limit = rate(900.0), 900.0, "rate limit");
        check(&|service| service.rate_limit = rate(1_000.0), 1_000.0, "capacity");
        check(&|service| service.limit = Some(Limit::Fixed(some(4))), 400.0, "limit of 4");
        check(&|service| service.limit = Some(Limit::Fixed(some(10))), 1_000.0, "capacity");
        let both = |service: &mut Service| {
            service.instances = 3.try_into().unwrap();
            service.limit = Some(Limit::Fixed(some(4)));
            service.rate_limit = rate(300.0);
        };
        check(&both, 900.0, "rate limit");
    }
}
