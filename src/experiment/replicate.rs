//! The same worlds under several seeds.

use std::ops::Range;

use super::batch::{Way, in_parallel};
use super::{Run, Subject};

/// Runs every subject under every seed, in parallel, and keeps of each run what `keep` makes of it.
///
/// The results come subject by subject, seeds innermost, on any number of threads. A run is handed
/// over as soon as it is done, so that only what is kept of it takes memory. None if it was stopped
/// meanwhile.
pub fn replicate<'a, T: Send>(
    subjects: &[Subject<'_>],
    seeds: Range<u64>,
    way: impl Into<Way<'a>>,
    keep: impl Fn(Run) -> T + Sync,
) -> Option<Vec<T>> {
    let jobs: Vec<(Subject<'_>, u64)> = subjects
        .iter()
        .flat_map(|&subject| seeds.clone().map(move |seed| (subject, seed)))
        .collect();
    in_parallel(&jobs, way, |bench, &(subject, seed)| {
        keep(bench.run(subject.name, subject.model, seed))
    })
}
