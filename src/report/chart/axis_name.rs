//! What an axis is called: plain words over the dotted path that a scenario knows it by.

use super::canvas::{Anchor, Canvas, Lettering};
use super::geometry::Point;
use super::{text, theme};

/// The height of both lines.
pub(super) const HEIGHT: f64 = 38.0;

/// `clients.web.call.retry.fixed.wait` in plain words: `web: call retry fixed wait`. The first part
/// only says which kind of thing the second one names.
pub(super) fn in_words(path: &str) -> String {
    let parts = parts(path);
    let words = |parts: &[String]| parts.join(" ").replace('_', " ");
    match parts.as_slice() {
        [_, name, rest @ ..] if !rest.is_empty() => format!("{name}: {}", words(rest)),
        all => words(all),
    }
}

/// The parts of a dotted path; a quoted part may contain dots.
fn parts(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in path.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('.', None) => parts.push(String::new()),
            (c, _) => parts.last_mut().expect("there is a first part").push(c),
        }
    }
    parts
}

/// Both lines, the first one's top at `top`, within `room`.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    path: &str,
    (x, top): Point,
    room: f64,
    anchor: Anchor,
) {
    let name = Lettering::new(theme::TEXT, theme::INK, anchor);
    canvas.text(&text::fit(&in_words(path), name.size, room), (x, top + 15.0), name);
    let small = Lettering::new(theme::PATH, theme::MUTED, anchor);
    canvas.text(&text::fit(path, small.size, room), (x, top + 31.0), small);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_thing_goes_without_saying() {
        let check = |path, expected: &str| assert_eq!(in_words(path), expected);
        check("clients.web.load", "web: load");
        check("triggers.gc.stall.lasts", "gc: stall lasts");
        check("services.\"api.v2\".service_time", "api.v2: service time");
        check("horizon", "horizon");
        check("sweep.seeds", "sweep seeds");
    }
}
