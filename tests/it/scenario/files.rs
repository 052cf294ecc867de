//! The stories that come with the project.

use std::path::Path;

use metastable::scenario::Story;

#[test]
fn every_story_is_understood_without_a_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut stories = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let story = Story::read(&path, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
        assert!(story.warnings.is_empty(), "{}", story.warnings);
        stories += 1;
    }
    assert!(stories >= 4);
}
