//! A report: one page that holds everything, for a post-mortem or a design review.
//!
//! The page asks nothing of any network, and says so in a content security policy: style, scripts, font
//! and data are in it. What is told in words and tables is there without a script; the scripts draw the
//! charts, with uPlot, and open the timelines behind the cells of a sweep. What they draw is data in a
//! script element of type JSON, and whatever a scenario calls itself stays text.

mod cells;
mod furniture;
mod layers;
mod markup;
mod palette;
mod panel;
mod sheet;

use std::fmt::Write as _;
use std::ops::Range;

use serde::Serialize;

use crate::experiment::{CellOutcome, Run, Subject, Summary};
use crate::model::Model;
use crate::report::chart::activity::Reach;
use crate::report::chart::timeline::extent::Lower;
use crate::report::chart::timeline::watched;
use crate::report::chart::{font, latency};
use crate::report::table::figure::seconds;
use crate::report::table::{ExplainDocument, Rows, RunDocument};
use crate::report::terminal::sentence;
use cells::Behind;
use furniture::{DIALOG, LATENCIES, card, footer, overlay, toolbar};
use markup::{embedded, escaped, shell_word};
use panel::{Detail, Number, Panel, Reaches};

pub use cells::CellTimeline;

/// Stretches of all runs together: what a browser draws without a pause.
const STRETCHES: usize = 40_000;
/// And of each: more than there are pixels, to zoom into.
const OF_EACH: [usize; 2] = [400, 4_000];

const STYLE: &str = concat!(
    include_str!("../../../assets/report/uplot/uPlot.min.css"),
    include_str!("../../../assets/report/page.css"),
);
const UPLOT: &str = include_str!("../../../assets/report/uplot/uPlot.iife.min.js");
const UPLOT_LICENCE: &str = include_str!("../../../assets/report/uplot/LICENSE");
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../../assets/report/data.js"),
    include_str!("../../../assets/report/group.js"),
    include_str!("../../../assets/report/plots.js"),
    include_str!("../../../assets/report/timelines.js"),
    include_str!("../../../assets/report/cells.js"),
    include_str!("../../../assets/report/page.js"),
    "})();\n",
);

/// Everything that a report tells.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The story's title.
    pub title: &'a str,
    /// The variants: the first one is explained.
    pub subjects: &'a [Subject<'a>],
    /// The seeds that each was run under.
    pub seeds: Range<u64>,
    /// Their runs, summed up: variant by variant, seeds innermost.
    pub summaries: &'a [Summary],
    /// The run of each variant under the first seed.
    pub runs: &'a [Run],
    /// The sweep, if there is one.
    pub grid: Option<Grid<'a>>,
    /// Where all of it comes from.
    pub origin: Origin<'a>,
}

/// A sweep and what is behind its cells.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// The dotted path of each axis.
    pub axes: &'a [String],
    /// The cells: variants outermost, the last axis innermost.
    pub cells: &'a [CellOutcome],
    /// The run of each cell under the first seed.
    pub timelines: &'a [CellTimeline],
    /// The variants that change what an axis changes: laid over the file, a value does not reach them.
    pub changed: &'a [String],
}

/// What a reader needs to have the same report again.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The scenario file as it was named.
    pub file: &'a str,
    /// What is written in it.
    pub text: &'a str,
    /// What was laid over it, each as `PATH=VALUE`.
    pub overrides: &'a [String],
    /// The arguments after the file that chose variants and seeds.
    pub arguments: &'a [String],
}

/// What the scripts draw.
#[derive(Serialize)]
struct Data<'a> {
    /// The first seed, under which everything was run that is drawn.
    seed: u64,
    names: Vec<&'a str>,
    extent: Option<Reaches>,
    panels: Vec<Panel>,
    /// The line of every panel that stands over those of the others.
    overlay: &'static str,
    latencies: Vec<Vec<(Number, Number)>>,
    dashes: Vec<Vec<f64>>,
    cells: Vec<Behind<'a>>,
}

/// The points of a run's curve of latencies.
fn latencies(run: &Run) -> Vec<(Number, Number)> {
    let curve = latency::curve(run).into_iter();
    curve.map(|(share, length)| (Number::from(share), Number::from(length))).collect()
}

impl Report<'_> {
    /// The report as an HTML document.
    pub fn page(&self) -> String {
        let (data, heads) = self.data();
        let mut page = String::new();
        let title = escaped(self.title);
        let _ = write!(
            page,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"metastable {version}\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; script-src 'unsafe-inline'; font-src data:\">\n\
             <title>{title}</title>\n<style>\n{face}\n{colours}\n{STYLE}</style>\n</head>\n<body>\n",
            version = env!("CARGO_PKG_VERSION"),
            face = font::face(),
            colours = palette::rules(),
        );
        self.header(&mut page);
        page.push_str("<main>\n");
        self.explanation(&mut page);
        self.timelines(&mut page, &heads, &data);
        self.variants(&mut page);
        self.layers(&mut page);
        self.latencies(&mut page, &data);
        if let Some(grid) = &self.grid {
            let text = cells::section(self.title, grid);
            section(&mut page, "cells", "Where it tips over", &text);
        }
        self.origin(&mut page);
        page.push_str("</main>\n");
        footer(&mut page);
        if self.grid.is_some() {
            page.push_str(DIALOG);
        }
        let _ = write!(
            page,
            "<script type=\"application/json\" id=\"data\">{}</script>\n\
             <script>\n/*\n{UPLOT_LICENCE}*/\n{UPLOT}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            embedded(&data)
        );
        page
    }

    fn models(&self) -> Vec<(&Model, &Run)> {
        self.subjects.iter().map(|subject| subject.model).zip(self.runs).collect()
    }

    /// What is drawn, and of each variant its name and what became of it.
    fn data(&self) -> (Data<'_>, Vec<Head>) {
        let runs = self.models();
        let watched = watched::all(&runs, stretches(runs.len()));
        let extent = panel::extent(&watched, &runs);
        let data = Data {
            seed: self.seeds.start,
            names: self.subjects.iter().map(|subject| subject.name).collect(),
            extent: (!runs.is_empty()).then(|| Reaches::of(&watched, &extent)),
            panels: watched.iter().map(|run| Panel::of(run, &extent, Detail::Full)).collect(),
            overlay: if self.shows_open(extent.lower) { "below" } else { "goodput" },
            latencies: self.runs.iter().map(latencies).collect(),
            dashes: palette::dashes(),
            cells: self
                .grid
                .map_or_else(Vec::new, |grid| cells::behind(&grid, |what| self.command(what))),
        };
        let head = |(model, run): &(&Model, &Run)| Head::of(model, run);
        (data, runs.iter().map(head).collect())
    }

    /// Whether who is open is laid over one another, since nobody is ever answered and lines of goodput
    /// would all be zero.
    fn shows_open(&self, lower: Lower) -> bool {
        lower == Lower::Open && self.runs.iter().all(|run| run.recording.tally.succeeded == 0)
    }

    /// What a reader of the lines must know.
    fn notes(&self) -> Vec<String> {
        let runs = self.models();
        let watched = watched::all(&runs, stretches(runs.len()));
        let together = watched.first().map_or(1, |run| run.together);
        let window = self.subjects.first().map(|subject| subject.model.window);
        let mut notes = Vec::new();
        if let Some(window) = window.filter(|_| together > 1) {
            let length = seconds(window.as_secs_f64());
            notes.push(format!("Lines are means of {together} windows of {length} s."));
        }
        if let Some(cut) = Reach::of(&runs).words() {
            notes.push(format!("The axis ends early: {cut}."));
        }
        notes
    }

    fn runs_document(&self) -> RunDocument<'_> {
        RunDocument {
            title: self.title,
            subjects: self.subjects,
            seeds: self.seeds.clone(),
            runs: self.summaries,
            rows: Rows::default(),
        }
    }

    fn header(&self, page: &mut String) {
        let tone = self.runs.first().map_or("unsure", |run| panel::tone(run.assessment.verdict));
        let verdict = self.runs.first().map_or("", |run| run.assessment.verdict.name());
        let seeds = match self.seeds.end - self.seeds.start {
            0 | 1 => format!("seed {}", self.seeds.start),
            _ => format!("seeds {} to {}", self.seeds.start, self.seeds.end - 1),
        };
        let horizon = self.subjects.first().map_or(0.0, |of| of.model.horizon.as_secs_f64());
        let _ = write!(
            page,
            "<a class=\"skip\" href=\"#why\">To the report</a>\n<header>\n\
             <p class=\"eyebrow\">metastable {version} · {file} · {seeds} · {horizon} s</p>\n\
             <h1>{title}</h1>\n<p class=\"verdict {tone}\"><strong>{verdict}</strong> {sentence}</p>\n",
            version = env!("CARGO_PKG_VERSION"),
            file = escaped(self.origin.file),
            horizon = seconds(horizon),
            title = escaped(self.title),
            sentence = escaped(&self.runs_document().sentence()),
        );
        if let Some(solvers) = sentence::solvers(self.subjects) {
            let _ = writeln!(page, "<p class=\"hint\">{}</p>", escaped(&solvers));
        }
        let mut links = vec![("why", "Why"), ("timelines", "Timelines"), ("variants", "Variants")];
        if self.has_layers() {
            links.push(("layers", "Layers"));
        }
        links.push(("latencies", "Latencies"));
        if self.grid.is_some() {
            links.push(("cells", "Tipping point"));
        }
        links.push(("scenario", "Scenario"));
        page.push_str("<nav aria-label=\"Sections\">");
        for (id, name) in links {
            let _ = write!(page, "<a href=\"#{id}\">{name}</a>");
        }
        page.push_str("</nav>\n</header>\n");
    }

    fn explanation(&self, page: &mut String) {
        let document =
            ExplainDocument { title: self.title, subjects: self.subjects, runs: self.runs };
        let steps = document.steps();
        let mut text = String::new();
        if let Some(first) = self.subjects.first().filter(|_| self.subjects.len() > 1) {
            let _ = writeln!(text, "<p class=\"hint\">The story of “{}”.</p>", escaped(first.name));
        }
        text.push_str("<dl class=\"steps\">\n");
        for step in &steps {
            let (about, says) = (escaped(step.about), escaped(&step.says));
            let _ = writeln!(text, "<div><dt>{about}</dt><dd>{says}</dd></div>");
        }
        text.push_str("</dl>\n");
        if steps.is_empty() {
            text.push_str("<p>There is nothing to tell of this run beyond its verdict.</p>\n");
        }
        section(page, "why", "Why", &text);
    }

    fn timelines(&self, page: &mut String, heads: &[Head], data: &Data<'_>) {
        let lower = data.extent.map_or(Lower::Waiting, Reaches::lower);
        let mut text = toolbar(lower);
        for note in self.notes() {
            let _ = writeln!(text, "<p class=\"hint\">{}</p>", escaped(&note));
        }
        if self.subjects.len() > 1 {
            text.push_str(&overlay(self.shows_open(lower)));
        }
        text.push_str("<div class=\"cards\">\n");
        for (nth, (subject, head)) in self.subjects.iter().zip(heads).enumerate() {
            card(&mut text, nth, subject.name, head, lower);
        }
        text.push_str("</div>\n");
        section(page, "timelines", "Timelines", &text);
    }

    fn variants(&self, page: &mut String) {
        let document = self.runs_document();
        let mut text = sheet::html(&document.sheet(), "A row per variant");
        let _ = writeln!(text, "<p class=\"hint\">{}</p>", escaped(&document.legend()));
        if let Some(several) = document.parties() {
            for (what, parts) in &several.sheets {
                let _ = writeln!(text, "<h3>{}</h3>", escaped(what));
                text.push_str(&sheet::html(parts, what));
            }
            let _ = writeln!(text, "<p class=\"hint\">{}</p>", escaped(&several.legend));
        }
        section(page, "variants", "Variants side by side", &text);
    }

    fn has_layers(&self) -> bool {
        self.subjects.first().is_some_and(|subject| subject.model.is_graph())
    }

    fn layers(&self, page: &mut String) {
        let per_variant = self.seeds.clone().count().max(1);
        let firsts: Vec<&Summary> = self.summaries.iter().step_by(per_variant).collect();
        if let Some(table) = layers::section(self.subjects, &firsts) {
            let hint = "<p class=\"hint\">Attempts on an edge for each fresh request of the clients above \
                        it. What exceeds the calls that one request makes is retries, and retries of \
                        retries.</p>\n";
            section(page, "layers", "Amplification by layer", &format!("{hint}{table}"));
        }
    }

    fn latencies(&self, page: &mut String, data: &Data<'_>) {
        let text = if data.latencies.iter().all(Vec::is_empty) {
            "<p>No request succeeded.</p>\n".to_owned()
        } else {
            LATENCIES.to_owned()
        };
        section(page, "latencies", "Latencies of requests that succeeded", &text);
    }

    /// The command that runs the same again.
    fn command(&self, what: &str) -> String {
        let Origin { file, overrides, arguments, .. } = self.origin;
        let mut command = format!("metastable {what} {}", shell_word(file));
        for set in overrides {
            let _ = write!(command, " --set {}", shell_word(set));
        }
        if what == "report" {
            for argument in arguments {
                let _ = write!(command, " {}", shell_word(argument));
            }
        }
        let _ = write!(command, " --seed {}", self.seeds.start);
        command
    }

    fn origin(&self, page: &mut String) {
        let Origin { file, text, .. } = self.origin;
        let body = format!(
            "<p>With metastable {version}, the scenario below as <code>{file}</code>, and the files that it \
             names, this makes the same page again, byte for byte:</p>\n\
             <div class=\"code\"><pre id=\"command\" tabindex=\"0\" aria-label=\"Command\">{command}</pre>\
             <button type=\"button\" data-copy=\"command\">copy</button></div>\n\
             <div class=\"code\"><pre id=\"text\" tabindex=\"0\" aria-label=\"Scenario\">{text}</pre>\
             <button type=\"button\" data-copy=\"text\">copy</button></div>\n",
            version = env!("CARGO_PKG_VERSION"),
            file = escaped(file),
            command = escaped(&self.command("report")),
            text = escaped(text),
        );
        section(page, "scenario", "The scenario", &body);
    }
}

/// What stands above the charts of a variant.
struct Head {
    tone: &'static str,
    said: String,
}

impl Head {
    fn of(model: &Model, run: &Run) -> Self {
        Self {
            tone: panel::tone(run.assessment.verdict),
            said: crate::report::chart::caption::of(model, run),
        }
    }
}

/// How many stretches each of so many runs is drawn in, at most.
fn stretches(runs: usize) -> usize {
    (STRETCHES / runs.max(1)).clamp(OF_EACH[0], OF_EACH[1])
}

fn section(page: &mut String, id: &str, heading: &str, body: &str) {
    let _ = write!(
        page,
        "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{heading}</h2>\n\
         {body}</section>\n"
    );
}
