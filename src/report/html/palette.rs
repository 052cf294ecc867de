//! The colours of a page: those of the charts, and what stands for each of them on a dark ground.

use std::fmt::Write as _;

use crate::report::chart::colour::Colour;
use crate::report::chart::theme;

/// A colour by the name under which the style sheet and the scripts know it, on light and on dark.
type Named = (&'static str, Colour, Colour);

const COLOURS: [Named; 23] = [
    ("ground", Colour(0xF5, 0xF6, 0xF8), Colour(0x0E, 0x12, 0x16)),
    ("paper", theme::PAPER, DARK),
    ("raised", theme::BOX, Colour(0x20, 0x27, 0x2E)),
    ("ink", theme::INK, LIGHT_INK),
    ("muted", theme::MUTED, Colour(0xA3, 0xAE, 0xB9)),
    ("axis", theme::AXIS, Colour(0x6F, 0x7B, 0x87)),
    ("grid", theme::GRID, Colour(0x29, 0x31, 0x39)),
    ("line", Colour(0xDD, 0xE2, 0xE7), Colour(0x2F, 0x38, 0x41)),
    ("accent", theme::GOODPUT, Colour(0x6B, 0xBD, 0xEF)),
    ("demand", theme::DEMAND, LIGHT_INK),
    ("goodput", theme::GOODPUT, Colour(0x56, 0xB4, 0xE9)),
    ("goodput-fill", theme::GOODPUT_FILL, Colour(0x1B, 0x3C, 0x52)),
    ("attempts", theme::ATTEMPTS, Colour(0xF2, 0x85, 0x3F)),
    ("limit", theme::LIMIT, Colour(0xA3, 0xAE, 0xB9)),
    ("waiting", theme::WAITING, Colour(0xE3, 0x9A, 0xC4)),
    ("waiting-fill", theme::WAITING_FILL, Colour(0x43, 0x2C, 0x3A)),
    ("trigger", theme::TRIGGER, Colour(0x3B, 0x32, 0x18)),
    ("trigger-ink", theme::TRIGGER_INK, Colour(0xE2, 0xBD, 0x62)),
    ("lever", theme::LEVER, Colour(0x17, 0x3B, 0x31)),
    ("lever-ink", theme::LEVER_INK, Colour(0x66, 0xCF, 0xAB)),
    ("well", theme::WELL, Colour(0x4F, 0xD1, 0xA1)),
    ("unwell", theme::UNWELL, Colour(0xFF, 0x9B, 0x5E)),
    ("nothing", theme::NOTHING, Colour(0x22, 0x29, 0x30)),
];

const DARK: Colour = Colour(0x17, 0x1C, 0x22);
const LIGHT_INK: Colour = Colour(0xE9, 0xED, 0xF1);

/// The colours of series on a dark ground, in the order of [`theme::SERIES`]: the same hues, lighter.
const SERIES: [Colour; theme::SERIES.len()] = [
    Colour(0x3F, 0x9F, 0xE6),
    Colour(0xF2, 0x85, 0x3F),
    Colour(0x2B, 0xC0, 0x92),
    Colour(0xE3, 0x9A, 0xC4),
    Colour(0x9F, 0xDA, 0xF8),
    Colour(0xF0, 0xC0, 0x4A),
    LIGHT_INK,
];

/// From "no seed recovers" to "every seed recovers" on a dark ground: even odds are dark there.
const SHARE: [Colour; theme::SHARE.len()] = [
    Colour(0xD9, 0x74, 0x3C),
    Colour(0x86, 0x50, 0x33),
    Colour(0x33, 0x39, 0x40),
    Colour(0x2F, 0x60, 0x80),
    Colour(0x4B, 0x9F, 0xD4),
];

/// Shares are told apart in so many steps.
const STEPS: u8 = 20;

/// The class of a cell with this share of seeds that recover.
pub(super) fn class_of(share: f64) -> String {
    format!("s{}", (share * f64::from(STEPS)).round() as u8)
}

/// The style rules that give every colour its name, light and dark.
pub(super) fn rules() -> String {
    let mut light = String::from("color-scheme:light;");
    let mut dark = String::from("color-scheme:dark;");
    for (name, on_light, on_dark) in COLOURS {
        let _ = write!(light, "--{name}:{};", on_light.css());
        let _ = write!(dark, "--{name}:{};", on_dark.css());
    }
    for (nth, (on_light, on_dark)) in theme::SERIES.into_iter().zip(SERIES).enumerate() {
        let _ = write!(light, "--series-{nth}:{};", on_light.css());
        let _ = write!(dark, "--series-{nth}:{};", on_dark.css());
    }
    let mut classes = String::new();
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        for (rules, stops) in [(&mut light, theme::SHARE), (&mut dark, SHARE)] {
            let colour = Colour::along(&stops, share);
            let ink = colour.best_of(INKS);
            let _ = write!(rules, "--s{step}:{};--t{step}:{};", colour.css(), ink.css());
        }
        let _ = writeln!(classes, ".s{step}{{background:var(--s{step});color:var(--t{step})}}");
    }
    // Paper is white: what is printed is light, whatever the screen was.
    format!(
        ":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{\
         :root:not([data-printed]){{{dark}}}}}\n{classes}"
    )
}

/// What is written on a cell, whichever is read best. Of black and white, and of no lighter black, one
/// has a contrast of 4.5 to any colour.
const INKS: [Colour; 2] = [Colour(0, 0, 0), Colour(0xFF, 0xFF, 0xFF)];

/// The dashes of every series, told apart also where colours are not.
pub(super) fn dashes() -> Vec<Vec<f64>> {
    theme::PATTERNS.iter().map(|pattern| pattern.to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> [Colour; 2] {
        let (_, light, dark) = COLOURS.into_iter().find(|(known, ..)| *known == name).unwrap();
        [light, dark]
    }

    /// WCAG 2.2: 4.5 for text, 3 for what is drawn.
    #[test]
    fn everything_is_seen_on_light_and_on_dark() {
        let check = |what: &str, on: &str, least: f64| {
            for (what_colour, on_colour) in named(what).into_iter().zip(named(on)) {
                let contrast = what_colour.contrast(on_colour);
                assert!(contrast >= least, "{what} on {on}: {contrast}");
            }
        };
        for ground in ["ground", "paper", "raised"] {
            for text in ["ink", "muted", "accent", "well", "unwell"] {
                check(text, ground, 4.5);
            }
        }
        for line in ["demand", "goodput", "attempts", "limit", "waiting", "axis"] {
            check(line, "paper", 3.0);
        }
        check("trigger-ink", "paper", 4.5);
        check("lever-ink", "paper", 4.5);
        check("trigger-ink", "trigger", 4.5);
        check("lever-ink", "lever", 4.5);
        for colour in SERIES {
            assert!(colour.contrast(DARK) >= 4.5, "{colour:?}");
        }
    }

    #[test]
    fn every_cell_can_be_read() {
        for stops in [theme::SHARE, SHARE] {
            for step in 0..=STEPS {
                let colour = Colour::along(&stops, f64::from(step) / f64::from(STEPS));
                let contrast = colour.best_of(INKS).contrast(colour);
                assert!(contrast >= 4.5, "{step}: {contrast}");
            }
        }
        assert_eq!([0.0, 0.6, 1.0].map(class_of), ["s0", "s12", "s20"]);
    }
}
