//! Files that cannot be read.

use std::fs;
use std::path::Path;

use metastable::scenario::Story;

use super::STORM;

fn refusal(path: &Path) -> String {
    let trouble = Story::read(path, &[]).expect_err("it must not be read").to_string();
    let folder = path.parent().unwrap().display().to_string();
    trouble.replace(&folder, "FOLDER")
}

#[test]
fn what_is_no_scenario_file_is_said_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let said = [
        refusal(&folder.path().join("absent.toml")),
        refusal(folder.path()).replace(&folder.path().display().to_string(), "FOLDER/it"),
        refusal(&file("empty.toml", b"")),
        refusal(&file("latin.toml", b"title = \"ok\"\n# caf\xe9\n")),
        refusal(&file("long.toml", &vec![b'#'; (1 << 20) + 1])),
        refusal(&file("picture.png", b"\x89PNG\r\n\x1a\n\0\0")),
    ];
    let said: Vec<String> = said.iter().map(|text| mask(text)).collect();
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(said.join("\n\n")) });
}

/// Without the names of temporary folders.
fn mask(text: &str) -> String {
    let word =
        |word: &str| if word.contains(".tmp") { "FOLDER".to_owned() } else { word.to_owned() };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_file_and_its_text_mean_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("storm.toml", STORM.to_owned()),
        ("windows.toml", format!("\u{feff}{}", STORM.replace('\n', "\r\n"))),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let read = Story::read(&path, &[]).unwrap_or_else(|trouble| panic!("{trouble}"));
        let parsed = Story::parse(STORM, "storm.toml", &[]).unwrap();
        assert_eq!(read.variants[0].model, parsed.variants[0].model, "{name}");
    }
}

#[test]
fn colour_is_an_option() {
    let trouble = Story::parse("x = 1", "x.toml", &[]).unwrap_err();
    assert!(trouble.render(true).contains('\u{1b}'));
    assert!(!trouble.render(false).contains('\u{1b}'));
    assert_eq!(trouble.to_string(), trouble.render(false));
}
