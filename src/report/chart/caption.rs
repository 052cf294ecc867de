//! A verdict in the words and the colour of a chart.

use crate::analysis::Verdict;
use crate::experiment::Run;
use crate::model::Model;

use super::canvas::{Anchor, Canvas, Lettering};
use super::colour::Colour;
use super::geometry::Point;
use super::ticks::short as seconds;
use super::{text, theme};

/// `recovered: back at second 14, 2 s after the trigger`.
pub(in crate::report) fn of(model: &Model, run: &Run) -> String {
    let assessment = &run.assessment;
    let verdict = assessment.verdict;
    let detail = match verdict {
        Verdict::Unaffected if model.disturbed_between().is_none() => {
            "nothing disturbs it".to_owned()
        }
        Verdict::Unaffected => "goodput holds throughout".to_owned(),
        Verdict::Recovered => {
            let back = assessment.back_at.map_or(0.0, |at| at.as_secs_f64());
            let ends = model.disturbed_between().map(|(_, ends)| ends);
            let is_on = assessment.back_at.zip(ends).is_some_and(|(back, ends)| back < ends);
            let after = match assessment.recovery_time {
                _ if is_on => "while the trigger is still on".to_owned(),
                Some(time) if !time.is_zero() => {
                    format!("{} s after the trigger", seconds(time.as_secs_f64()))
                }
                Some(_) | None => "as the trigger ends".to_owned(),
            };
            format!("back at second {}, {after}", seconds(back))
        }
        Verdict::Draining => match assessment.empty_at {
            Some(at) => format!("backlog gone about second {}", seconds(at.as_secs_f64().round())),
            None => "the backlog falls".to_owned(),
        },
        Verdict::Metastable => {
            format!("not back by second {}", seconds(model.horizon.as_secs_f64()))
        }
        Verdict::Overloaded if model.disturbed_between().is_none() => {
            "fails undisturbed".to_owned()
        }
        Verdict::Overloaded => "fails without a trigger too".to_owned(),
        Verdict::Undecided => "the run ends too soon".to_owned(),
    };
    match assessment.relapses {
        0 => format!("{verdict}: {detail}"),
        1 => format!("{verdict}: {detail}, 1 relapse"),
        n => format!("{verdict}: {detail}, {n} relapses"),
    }
}

/// `recovered: back at second 14`, where it stands beside others of its kind.
pub(super) fn short(model: &Model, run: &Run) -> String {
    match run.assessment.back_at {
        Some(back) => {
            format!("{}: back at second {}", run.assessment.verdict, seconds(back.as_secs_f64()))
        }
        None => of(model, run),
    }
}

/// The colour that goes with the words.
pub(in crate::report) const fn colour(verdict: Verdict) -> Colour {
    match verdict {
        Verdict::Unaffected | Verdict::Recovered => theme::WELL,
        Verdict::Metastable | Verdict::Overloaded => theme::UNWELL,
        Verdict::Draining | Verdict::Undecided => theme::MUTED,
    }
}

const NAME_LINE: f64 = 25.0;
const LINE: f64 = 22.0;

/// The top of a panel: whose it is, and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Head {
    name: Vec<String>,
    words: String,
    colour: Colour,
}

impl Head {
    /// In `room` pixels.
    pub(super) fn new(name: &str, model: &Model, run: &Run, room: f64) -> Self {
        Self {
            name: text::wrap(name, theme::HEADING, room, 2),
            words: text::fit(&of(model, run), theme::TEXT, room - 18.0),
            colour: colour(run.assessment.verdict),
        }
    }

    pub(super) fn height(&self) -> f64 {
        NAME_LINE * self.name.len() as f64 + LINE
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, (left, top): Point) {
        let mut baseline = top;
        for line in &self.name {
            baseline += NAME_LINE;
            let lettering = Lettering::new(theme::HEADING, theme::INK, Anchor::Start);
            canvas.text(line, (left, baseline - 6.0), lettering);
        }
        let middle = baseline + LINE / 2.0;
        canvas.dot((left + 5.0, middle), 5.0, self.colour);
        let lettering = Lettering::new(theme::TEXT, self.colour, Anchor::Start);
        canvas.text_beside(&self.words, (left + 18.0, middle), lettering);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Assessment;
    use crate::id::ServiceId;
    use crate::model::{Disturbance, Trigger};
    use crate::observe::Recording;
    use crate::time::{Span, Time};

    fn check(verdict: Verdict, change: impl FnOnce(&mut Assessment), expected: &str) {
        let stall = Trigger {
            name: "gc".to_owned(),
            instance: None,
            begins: Time::ZERO + Span::from_secs(10),
            lasts: Span::from_secs(2),
            disturbance: Disturbance::Stall { service: ServiceId(0) },
        };
        check_of(vec![stall], verdict, change, expected);
    }

    fn check_of(
        triggers: Vec<Trigger>,
        verdict: Verdict,
        change: impl FnOnce(&mut Assessment),
        expected: &str,
    ) {
        let empty = Model::empty(Span::from_secs(60), Span::from_secs(1));
        let model = Model { triggers, ..empty };
        let mut assessment =
            Assessment { verdict, back_at: None, recovery_time: None, relapses: 0, empty_at: None };
        change(&mut assessment);
        let recording = Recording::of(&model);
        let run = Run { variant: "base".to_owned(), seed: 1, assessment, recording };
        assert_eq!(of(&model, &run), expected);
    }

    #[test]
    fn every_verdict_says_when() {
        let second = |second| Some(Time::ZERO + Span::from_secs(second));
        check(Verdict::Unaffected, |_| {}, "unaffected: goodput holds throughout");
        let back = |after| {
            move |a: &mut Assessment| {
                a.back_at = second(14);
                a.recovery_time = Some(after);
            }
        };
        let late = "recovered: back at second 14, 2.5 s after the trigger";
        check(Verdict::Recovered, back(Span::from_millis(2_500)), late);
        check(
            Verdict::Recovered,
            back(Span::ZERO),
            "recovered: back at second 14, as the trigger ends",
        );
        let early = |a: &mut Assessment| {
            a.back_at = second(11);
            a.recovery_time = Some(Span::ZERO);
        };
        let still_on = "recovered: back at second 11, while the trigger is still on";
        check(Verdict::Recovered, early, still_on);
        check(
            Verdict::Draining,
            |a| a.empty_at = second(84),
            "draining: backlog gone about second 84",
        );
        check(Verdict::Metastable, |_| {}, "metastable: not back by second 60");
        check(
            Verdict::Metastable,
            |a| a.relapses = 2,
            "metastable: not back by second 60, 2 relapses",
        );
        check(Verdict::Overloaded, |_| {}, "overloaded: fails without a trigger too");
        check_of(Vec::new(), Verdict::Overloaded, |_| {}, "overloaded: fails undisturbed");
        check_of(Vec::new(), Verdict::Unaffected, |_| {}, "unaffected: nothing disturbs it");
        check(Verdict::Undecided, |_| {}, "undecided: the run ends too soon");
    }
}
