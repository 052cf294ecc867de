//! The page in a browser: what it shows, and what it does when somebody points, clicks and types.

use super::chromium::Browser;
use crate::cli::fixture::Fixture;

/// A browser with the report of the small storm open; none where there is no browser.
fn storm() -> Option<(Browser, Fixture)> {
    let mut browser = Browser::start()?;
    let fixture = Fixture::new();
    fixture.stdout(&["report", "storm.toml", "-o", "r.html"]);
    browser.resize(1280, 900);
    browser.open(&fixture.path("r.html"));
    // Plots are drawn as they come near the screen.
    browser.value(
        "document.querySelector('[data-panel=\"1\"]').scrollIntoView({ behavior: 'instant' })",
    );
    browser.until(
        "[...document.querySelectorAll('[data-panel]')].every((panel) => panel.querySelector('canvas'))",
    );
    // A copy, which may be read as often as we like.
    browser.value(
        "globalThis.pixelsOf = (canvas) => { const { width, height } = canvas;
            const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            return copy.getImageData(0, 0, width, height).data; }, 1",
    );
    Some((browser, fixture))
}

/// All that a panel reads out, by its position.
fn readout(browser: &mut Browser, nth: usize) -> String {
    browser.text(&format!("document.querySelector('[data-panel=\"{nth}\"] .readout').textContent"))
}

fn assert_silent(browser: &mut Browser) {
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_cursor_of_one_panel_reads_all_of_them() {
    let Some((mut browser, _files)) = storm() else { return };
    let means = readout(&mut browser, 1);
    assert!(means.starts_with("0–20 s, means"), "{means}");
    browser.point_at("[data-panel='0'] .u-over", 0.32);
    for nth in [0, 1] {
        let read = readout(&mut browser, nth);
        assert!(read.starts_with("6–7 s"), "panel {nth}: {read}");
    }
    // The line stands at the same place in every plot, and the overlay reads out goodput.
    let lines = "new Set([...document.querySelectorAll('[data-panel] .u-cursor-x')].map((line) => \
                 Math.round(new DOMMatrix(getComputedStyle(line).transform).e))).size";
    assert_eq!(browser.number(lines), 1.0);
    let overlay = browser.text("document.querySelector('[data-overlay] output').textContent");
    assert_eq!(overlay, "0/s");

    // By keys: one window on, and what is read is also said.
    browser.value("document.querySelector('[data-panel=\"1\"] .lanes').focus()");
    browser.press("ArrowRight");
    for nth in [0, 1] {
        let read = readout(&mut browser, nth);
        assert!(read.starts_with("7–8 s"), "panel {nth}: {read}");
    }
    let said = browser.text("document.activeElement.getAttribute('aria-valuetext')");
    assert!(said.starts_with("7–8 s: demand "), "{said}");
    assert_silent(&mut browser);
}

#[test]
fn a_stretch_of_time_is_zoomed_in_all_panels() {
    let Some((mut browser, _files)) = storm() else { return };
    let range =
        |browser: &mut Browser| browser.text("document.getElementById('range').textContent");
    assert_eq!(range(&mut browser), "0–20 s");
    browser.drag("[data-panel='0'] .u-over", 0.25, 0.5);
    browser.until("document.getElementById('range').textContent === '5–10 s'");
    browser.point_at("[data-panel='0'] .u-over", 0.5);
    for nth in [0, 1] {
        let read = readout(&mut browser, nth);
        assert!(read.starts_with("7–8 s"), "panel {nth}: {read}");
    }

    browser.value("document.querySelector('[data-panel=\"1\"] .lanes').focus()");
    browser.press("Escape");
    browser.until("document.getElementById('range').textContent === '0–20 s'");
    browser.click("[data-zoom='in']");
    assert_ne!(range(&mut browser), "0–20 s");
    browser.click("[data-zoom='all']");
    assert_eq!(range(&mut browser), "0–20 s");
    assert_silent(&mut browser);
}

#[test]
fn the_legend_takes_a_series_away_and_brings_it_back() {
    let Some((mut browser, _files)) = storm() else { return };
    // How many pixels of a plot have the colour of attempts.
    let orange = "(() => { const canvas = document.querySelector('[data-panel=\"0\"] canvas');
        const pixels = pixelsOf(canvas);
        let count = 0;
        for (let at = 0; at < pixels.length; at += 4) {
            if (pixels[at] === 0xd5 && pixels[at + 1] === 0x5e && pixels[at + 2] === 0) count += 1;
        }
        return count; })()";
    assert!(browser.number(orange) > 100.0);
    browser.click("[data-series='attempts']");
    browser.until(&format!("{orange} === 0"));
    assert!(!readout(&mut browser, 1).contains("attempts"));
    let pressed =
        "document.querySelector('[data-series=\"attempts\"]').getAttribute('aria-pressed')";
    assert_eq!(browser.text(pressed), "false");
    browser.click("[data-series='attempts']");
    browser.until(&format!("{orange} > 100"));

    browser.click("[data-series='below']");
    browser.until(
        "document.querySelector('[data-panel=\"1\"] [data-lane=\"below\"]').offsetHeight === 0",
    );

    // A variant is taken out of the overlay.
    browser.click("[data-overlay] [data-variant='0']");
    let pressed = "document.querySelector('[data-variant=\"0\"]').getAttribute('aria-pressed')";
    assert_eq!(browser.text(pressed), "false");
    assert_silent(&mut browser);
}

#[test]
fn a_cell_opens_the_timeline_behind_it() {
    let Some((mut browser, _files)) = storm() else { return };
    browser.click("[data-map] [data-cell='1']");
    browser.until("document.querySelector('dialog[open] canvas') !== null");
    let title =
        |browser: &mut Browser| browser.text("document.getElementById('cell-title').textContent");
    assert_eq!(title(&mut browser), "load 0.3, lasts 4s");
    let command = browser.text("document.getElementById('cell-command').textContent");
    assert!(
        command.ends_with("--set clients.web.load=0.3 --set triggers.gc.stall.lasts=4s"),
        "{command}"
    );
    browser.point_at("dialog .u-over", 0.32);
    let read = browser.text("document.querySelector('dialog .readout').textContent");
    assert!(read.starts_with("6–7 s"), "{read}");

    // The neighbours are a click away, as far as there are any: numbers grow upwards.
    browser.click("[data-step='-1,0']");
    assert_eq!(title(&mut browser), "load 0.7, lasts 4s");
    assert_eq!(browser.value("document.querySelector('[data-step=\"-1,0\"]').disabled"), true);
    browser.press("Escape");
    browser.until("document.querySelector('dialog[open]') === null");

    // And by keys alone: the cell has the focus again, the arrows go on, Enter opens.
    assert_eq!(browser.text("document.activeElement.dataset.cell"), "3");
    browser.press("ArrowLeft");
    assert_eq!(browser.text("document.activeElement.dataset.cell"), "2");
    browser.press("Enter");
    browser.until("document.querySelector('dialog[open]') !== null");
    assert_eq!(title(&mut browser), "load 0.7, lasts 20ms");
    browser.click("[data-close]");

    // A row of the table opens the same.
    browser.value("document.querySelector('details.rows').open = true");
    browser.click("details.rows [data-cell='0']");
    browser.until("document.querySelector('dialog[open]') !== null");
    assert_eq!(title(&mut browser), "load 0.3, lasts 20ms");
    assert_silent(&mut browser);
}

/// The timeline of a cell is in codes; what is read from it is what the run of that cell counts.
#[test]
fn what_is_behind_a_cell_is_its_run() {
    let Some((mut browser, fixture)) = storm() else { return };
    browser.click("[data-map] [data-cell='1']");
    browser.until("document.querySelector('dialog[open] canvas') !== null");
    let shown = browser.value(
        "[...Array(20).keys()].map((second) => {
            document.querySelector('dialog .lanes').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
            return document.querySelector('dialog [data-reads=\"goodput\"] b').textContent; })",
    );
    let command = browser.text("document.getElementById('cell-command').textContent");
    let words: Vec<String> = command
        .replace("'3 retries'", "3_retries")
        .split(' ')
        .skip(1)
        .map(|word| word.replace('_', " "))
        .collect();
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.extend(["--format", "json"]);
    let run = fixture.json(&words);
    let windows = run["runs"][0]["timeline"].as_array().unwrap();
    assert_eq!(windows.len(), 20);
    for (shown, window) in shown.as_array().unwrap().iter().zip(windows) {
        let shown: f64 = shown.as_str().unwrap().replace(',', "").parse().unwrap();
        let counted = window["goodput"].as_f64().unwrap();
        assert!((shown - counted).abs() <= 0.005 * counted + 0.5, "{shown} is not {counted}");
        assert_eq!(shown == 0.0, counted == 0.0);
    }
}

#[test]
fn light_and_dark() {
    let Some((mut browser, _files)) = storm() else { return };
    let ground = "getComputedStyle(document.body).backgroundColor";
    // The colour of the line of goodput, as it is painted.
    let painted = |red: u8, green: u8, blue: u8| {
        format!(
            "(() => {{ const canvas = document.querySelector('[data-panel=\"1\"] canvas');
            const pixels = pixelsOf(canvas);
            for (let at = 0; at < pixels.length; at += 4) {{
                if (pixels[at] === {red} && pixels[at + 1] === {green} && pixels[at + 2] === {blue}) return true;
            }}
            return false; }})()"
        )
    };
    browser.prefer("light");
    assert_eq!(browser.text(ground), "rgb(245, 246, 248)");
    browser.until(&painted(0x00, 0x72, 0xB2));
    browser.prefer("dark");
    assert_eq!(browser.text(ground), "rgb(14, 18, 22)");
    browser.until(&painted(0x56, 0xB4, 0xE9));
    assert_silent(&mut browser);
}

#[test]
fn nothing_sticks_out_on_a_phone() {
    let Some(mut browser) = Browser::start() else { return };
    let fixture = Fixture::new();
    let scenarios =
        ["storm.toml", concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/storefront.toml")];
    for scenario in scenarios {
        fixture.stdout(&["report", scenario, "-o", "r.html"]);
        browser.resize(360, 740);
        browser.open(&fixture.path("r.html"));
        browser.value(
            "dispatchEvent(new Event('beforeprint')), dispatchEvent(new Event('afterprint')), 1",
        );
        for (what, script) in [
            ("the page", "document.documentElement.scrollWidth - innerWidth"),
            (
                "a chart",
                "Math.max(...[...document.querySelectorAll('.plot')].map((plot) => \
                 plot.getBoundingClientRect().right - innerWidth))",
            ),
        ] {
            let out = browser.number(script);
            assert!(out <= 0.0, "{scenario}: {what} sticks out by {out} pixels");
        }
        assert_silent(&mut browser);
    }
}

#[test]
fn hostile_names_do_nothing() {
    let Some(mut browser) = Browser::start() else { return };
    let fixture = Fixture::new();
    let hostile = "</script></pre><img src=x onerror=alert(1)>";
    let story = fixture
        .read("storm.toml")
        .replace("A small storm", hostile)
        .replace("[variants.\"no retries\"]", &format!("[variants.\"{hostile}\"]"));
    fixture.write("hostile.toml", &story);
    fixture.stdout(&["report", "hostile.toml", "-o", "r.html"]);
    browser.open(&fixture.path("r.html"));
    assert_eq!(browser.text("document.querySelector('h1').textContent"), hostile);
    assert_eq!(browser.text("document.querySelectorAll('.name')[1].textContent"), hostile);
    assert_eq!(browser.number("document.images.length"), 0.0);
    assert!(browser.text("document.getElementById('text').textContent").contains(hostile));
    assert_silent(&mut browser);
}

/// A thousand cells of two hundred windows: less than 5 MiB, open in less than two seconds.
#[test]
fn a_thousand_cells_open_at_once() {
    let Some(mut browser) = Browser::start() else { return };
    let fixture = Fixture::new();
    fixture.write(
        "grid.toml",
        r#"
title   = "A thousand cells"
horizon = "20s"
window  = "100ms"
[services.api]
workers      = 1
service_time = "10ms"
[clients.web]
calls        = "api"
load         = 0.7
call.timeout = "1s"
call.retry.immediate = { max_retries = 3 }
[triggers.gc]
stall = { service = "api", begins = "3s", lasts = "2s" }
[sweep]
seeds = 1
[sweep.axes]
"clients.web.load"        = { from = 0.02, to = 0.98, step = 0.04 }
"triggers.gc.stall.lasts" = { from = "100ms", to = "4s", step = "100ms" }
"#,
    );
    fixture.stdout(&["report", "grid.toml"]);
    let size = std::fs::metadata(fixture.path("grid.html")).unwrap().len();
    assert!((1 << 20..5 << 20).contains(&size), "{size} bytes");
    browser.resize(1280, 900);
    let times: Vec<_> = (0..3).map(|_| browser.open(&fixture.path("grid.html"))).collect();
    assert_eq!(
        browser.number("document.querySelectorAll('[data-map] [data-cell]').length"),
        1_000.0
    );
    // The machine may have something else to do; it has not three times.
    assert!(times.iter().min().unwrap().as_secs_f64() < 2.0, "{times:?}");
    browser.click("[data-map] [data-cell='999']");
    browser.until("document.querySelector('dialog[open] canvas') !== null");
    assert_eq!(
        browser.text("document.getElementById('cell-title').textContent"),
        "load 0.98, lasts 4s"
    );
    assert_silent(&mut browser);
}
