//! `metastable report`: everything about a scenario on one page.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args as Arguments;
use metastable::experiment::{Cell, Done, Engine, Run, Summary, replicate, sweep_keeping};
use metastable::report::html::{CellTimeline, Grid, Origin, Report};

use super::exit::Exit;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::journal::{Journal, Talk};
use super::options::Options;
use super::output::{self, Files, refuse_unwritable_file, say, spare};
use super::progress::Progress;
use super::seeds::Seeds;
use super::story::{Source, model_of, stem, subjects};

/// Write a page with everything about a scenario: verdict, charts, heat map
#[derive(Debug, Arguments)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    seeds: Seeds,
    #[command(flatten)]
    talk: Talk,
    /// The page, which needs nothing beside it [default: the scenario's name
    /// with .html, in the current folder]
    #[arg(short, long, value_name = "FILE", value_parser = parse_page)]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
The page is one file: send it, attach it, open it anywhere. Its timelines zoom,
and a cell of its heat map opens the timeline behind it. The first variant that
is asked for is explained; charts show the first seed.

Examples:
  metastable report storm.toml
  metastable report headroom.toml -o report.html
  metastable report storm.toml --variant 'no retries' --seeds 20";

fn parse_page(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Ok(path),
        Some(_) | None => Err("the name must end in .html".to_owned()),
    }
}

pub(super) fn report(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let page = args.page();
    refuse_unwritable_file("-o", &page)?;
    let story = args.source.read()?;
    spare("-o", &page, &story)?;
    let variants = args.source.pick(&story, options)?;
    let subjects = subjects(&variants);
    let seeds = args.seeds.or(story.seed, 1);
    let picked = |cell: &&Cell| variants.iter().any(|variant| variant.name == cell.variant);
    let cells: Vec<Cell> =
        story.sweep.iter().flat_map(|sweep| &sweep.cells).filter(picked).cloned().collect();
    let seeds_of_cells = args.seeds.or(story.seed, story.sweep.as_ref().map_or(1, |s| s.seeds));

    let interrupt = Interrupt::listen()?;
    let count = |seeds: &Range<u64>, of: usize| (seeds.end - seeds.start) * of as u64;
    let all = count(&seeds, subjects.len()) + count(&seeds_of_cells, cells.len());
    let journal = Journal::new(Progress::over(all, options), Engine::default(), &args.talk);
    let kept = replicate(&subjects, seeds.clone(), interrupt.stop(), |run: Run| {
        journal.ran(&run, model_of(&subjects, &run));
        let first = (run.seed == seeds.start).then(|| run.clone());
        (Summary::from(run), first)
    });
    let (summaries, firsts): (Vec<Summary>, Vec<Option<Run>>) =
        kept.ok_or(Failure::Interrupted)?.into_iter().unzip();
    let runs: Vec<Run> = firsts.into_iter().flatten().collect();
    let timeline = |cell: &Cell, run: &Run| CellTimeline::of(&cell.model, run, cells.len());
    let axes = story.sweep.as_ref().map_or(&[][..], |sweep| &sweep.axes);
    let step = |done: Done<'_>| journal.done(done, axes);
    let outcomes = sweep_keeping(&cells, seeds_of_cells, interrupt.stop(), step, timeline);
    let (outcomes, timelines): (Vec<_>, Vec<_>) =
        outcomes.ok_or(Failure::Interrupted)?.into_iter().unzip();
    drop(journal);

    let grid = story.sweep.as_ref().filter(|_| !outcomes.is_empty());
    let is_changed = |name: &String| {
        grid.is_some_and(|sweep| sweep.axes.iter().any(|axis| story.is_changed(name, axis)))
    };
    let names = variants.iter().map(|variant| variant.name.clone());
    let changed: Vec<String> = names.filter(is_changed).collect();
    let grid = grid.map(|sweep| Grid {
        axes: &sweep.axes,
        cells: &outcomes,
        timelines: &timelines,
        changed: &changed,
    });
    let file = args.source.file.display().to_string();
    let report = Report {
        title: &story.title,
        subjects: &subjects,
        seeds,
        summaries: &summaries,
        runs: &runs,
        grid,
        origin: Origin {
            file: &file,
            text: story.text(),
            overrides: args.source.overrides(),
            arguments: &args.repeated(),
        },
    };
    let mut files = Files::default();
    files.add_at(&page, report.page().into_bytes());
    interrupt.close()?;
    output::save(&files)?;
    if !options.quiet {
        say(&page.display().to_string());
    }
    Ok(Exit::Done)
}

impl Args {
    fn page(&self) -> PathBuf {
        let usual = || PathBuf::from(format!("{}.html", stem(&self.source.file)));
        self.output.clone().unwrap_or_else(usual)
    }

    /// What chose variants and the number of seeds, as it was typed.
    fn repeated(&self) -> Vec<String> {
        let variants = self.source.variant.iter();
        let mut arguments: Vec<String> =
            variants.flat_map(|name| ["--variant".to_owned(), name.clone()]).collect();
        if let Some(count) = self.seeds.count() {
            arguments.extend(["--seeds".to_owned(), count.to_string()]);
        }
        arguments
    }
}
