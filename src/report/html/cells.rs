//! The cells of a sweep: heat maps and a table whose cells open the timeline behind them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::Grid;
use super::markup::{attribute, escaped, shell_word};
use super::palette::class_of;
use super::panel::{Detail, Panel, extent};
use super::sheet::scrolling;
use crate::experiment::{CellOutcome, Run};
use crate::model::Model;
use crate::report::chart::heat_map::table::{Table, arrange};
use crate::report::chart::heat_map::tipping::borders;
use crate::report::chart::timeline::watched;
use crate::report::table::SweepDocument;
use crate::report::table::figure::seconds;

/// All timelines of a page together take about so many characters: some four times as many cells as
/// anyone looks at still open at once.
const ROOM: usize = 2_400_000;
/// Four lines of two characters.
const PER_STRETCH: usize = 8;
/// Fewer stretches show nothing, and more are not seen in a chart of this size.
const STRETCHES: [usize; 2] = [24, 240];
/// From so many columns on, cells have room for a count and no more.
const DENSE: usize = 14;

/// The run of a cell under the first seed, small enough that a thousand of them fit into a page.
#[derive(Clone, Debug)]
pub struct CellTimeline(Panel);

impl CellTimeline {
    /// The timeline of `run`, one of the runs of a sweep of so many cells: the more there are, the
    /// coarser it is.
    pub fn of(model: &Model, run: &Run, cells: usize) -> Self {
        let runs = [(model, run)];
        let watched = watched::all(&runs, stretches(cells));
        let extent = extent(&watched, &runs);
        Self(Panel::of(&watched[0], &extent, Detail::Compact))
    }
}

fn stretches(cells: usize) -> usize {
    (ROOM / PER_STRETCH / cells.max(1)).clamp(STRETCHES[0], STRETCHES[1])
}

/// A cell as the scripts know it.
#[derive(Serialize)]
pub(super) struct Behind<'a> {
    /// Where it lies: `load 0.7, lasts 1.25s`.
    at: String,
    /// The command that runs it alone.
    command: String,
    panel: &'a Panel,
}

/// What is behind every cell; `command` is the one that runs or sweeps the story as it is written.
pub(super) fn behind<'a>(grid: &Grid<'a>, command: impl Fn(&str) -> String) -> Vec<Behind<'a>> {
    let several = has_variants(grid.cells);
    let (run, sweep) = (command("run"), command("sweep"));
    let cells = grid.cells.iter().zip(grid.timelines);
    let behind = |(cell, CellTimeline(panel)): (&CellOutcome, &'a CellTimeline)| {
        let command = if grid.changed.contains(&cell.variant) {
            swept(&sweep, grid.axes, cell)
        } else {
            run_alone(&run, grid.axes, cell)
        };
        Behind { at: place(grid.axes, cell, several), command, panel }
    };
    cells.map(behind).collect()
}

/// The run of a cell, its values laid over the file.
fn run_alone(command: &str, axes: &[String], cell: &CellOutcome) -> String {
    let mut command = format!("{command} --variant {}", shell_word(&cell.variant));
    for (axis, at) in axes.iter().zip(&cell.at) {
        let set = shell_word(&format!("{axis}={}", at.label));
        let _ = write!(command, " --set {set}");
    }
    command
}

/// A sweep of one cell: axes have the say over variants, and what is laid over the file has not.
fn swept(command: &str, axes: &[String], cell: &CellOutcome) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let spelled = |label: &str| {
        let is_bare = label.parse::<f64>().is_ok() || ["true", "false"].contains(&label);
        if is_bare { label.to_owned() } else { quoted(label) }
    };
    let axes = axes.iter().zip(&cell.at);
    let axes = axes.map(|(axis, at)| format!("{} = [{}]", quoted(axis), spelled(&at.label)));
    let sets = [
        format!("sweep.axes={{ {} }}", axes.collect::<Vec<_>>().join(", ")),
        format!("sweep.variants=[{}]", quoted(&cell.variant)),
        "sweep.expect=[]".to_owned(),
    ];
    let sets: Vec<String> = sets.iter().map(|set| format!("--set {}", shell_word(set))).collect();
    format!("{command} --seeds 1 {}", sets.join(" "))
}

/// The section: what it came to, a heat map for each table, and a row per cell.
pub(super) fn section(title: &str, grid: &Grid<'_>) -> String {
    let (axes, cells) = (grid.axes, grid.cells);
    let document = SweepDocument { title, axes, cells, long: false, early_stop: false };
    let mut text = format!("<p class=\"lead\">{}</p>\n", escaped(&document.sentence()));
    text.push_str(
        "<p class=\"hint\">A cell opens the timeline behind it. Arrow keys go from cell to cell.</p>\n",
    );
    let tables = arrange(grid.axes, grid.cells);
    let places: HashMap<*const CellOutcome, usize> =
        grid.cells.iter().enumerate().map(|(nth, cell)| (std::ptr::from_ref(cell), nth)).collect();
    text.push_str(&key(&tables));
    text.push_str("<div class=\"maps\">\n");
    for table in &tables {
        heat_map(&mut text, grid, table, &places);
    }
    text.push_str("</div>\n");
    rows(&mut text, grid);
    text
}

/// What the colours say.
fn key(tables: &[Table<'_>]) -> String {
    let mut text =
        String::from("<p class=\"key\"><span>no seed recovers</span><span class=\"ramp\">");
    for step in 0..=10 {
        let _ = write!(text, "<i class=\"{}\"></i>", class_of(f64::from(step) / 10.0));
    }
    text.push_str("</span><span>every seed recovers</span>");
    if tables.iter().any(|table| !borders(table).is_empty()) {
        text.push_str("<span class=\"tip\">tipping line: half of the seeds recover</span>");
    }
    if tables.iter().any(|table| table.cells.iter().any(Option::is_none)) {
        text.push_str("<span class=\"unrun\">not run</span>");
    }
    text.push_str("</p>\n");
    text
}

fn heat_map(
    text: &mut String,
    grid: &Grid<'_>,
    table: &Table<'_>,
    places: &HashMap<*const CellOutcome, usize>,
) {
    let caption = [table.rows.path.as_deref(), table.columns.path.as_deref()];
    let caption = match caption {
        [Some(rows), Some(columns)] => format!("Rows {rows}, columns {columns}"),
        [None, Some(columns)] => format!("Columns {columns}"),
        [Some(rows), None] => format!("Rows {rows}"),
        [None, None] => "Variants".to_owned(),
    };
    text.push_str("<figure class=\"map\">");
    if !table.name.is_empty() && has_variants(grid.cells) {
        let _ = write!(text, "<h3>{}</h3>", escaped(&table.name));
    }
    let columns = table.columns.labels.len();
    let dense = columns > DENSE;
    let class = if dense { "dense" } else { "roomy" };
    let attributes = format!(" data-map class=\"{class}\" style=\"--columns:{columns}\"");
    text.push_str(&scrolling(&caption, &attributes));
    text.push_str("<thead><tr><td></td>");
    let every = if dense { thinned(&table.columns.labels) } else { 1 };
    for (nth, label) in table.columns.labels.iter().enumerate() {
        let class = if nth % every == 0 { "" } else { " class=\"thinned\"" };
        let _ = write!(text, "<th scope=\"col\"{class}><span>{}</span></th>", escaped(label));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    let lines = tipping(table);
    for (row, label) in table.rows.labels.iter().enumerate() {
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", escaped(label));
        for column in 0..columns {
            let line = |side| lines.contains(&(side, row, column));
            let class = match (line(Side::Above), line(Side::Before)) {
                (true, true) => " class=\"above before\"",
                (true, false) => " class=\"above\"",
                (false, true) => " class=\"before\"",
                (false, false) => "",
            };
            let _ = write!(text, "<td{class}>");
            match table.cell(row, column) {
                Some(cell) => {
                    let nth = places.get(&std::ptr::from_ref(cell)).copied().unwrap_or_default();
                    button(text, grid, cell, nth, dense);
                }
                None => text.push_str("<span class=\"unrun\" title=\"not run\"></span>"),
            }
            text.push_str("</td>");
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table></div></figure>\n");
}

/// Where columns are as narrow as they get, every so many of their labels can be seen.
fn thinned(labels: &[String]) -> usize {
    const LETTERS: usize = 3;
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    (longest + 1).div_ceil(LETTERS).max(1)
}

/// A side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    Above,
    Before,
}

/// The sides of cells along which the tipping line runs: side, row, column.
fn tipping(table: &Table<'_>) -> HashSet<(Side, usize, usize)> {
    let sides = borders(table).into_iter().map(|((row, column), (to_row, _))| {
        // A border that goes down lies before the cell to its right; one that goes to the right lies
        // above the cell below it.
        let side = if to_row > row { Side::Before } else { Side::Above };
        (side, row, column)
    });
    sides.collect()
}

fn button(text: &mut String, grid: &Grid<'_>, cell: &CellOutcome, nth: usize, dense: bool) {
    let class = class_of(cell.recovered_share());
    let _ = write!(
        text,
        "<button type=\"button\" class=\"{class}\" data-cell=\"{nth}\" tabindex=\"-1\""
    );
    let at = place(grid.axes, cell, has_variants(grid.cells));
    attribute(text, "aria-label", &format!("{at}: {}", outcome(cell)));
    text.push('>');
    let (recovered, seeds) = (cell.recovered(), cell.seeds());
    match cell.median_recovery_time_s {
        Some(time) if !dense => {
            let _ = write!(text, "{recovered}/{seeds}<small>+{} s</small>", seconds(time));
        }
        Some(_) | None if dense && seeds == 1 => {}
        Some(_) | None if dense => {
            let _ = write!(text, "{recovered}");
        }
        Some(_) | None => {
            let _ = write!(text, "{recovered}/{seeds}");
        }
    }
    text.push_str("</button>");
}

/// What a cell came to: `3 of 5 seeds recover, by the median 2 s after the trigger`.
fn outcome(cell: &CellOutcome) -> String {
    let (recovered, seeds) = (cell.recovered(), cell.seeds());
    let mut words = match (recovered, seeds) {
        (1, 1) => "recovers".to_owned(),
        (0, 1) => "does not recover".to_owned(),
        _ => format!("{recovered} of {seeds} seeds recover"),
    };
    if let Some(time) = cell.median_recovery_time_s {
        let median = if recovered > 1 { "by the median " } else { "" };
        let _ = match time {
            // It may have been back before the trigger was over.
            0.0 => write!(words, ", {median}by the end of the trigger"),
            time => write!(words, ", {median}{} s after the trigger", seconds(time)),
        };
    }
    if cell.draining() > 0 {
        let _ = write!(words, ", {} still draining at the end", cell.draining());
    }
    words
}

/// Where a cell lies, in words.
fn place(axes: &[String], cell: &CellOutcome, several: bool) -> String {
    let short = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    let at = axes.iter().zip(&cell.at).map(|(axis, at)| format!("{} {}", short(axis), at.label));
    let variant = (several || axes.is_empty()).then(|| cell.variant.clone());
    variant.into_iter().chain(at).collect::<Vec<_>>().join(", ")
}

fn has_variants(cells: &[CellOutcome]) -> bool {
    cells.windows(2).any(|pair| pair[0].variant != pair[1].variant)
}

/// A row per cell, with the 95 % interval of its share.
fn rows(text: &mut String, grid: &Grid<'_>) {
    let several = has_variants(grid.cells) || grid.axes.is_empty();
    let cells = grid.cells.len();
    let open = if cells <= 12 { " open" } else { "" };
    let _ = writeln!(
        text,
        "<details class=\"rows\"{open}><summary>The recovery table: {cells} cells</summary>"
    );
    text.push_str(&scrolling("How many seeds of each cell recover", ""));
    text.push_str("<thead><tr><th scope=\"col\">timeline</th>");
    if several {
        text.push_str("<th scope=\"col\">variant</th>");
    }
    for axis in grid.axes {
        let _ = write!(text, "<th scope=\"col\" class=\"number\">{}</th>", escaped(axis));
    }
    for heading in ["recovered", "share", "95 % interval", "median recovery time s"] {
        let _ = write!(text, "<th scope=\"col\" class=\"number\">{heading}</th>");
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for (nth, cell) in grid.cells.iter().enumerate() {
        let interval = cell.interval();
        let _ = write!(text, "<tr><td><button type=\"button\" class=\"open\" data-cell=\"{nth}\"");
        let at = place(grid.axes, cell, has_variants(grid.cells));
        attribute(text, "aria-label", &format!("Timeline of {at}: {}", outcome(cell)));
        text.push_str(">open</button></td>");
        if several {
            let _ = write!(text, "<th scope=\"row\">{}</th>", escaped(&cell.variant));
        }
        for at in &cell.at {
            let _ = write!(text, "<td class=\"number\">{}</td>", escaped(&at.label));
        }
        let time = cell.median_recovery_time_s.map_or_else(|| "–".to_owned(), seconds);
        let _ = writeln!(
            text,
            "<td class=\"number\"><span class=\"swatch {}\"></span>{}/{}</td><td class=\"number\">{:.2}</td>\
             <td class=\"number faint\">{:.2}–{:.2}</td><td class=\"number\">{time}</td></tr>",
            class_of(cell.recovered_share()),
            cell.recovered(),
            cell.seeds(),
            cell.recovered_share(),
            interval.low,
            interval.high,
        );
    }
    text.push_str("</tbody></table></div></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Verdict;
    use crate::experiment::Coordinate;

    fn cell(verdicts: &[Verdict], median_recovery_time_s: Option<f64>) -> CellOutcome {
        let at = |label: &str| Coordinate { label: label.to_owned(), number: None };
        CellOutcome {
            variant: "base".to_owned(),
            at: vec![at("0.7"), at("1.25s")],
            verdicts: verdicts.to_vec(),
            median_recovery_time_s,
            cut_short: 0,
        }
    }

    #[test]
    fn a_cell_is_told_to_those_who_do_not_see_it() {
        let axes = ["clients.web.load".to_owned(), "triggers.gc.stall.lasts".to_owned()];
        let check = |verdicts: &[Verdict], time, expected: &str| {
            assert_eq!(outcome(&cell(verdicts, time)), expected);
        };
        use Verdict::{Draining, Metastable, Recovered};
        check(&[Recovered], Some(2.0), "recovers, 2 s after the trigger");
        check(&[Recovered], Some(0.0), "recovers, by the end of the trigger");
        check(&[Metastable], None, "does not recover");
        check(
            &[Recovered, Metastable, Recovered, Draining],
            Some(1.5),
            "2 of 4 seeds recover, by the median 1.5 s after the trigger, 1 still draining at the end",
        );
        let cell = cell(&[Recovered], None);
        assert_eq!(place(&axes, &cell, false), "load 0.7, lasts 1.25s");
        assert_eq!(place(&axes, &cell, true), "base, load 0.7, lasts 1.25s");
    }

    #[test]
    fn the_more_cells_the_coarser_their_timelines() {
        assert_eq!([1, 1_000, 3_000, 100_000].map(stretches), [240, 240, 100, 24]);
    }
}
