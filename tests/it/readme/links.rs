//! Every link within the documentation leads somewhere: to a file or folder that is there, and where it names a heading,
//! to one that the page has.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages beside those of `docs` that have links.
const OTHERS: [&str; 3] = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README, the pages of `docs`, and the others: where they are, and their text.
fn pages() -> Vec<(String, String)> {
    let mut pages = super::pages();
    for page in OTHERS {
        pages.push((page.to_owned(), fs::read_to_string(root().join(page)).expect("a page")));
    }
    pages
}

/// The lines of `text` that are no code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where the links and pictures of `text` lead, as written.
fn targets(text: &str) -> Vec<String> {
    let prose: Vec<&str> = prose(text).collect();
    // Between two backticks is code, and in it a bracket is a bracket.
    let joined = prose.join("\n");
    let mut outside = String::new();
    for (index, part) in joined.split('`').enumerate() {
        outside.push_str(if index % 2 == 0 { part } else { "code" });
    }
    let after = outside.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// What a heading is called in a link, as GitHub has it: letters, figures, hyphens and underscores, in lower case, with
/// a hyphen for each space; one that was there before has a number at its end.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            _ => letter.is_alphanumeric().then_some(letter),
        });
        let name = kept.collect::<String>().to_lowercase();
        let mut numbered = name.clone();
        let mut before = 0;
        while !found.insert(numbered) {
            before += 1;
            numbered = format!("{name}-{before}");
        }
    }
    found
}

/// `target` as seen from `page`, from the root on; or nothing, if it leads out of the project.
fn resolved(page: &str, target: &str) -> Option<PathBuf> {
    let mut path = Path::new(page).parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(path)
}

/// What is wrong with a link, or nothing.
fn flaw(page: &str, text: &str, target: &str) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
    let read;
    let there = if file.is_empty() {
        text
    } else {
        let Some(path) = resolved(page, file) else { return Some("leads out of the project") };
        let path = root().join(path);
        if !path.exists() {
            return Some("leads nowhere");
        }
        if anchor.is_none() {
            return None;
        }
        read = fs::read_to_string(path).unwrap_or_default();
        &read
    };
    let anchor = anchor?;
    (!anchors(there).contains(anchor)).then_some("leads to no heading of that page")
}

#[test]
fn every_link_leads_somewhere() {
    let mut flaws = Vec::new();
    let mut seen = 0;
    for (page, text) in pages() {
        for target in targets(&text) {
            if target.starts_with("https://") {
                continue;
            }
            seen += 1;
            if let Some(flaw) = flaw(&page, &text, &target) {
                flaws.push(format!("{page}: {target} {flaw}"));
            }
        }
    }
    assert_eq!(flaws, [""; 0]);
    assert!(seen > 100, "only {seen} links: are they found?");
}

/// A page that nobody can get to from the index might as well not be.
#[test]
fn the_index_lists_every_page() {
    let index = "docs/README.md";
    let text = fs::read_to_string(root().join(index)).expect("the index");
    let mut listed: BTreeSet<PathBuf> =
        targets(&text).iter().filter_map(|target| resolved(index, target)).collect();
    listed.insert(PathBuf::from(index));
    let pages = super::pages();
    let missing: Vec<&String> = pages
        .iter()
        .map(|(page, _)| page)
        .filter(|page| !listed.contains(Path::new(page)))
        .collect();
    assert_eq!(missing, [""; 0], "{index} does not lead to them");
}

/// And so with a story.
#[test]
fn the_readme_lists_every_scenario() {
    let listed = targets(super::README);
    let folder = fs::read_dir(root().join("scenarios")).expect("the scenarios");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string());
    let files = names.map(|name| name.expect("a name")).filter(|name| name.ends_with(".toml"));
    let mut missing: Vec<String> =
        files.filter(|name| !listed.contains(&format!("scenarios/{name}"))).collect();
    missing.sort();
    assert_eq!(missing, [""; 0]);
}

/// A page that names a test as `file::name` names one that there is.
#[test]
fn tests_that_are_named_are_there() {
    let mut seen = 0;
    for (page, text) in pages() {
        let prose: Vec<&str> = prose(&text).collect();
        for span in prose.join("\n").split('`').skip(1).step_by(2) {
            let Some((file, name)) = span.split_once("::") else { continue };
            let tests = root().join("tests/it");
            let file = [format!("{file}.rs"), format!("{file}/mod.rs")]
                .into_iter()
                .find_map(|file| fs::read_to_string(tests.join(file)).ok());
            let Some(source) = file.filter(|_| !name.contains("::")) else { continue };
            assert!(source.contains(&format!("fn {name}(")), "{page}: there is no test `{span}`");
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} tests are named: are they found?");
}

#[test]
fn links_and_headings_are_found() {
    let text = "# One `two`, three\n[a](b.md) `[no](no.md)`\n```\n[no](no.md)\n# no\n```\n![c\nd](e.png)\n\
                ## Two-part: it's\n## Two-part: it's\n#no\n[f](#g_h)";
    assert_eq!(targets(text), ["b.md", "e.png", "#g_h"]);
    let expected = ["one-two-three", "two-part-its", "two-part-its-1"];
    assert_eq!(anchors(text), BTreeSet::from(expected.map(str::to_owned)));
}

#[test]
fn flaws_are_seen() {
    let text = "# Here\n";
    let check = |page: &str, target: &str, expected: Option<&str>| {
        assert_eq!(flaw(page, text, target), expected, "{target} in {page}");
    };
    check("docs/a.md", "#here", None);
    check("docs/a.md", "#there", Some("leads to no heading of that page"));
    check("docs/a.md", "../README.md", None);
    check("docs/a.md", "../README.md#install", None);
    check("docs/a.md", "../README.md#instal", Some("leads to no heading of that page"));
    check("docs/a.md", "README.mdx", Some("leads nowhere"));
    check("README.md", "../README.md", Some("leads out of the project"));
    check("README.md", "/etc/passwd", Some("leads out of the project"));
}
