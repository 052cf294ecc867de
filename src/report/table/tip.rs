//! What `tip` tells: where a parameter tips each variant, in a sentence, a row and a record.

use anstyle::Style;

use super::figure::{decimal, thousands};
use super::sheet::{Align, Cell, Column, Sheet, escape};
use super::value::{Record, Value, record};
use super::wrap::paragraph;
use super::{Document, grid, json};
use crate::analysis::{Answers, Estimate, Side, Verdict, wilson};
use crate::experiment::{Tipping, TippingPoint};
use crate::report::terminal::style::{self, FAINT, paint};

/// A variant and what was found along the axis.
#[derive(Clone, Debug)]
pub struct TipOf<'a> {
    /// The variant's name.
    pub variant: &'a str,
    /// What stands at the path as the variant is written; none if nothing does.
    pub value: Option<f64>,
    /// What was found.
    pub tipping: Tipping,
}

/// What a row of CSV is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TipRows {
    /// A tipping point, or a variant without one.
    #[default]
    Points,
    /// A value that was tried.
    Values,
}

/// The tipping points of variants along one axis.
#[derive(Clone, Debug)]
pub struct TipDocument<'a> {
    /// The story's title.
    pub title: &'a str,
    /// The dotted path of the axis.
    pub axis: &'a str,
    /// Whether the axis is a length of time.
    pub is_length: bool,
    /// The variants.
    pub found: &'a [TipOf<'a>],
    /// Whether people get a row per value that was tried.
    pub long: bool,
    /// What a row of CSV is.
    pub rows: TipRows,
    /// Variants that the search never came to, since it was interrupted.
    pub not_begun: usize,
}

impl TipDocument<'_> {
    /// A value of the axis with as many digits as `width`, a difference that matters, deserves.
    fn value(&self, value: f64, width: f64) -> String {
        format!("{}{}", decimal(value, width), self.unit())
    }

    /// How far it got.
    fn interrupted(&self) -> String {
        let part = self.found.iter().find(|of| of.tipping.interrupted);
        let of = part.map_or_else(String::new, |of| {
            format!(" in “{}”, after {} runs of it", of.variant, of.tipping.runs)
        });
        let not_begun = match self.not_begun {
            0 => String::new(),
            1 => "; 1 variant was not begun".to_owned(),
            count => format!("; {count} variants were not begun"),
        };
        format!("Interrupted{of}: this is what was known by then{not_begun}.")
    }

    const fn unit(&self) -> &'static str {
        if self.is_length { " s" } else { "" }
    }

    /// A value of the axis that somebody wrote.
    fn written(&self, value: f64) -> String {
        format!("{value}{}", self.unit())
    }

    fn range(&self, tipping: &Tipping) -> String {
        format!("between {} and {}", tipping.range.from, self.written(tipping.range.to))
    }

    fn sentence(&self, of: &TipOf<'_>) -> String {
        let TipOf { variant, tipping, value } = of;
        let mut text = match tipping.points.as_slice() {
            [] if tipping.interrupted => self.no_point_yet(variant, tipping),
            [] => self.no_point(variant, tipping),
            [point] => self.one_point(variant, point, tipping),
            points => self.islands(variant, points, tipping),
        };
        if let (Some(value), [point], false) =
            (value, tipping.points.as_slice(), tipping.range.whole)
        {
            text.push_str(&self.as_written(*value, point));
        }
        text
    }

    /// Of a first look that is not over.
    fn no_point_yet(&self, variant: &str, tipping: &Tipping) -> String {
        let shares = tipping.tried.iter().map(|answers| {
            format!("{}/{} at {}", answers.recovered, answers.runs, self.written(answers.at))
        });
        let shares: Vec<String> = shares.collect();
        format!(
            "“{variant}” was looked at {}, and no border was searched for yet; of the runs that were made, there \
             recovered {}.",
            self.range(tipping),
            shares.join(", ")
        )
    }

    fn no_point(&self, variant: &str, tipping: &Tipping) -> String {
        let ends = [tipping.tried.first(), tipping.tried.last()];
        let ends: Vec<String> = ends
            .into_iter()
            .flatten()
            .map(|answers| {
                let at = self.written(answers.at);
                format!("{} of {} at {at}", answers.recovered, answers.runs)
            })
            .collect();
        let (range, ends) = (self.range(tipping), ends.join(" and "));
        if tipping.collapsed.is_empty() {
            format!(
                "“{variant}” does not tip {range}: it recovers at both ends and between them \
                 ({ends})."
            )
        } else {
            format!(
                "“{variant}” does not tip {range}: it recovers at neither end nor between them \
                 ({ends}); {}.",
                fates(&tipping.collapsed)
            )
        }
    }

    fn one_point(&self, variant: &str, point: &TippingPoint, tipping: &Tipping) -> String {
        let fates = fates(&tipping.collapsed);
        let Estimate { value, interval } = point.tips_at;
        if tipping.range.whole && interval.low.floor() == interval.high.floor() {
            let (below, above) = (value.floor(), value.floor() + 1.0);
            return match point.side {
                Side::Below => format!(
                    "“{variant}” tips between {below} and {above}: up to {below} most seeds recover, from \
                     {above} on most do not; beyond it {fates}."
                ),
                Side::Above => format!(
                    "“{variant}” tips between {below} and {above}: up to {below} most seeds do not recover, \
                     from {above} on most do; beyond it {fates}."
                ),
            };
        }
        let (well, ill) = match point.side {
            Side::Below => ("below", "above"),
            Side::Above => ("above", "below"),
        };
        let width = interval.high - interval.low;
        let tips = format!(
            "“{variant}” tips at {} (95 % interval {} to {}): {well} it most seeds recover, {ill} it most \
             do not",
            self.value(value, width),
            decimal(interval.low, width),
            self.value(interval.high, width),
        );
        let zone = if is_cliff(point, &tipping.tried) {
            let most = point.mixed_width.interval.high;
            let most = self.value(most, most);
            format!("No value was mixed: the mixed zone is narrower than {most}")
        } else {
            let zone = point.mixed[1] - point.mixed[0];
            let (first, then) = match point.side {
                Side::Below => ("90 %", "10 %"),
                Side::Above => ("10 %", "90 %"),
            };
            format!(
                "The mixed zone is {} wide: {first} recover at {}, {then} at {}",
                self.value(point.mixed_width.value, zone),
                self.value(point.mixed[0], zone),
                self.value(point.mixed[1], zone),
            )
        };
        format!("{tips}. {zone}; beyond it {fates}.")
    }

    fn islands(&self, variant: &str, points: &[TippingPoint], tipping: &Tipping) -> String {
        let ends = match (tipping.recovers_below(), tipping.recovers_above()) {
            (true, true) => "it recovers at both ends",
            (false, false) => "it recovers at neither end",
            (true, false) => "it recovers at the lower end only",
            (false, true) => "it recovers at the upper end only",
        };
        let places: Vec<String> = points
            .iter()
            .map(|point| {
                let Estimate { value, interval } = point.tips_at;
                let width = interval.high - interval.low;
                let way = match point.side {
                    Side::Below => "collapse begins at",
                    Side::Above => "recovery begins at",
                };
                format!(
                    "{way} {} ({} to {})",
                    self.value(value, width),
                    decimal(interval.low, width),
                    decimal(interval.high, width)
                )
            })
            .collect();
        format!(
            "“{variant}” is not monotone {}: {ends}; {}. Where it does not recover, {}.",
            self.range(tipping),
            places.join(", "),
            fates(&tipping.collapsed)
        )
    }

    /// Where the value that is written lies, seen from the tipping point.
    fn as_written(&self, value: f64, point: &TippingPoint) -> String {
        let away = value - point.tips_at.value;
        let is_well = match point.side {
            Side::Below => away < 0.0,
            Side::Above => away > 0.0,
        };
        let direction = if away < 0.0 { "below" } else { "above" };
        let state = if is_well { "on the safe side" } else { "in the collapse" };
        let interval = point.tips_at.interval;
        let width = interval.high - interval.low;
        format!(
            " As written, at {}, it is {} {direction} that, {state}.",
            self.written(value),
            self.value(away.abs(), width)
        )
    }

    fn cost(&self) -> String {
        let sum = |of: &dyn Fn(&Tipping) -> u64| -> String {
            thousands(self.found.iter().map(|found| of(&found.tipping)).sum())
        };
        format!(
            "It took {} runs, and {} control runs besides.",
            sum(&|tipping| tipping.runs),
            sum(&|tipping| tipping.controls)
        )
    }

    /// A row per tipping point.
    fn sheet(&self) -> Sheet {
        let rows: Vec<(&TipOf<'_>, Option<&TippingPoint>)> = rows(self.found);
        let names = rows.iter().map(|(of, _)| of.variant.to_owned()).collect();
        let column = |heading: &[&str], of: &dyn Fn(&TippingPoint) -> Cell| {
            let cells = rows.iter().map(|(_, point)| point.map_or_else(Cell::none, of));
            Column::new(heading, Align::Right, 0, cells.collect())
        };
        // What has no width is not told, and whole numbers have nothing between them.
        let zones = rows.iter().map(|(of, point)| {
            let point = point.filter(|_| !of.tipping.range.whole);
            let mixed = point.filter(|point| !is_cliff(point, &of.tipping.tried));
            mixed.map_or_else(Cell::none, |point| {
                let [from, to] = point.mixed;
                Cell::new(format!("{}–{}", decimal(from, to - from), decimal(to, to - from)))
            })
        });
        let zones = Column::new(&["mixed", "zone"], Align::Right, 0, zones.collect());
        let tips = if self.is_length { "tips at s" } else { "tips at" };
        let width = |found: &Estimate| found.interval.high - found.interval.low;
        let estimate = |found: &Estimate| decimal(found.value, width(found));
        let spread = |found: &Estimate| {
            let (low, high) = (found.interval.low, found.interval.high);
            format!("{}–{}", decimal(low, width(found)), decimal(high, width(found)))
        };
        let mut columns = vec![
            column(&["recovers"], &|point| Cell::new(side(point.side))),
            column(&[tips], &|point| Cell::new(estimate(&point.tips_at))),
            column(&["95 %", "interval"], &|point| Cell::styled(spread(&point.tips_at), FAINT)),
            zones,
            column(&["95 %", "recover at"], &|point| Cell::new(estimate(&point.safe_at))),
        ];
        let runs = rows.iter().map(|(of, _)| Cell::new(thousands(of.tipping.runs))).collect();
        columns.push(Column::new(&["runs"], Align::Right, 0, runs));
        Sheet::new("variant", names, columns)
    }

    /// A row per value that was tried.
    fn values(&self, of: &TipOf<'_>) -> Sheet {
        let tried = &of.tipping.tried;
        let names = tried.iter().map(|answers| answers.at.to_string()).collect();
        let column = |heading: &[&str], cell: &dyn Fn(&Answers) -> String| {
            let cells = tried.iter().map(|answers| Cell::new(cell(answers)));
            Column::new(heading, Align::Right, 0, cells.collect())
        };
        let heading = format!("{}{}", grid::short(self.axis), self.unit());
        Sheet::new(
            heading,
            names,
            vec![
                column(&["recovered"], &|a| format!("{}/{}", a.recovered, a.runs)),
                column(&["95 %", "interval"], &|a| {
                    let interval = wilson(a.recovered, a.runs);
                    format!("{:.2}–{:.2}", interval.low, interval.high)
                }),
            ],
        )
    }
}

impl Document for TipDocument<'_> {
    fn is_interrupted(&self) -> bool {
        self.not_begun > 0 || self.found.iter().any(|of| of.tipping.interrupted)
    }

    fn text(&self, width: usize) -> String {
        let plain = |words: &str| paragraph(words, Style::new(), width);
        let mut text = paragraph(self.title, style::HEADING, width);
        text.push_str(&plain(&format!("Along {}:", self.axis)));
        if self.is_interrupted() {
            text.push_str(&plain(&self.interrupted()));
        }
        for of in self.found {
            text.push_str(&plain(&self.sentence(of)));
        }
        text.push_str(&self.sheet().text(width));
        text.push('\n');
        text.push_str(&plain(&self.cost()));
        if self.long {
            for of in self.found {
                text.push_str(&format!("{}\n", paint(of.variant, style::HEADING)));
                text.push_str(&self.values(of).text(width));
                text.push('\n');
            }
        }
        format!("{}\n", text.trim_end())
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\nAlong `{}`:\n\n", escape(self.title), self.axis);
        if self.is_interrupted() {
            text.push_str(&format!("{}\n\n", escape(&self.interrupted())));
        }
        for of in self.found {
            text.push_str(&format!("{}\n\n", escape(&self.sentence(of))));
        }
        text.push_str(&format!("{}\n{}\n", self.sheet().markdown(), self.cost()));
        if self.long {
            for of in self.found {
                text.push_str(&format!("\n## {}\n\n", escape(of.variant)));
                text.push_str(&self.values(of).markdown());
            }
        }
        text
    }

    fn rows(&self) -> Vec<Record> {
        match self.rows {
            TipRows::Points => {
                rows(self.found).into_iter().map(|(of, point)| self.row(of, point)).collect()
            }
            TipRows::Values => {
                let of_variant = |of: &TipOf<'_>| -> Vec<Record> {
                    let row = |answers: &Answers| {
                        let mut fields = record([("variant", of.variant.into())]);
                        fields.extend(self.tried_record(answers));
                        fields
                    };
                    of.tipping.tried.iter().map(row).collect()
                };
                self.found.iter().flat_map(of_variant).collect()
            }
        }
    }

    fn json(&self) -> String {
        let variants = self.found.iter().map(|of| self.variant_record(of)).collect();
        json::object(&record([
            ("scenario", self.title.into()),
            ("interrupted", self.is_interrupted().into()),
            ("axis", self.axis.into()),
            ("variants", Value::Records(variants)),
        ]))
    }
}

/// Every variant with each of its tipping points, or with none.
fn rows<'a>(found: &'a [TipOf<'a>]) -> Vec<(&'a TipOf<'a>, Option<&'a TippingPoint>)> {
    let of = |of: &'a TipOf<'a>| -> Vec<(&'a TipOf<'a>, Option<&'a TippingPoint>)> {
        match of.tipping.points.as_slice() {
            [] => vec![(of, None)],
            points => points.iter().map(|point| (of, Some(point))).collect(),
        }
    };
    found.iter().flat_map(of).collect()
}

/// Whether every run on the one side of the last that recovered did, and none on the other.
fn is_cliff(point: &TippingPoint, tried: &[Answers]) -> bool {
    let near = |answers: &&Answers| {
        let [first, last] = [point.curve.first(), point.curve.last()];
        first.is_some_and(|first| first.at <= answers.at)
            && last.is_some_and(|last| answers.at <= last.at)
    };
    let near: Vec<&Answers> = tried.iter().filter(near).collect();
    let is_pure = |answers: &&Answers| answers.recovered == 0 || answers.recovered == answers.runs;
    let turns = near.windows(2).filter(|pair| (pair[0].recovered > 0) != (pair[1].recovered > 0));
    near.iter().all(is_pure) && turns.count() <= 1
}

pub(super) const fn side(side: Side) -> &'static str {
    match side {
        Side::Below => "below",
        Side::Above => "above",
    }
}

/// What became of runs that were asked for their verdict.
fn fates(verdicts: &[Verdict]) -> String {
    let counted = Verdict::ALL.iter().filter_map(|verdict| {
        let count = verdicts.iter().filter(|found| *found == verdict).count();
        (count > 0).then(|| (count, verdict.name()))
    });
    let counted: Vec<(usize, &str)> = counted.collect();
    match counted.as_slice() {
        [] => "no run was asked for its verdict".to_owned(),
        [(_, name)] => format!("all {} runs that were judged are {name}", verdicts.len()),
        several => {
            let words: Vec<String> =
                several.iter().map(|(count, name)| format!("{count} {name}")).collect();
            format!("of {} runs that were judged, {}", verdicts.len(), words.join(", "))
        }
    }
}
