//! The same worlds under several seeds.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::batch::in_parallel;
use super::{Run, Subject};

/// Runs every subject under every seed, in parallel, and keeps of each run what `keep` makes of it.
///
/// The results come subject by subject, seeds innermost, on any number of threads. A run is handed
/// over as soon as it is done, so that only what is kept of it takes memory. None if `stop` was set
/// meanwhile.
pub fn replicate<T: Send>(
    subjects: &[Subject<'_>],
    seeds: Range<u64>,
    stop: &AtomicBool,
    keep: impl Fn(Run) -> T + Sync,
) -> Option<Vec<T>> {
    let jobs: Vec<(Subject<'_>, u64)> = subjects
        .iter()
        .flat_map(|&subject| seeds.clone().map(move |seed| (subject, seed)))
        .collect();
    in_parallel(&jobs, stop, |bench, &(subject, seed)| {
        keep(bench.run(subject.name, subject.model, seed))
    })
}
