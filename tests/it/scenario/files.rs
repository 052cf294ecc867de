//! The stories that come with the project.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use metastable::experiment::{Claim, Subject, check};
use metastable::scenario::Story;

fn stories() -> Vec<(PathBuf, Story)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let read = |path: PathBuf| {
        let story = Story::read(&path, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
        (path, story)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn every_story_is_understood_without_a_warning() {
    let stories = stories();
    for (_, story) in &stories {
        assert!(story.warnings.is_empty(), "{}", story.warnings);
    }
    assert!(stories.len() >= 4);
}

/// L1 to L4 of the laboratory, as the files promise them.
#[test]
fn every_promise_is_kept() {
    let stories = stories();
    let mut claims = Vec::new();
    for (_, story) in &stories {
        let before = claims.len();
        for variant in &story.variants {
            let subject = Subject { name: &variant.name, model: &variant.model };
            let claim = variant.expect.as_ref().map(|promise| Claim::Variant { subject, promise });
            claims.extend(claim.map(|claim| (claim, story.seed)));
        }
        if let Some(sweep) = &story.sweep {
            let cells = sweep.expect.iter().map(|promise| Claim::Cells {
                cells: &sweep.cells,
                promise,
                seeds: sweep.seeds,
            });
            claims.extend(cells.map(|claim| (claim, story.seed)));
        }
        assert!(claims.len() > before, "{} promises nothing", story.title);
    }
    let judged = check(&claims, &AtomicBool::new(false), |_| ()).unwrap();
    for promised in judged.iter().flatten() {
        let at: Vec<&str> =
            promised.cell.iter().flat_map(|cell| &cell.at).map(|at| at.label.as_str()).collect();
        assert!(promised.held(), "{} {at:?}: {:?}", promised.variant, promised.findings);
    }
}
