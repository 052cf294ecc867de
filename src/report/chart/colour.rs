//! A colour, and what can be read on it.

use plotters::style::RGBAColor;

/// Red, green and blue, each from 0 to 255, as sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// As style sheets write it.
    pub(in crate::report) fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The colour a `share` of the way from `self` to `other`, straight through sRGB: between
    /// neighbours of a palette that is smooth to the eye, and exact on every machine.
    pub(super) fn towards(self, other: Self, share: f64) -> Self {
        let mix = |from: u8, to: u8| {
            let (from, to) = (f64::from(from), f64::from(to));
            (from + (to - from) * share).round() as u8
        };
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// The colour at `share` (0 to 1) along a row of evenly spaced `stops`.
    pub(in crate::report) fn along(stops: &[Self], share: f64) -> Self {
        let last = stops.len() - 1;
        let place = share.clamp(0.0, 1.0) * last as f64;
        let before = (place.floor() as usize).min(last.saturating_sub(1));
        stops[before].towards(stops[last.min(before + 1)], place - before as f64)
    }

    /// Relative luminance (WCAG 2.2), 0 for black and 1 for white. The standard's power of 2.4 is
    /// replaced by a cubic that stays within 0.002 of it: plain arithmetic is the same everywhere.
    pub(super) fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            part * (part * (part * 0.305_306_011 + 0.682_171_111) + 0.012_522_878)
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast ratio (WCAG 2.2) between the two, 1 to 21; text wants at least 4.5.
    pub(in crate::report) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Whichever of `inks` is read best on it.
    pub(in crate::report) fn best_of(self, inks: [Self; 2]) -> Self {
        if self.contrast(inks[0]) >= self.contrast(inks[1]) { inks[0] } else { inks[1] }
    }

    /// As plotters wants it.
    pub(super) const fn opaque(self) -> RGBAColor {
        RGBAColor(self.0, self.1, self.2, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Colour = Colour(0, 0, 0);
    const WHITE: Colour = Colour(255, 255, 255);

    #[test]
    fn black_on_white_has_the_largest_contrast() {
        assert!((BLACK.contrast(WHITE) - 21.0).abs() < 1e-6);
        // A published pair: #767676 is the lightest grey that passes on white.
        assert!((Colour(0x76, 0x76, 0x76).contrast(WHITE) - 4.54).abs() < 0.02);
        assert_eq!(Colour(250, 240, 200).best_of([BLACK, WHITE]), BLACK);
        assert_eq!(Colour(0, 60, 120).best_of([BLACK, WHITE]), WHITE);
    }

    #[test]
    fn a_row_of_stops_is_met_at_both_ends_and_between() {
        let stops = [BLACK, Colour(100, 0, 0), WHITE];
        let check = |share, expected| assert_eq!(Colour::along(&stops, share), expected, "{share}");
        check(0.0, BLACK);
        check(0.25, Colour(50, 0, 0));
        check(0.5, Colour(100, 0, 0));
        check(1.0, WHITE);
        check(7.0, WHITE);
    }
}
