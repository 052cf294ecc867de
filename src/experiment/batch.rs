//! Many independent runs at once.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Engine, Workbench};

/// How a batch is run.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// Set from outside, it ends the batch.
    pub stop: &'a AtomicBool,
    /// What plays each run.
    pub engine: Engine,
    /// Whether runs of which only the verdict is asked may end once it is known.
    pub early_stop: bool,
}

impl<'a> From<&'a AtomicBool> for Way<'a> {
    fn from(stop: &'a AtomicBool) -> Self {
        Self { stop, engine: Engine::default(), early_stop: false }
    }
}

/// Does `work` for every job on rayon's current pool, each thread with a bench of its own.
///
/// Results come in the order of the jobs, whatever the number of threads. None if `stop` was set
/// before the last job began: a part of a batch looks like a whole one, and is never handed out.
pub(super) fn in_parallel<'a, J: Sync, T: Send>(
    jobs: &[J],
    way: impl Into<Way<'a>>,
    work: impl Fn(&mut Workbench, &J) -> T + Sync,
) -> Option<Vec<T>> {
    as_far_as_it_goes(jobs, way, work).into_iter().collect()
}

/// The same for searches that can tell something of a part: what was done until `stop` was set, and nothing for
/// the others.
pub(super) fn as_far_as_it_goes<'a, J: Sync, T: Send>(
    jobs: &[J],
    way: impl Into<Way<'a>>,
    work: impl Fn(&mut Workbench, &J) -> T + Sync,
) -> Vec<Option<T>> {
    let Way { stop, engine, .. } = way.into();
    jobs.par_iter()
        .map_init(
            || Workbench::with(engine),
            |bench, job| (!stop.load(Ordering::Relaxed)).then(|| work(bench, job)),
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_on_any_number_of_threads() {
        let jobs: Vec<u64> = (0..1_000).collect();
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let squares =
                pool.install(|| in_parallel(&jobs, &AtomicBool::new(false), |_, job| job * job));
            assert_eq!(squares.unwrap(), jobs.iter().map(|job| job * job).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_stopped_batch_is_no_batch() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let stop = AtomicBool::new(false);
        let stop_at_once = |_: &mut Workbench, job: &u32| stop.store(*job == 0, Ordering::Relaxed);
        assert_eq!(pool.install(|| in_parallel(&[0, 1, 2, 3], &stop, stop_at_once)), None);
        assert_eq!(in_parallel(&[1], &AtomicBool::new(true), |_, _| ()), None);
    }
}
