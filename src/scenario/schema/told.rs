//! What a doc comment says of a key: a sentence, a unit, a default.

/// A description, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told<'d> {
    pub(super) meaning: &'d str,
    pub(super) unit: Option<&'d str>,
    /// In words, or as TOML in code quotes.
    pub(super) default: Option<&'d str>,
}

impl<'d> Told<'d> {
    pub(super) fn of(description: &'d str) -> Self {
        let (rest, default) = last(description, "Default: ");
        let (meaning, unit) = last(rest, "Unit: ");
        Self { meaning, unit, default }
    }

    /// The default as a value, where it is one.
    pub(super) fn value(&self) -> Option<serde_json::Value> {
        let toml = self.default?.strip_prefix('`')?.strip_suffix('`')?;
        let table: toml::Table = format!("it = {toml}").parse().ok()?;
        serde_json::to_value(table.get("it")?).ok()
    }
}

/// What comes before a heading, and what comes after it, without its full stop.
fn last<'d>(text: &'d str, heading: &str) -> (&'d str, Option<&'d str>) {
    match text.rsplit_once(heading) {
        Some((before, after)) => {
            let after = after.trim_end();
            (before.trim_end(), Some(after.strip_suffix('.').unwrap_or(after)))
        }
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_taken_apart() {
        let told = Told::of("How many. Unit: attempts per worker. Default: `{ a = 1.5 }`.");
        let (unit, default) = (Some("attempts per worker"), Some("`{ a = 1.5 }`"));
        assert_eq!(told, Told { meaning: "How many.", unit, default });
        assert_eq!(told.value(), Some(serde_json::json!({ "a": 1.5 })));
        let told = Told::of("How long. Default: up to the horizon.");
        assert_eq!((told.unit, told.default), (None, Some("up to the horizon")));
        assert_eq!(told.value(), None);
        assert_eq!(Told::of("How."), Told { meaning: "How.", unit: None, default: None });
    }
}
