//! A table of the terminal as a table of a page.

use std::fmt::Write as _;

use anstyle::Style;

use super::markup::escaped;
use crate::report::table::sheet::{Align, Sheet};
use crate::report::terminal::style;

/// `sheet` as a table that is called `caption` and scrolls where it is wider than the page.
pub(super) fn html(sheet: &Sheet, caption: &str) -> String {
    let mut text = scrolling(caption, "");
    let _ = write!(text, "<thead><tr><th scope=\"col\">{}</th>", escaped(sheet.heading()));
    for column in sheet.columns() {
        let heading = escaped(&column.heading());
        let _ = write!(text, "<th scope=\"col\"{}>{heading}</th>", side(column.align()));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for (nth, name) in sheet.names().iter().enumerate() {
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", escaped(name));
        for column in sheet.columns() {
            let _ = write!(text, "<td{}>", side(column.align()));
            let lines = column.cell(nth).map_or(&[][..], |cell| cell.lines());
            for (place, (line, style)) in lines.iter().enumerate() {
                let class = if place > 0 { "beneath" } else { tone(*style) };
                let _ = write!(text, "<span class=\"{class}\">{}</span>", escaped(line));
            }
            text.push_str("</td>");
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table></div>\n");
    text
}

/// The beginning of a table with these attributes that scrolls by itself, by keys too.
pub(super) fn scrolling(caption: &str, attributes: &str) -> String {
    let caption = escaped(caption);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table{attributes}><caption>{caption}</caption>"
    )
}

const fn side(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}

/// The class of what a terminal shows in this style.
fn tone(style: Style) -> &'static str {
    if style == style::WELL {
        "well"
    } else if style == style::DOWN {
        "unwell"
    } else if style == style::FAINT {
        "faint"
    } else {
        "plain"
    }
}
