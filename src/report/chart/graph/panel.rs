//! One run: boxes, the lines between them, and what is written on both.

use super::labels::{Wire, beside};
use super::plan::{Place, Plan};
use crate::experiment::Run;
use crate::id::ServiceId;
use crate::model::Model;
use crate::observe::EdgeTotal;
use crate::report::chart::canvas::{Anchor, Canvas, Lettering, Stroke};
use crate::report::chart::caption::Head;
use crate::report::chart::colour::Colour;
use crate::report::chart::geometry::{Area, Point};
use crate::report::chart::ticks::{number, short};
use crate::report::chart::{font, text, theme};

const BOX_HEIGHT: f64 = 72.0;
/// At least, and at most where there is room.
const BETWEEN_BOXES: [f64; 2] = [26.0, 150.0];
const NARROWEST_BOX: f64 = 112.0;
const WIDEST_BOX: f64 = 200.0;
const PADDING: f64 = 14.0;
/// The room beside boxes that an edge takes on its way further down.
const PASSAGE: f64 = 40.0;
/// How much closer than usual boxes and passages may stand.
const TIGHTEST: f64 = 0.15;
/// Lines side by side need room for their labels; a single one needs less.
const BETWEEN_ROWS: [f64; 2] = [84.0, 128.0];
/// The width of the line over which most attempts went, and of one over which hardly any did.
const WIDEST_LINE: f64 = 18.0;
const NARROWEST_LINE: f64 = 1.6;
/// Of the width of a panel, lines side by side take this share at the most.
const INKED: f64 = 0.4;
const LABEL_LINE: f64 = 17.0;
/// Among more lines than this, labels that say that nothing is multiplied are left out.
const CROWDED: usize = 30;
/// A box says that nearly all is well from this share on.
const WELL: f64 = 0.9;

/// A label that says that nothing is multiplied.
const ONE_EACH: &str = "× 1";

/// How wide a line is for each attempt, on the one scale of all panels that are so wide: the widest line is
/// as wide as that may be, unless there are so many beside each other that they would cover everything.
pub(super) fn scale_of(plans: &[Plan], edges: &[Vec<EdgeTotal>], width: f64) -> f64 {
    let shown = || plans.iter().zip(edges);
    let attempts = |(plan, edges): (&Plan, &Vec<EdgeTotal>)| -> Vec<(usize, u64)> {
        let row_of = |place: usize| plan.rows.iter().position(|row| row.contains(&place));
        let legs = plan.paths.iter().flat_map(|(edge, path)| {
            let attempts = edges[*edge].link.attempts;
            path[..path.len() - 1].iter().filter_map(move |place| Some((row_of(*place)?, attempts)))
        });
        legs.collect()
    };
    let legs: Vec<Vec<(usize, u64)>> = shown().map(attempts).collect();
    let most = legs.iter().flatten().map(|(_, attempts)| *attempts).max().unwrap_or(0);
    let sums = legs.iter().zip(plans).flat_map(|(legs, plan)| {
        let sum = |row: usize| -> u64 {
            legs.iter().filter(|(of, _)| *of == row).map(|(_, attempts)| *attempts).sum()
        };
        (0..plan.rows.len()).map(sum).collect::<Vec<_>>()
    });
    let together = sums.max().unwrap_or(0);
    (WIDEST_LINE / most.max(1) as f64).min(INKED * width / together.max(1) as f64)
}

/// A run laid out.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    head: Head,
    at: Point,
    boxes: Vec<Box>,
    lines: Vec<Line>,
    /// Said at the bottom where calls are left out, or have no label.
    note: Option<String>,
    bottom: f64,
}

#[derive(Clone, Debug)]
struct Box {
    area: Area,
    is_client: bool,
    name: String,
    count: String,
    share: Option<(String, Colour)>,
}

#[derive(Clone, Debug)]
struct Line {
    wire: Wire,
    /// The width of the part that is first attempts.
    firsts: f64,
    was_used: bool,
    /// What is written beside it, and where.
    words: [String; 2],
    label: Option<Area>,
}

impl Panel {
    /// With its upper left corner at `at`; lines are `scale` wide for each attempt.
    pub(super) fn new(
        (model, run): (&Model, &Run),
        plan: &Plan,
        edges: &[EdgeTotal],
        scale: f64,
        at: Point,
        width: f64,
    ) -> Self {
        let head = Head::new(&run.variant, model, run, width);
        let top = at.1 + head.height() + 10.0;
        let mut boxes: Vec<Box> =
            plan.places.iter().map(|place| Box::of(*place, model, run, edges)).collect();
        let bottom = stand(&mut boxes, plan, (at.0, top), width);
        let mut lines = Line::all(plan, &boxes, edges, scale);
        let is_crowded = lines.len() > CROWDED;
        let wires: Vec<Wire> = lines.iter().map(|line| line.wire.clone()).collect();
        let sizes: Vec<(f64, f64)> = lines.iter().map(Line::label_size).collect();
        let taken: Vec<Area> = boxes
            .iter()
            .zip(&plan.places)
            .filter(|(_, place)| **place != Place::Passage)
            .map(|(shown, _)| shown.area)
            .collect();
        let labels = beside(&wires, &sizes, &taken, [at.0, at.0 + width]);
        let (mut left_out, mut plain) = (0, 0);
        for (line, label) in lines.iter_mut().zip(labels) {
            if is_crowded && line.words[0] == ONE_EACH {
                plain += 1;
            } else {
                left_out += u32::from(label.is_none());
                line.label = label;
            }
        }
        let plain = (plain > 0).then(|| format!("Calls without a label: {ONE_EACH}."));
        let unlabelled = match left_out {
            0 => None,
            1 => Some("One call has no room for its label.".to_owned()),
            n => Some(format!("{n} calls have no room for their labels.")),
        };
        let notes: Vec<String> =
            [plan.left_out(), plain, unlabelled].into_iter().flatten().collect();
        let note = (!notes.is_empty()).then(|| notes.join(" "));
        boxes.retain(|shown| !shown.name.is_empty());
        let bottom = bottom + if note.is_some() { 24.0 } else { 0.0 };
        Self { head, at, boxes, lines, note, bottom }
    }

    pub(super) const fn bottom(&self) -> f64 {
        self.bottom
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        self.head.draw(canvas, self.at);
        // All of one kind before all of the next: where lines cross, no label is beneath one.
        for line in &self.lines {
            line.draw(canvas);
        }
        for shown in &self.boxes {
            shown.draw(canvas);
        }
        for line in &self.lines {
            line.draw_label(canvas);
        }
        if let Some(note) = &self.note {
            let lettering = Lettering::new(theme::SMALL, theme::MUTED, Anchor::Start);
            canvas.text(note, (self.at.0, self.bottom - 4.0), lettering);
        }
    }
}

/// Gives the boxes their places, row by row; returns where the last one ends.
fn stand(boxes: &mut [Box], plan: &Plan, (left, top): Point, width: f64) -> f64 {
    let is_passage = |place: &usize| plan.places[*place] == Place::Passage;
    let natural = boxes.iter().map(Box::width).fold(NARROWEST_BOX, f64::max).min(WIDEST_BOX);
    let is_narrow = plan.rows.iter().all(|row| row.len() <= 2);
    let between_rows = BETWEEN_ROWS[usize::from(!is_narrow)];
    let mut top = top;
    for row in &plan.rows {
        let passages = row.iter().filter(|place| is_passage(place)).count() as f64;
        let count = row.len() as f64 - passages;
        let gaps = (row.len() as f64 - 1.0).max(0.0);
        // Where much passes by, it stands closer, before boxes become too narrow for their words.
        let bare = passages * PASSAGE + gaps * BETWEEN_BOXES[0];
        let squeeze = ((width - count * NARROWEST_BOX) / bare.max(1.0)).clamp(TIGHTEST, 1.0);
        let (passage, least) = (PASSAGE * squeeze, BETWEEN_BOXES[0] * squeeze);
        let room = width - passages * passage;
        let each = natural.min((room - gaps * least) / count.max(1.0));
        let gap = ((room - each * count) / (gaps + 1.0)).clamp(least, BETWEEN_BOXES[1]);
        let gaps = gaps * gap;
        let mut x = left + (width - each * count - passages * passage - gaps) / 2.0;
        for &place in row {
            let width = if is_passage(&place) { passage } else { each };
            let shown = &mut boxes[place];
            shown.area = Area { left: x, top, width, height: BOX_HEIGHT };
            let room = width - PADDING;
            shown.name = text::fit(&shown.name, theme::TEXT, room);
            shown.count = text::fit(&shown.count, theme::SMALL, room);
            if let Some((words, _)) = &mut shown.share {
                *words = text::fit(words, theme::SMALL, room);
            }
            x += width + gap;
        }
        top += BOX_HEIGHT + between_rows;
    }
    top - between_rows
}

impl Box {
    fn of(place: Place, model: &Model, run: &Run, edges: &[EdgeTotal]) -> Self {
        let area = Area { left: 0.0, top: 0.0, width: 0.0, height: 0.0 };
        let share = |part: u64, all: u64, words: &str| {
            (all > 0).then(|| {
                let share = part as f64 / all as f64;
                let colour = if share >= WELL { theme::WELL } else { theme::UNWELL };
                (format!("{} % {words}", percent(share)), colour)
            })
        };
        match place {
            Place::Client(id) => {
                let link = edges[id].link;
                Self {
                    area,
                    is_client: true,
                    name: model.clients[id].name.clone(),
                    count: counted(link.requests, "request"),
                    share: share(link.answered, link.requests, "succeed"),
                }
            }
            Place::Service(id) => {
                // There are no more of them than positions.
                let seen = run.recording.station(ServiceId(id as u16));
                Self {
                    area,
                    is_client: false,
                    name: model.services[id].name.clone(),
                    count: counted(seen.attempts, "attempt"),
                    share: share(seen.answered(), seen.attempts, "in time"),
                }
            }
            Place::Passage => {
                let nothing = String::new;
                Self { area, is_client: false, name: nothing(), count: nothing(), share: None }
            }
        }
    }

    fn width(&self) -> f64 {
        let share = self.share.as_ref().map_or(0.0, |(words, _)| font::width(words, theme::SMALL));
        let words = font::width(&self.name, theme::TEXT)
            .max(font::width(&self.count, theme::SMALL))
            .max(share);
        words + 2.0 * PADDING
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        let Area { left, top, .. } = self.area;
        let (right, bottom) = (self.area.right(), self.area.bottom());
        canvas.fill(self.area, if self.is_client { theme::PAPER } else { theme::BOX });
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        let colour = if self.is_client { theme::AXIS } else { theme::INK };
        canvas.line(&corners, Stroke(colour, theme::THIN));
        let (x, _) = self.area.middle();
        let lettering = |size, colour| Lettering::new(size, colour, Anchor::Middle);
        canvas.text(&self.name, (x, top + 22.0), lettering(theme::TEXT, theme::INK));
        canvas.text(&self.count, (x, top + 42.0), lettering(theme::SMALL, theme::MUTED));
        if let Some((words, colour)) = &self.share {
            canvas.text(words, (x, top + 61.0), lettering(theme::SMALL, *colour));
        }
    }
}

impl Line {
    fn all(plan: &Plan, boxes: &[Box], edges: &[EdgeTotal], scale: f64) -> Vec<Self> {
        let (starts, ends) = (hooks(plan, boxes, Side::Below), hooks(plan, boxes, Side::Above));
        let line = |(nth, (edge, path)): (usize, &(usize, Vec<usize>))| {
            let total = edges[*edge];
            let link = total.link;
            let mut points = vec![(starts[nth], boxes[path[0]].area.bottom())];
            for &place in &path[1..path.len() - 1] {
                let area = boxes[place].area;
                let (x, _) = area.middle();
                points.extend([(x, area.top), (x, area.bottom())]);
            }
            points.push((ends[nth], boxes[path[path.len() - 1]].area.top));
            let width = (link.attempts as f64 * scale).max(NARROWEST_LINE);
            let firsts = link.attempts.saturating_sub(link.retries + link.hedges);
            let share = firsts as f64 / link.attempts.max(1) as f64;
            let times = match link.amplification() {
                None => "not called".to_owned(),
                Some(times) => format!("× {}", ratio(times)),
            };
            let from_top = match total.attempts_per_fresh_request() {
                Some(times) if total.fresh != link.requests => {
                    format!("{} per request", ratio(times))
                }
                Some(_) | None => String::new(),
            };
            Self {
                wire: Wire { points, width },
                firsts: width * share,
                was_used: link.attempts > 0,
                words: [times, from_top],
                label: None,
            }
        };
        plan.paths.iter().enumerate().map(line).collect()
    }

    fn label_size(&self) -> (f64, f64) {
        let [first, second] = &self.words;
        let lines = if second.is_empty() { 1.0 } else { 2.0 };
        let width = font::width(first, theme::TEXT).max(font::width(second, theme::SMALL));
        (width, LABEL_LINE * lines + 4.0)
    }

    fn draw(&self, canvas: &mut Canvas<'_>) {
        let points = &self.wire.points;
        let (Some(&tip), Some(&before)) = (points.last(), points.iter().rev().nth(1)) else {
            return;
        };
        if !self.was_used {
            for pair in points.windows(2) {
                canvas.dashes(pair[0], pair[1], Stroke(theme::AXIS, theme::MEDIUM));
            }
            return;
        }
        let (dx, dy) = (tip.0 - before.0, tip.1 - before.1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (dx, dy) = (dx / length, dy / length);
        let half = (self.wire.width / 2.0 + 3.5).max(5.0);
        let base = (tip.0 - dx * 1.6 * half, tip.1 - dy * 1.6 * half);
        let mut shaft = points.clone();
        shaft.pop();
        shaft.push(base);
        let again = self.wire.width - self.firsts;
        let colour = if again > 0.0 { theme::ATTEMPTS } else { theme::GOODPUT };
        canvas.line(&shaft, Stroke(colour, self.wire.width));
        if again > 0.0 && self.firsts > 0.0 {
            canvas.line(&shaft, Stroke(theme::GOODPUT, self.firsts));
        }
        let head = |half: f64| {
            let (across, down) = (-dy * half, dx * half);
            [tip, (base.0 + across, base.1 + down), (base.0 - across, base.1 - down)]
        };
        canvas.polygon(&head(half), colour);
        if again > 0.0 && self.firsts > 0.0 {
            canvas.polygon(&head(half * self.firsts / self.wire.width), theme::GOODPUT);
        }
    }

    fn draw_label(&self, canvas: &mut Canvas<'_>) {
        let Some(area) = self.label else { return };
        canvas.fill(area, theme::PAPER);
        let lines =
            self.words.iter().zip([(theme::TEXT, theme::INK), (theme::SMALL, theme::MUTED)]);
        let mut baseline = area.top + 15.0;
        for (words, (size, colour)) in lines {
            canvas.text(words, (area.left, baseline), Lettering::new(size, colour, Anchor::Start));
            baseline += LABEL_LINE;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
}

/// Where along the lower or the upper side of its box each path begins or ends: side by side, in the order
/// of where they lead.
fn hooks(plan: &Plan, boxes: &[Box], side: Side) -> Vec<f64> {
    let ends = |path: &[usize]| match side {
        Side::Below => (path[0], path[1]),
        Side::Above => (path[path.len() - 1], path[path.len() - 2]),
    };
    let mut hooks = vec![0.0; plan.paths.len()];
    for (place, shown) in boxes.iter().enumerate() {
        let here = plan.paths.iter().enumerate().filter(|(_, (_, path))| ends(path).0 == place);
        let mut here: Vec<(f64, usize)> =
            here.map(|(nth, (_, path))| (boxes[ends(path).1].area.middle().0, nth)).collect();
        here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let step = shown.area.width / (here.len() as f64 + 1.0);
        for (order, (_, nth)) in here.into_iter().enumerate() {
            hooks[nth] = shown.area.left + step * (order as f64 + 1.0);
        }
    }
    hooks
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    if count == 0 {
        format!("no {what}s")
    } else {
        format!("{} {what}{plural}", number(count as f64, 0))
    }
}

/// A share in percent: whole ones, and never all or nothing unless it is.
fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.01 => "< 1".to_owned(),
        share if share < 1.0 && share > 0.99 => "> 99".to_owned(),
        share => number(share * 100.0, 0),
    }
}

/// Three digits, and no zeros that say nothing.
fn ratio(value: f64) -> String {
    match value {
        value if value >= 100.0 => number(value, 0),
        value if value >= 10.0 => short((value * 10.0).round() / 10.0),
        value => short((value * 100.0).round() / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_true() {
        assert_eq!(
            [3.0, 1.11, 1.365, 16.55, 243.4].map(ratio),
            ["3", "1.11", "1.37", "16.6", "243"]
        );
        assert_eq!([0.0, 0.004, 0.5, 0.996, 1.0].map(percent), ["0", "< 1", "50", "> 99", "100"]);
        assert_eq!(
            [0, 1, 2_000].map(|n| counted(n, "attempt")),
            ["no attempts", "1 attempt", "2,000 attempts"]
        );
    }
}
