//! What a service can do at most, and what keeps it from doing more.

use std::num::NonZeroU32;

use super::canvas::{Canvas, Stroke};
use super::colour::Colour;
use super::geometry::Area;
use super::scale::Scale;
use super::theme;
use crate::id::ServiceId;
use crate::model::{Disturbance, Model, Service, Trigger};
use crate::policy::limit::Limit;
use crate::time::Time;

/// The least of what bounds a service, as far as that is fixed before a run.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Ceiling {
    /// Attempts that it can serve while nothing disturbs it, 1/s.
    pub per_second: f64,
    /// What bounds it then.
    pub name: String,
    /// From which second on it can serve how many, 1/s; several where triggers slow its work down or
    /// change the number of its workers. That a stall serves nobody is what its shade says.
    steps: Vec<(f64, f64)>,
}

/// What triggers make of one instance.
struct State {
    workers: u32,
    /// The factor by which its work takes longer.
    slowdown: f64,
}

impl Ceiling {
    /// Of all instances of a service together.
    pub(in crate::report) fn of(model: &Model, id: ServiceId) -> Self {
        let service = model.service(id);
        let acts: Vec<&Trigger> =
            model.triggers.iter().filter(|trigger| bears_on(trigger, id)).collect();
        let horizon = Time::ZERO + model.horizon;
        let mut instants: Vec<Time> =
            acts.iter().flat_map(|trigger| [trigger.begins, trigger.ends()]).collect();
        instants.push(Time::ZERO);
        instants.retain(|at| *at < horizon);
        instants.sort_unstable();
        instants.dedup();
        let step = |at: Time| {
            let on: Vec<&Trigger> = acts
                .iter()
                .copied()
                .filter(|trigger| trigger.begins <= at && at < trigger.ends())
                .collect();
            (at.as_secs_f64(), least(service, &on).0)
        };
        let (per_second, name) = least(service, &[]);
        Self { per_second, name, steps: instants.into_iter().map(step).collect() }
    }

    /// Draws it, dashed, as far as it is within the plot; returns its label and how high that stands.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        plot: Area,
        x: Scale,
        y: Scale,
    ) -> (f64, String, Colour) {
        let stroke = Stroke(theme::LIMIT, theme::THIN);
        let ([_, most], [_, end]) = (y.of, x.of);
        let shown = self.steps.iter().take_while(|(from, _)| *from < end);
        for (nth, &(from, per_second)) in shown.enumerate() {
            let next = self.steps.get(nth + 1).filter(|(to, _)| *to < end);
            let (left, right) = (x.at(from), next.map_or(plot.right(), |(to, _)| x.at(*to)));
            if per_second <= most {
                let height = y.at(per_second);
                canvas.dashes((left, height), (right, height), stroke);
            }
            if let Some(&(_, then)) = next {
                canvas.dashes((right, y.at(per_second)), (right, y.at(then)), stroke);
            }
        }
        if self.per_second > most {
            return (plot.top, format!("↑ {}", self.name), theme::LIMIT);
        }
        (y.at(self.per_second), self.name.clone(), theme::LIMIT)
    }
}

/// Whether a trigger changes how much the service can do, and leaves it at work.
fn bears_on(trigger: &Trigger, id: ServiceId) -> bool {
    match &trigger.disturbance {
        Disturbance::Slowdown { service, .. } | Disturbance::Capacity { service, .. } => {
            *service == id
        }
        Disturbance::Stall { .. }
        | Disturbance::Surge { .. }
        | Disturbance::Outage(_)
        | Disturbance::Latency { .. }
        | Disturbance::ErrorShare { .. }
        | Disturbance::Loss { .. }
        | Disturbance::Flush { .. } => false,
    }
}

/// The least of what bounds a service while these triggers act on it, 1/s, and what it is called.
fn least(service: &Service, on: &[&Trigger]) -> (f64, String) {
    let states: Vec<State> =
        (0..service.instances.get()).map(|nth| state(service, nth, on)).collect();
    let mean = service.service_time.mean().as_secs_f64();
    let served_by = |most: u32| -> f64 {
        states.iter().map(|state| f64::from(state.workers.min(most)) / state.slowdown).sum::<f64>()
            / mean
    };
    let mut least = (served_by(u32::MAX), "capacity".to_owned());
    let mut lower = |per_second: f64, name: String| {
        if per_second < least.0 {
            least = (per_second, name);
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
        lower(served_by(at_once.get()), format!("limit of {at_once}"));
    }
    // Every instance has a bucket of its own.
    if let Some(limit) = &service.rate_limit {
        let all = limit.rate.per_second() * f64::from(service.instances.get());
        lower(all, "rate limit".to_owned());
    }
    least
}

/// What the triggers that are on make of one instance. Of several that set its workers the last holds.
fn state(service: &Service, instance: u16, on: &[&Trigger]) -> State {
    let mut state = State { workers: service.workers.get(), slowdown: 1.0 };
    let mut set_at = Time::ZERO;
    for trigger in on.iter().filter(|on| on.instance.is_none_or(|of| of == instance)) {
        match &trigger.disturbance {
            Disturbance::Slowdown { factor, .. } => state.slowdown *= factor,
            Disturbance::Capacity { workers, .. } if trigger.begins >= set_at => {
                state.workers = workers.get();
                set_at = trigger.begins;
            }
            Disturbance::Capacity { .. }
            | Disturbance::Stall { .. }
            | Disturbance::Surge { .. }
            | Disturbance::Outage(_)
            | Disturbance::Latency { .. }
            | Disturbance::ErrorShare { .. }
            | Disturbance::Loss { .. }
            | Disturbance::Flush { .. } => {}
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::model::InProgress;
    use crate::policy::admission::RateLimit;
    use crate::time::Span;
    use crate::unit::Rate;

    fn alone(service: Service) -> Model {
        let model = Model::empty(Span::from_secs(10), Span::from_secs(1));
        Model { services: vec![service], ..model }
    }

    /// Half as fast in one of two instances, and then with two workers of ten in both.
    #[test]
    fn triggers_lower_it_for_a_while() {
        let law = Law::Fixed(Span::from_millis(10));
        let mut service = Service::new("api", 10.try_into().unwrap(), law);
        service.instances = 2.try_into().unwrap();
        let mut model = alone(service);
        let trigger = |begins_s: u64, instance, disturbance| Trigger {
            name: String::new(),
            instance,
            begins: Time::ZERO + Span::from_secs(begins_s),
            lasts: Span::from_secs(2),
            disturbance,
        };
        let service = ServiceId(0);
        let in_progress = InProgress::Untouched;
        model.triggers = vec![
            trigger(1, Some(1), Disturbance::Slowdown { service, factor: 2.0, in_progress }),
            trigger(2, None, Disturbance::Capacity { service, workers: 2.try_into().unwrap() }),
        ];
        let found = Ceiling::of(&model, service);
        assert_eq!(found.per_second, 2_000.0);
        let steps: Vec<(f64, f64)> =
            vec![(0.0, 2_000.0), (1.0, 1_500.0), (2.0, 300.0), (3.0, 400.0), (4.0, 2_000.0)];
        assert_eq!(found.steps, steps);
    }

    #[test]
    fn the_least_bound_is_shown_under_its_own_name() {
        let some = |n: u32| NonZeroU32::new(n).unwrap();
        let check = |change: &dyn Fn(&mut Service), per_second: f64, name: &str| {
            let mut service = Service::new("api", some(10), Law::Fixed(Span::from_millis(10)));
            change(&mut service);
            let found = Ceiling::of(&alone(service), ServiceId(0));
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
