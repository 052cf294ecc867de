//! The right word for a wrong one.

/// The word of `known` that `wrong` was probably meant to be: the one that takes the fewest slips
/// of the finger (Damerau-Levenshtein), if they are at most a third of its letters.
pub(super) fn nearest<'k>(
    wrong: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    let wrong = wrong.to_lowercase();
    let slips = |word: &&str| strsim::damerau_levenshtein(&wrong, &word.to_lowercase());
    let best = known.into_iter().min_by_key(slips)?;
    (slips(&best) <= best.chars().count().max(wrong.chars().count()).div_ceil(3)).then_some(best)
}

/// So many words are taken in at one look; of more, those are shown that the wrong one is a part of.
const A_LOOK: usize = 12;

/// One line of help: the nearest word of `known`, those that the wrong one is a part of, or all of them
/// where none is near.
pub(super) fn did_you_mean<'k>(
    wrong: &str,
    known: impl IntoIterator<Item = &'k str> + Clone,
    all: &str,
) -> Option<String> {
    if let Some(word) = nearest(wrong, known.clone()) {
        return Some(format!("did you mean `{word}`?"));
    }
    let alike = known.clone().into_iter().filter(|word| wrong.len() > 2 && word.contains(wrong));
    if known.clone().into_iter().count() > A_LOOK
        && let Some(words) = list(alike)
    {
        return Some(format!("there is {words}"));
    }
    list(known).map(|words| format!("{all}: {words}"))
}

/// The words in backticks with commas between them; none if there are no words.
pub(super) fn list<'k>(words: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_forgiven_and_other_words_are_not() {
        let keys = ["load", "arrival_rate", "arrivals", "calls", "call"];
        let check = |wrong: &str, right: Option<&str>| assert_eq!(nearest(wrong, keys), right);
        check("laod", Some("load"));
        check("Load", Some("load"));
        check("arival_rate", Some("arrival_rate"));
        check("arrivalrate", Some("arrival_rate"));
        check("cals", Some("calls"));
        check("timeout", None);
        check("x", None);
        assert_eq!(nearest("load", []), None);
    }
}
