//! What stands on every page, whatever it tells: the places in which scripts draw, and their controls.

use std::fmt::Write as _;

use super::markup::escaped;
use super::{Head, UPLOT_LICENCE};
use crate::report::chart::timeline::extent::Lower;

/// What is above all timelines: a legend that takes series away, and zoom.
pub(super) fn toolbar(lower: Lower) -> String {
    let below = match lower {
        Lower::Waiting => "waiting time",
        Lower::Open => "requests open",
    };
    let keys = [
        ("demand", "fresh demand"),
        ("goodput", "goodput: answered in time"),
        ("attempts", "attempts sent"),
        ("below", below),
        ("queue", "waiting in queues"),
    ];
    let mut text = String::from(
        "<div class=\"toolbar\" role=\"group\" aria-label=\"All timelines\">\n<div class=\"legend\">",
    );
    for (series, words) in keys {
        let _ = write!(
            text,
            "<button type=\"button\" aria-pressed=\"true\" data-series=\"{series}\">\
             <i class=\"mark {series}\"></i>{words}</button>"
        );
    }
    text.push_str(
        "</div>\n<div class=\"zoom\"><output id=\"range\"></output>\
         <button type=\"button\" data-zoom=\"in\" aria-label=\"Zoom in\">+</button>\
         <button type=\"button\" data-zoom=\"out\" aria-label=\"Zoom out\">−</button>\
         <button type=\"button\" data-zoom=\"all\">whole run</button></div>\n</div>\n\
         <p class=\"hint\">Drag over a stretch of time to zoom, double-click to see all of it again. By keys: \
         arrows move the cursor, + and − zoom, Esc shows all.</p>\n\
         <noscript><p class=\"hint\">The charts need JavaScript; everything else on this page does not.</p>\
         </noscript>\n",
    );
    text
}

/// The lines of all variants over one another.
pub(super) fn overlay(open: bool) -> String {
    let (title, unit) = if open {
        ("Requests open in all variants", "neither answered nor given up")
    } else {
        ("Goodput of all variants", "per second")
    };
    format!(
        "<figure class=\"card overlay\" data-overlay>\n<figcaption><h3>{title}</h3></figcaption>\n\
         <div class=\"lanes\"><div class=\"lane\" data-lane=\"overlay\"><span class=\"unit\">{unit}</span>\
         <div class=\"plot\"></div></div></div>\n<div class=\"names\"></div>\n</figure>\n"
    )
}

/// The timelines of variant number `nth`, beneath what became of it.
pub(super) fn card(text: &mut String, nth: usize, name: &str, head: &Head, lower: Lower) {
    let Head { tone, said } = head;
    let (name, said) = (escaped(name), escaped(said));
    let _ = write!(
        text,
        "<figure class=\"card\" data-panel=\"{nth}\">\n<figcaption><h3>{name}</h3>\
         <p class=\"said {tone}\">{said}</p></figcaption>\n<p class=\"readout\"></p>\n\
         <div class=\"lanes\">"
    );
    lanes(text, lower);
    text.push_str("</div>\n</figure>\n");
}

/// The plots of one run, one beneath the other.
fn lanes(text: &mut String, lower: Lower) {
    let below = match lower {
        Lower::Waiting => "waiting, s",
        Lower::Open => "requests open",
    };
    let units = [("rates", "per second"), ("below", below), ("queue", "waiting in queues")];
    for (lane, unit) in units {
        let _ = write!(
            text,
            "<div class=\"lane {lane}\" data-lane=\"{lane}\"><span class=\"unit\">{unit}</span>\
             <div class=\"plot\"></div></div>"
        );
    }
}

/// What holds for every page, and to whom thanks are due.
pub(super) fn footer(page: &mut String) {
    let _ = write!(
        page,
        "<footer>\n<p>Made by metastable {version}. This page holds all that it shows, and asks nothing of \
         any network.</p>\n<details><summary>Licence of uPlot, which draws the charts</summary>\
         <pre tabindex=\"0\">{licence}</pre></details>\n</footer>\n",
        version = env!("CARGO_PKG_VERSION"),
        licence = escaped(UPLOT_LICENCE),
    );
}

/// Where latencies are drawn.
pub(super) const LATENCIES: &str = "<p class=\"hint\">The further right, the rarer: at p99, one request in a hundred took \
longer. Each line ends at its slowest request.</p>\n<figure class=\"card\" data-latencies>\n<div class=\"lane\">\
<span class=\"unit\">milliseconds</span><div class=\"plot\"></div></div>\n<div class=\"names\"></div>\n</figure>\n";

/// What a cell opens.
pub(super) const DIALOG: &str = "<dialog id=\"cell\" aria-labelledby=\"cell-title\">\n<div class=\"bar\"><h2 \
id=\"cell-title\"></h2><button type=\"button\" data-close aria-label=\"Close\">×</button></div>\n\
<p id=\"cell-outcome\"></p>\n<p class=\"said\" id=\"cell-said\"></p>\n<p class=\"readout\"></p>\n\
<div class=\"lanes\"></div>\n<div class=\"steps-to\" role=\"group\" aria-label=\"Neighbouring cells\">\
<button type=\"button\" data-step=\"0,-1\" aria-label=\"The cell to the left\">←</button>\
<button type=\"button\" data-step=\"0,1\" aria-label=\"The cell to the right\">→</button>\
<button type=\"button\" data-step=\"-1,0\" aria-label=\"The cell above\">↑</button>\
<button type=\"button\" data-step=\"1,0\" aria-label=\"The cell below\">↓</button></div>\n\
<div class=\"code\"><pre id=\"cell-command\" tabindex=\"0\" aria-label=\"Command\"></pre>\
<button type=\"button\" data-copy=\"cell-command\">copy</button></div>\n</dialog>\n";
