//! A table on its way to a reader, as text or as Markdown.
//!
//! The first column names the rows and wraps. The other columns come in groups: where the terminal is
//! too narrow for all of them, each group becomes a table of its own beneath the last, and a group that
//! is still too wide is broken where it must be. So nothing is ever cut off, at any width.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::wrap::wrap;
use crate::report::terminal::style::{self, paint};

/// On which side a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Align {
    Left,
    Right,
}

/// What stands in one place of a sheet: one or more lines.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct Cell {
    lines: Vec<(String, Style)>,
}

/// A column under its heading.
#[derive(Clone, Debug)]
pub(in crate::report) struct Column {
    heading: Vec<String>,
    align: Align,
    /// Columns of one group stay together as long as they fit.
    group: u8,
    cells: Vec<Cell>,
}

/// Rows with names, and what is known of each.
#[derive(Clone, Debug)]
pub(in crate::report) struct Sheet {
    heading: String,
    names: Vec<String>,
    columns: Vec<Column>,
}

const GAP: usize = 2;
/// Names narrower than this are broken within words: no table is made that narrow for their sake.
const NARROWEST_NAME: usize = 16;
const WIDEST_NAME: usize = 40;

impl Cell {
    pub(in crate::report) fn new(line: impl Into<String>) -> Self {
        Self::styled(line, Style::new())
    }

    pub(in crate::report) fn styled(line: impl Into<String>, style: Style) -> Self {
        Self { lines: vec![(line.into(), style)] }
    }

    /// Nothing to tell.
    pub(in crate::report) fn none() -> Self {
        Self::styled("–", style::FAINT)
    }

    /// The same with one more line beneath.
    #[must_use]
    pub(in crate::report) fn and(mut self, line: impl Into<String>, style: Style) -> Self {
        self.lines.push((line.into(), style));
        self
    }

    /// Its lines, each with its style.
    pub(in crate::report) fn lines(&self) -> &[(String, Style)] {
        &self.lines
    }

    fn width(&self) -> usize {
        self.lines.iter().map(|(line, _)| line.width()).max().unwrap_or(0)
    }
}

impl Column {
    pub(in crate::report) fn new(
        heading: &[&str],
        align: Align,
        group: u8,
        cells: Vec<Cell>,
    ) -> Self {
        Self { heading: heading.iter().map(|&line| line.to_owned()).collect(), align, group, cells }
    }

    pub(in crate::report) fn heading(&self) -> String {
        self.heading.join(" ")
    }

    pub(in crate::report) const fn align(&self) -> Align {
        self.align
    }

    /// What stands in row number `nth`; none beyond the last.
    pub(in crate::report) fn cell(&self, nth: usize) -> Option<&Cell> {
        self.cells.get(nth)
    }

    fn width(&self) -> usize {
        let headings = self.heading.iter().map(|line| line.width());
        self.cells.iter().map(Cell::width).chain(headings).max().unwrap_or(0)
    }
}

impl Sheet {
    pub(in crate::report) fn new(
        heading: impl Into<String>,
        names: Vec<String>,
        columns: Vec<Column>,
    ) -> Self {
        Self { heading: heading.into(), names, columns }
    }

    /// What the column of names is called.
    pub(in crate::report) fn heading(&self) -> &str {
        &self.heading
    }

    pub(in crate::report) fn names(&self) -> &[String] {
        &self.names
    }

    pub(in crate::report) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The sheet as text, at most `width` columns wide unless a single column needs more.
    pub(in crate::report) fn text(&self, width: usize) -> String {
        let widest = self.names.iter().map(|name| name.width()).max().unwrap_or(0);
        let name_natural = widest.max(self.heading.width()).min(WIDEST_NAME);
        let name_least = name_natural.min(NARROWEST_NAME);
        let parts = self.split(width, name_natural, name_least);
        // Tables beneath each other line up.
        let name_width = parts
            .iter()
            .map(|part| width.saturating_sub(needed(part)).clamp(name_least, name_natural))
            .min()
            .unwrap_or(name_natural);
        let tables: Vec<String> = parts.iter().map(|part| self.table(part, name_width)).collect();
        tables.join("\n")
    }

    /// Whether the sheet is one table at this width.
    pub(in crate::report) fn is_one_table(&self, width: usize) -> bool {
        let widest = self.names.iter().map(|name| name.width()).max().unwrap_or(0);
        widest.max(self.heading.width()).min(WIDEST_NAME)
            + needed(&self.columns.iter().collect::<Vec<_>>())
            <= width
    }

    /// The columns of each table: one table if all fit beside names that need not wrap.
    fn split(&self, width: usize, name_natural: usize, name_least: usize) -> Vec<Vec<&Column>> {
        let all: Vec<&Column> = self.columns.iter().collect();
        if name_natural + needed(&all) <= width {
            return vec![all];
        }
        let groups = self.columns.chunk_by(|column, next| column.group == next.group);
        groups.flat_map(|group| split_evenly(group, width.saturating_sub(name_least))).collect()
    }

    fn table(&self, columns: &[&Column], name_width: usize) -> String {
        let widths: Vec<usize> = columns.iter().map(|column| column.width()).collect();
        let mut text = String::new();
        let name = wrap(&self.heading, name_width);
        let heading_lines = columns.iter().map(|column| column.heading.len());
        let heading_lines = heading_lines.chain([name.len()]).max().unwrap_or(1);
        for line in 0..heading_lines {
            let above = heading_lines - name.len();
            let name = line.checked_sub(above).map_or("", |line| &name[line]);
            let mut row = Row::new(name, style::HEADING, name_width);
            for (column, &width) in columns.iter().zip(&widths) {
                // Headings stand on their rule.
                let above = heading_lines - column.heading.len();
                let words = line.checked_sub(above).map_or("", |line| &column.heading[line]);
                row.push(words, style::HEADING, column.align, width);
            }
            row.finish(&mut text);
        }
        let total = name_width + needed(columns);
        text.push_str(&paint(&"─".repeat(total), style::FAINT));
        text.push('\n');
        for (nth, name) in self.names.iter().enumerate() {
            let name = wrap(name, name_width);
            let cells: Vec<Option<&Cell>> = columns.iter().map(|c| c.cells.get(nth)).collect();
            let tallest = cells.iter().flatten().map(|cell| cell.lines.len()).max().unwrap_or(1);
            for line in 0..tallest.max(name.len()) {
                let mut row =
                    Row::new(name.get(line).map_or("", String::as_str), Style::new(), name_width);
                for ((cell, column), &width) in cells.iter().zip(columns).zip(&widths) {
                    let blank = (String::new(), Style::new());
                    let (words, style) =
                        cell.and_then(|cell| cell.lines.get(line)).unwrap_or(&blank);
                    row.push(words, *style, column.align, width);
                }
                row.finish(&mut text);
            }
        }
        text
    }

    /// The sheet as one Markdown table.
    pub(in crate::report) fn markdown(&self) -> String {
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = String>| {
            for cell in cells {
                text.push_str("| ");
                text.push_str(&cell);
                text.push(' ');
            }
            text.push_str("|\n");
        };
        let headings = self.columns.iter().map(Column::heading);
        line(&mut std::iter::once(escape(&self.heading)).chain(headings));
        let rules = self.columns.iter().map(|column| match column.align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        line(&mut std::iter::once("---".to_owned()).chain(rules));
        for (nth, name) in self.names.iter().enumerate() {
            let cells = self.columns.iter().map(|column| {
                let lines = column.cells.get(nth).map_or(&[][..], |cell| &cell.lines);
                let lines: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
                escape(&lines.join(" "))
            });
            line(&mut std::iter::once(escape(name)).chain(cells));
        }
        text
    }
}

/// As few tables as fit into `room` each, with about as many columns each.
fn split_evenly(columns: &[Column], room: usize) -> Vec<Vec<&Column>> {
    let mut parts: Vec<Vec<&Column>> = Vec::new();
    for column in columns {
        match parts.last_mut().filter(|part| needed(part) + GAP + column.width() <= room) {
            Some(part) => part.push(column),
            None => parts.push(vec![column]),
        }
    }
    let each = columns.len().div_ceil(parts.len().max(1)).max(1);
    let even: Vec<Vec<&Column>> = columns.chunks(each).map(|part| part.iter().collect()).collect();
    if even.iter().all(|part| needed(part) <= room) { even } else { parts }
}

/// What columns take beside the names.
fn needed(columns: &[&Column]) -> usize {
    columns.iter().map(|column| GAP + column.width()).sum()
}

/// What would end a cell or begin markup is taken literally.
pub(super) fn escape(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '|' | '\\' | '`' | '*' | '_' | '<' | '[' | ']' => text.extend(['\\', letter]),
            '\n' | '\r' => text.push(' '),
            _ => text.push(letter),
        }
    }
    text
}

/// One line of a table. Blanks are written only before something, so that no line ends in them.
struct Row {
    text: String,
    owed: usize,
}

impl Row {
    fn new(name: &str, style: Style, width: usize) -> Self {
        let mut row = Self { text: String::new(), owed: 0 };
        row.put(name, style, width - name.width().min(width));
        row
    }

    fn push(&mut self, words: &str, style: Style, align: Align, width: usize) {
        let blank = width - words.width().min(width);
        self.owed += GAP;
        match align {
            Align::Left => self.put(words, style, blank),
            Align::Right => {
                self.owed += blank;
                self.put(words, style, 0);
            }
        }
    }

    fn put(&mut self, words: &str, style: Style, blank: usize) {
        if words.is_empty() {
            self.owed += blank;
            return;
        }
        self.text.push_str(&" ".repeat(self.owed));
        self.text.push_str(&paint(words, style));
        self.owed = blank;
    }

    fn finish(self, text: &mut String) {
        text.push_str(&self.text);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Sheet {
        fn plain(&self, width: usize) -> String {
            style::strip(&self.text(width))
        }
    }

    fn sheet() -> Sheet {
        let numbers = |values: [&str; 2]| values.map(Cell::new).to_vec();
        Sheet::new(
            "variant",
            vec!["3 retries".to_owned(), "3 retries, but a queue | capped at 0.8 s".to_owned()],
            vec![
                Column::new(&["verdict"], Align::Left, 0, numbers(["metastable", "recovered"])),
                Column::new(&["back", "at s"], Align::Right, 0, numbers(["–", "13"])),
                Column::new(&["requests"], Align::Right, 1, numbers(["42,012", "42,012"])),
            ],
        )
    }

    #[test]
    fn wide_terminals_get_one_table() {
        insta::assert_snapshot!(sheet().plain(80), @r"
                                                              back
        variant                                   verdict     at s  requests
        ────────────────────────────────────────────────────────────────────
        3 retries                                 metastable     –    42,012
        3 retries, but a queue | capped at 0.8 s  recovered     13    42,012
        ");
    }

    #[test]
    fn narrow_terminals_get_one_per_group() {
        insta::assert_snapshot!(sheet().plain(40), @r"
                                            back
        variant                 verdict     at s
        ────────────────────────────────────────
        3 retries               metastable     –
        3 retries, but a queue  recovered     13
        | capped at 0.8 s

        variant                 requests
        ────────────────────────────────
        3 retries                 42,012
        3 retries, but a queue    42,012
        | capped at 0.8 s
        ");
        assert!(sheet().text(1).contains("42,012"));
    }

    #[test]
    fn a_long_heading_wraps_like_the_names_below_it() {
        let mut sheet = sheet();
        sheet.heading = "what helps, least price first".to_owned();
        sheet.names = vec!["a".to_owned(), "b".to_owned()];
        sheet.columns.iter_mut().for_each(|column| column.group = 0);
        let text = sheet.plain(50);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "what helps, least                   back");
        assert_eq!(lines[1], "price first             verdict     at s  requests");
        assert!(lines.iter().all(|line| line.width() <= 50), "{text}");
    }

    #[test]
    fn names_cannot_break_a_markdown_table() {
        insta::assert_snapshot!(sheet().markdown(), @r"
        | variant | verdict | back at s | requests |
        | --- | --- | ---: | ---: |
        | 3 retries | metastable | – | 42,012 |
        | 3 retries, but a queue \| capped at 0.8 s | recovered | 13 | 42,012 |
        ");
    }
}
