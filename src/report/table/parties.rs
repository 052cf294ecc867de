//! Who did what in a run: a row per service, and a row per edge.

use super::sheet::{Align, Column, Sheet};
use super::spread::{Spelling, spread};
use super::value::{Record, Value, record};
use crate::experiment::{Subject, Summary};
use crate::model::Model;
use crate::observe::{EdgeTotal, Instance, Line, Link, ServiceTotal, Station};

/// What a column shows of a service or an edge.
struct Shown<T> {
    heading: &'static [&'static str],
    group: u8,
    spelling: Spelling,
    of: fn(&T) -> Option<f64>,
    /// Whether it is left out where there is nothing but zeros.
    is_seldom: bool,
}

const fn shown<T>(
    heading: &'static [&'static str],
    group: u8,
    spelling: Spelling,
    of: fn(&T) -> Option<f64>,
) -> Shown<T> {
    Shown { heading, group, spelling, of, is_seldom: false }
}

/// A count that is left out where there is none.
const fn seldom<T>(
    heading: &'static [&'static str],
    group: u8,
    of: fn(&T) -> Option<f64>,
) -> Shown<T> {
    Shown { heading, group, spelling: Spelling::Count, of, is_seldom: true }
}

const OF_SERVICES: [Shown<ServiceTotal>; 9] = [
    shown(&["attempts"], 0, Spelling::Count, |service| Some(service.seen.attempts as f64)),
    shown(&["in time"], 0, Spelling::Count, |service| Some(service.seen.answered() as f64)),
    shown(&["refused"], 0, Spelling::Count, |service| {
        Some((service.seen.rejected - service.seen.failed_at_once) as f64)
    }),
    seldom(&["failed", "at once"], 0, |service| Some(service.seen.failed_at_once as f64)),
    shown(&["shed"], 0, Spelling::Count, |service| Some(service.seen.shed as f64)),
    shown(&["work", "s"], 1, Spelling::Rounded, |service| Some(service.seen.work.as_secs_f64())),
    shown(&["wasted", "work %"], 1, Spelling::Percent, |service| {
        Some(service.seen.wasted_work_fraction())
    }),
    shown(&["queue", "mean"], 1, Spelling::Rounded, |service| Some(service.line.mean())),
    shown(&["queue", "longest"], 1, Spelling::Count, |service| Some(service.line.longest as f64)),
];

const OF_EDGES: [Shown<EdgeTotal>; 8] = [
    shown(&["calls"], 0, Spelling::Count, |edge| Some(edge.link.requests as f64)),
    shown(&["attempts"], 0, Spelling::Count, |edge| Some(edge.link.attempts as f64)),
    shown(&["attempts", "/call"], 0, Spelling::Ratio, |edge| edge.link.amplification()),
    shown(&["attempts", "/fresh"], 0, Spelling::Ratio, EdgeTotal::attempts_per_fresh_request),
    shown(&["retries"], 1, Spelling::Count, |edge| Some(edge.link.retries as f64)),
    shown(&["timed", "out"], 1, Spelling::Count, |edge| Some(edge.link.timed_out as f64)),
    shown(&["refused"], 1, Spelling::Count, |edge| {
        Some((edge.link.refused - edge.link.failed_at_once) as f64)
    }),
    seldom(&["failed", "at once"], 1, |edge| Some(edge.link.failed_at_once as f64)),
];

const OF_INSTANCES: [Shown<Instance>; 6] = [
    shown(&["attempts"], 0, Spelling::Count, |seen| Some(seen.attempts as f64)),
    shown(&["answered"], 0, Spelling::Count, |seen| Some(seen.answered as f64)),
    shown(&["failed"], 0, Spelling::Count, |seen| Some(seen.failed as f64)),
    shown(&["most", "out at once"], 0, Spelling::Count, |seen| Some(seen.most_outstanding as f64)),
    shown(&["times", "ejected"], 1, Spelling::Count, |seen| Some(seen.ejections as f64)),
    shown(&["ejected", "s"], 1, Spelling::Rounded, |seen| Some(seen.ejected.as_secs_f64())),
];

/// So many instances are shown: of a large fleet those that failed most.
const MOST_INSTANCES: usize = 12;

/// The names of services, in their order.
fn service_names(model: &Model) -> Vec<String> {
    model.services.iter().map(|service| service.name.clone()).collect()
}

/// What the headings of services and edges do not say.
const OF_THE_GRAPH: &str = "In time: answered while somebody waited for it. Queues are those at the ends \
                            of windows. /fresh: for each fresh request of the clients above.";
/// What those of instances do not say.
const OF_A_FLEET: &str = "Instances are counted by whoever calls them: out are attempts that have not \
                          ended; the time ejected is a sum over all callers.";

/// What the headings of [`sheets`] do not say.
pub(super) fn legend(model: &Model) -> String {
    let graph = model.services.len() > 1 || model.edges().count() > 1;
    let fleet = model.instances().next().is_some();
    let said = [graph.then_some(OF_THE_GRAPH), fleet.then_some(OF_A_FLEET)];
    said.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The services of `subject`, the edges and the instances, over the runs of it; each only where there are
/// several.
pub(super) fn sheets(subject: &Subject<'_>, runs: &[Summary]) -> Vec<(&'static str, Sheet)> {
    let mut sheets = Vec::new();
    let model = subject.model;
    if model.services.len() > 1 {
        let ids: Vec<usize> = model.callers_first().iter().map(|id| id.index()).collect();
        let sheet = sheet("service", (&ids, &service_names(model)), &OF_SERVICES, runs, |run| {
            &run.services
        });
        sheets.push(("Services", sheet));
    }
    let names = model.edge_names();
    if names.len() > 1 {
        let ids = model.edges_callers_first();
        let sheet = sheet("edge", (&ids, &names), &OF_EDGES, runs, |run| &run.edges);
        sheets.push(("Edges", sheet));
    }
    let names = model.instance_names();
    if !names.is_empty() {
        let what = if names.len() > MOST_INSTANCES {
            "The twelve instances that failed most"
        } else {
            "Instances"
        };
        let ids = failing_most(runs, names.len());
        let sheet = sheet("instance", (&ids, &names), &OF_INSTANCES, runs, |run| &run.instances);
        sheets.push((what, sheet));
    }
    sheets
}

/// Those of so many instances that are shown, in their order.
fn failing_most(runs: &[Summary], instances: usize) -> Vec<usize> {
    let failed = |nth: usize| -> u64 {
        runs.iter().filter_map(|run| run.instances.get(nth)).map(|seen| seen.failed).sum()
    };
    let mut ids: Vec<usize> = (0..instances).collect();
    ids.sort_by_key(|&nth| std::cmp::Reverse(failed(nth)));
    ids.truncate(MOST_INSTANCES);
    ids.sort_unstable();
    ids
}

/// The rows are those of `ids`, in their order, each with its name out of `names`.
fn sheet<T>(
    heading: &str,
    (ids, names): (&[usize], &[String]),
    all: &[Shown<T>],
    runs: &[Summary],
    of: fn(&Summary) -> &Vec<T>,
) -> Sheet {
    let column = |shown: &Shown<T>| {
        let cell = |nth: usize| {
            let values = runs.iter().filter_map(|run| (shown.of)(of(run).get(nth)?));
            spread(shown.spelling, values)
        };
        let cells = ids.iter().copied().map(cell).collect();
        Column::new(shown.heading, Align::Right, shown.group, cells)
    };
    let is_there = |shown: &&Shown<T>| {
        let values = || runs.iter().flat_map(of).filter_map(|one| (shown.of)(one));
        !shown.is_seldom || values().any(|value| value > 0.0)
    };
    let columns = all.iter().filter(is_there).map(column).collect();
    Sheet::new(heading, ids.iter().map(|nth| names[*nth].clone()).collect(), columns)
}

/// Every service of a run, by name.
pub(super) fn services(model: &Model, run: &Summary) -> Record {
    let named = service_names(model).into_iter().zip(&run.services);
    named.map(|(name, service)| (name, Value::Record(of_service(*service)))).collect()
}

/// Every edge of a run, by name.
pub(super) fn edges(model: &Model, run: &Summary) -> Record {
    let named = model.edge_names().into_iter().zip(&run.edges);
    named.map(|(name, edge)| (name, Value::Record(of_edge(*edge)))).collect()
}

/// Every instance of the services of a run that have several, by name.
pub(super) fn instances(model: &Model, run: &Summary) -> Record {
    let named = model.instance_names().into_iter().zip(&run.instances);
    named.map(|(name, seen)| (name, Value::Record(of_instance(*seen)))).collect()
}

/// Taken apart by name, so that a new field asks to be written here.
fn of_service(total: ServiceTotal) -> Record {
    let ServiceTotal { seen, line: Line { looks: _, found: _, longest, last } } = total;
    let Station {
        attempts,
        started,
        completed,
        wasted,
        rejected,
        failed_at_once,
        shed,
        withdrawn,
        lost,
        serving,
        work,
        wasted_work,
        in_service,
        waited,
        queue: _,
        executions,
        duplicates,
    } = seen;
    record([
        ("attempts", attempts.into()),
        ("answered", seen.answered().into()),
        ("started", started.into()),
        ("completed", completed.into()),
        ("wasted", wasted.into()),
        ("rejected", rejected.into()),
        ("failed_at_once", failed_at_once.into()),
        ("shed", shed.into()),
        ("withdrawn", withdrawn.into()),
        ("lost", lost.into()),
        ("work_s", work.as_secs_f64().into()),
        ("wasted_work_s", wasted_work.as_secs_f64().into()),
        ("wasted_work_fraction", seen.wasted_work_fraction().into()),
        ("in_service_s", in_service.as_secs_f64().into()),
        ("waited_s", waited.as_secs_f64().into()),
        ("waiting_mean_s", seen.waiting_mean_s().into()),
        ("mean_queue", total.line.mean().into()),
        ("longest_queue", longest.into()),
        ("last_queue", last.into()),
        ("last_serving", serving.into()),
        ("executions", executions.into()),
        ("duplicate_executions", duplicates.into()),
    ])
}

fn of_edge(total: EdgeTotal) -> Record {
    let EdgeTotal { link, fresh } = total;
    let Link {
        requests,
        answered,
        failed,
        attempts,
        retries,
        hedges,
        timed_out,
        refused,
        failed_at_once,
        denied,
        held_back,
        repeats,
        ejections,
    } = link;
    record([
        ("requests", requests.into()),
        ("succeeded", answered.into()),
        ("failed", failed.into()),
        ("attempts", attempts.into()),
        ("retries", retries.into()),
        ("hedges", hedges.into()),
        ("transport_repeats", repeats.into()),
        ("timed_out", timed_out.into()),
        ("rejected", refused.into()),
        ("failed_at_once", failed_at_once.into()),
        ("denied", denied.into()),
        ("held_back", held_back.into()),
        ("ejections", ejections.into()),
        ("amplification", link.amplification().into()),
        ("fresh_requests", fresh.into()),
        ("attempts_per_fresh_request", total.attempts_per_fresh_request().into()),
    ])
}

fn of_instance(seen: Instance) -> Record {
    let Instance {
        attempts,
        answered,
        failed,
        unneeded,
        outstanding,
        most_outstanding,
        ejections,
        ejected,
    } = seen;
    record([
        ("attempts", attempts.into()),
        ("answered", answered.into()),
        ("failed", failed.into()),
        ("unneeded", unneeded.into()),
        ("outstanding", outstanding.into()),
        ("most_outstanding", most_outstanding.into()),
        ("ejections", ejections.into()),
        ("ejected_s", ejected.as_secs_f64().into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{ClientMetric, EdgeMetric, InstanceMetric, ServiceMetric};
    use crate::time::Span;

    /// A promise reads like the output that it is about.
    #[test]
    fn what_can_be_promised_has_the_names_and_values_of_the_json() {
        let service = ServiceTotal {
            seen: Station { completed: 5, wasted: 2, started: 7, ..Station::default() },
            line: [3, 9, 6].into_iter().collect(),
        };
        let edge =
            EdgeTotal { link: Link { requests: 4, attempts: 6, ..Link::default() }, fresh: 3 };
        let value = |record: &Record, name: &str| {
            let (_, value) = record.iter().find(|(key, _)| key == name).expect(name);
            value.words().parse::<f64>().ok()
        };
        let record = of_service(service);
        for metric in ServiceMetric::ALL {
            assert_eq!(value(&record, metric.name()), metric.of(&service), "{}", metric.name());
        }
        assert_eq!(
            (value(&record, "answered"), value(&record, "mean_queue")),
            (Some(3.0), Some(6.0))
        );
        let record = of_edge(edge);
        for metric in EdgeMetric::ALL {
            assert_eq!(value(&record, metric.name()), metric.of(&edge), "{}", metric.name());
        }
        assert_eq!(value(&record, "attempts_per_fresh_request"), Some(2.0));
        let instance = Instance {
            attempts: 9,
            answered: 4,
            failed: 3,
            unneeded: 1,
            outstanding: 1,
            most_outstanding: 5,
            ejections: 2,
            ejected: Span::from_secs(7),
        };
        let of_one = of_instance(instance);
        for metric in InstanceMetric::ALL {
            assert_eq!(value(&of_one, metric.name()), metric.of(&instance), "{}", metric.name());
        }
        assert_eq!(of_one.len(), InstanceMetric::ALL.len());
        let of_client = |metric: &ClientMetric| metric.name() != "succeeded_share";
        for metric in ClientMetric::ALL.iter().filter(|metric| of_client(metric)) {
            assert!(value(&record, metric.name()).is_some(), "{}", metric.name());
        }
    }
}
