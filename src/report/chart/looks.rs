//! What holds of every chart, tried on charts that are hard to draw.

use resvg::usvg;

use super::document::options;
use super::{Chart, amplification, graph, heat_map, latency, overlay, services, theme, timeline};
use crate::analysis::Verdict;
use crate::experiment::{CellOutcome, Coordinate, Run, Workbench};
use crate::id::ServiceId;
use crate::law::Law;
use crate::model::{Arrivals, Client, Disturbance, Edge, InnerCall, Model, Service, Trigger};
use crate::policy::admission::Admission;
use crate::policy::retry::Retry;
use crate::time::{Span, Time};
use crate::unit::Rate;

/// A tenth of the headline scenario: 10 seconds, 70 requests a second, a stall at second 3.
pub(super) fn storm(change: impl FnOnce(&mut Model)) -> Model {
    let retry = Retry { max_retries: 3, ..Retry::NEVER };
    let timeout = Some(Span::from_millis(500));
    let edge = Edge { timeout, retry, ..Edge::new(ServiceId(0)) };
    let work = Law::Fixed(Span::from_millis(10));
    let mut model = Model {
        services: vec![Service::new("api", 1.try_into().unwrap(), work)],
        clients: vec![Client::new("web", even(70.0), edge)],
        triggers: vec![stall("gc", 3_000)],
        ..Model::empty(Span::from_secs(10), Span::from_millis(500))
    };
    change(&mut model);
    model
}

fn even(per_second: f64) -> Arrivals {
    Arrivals::Even(Rate::new(per_second).unwrap())
}

fn stall(name: &str, begins_ms: u64) -> Trigger {
    Trigger {
        name: name.to_owned(),
        instance: None,
        begins: Time::ZERO + Span::from_millis(begins_ms),
        lasts: Span::from_secs(1),
        disturbance: Disturbance::Stall { service: ServiceId(0) },
    }
}

pub(super) fn variants() -> Vec<(String, Model)> {
    let named = |name: &str, model| (name.to_owned(), model);
    vec![
        named("3 retries", storm(|_| {})),
        named("no retries", storm(|model| model.clients[0].edge.retry = Retry::NEVER)),
        named(&"a name as long as the story of the outage ".repeat(5), storm(|_| {})),
        named("повторы <b>&amp; \u{0}control", storm(|model| model.clients[0].edge.timeout = None)),
        named("nobody comes", storm(|model| model.clients[0].arrivals = even(0.01))),
        named("one window", storm(|model| model.window = model.horizon)),
        named("windows by the thousand", storm(|model| model.window = Span::from_millis(3))),
        named("an end within a window", storm(|model| model.window = Span::from_millis(700))),
        named("nothing happens", storm(|model| model.triggers.clear())),
        named("stalls on stalls", {
            let names =
                ["gc", "deploy of the new version of everything", "x", "failover", "gc again"];
            storm(|model| {
                model.triggers =
                    (0..).zip(names).map(|(i, name)| stall(name, 2_000 + 400 * i)).collect();
            })
        }),
        named(
            "never answered",
            storm(|model| {
                model.services[0].service_time = Law::Fixed(Span::from_secs(86_400));
                model.services[0].workers = 1_000_000.try_into().unwrap();
                model.triggers.clear();
            }),
        ),
        named("refused at once", {
            storm(|model| {
                model.services[0].admission = Admission::Bounded { max_waiting: 5 };
                model.clients[0].edge.retry.max_retries = 500;
            })
        }),
    ]
}

pub(super) fn with_runs<T>(
    variants: &[(String, Model)],
    of: impl FnOnce(&[(&Model, &Run)]) -> T,
) -> T {
    let mut bench = Workbench::default();
    let runs: Vec<Run> = variants.iter().map(|(name, model)| bench.run(name, model, 1)).collect();
    let pairs: Vec<(&Model, &Run)> = variants.iter().map(|(_, model)| model).zip(&runs).collect();
    of(&pairs)
}

/// The storm's service calls `calls`, each of which call the last; the bottom is as slow as the top.
pub(super) fn calling(calls: u16, change: impl FnOnce(&mut Model)) -> Model {
    storm(|model| {
        let edge = model.clients[0].edge.clone();
        let call = |to: u16| {
            InnerCall::new(&format!("call {to}"), Edge { to: ServiceId(to), ..edge.clone() })
        };
        for id in 1..=calls + 1 {
            let name = format!("{id}, a service with a name as long as its story");
            let mut service =
                Service::new(&name, 1.try_into().unwrap(), Law::Fixed(Span::from_millis(1)));
            if id <= calls {
                service.calls.list = vec![call(calls + 1)];
            }
            model.services.push(service);
        }
        model.services[0].calls.list = (1..=calls).map(call).collect();
        model.triggers.push(stall("a failover that takes longer than anybody had thought", 5_000));
        change(model);
    })
}

/// Graphs, and the services of the first of each.
fn graphs() -> Vec<(&'static str, Chart)> {
    let named = |name: &str, model| (name.to_owned(), model);
    let chain = |length: u16| {
        storm(|model| {
            for id in 0..length {
                let next = InnerCall::new("next", Edge::new(ServiceId(id + 1)));
                model.services[usize::from(id)].calls.list = vec![next];
                let law = Law::Fixed(Span::from_millis(1));
                model.services.push(Service::new(&format!("s{id}"), 1.try_into().unwrap(), law));
            }
        })
    };
    let crowd = calling(3, |model| {
        let client = model.clients[0].clone();
        model.clients.extend((0..4).map(|to| {
            let name = format!("client {to}");
            Client {
                name,
                edge: Edge { to: ServiceId(to), ..client.edge.clone() },
                ..client.clone()
            }
        }));
    });
    let twice = calling(1, |model| {
        let same = model.services[0].calls.list[0].clone();
        let again =
            ["again", "and again"].map(|name| InnerCall { name: name.to_owned(), ..same.clone() });
        model.services[0].calls.list.extend(again);
    });
    let silent = calling(2, |model| model.clients[0].arrivals = even(0.01));
    let stories = [
        ("chains", vec![named("three", chain(3)), named("ten", chain(10)), named("two", chain(2))]),
        ("a fan", vec![named(&"fourteen at once ".repeat(9), calling(14, |_| {}))]),
        ("a crowd", vec![named("base", crowd)]),
        ("calls twice", vec![named("base", twice), named("nobody comes", silent)]),
    ];
    let mut charts = Vec::new();
    for (name, variants) in stories {
        with_runs(&variants, |runs| {
            charts.push((name, graph(name, runs).expect("services call each other")));
            charts.extend(services(name, runs[0]).map(|chart| (name, chart)));
            charts.extend(amplification(name, runs).map(|chart| (name, chart)));
        });
    }
    assert_eq!(charts.len(), 12);
    charts
}

fn number(value: f64) -> Coordinate {
    Coordinate { label: format!("{value}s"), number: Some(value) }
}

fn word(label: &str) -> Coordinate {
    Coordinate { label: label.to_owned(), number: None }
}

fn cell(variant: &str, at: Vec<Coordinate>, well: usize) -> CellOutcome {
    let verdicts = [Verdict::Recovered, Verdict::Metastable];
    CellOutcome {
        variant: variant.to_owned(),
        at,
        verdicts: (0..5).map(|seed| verdicts[usize::from(seed >= well)]).collect(),
        median_recovery_time_s: (well > 0).then_some(0.25 * well as f64),
        cut_short: 0,
    }
}

/// A grid of numbers whose upper right half does not recover, with one cell missing.
pub(super) fn grid(variant: &str, side: usize) -> Vec<CellOutcome> {
    let places = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    let cells = places.map(|(row, column)| {
        let well = (side + 2).saturating_sub(row + column).min(5);
        cell(variant, vec![number(row as f64), number(column as f64)], well)
    });
    cells.skip(1).collect()
}

pub(super) fn axes(of: &[&str]) -> Vec<String> {
    of.iter().map(|&path| path.to_owned()).collect()
}

fn charts() -> Vec<(&'static str, Chart)> {
    let all = variants();
    let mut charts = with_runs(&all, |runs| {
        vec![
            ("timeline of none", timeline("No runs", &[])),
            ("timeline of one", timeline("One", &runs[..1])),
            ("timeline of three", timeline("Three", &runs[1..4])),
            ("timeline of all", timeline(&"All of them in one chart. ".repeat(8), runs)),
            ("overlay of none", overlay("No runs", &[])),
            ("overlay of all", overlay("All of them in one plot", runs)),
            ("latencies of all", latency("All of them", runs).expect("some are answered")),
            ("latencies of one", latency("One", &runs[..1]).expect("some are answered")),
            ("timeline without an answer", timeline("Silence", &runs[10..11])),
            ("overlay without an answer", overlay("Silence", &runs[10..11])),
        ]
    });
    let both = axes(&["clients.web.load", "triggers.gc.stall.lasts"]);
    let many = (0..7).flat_map(|n| grid(&format!("variant {n}"), 4)).collect::<Vec<_>>();
    let long = |n: usize| format!("{} {n}", "a variant with a name of many words".repeat(n + 1));
    let named = (0..5).flat_map(|n| grid(&long(n), 4)).collect::<Vec<_>>();
    let words = [
        "never",
        "exponential with full jitter, up to a cap of two seconds, at most ten times",
        "fixed",
    ];
    let worded = (0..9).map(|n| cell("base", vec![word(words[n / 3]), word(words[n % 3])], n % 6));
    let further = (0..12).map(|n| {
        let n_s = n as f64;
        cell(
            "base",
            vec![number(n_s % 2.0), number(n_s % 3.0), word(if n < 6 { "a" } else { "b" })],
            n % 6,
        )
    });
    let line = |variants: usize| {
        let places = (0..variants).flat_map(|variant| (0..30).map(move |place| (variant, place)));
        let cells = places.map(|(variant, place)| {
            cell(&format!("v{variant}"), vec![number(place as f64)], place % 6)
        });
        cells.collect::<Vec<_>>()
    };
    charts.extend([
        ("map of nothing", heat_map("No cells", &both, &[])),
        ("map without axes", heat_map("Rows", &[], &[cell("a", vec![], 3), cell("b", vec![], 0)])),
        (
            "map of a cell",
            heat_map("One cell", &both, &[cell("a", vec![number(1.0), number(2.0)], 5)]),
        ),
        ("map", heat_map("A grid", &both, &grid("base", 8))),
        ("maps", heat_map("Grids", &both, &many)),
        ("maps with long names", heat_map("Grids", &both, &named)),
        ("fine map", heat_map("A fine grid", &both, &grid("base", 30))),
        ("map of words", heat_map("Words", &both, &worded.collect::<Vec<_>>())),
        (
            "map in three axes",
            heat_map("Three", &axes(&["a.b", "c.d", "e"]), &further.collect::<Vec<_>>()),
        ),
        ("dots of nothing", heat_map("No cells", &both[..1], &[])),
        ("dots", heat_map("Dots", &both[..1], &line(3))),
        ("map of many variants", heat_map("Rows", &both[..1], &line(9))),
    ]);
    charts.extend(graphs());
    charts.extend(super::looks_of_states::charts());
    charts
}

/// The size of a chart, and every text of it with the box around its letters.
pub(super) fn rendered(chart: &Chart) -> (usvg::Size, Vec<(String, usvg::Rect)>) {
    fn collect(group: &usvg::Group, found: &mut Vec<(String, usvg::Rect)>) {
        for node in group.children() {
            match node {
                usvg::Node::Group(inner) => collect(inner, found),
                usvg::Node::Text(text) => {
                    let words: String = text.chunks().iter().map(usvg::TextChunk::text).collect();
                    found.push((words, text.flattened().abs_bounding_box()));
                }
                usvg::Node::Path(_) | usvg::Node::Image(_) => {}
            }
        }
    }
    let tree = usvg::Tree::from_str(chart.svg(), &options()).unwrap();
    let mut found = Vec::new();
    collect(tree.root(), &mut found);
    (tree.size(), found)
}

#[test]
fn no_text_touches_another_or_leaves_the_chart() {
    for (name, chart) in charts() {
        let (size, texts) = rendered(&chart);
        assert!(!texts.is_empty(), "{name}");
        for (index, (text, place)) in texts.iter().enumerate() {
            let inside = place.left() >= 0.0
                && place.top() >= 0.0
                && place.right() <= size.width()
                && place.bottom() <= size.height();
            assert!(inside, "{name}: {text:?} leaves the chart: {place:?}");
            for (other, theirs) in &texts[..index] {
                let apart = place.left() >= theirs.right()
                    || theirs.left() >= place.right()
                    || place.top() >= theirs.bottom()
                    || theirs.top() >= place.bottom();
                assert!(apart, "{name}: {text:?} touches {other:?}");
            }
        }
    }
}

#[test]
fn the_same_results_give_the_same_bytes() {
    for ((name, first), (_, second)) in charts().into_iter().zip(charts()) {
        assert_eq!(first.svg(), second.svg(), "{name}");
    }
}

/// Rendering is slow without optimisation: a chart of a heading alone is enough to tell.
#[test]
fn a_png_is_twice_as_large_as_its_svg_and_the_same_each_time() {
    let chart = overlay("Nothing but a heading", &[]);
    let png = chart.png().unwrap();
    assert_eq!(png, chart.png().unwrap());
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert_eq!(f64::from(width), 2.0 * theme::WIDTH);
}

/// The colour, and the dashes as stretches from the tick's beginning, of the line beside each label
/// of an overlay of so many runs.
fn ticks(runs: usize) -> Vec<(usvg::Paint, Vec<[i64; 2]>)> {
    let variants: Vec<_> = (0..runs).map(|n| (format!("variant {n}"), storm(|_| {}))).collect();
    let chart = with_runs(&variants, |runs| overlay("Many", runs));
    let tree = usvg::Tree::from_str(chart.svg(), &options()).unwrap();
    let mut strokes = Vec::new();
    let mut groups = vec![tree.root()];
    while let Some(group) = groups.pop() {
        for node in group.children() {
            match node {
                usvg::Node::Group(inner) => groups.push(inner),
                usvg::Node::Path(path) => {
                    let pen = path.stroke();
                    strokes.extend(pen.map(|pen| (pen.paint(), path.abs_bounding_box())));
                }
                usvg::Node::Text(_) | usvg::Node::Image(_) => {}
            }
        }
    }
    let labels = rendered(&chart).1.into_iter().filter(|(text, _)| text.starts_with("variant "));
    let tick = |(_, label): (String, usvg::Rect)| {
        let begins = label.left() - 6.0 - theme::TICK as f32 - 2.0;
        let beside = strokes.iter().filter(|(_, place)| {
            let level = place.top() == place.bottom()
                && (label.top()..label.bottom() + 4.0).contains(&place.top());
            level && begins <= place.left() && place.right() <= label.left()
        });
        let dash = |place: &usvg::Rect| [place.left(), place.right()].map(|x| (x - begins) as i64);
        let dashes = beside.clone().map(|(_, place)| dash(place)).collect();
        (beside.map(|(paint, _)| (*paint).clone()).next().expect("a label has a tick"), dashes)
    };
    labels.map(tick).collect()
}

#[test]
fn no_two_lines_of_an_overlay_look_alike() {
    let kinds = theme::SERIES.len() * theme::PATTERNS.len();
    let ticks = ticks(kinds);
    assert_eq!(ticks.len(), kinds);
    for (index, tick) in ticks.iter().enumerate() {
        assert!(!ticks[..index].contains(tick), "variant {index}: {tick:?}");
    }
}

#[test]
fn widths_are_those_that_are_drawn() {
    let title = "Three immediate retries keep a stalled service down, 0123456789";
    let chart = heat_map(title, &[], &[]);
    let (_, drawn) = rendered(&chart).1.into_iter().find(|(text, _)| text.trim() == title).unwrap();
    let measured = super::font::width(title, theme::TITLE);
    // Kerning, which only the renderer knows, and the white beside the outermost letters.
    assert!(
        (f64::from(drawn.width()) / measured - 1.0).abs() < 0.02,
        "{} {measured}",
        drawn.width()
    );
}

#[test]
fn text_can_be_read_on_every_share() {
    for step in 0..=20 {
        let colour = super::ramp::colour(f64::from(step) / 20.0);
        let ink = colour.best_of([theme::INK, theme::PAPER]);
        assert!(colour.contrast(ink) >= 4.5, "{step}: {}", colour.contrast(ink));
    }
    for ink in
        [theme::INK, theme::MUTED, theme::WELL, theme::UNWELL, theme::TRIGGER_INK, theme::WAITING]
    {
        assert!(theme::PAPER.contrast(ink) >= 4.5, "{ink:?}");
    }
}

/// The whole of a small chart, so that a change of its looks is seen by whoever makes it.
#[test]
fn a_small_map_stays_as_it_is() {
    let chart = heat_map("A grid", &axes(&["clients.web.load", "horizon"]), &grid("base", 2));
    let svg = chart.svg();
    let (head, rest) = svg.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{head}{body}"));
}
