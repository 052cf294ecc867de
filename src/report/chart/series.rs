//! A run's windows as something that can be drawn.

use crate::observe::{Timeline, Window};
use crate::time::Span;

use super::activity::open_requests;
use super::geometry::{Area, Point};
use super::scale::Scale;

/// A quantity over a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Stretch {
    /// Where it begins, seconds.
    pub from: f64,
    /// Where it ends, seconds.
    pub to: f64,
    /// The mean of its windows.
    pub mean: f64,
    /// The least of its windows.
    pub low: f64,
    /// The greatest of its windows.
    pub high: f64,
}

/// A quantity over a run.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Series(pub Vec<Stretch>);

/// How many windows are drawn as one, so that a run has at most `most` stretches.
pub(super) fn windows_per_stretch(windows: usize, most: usize) -> usize {
    windows.div_ceil(most.max(1)).max(1)
}

impl Series {
    /// `quantity` of every window, given the window and its length in seconds; `together` windows
    /// make a stretch. A run may end within a window: the last one is as long as it was watched.
    pub(in crate::report) fn of(
        timeline: &Timeline,
        horizon: Span,
        together: usize,
        quantity: impl Fn(&Window, f64) -> f64,
    ) -> Self {
        Self::over(timeline.windows(), timeline.width(), horizon, together, quantity)
    }

    /// Requests that are open.
    pub(super) fn of_open(timeline: &Timeline, horizon: Span, together: usize) -> Self {
        let open = open_requests(timeline);
        Self::over(&open, timeline.width(), horizon, together, |open, _| *open as f64)
    }

    /// The same of anything that is seen in windows of `width`.
    pub(super) fn over<W>(
        windows: &[W],
        width: Span,
        horizon: Span,
        together: usize,
        quantity: impl Fn(&W, f64) -> f64,
    ) -> Self {
        let starts = |index: usize| width.saturating_mul(index as u64).min(horizon).as_secs_f64();
        let mut stretches = Vec::new();
        for (group, windows) in windows.chunks(together).enumerate() {
            let first = group * together;
            let (from, to) = (starts(first), starts(first + windows.len()));
            let (mut sum, mut low, mut high) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
            for (place, window) in windows.iter().enumerate() {
                let length = starts(first + place + 1) - starts(first + place);
                let value = quantity(window, length);
                sum += value * length;
                low = low.min(value);
                high = high.max(value);
            }
            stretches.push(Stretch { from, to, mean: sum / (to - from), low, high });
        }
        Self(stretches)
    }

    /// The greatest quantity drawn; 0 if nothing is.
    pub(in crate::report) fn top(&self) -> f64 {
        self.0.iter().map(|stretch| stretch.high).fold(0.0, f64::max)
    }

    /// What the means reach, but for the fortieth part of them that reach highest: a burst of a
    /// window or two must not press everything else against the axis.
    pub(super) fn usual_top(&self) -> f64 {
        let mut means: Vec<f64> = self.0.iter().map(|stretch| stretch.mean).collect();
        means.sort_by(f64::total_cmp);
        let usual = means.len() - means.len() / 40;
        means[..usual].last().copied().unwrap_or(0.0)
    }

    /// The outline: a step per stretch. A count belongs to its whole window, and a sloping line
    /// would say that goodput fell before the trigger began.
    pub(super) fn steps(&self, x: Scale, y: Scale, value: impl Fn(&Stretch) -> f64) -> Vec<Point> {
        self.0
            .iter()
            .flat_map(|stretch| {
                let height = y.at(value(stretch));
                [(x.at(stretch.from), height), (x.at(stretch.to), height)]
            })
            .collect()
    }

    /// The outline of the means in pieces, without the parts beyond the scale: a line along the
    /// frame would look like a quantity that stays there.
    pub(super) fn lines(&self, x: Scale, y: Scale) -> Vec<Vec<Point>> {
        let beyond = |stretch: &Stretch| stretch.mean > y.of[1];
        let mut lines = Vec::new();
        let mut line: Vec<Point> = Vec::new();
        for (place, stretch) in self.0.iter().enumerate() {
            let [from, to] = [x.at(stretch.from), x.at(stretch.to)];
            let height = y.at(stretch.mean);
            if beyond(stretch) {
                // Up to the frame where it leaves, and down from it where it comes back.
                if !line.is_empty() {
                    line.push((from, height));
                    lines.push(std::mem::take(&mut line));
                }
                if self.0.get(place + 1).is_some_and(|next| !beyond(next)) {
                    line.push((to, height));
                }
            } else {
                line.extend([(from, height), (to, height)]);
            }
        }
        lines.push(line);
        lines.retain(|line| line.len() > 1);
        lines
    }

    /// The area between the outline of the means and the bottom of `plot`.
    pub(super) fn filled(&self, plot: Area, x: Scale, y: Scale) -> Vec<Point> {
        let outline = self.steps(x, y, |stretch| stretch.mean);
        let (Some(first), Some(last)) = (outline.first(), outline.last()) else {
            return Vec::new();
        };
        let corners = [(last.0, plot.bottom()), (first.0, plot.bottom())];
        outline.iter().copied().chain(corners).collect()
    }

    /// The area between the greatest and the least window of every stretch.
    pub(super) fn envelope(&self, x: Scale, y: Scale) -> Vec<Point> {
        let above = self.steps(x, y, |stretch| stretch.high);
        let below = self.steps(x, y, |stretch| stretch.low);
        above.into_iter().chain(below.into_iter().rev()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ClientId;
    use crate::observe::{CallId, Fact, Observer};
    use crate::time::Time;

    /// Goodput's stand-in: so many arrivals in each window of a second, cut at `horizon_ms`.
    fn series(arrivals: &[usize], horizon_ms: u64, together: usize) -> Series {
        let mut timeline = Timeline::new(Span::from_secs(1));
        for (second, &count) in (0..).zip(arrivals) {
            for _ in 0..count {
                let arrived = Fact::Arrived { client: ClientId(0), call: CallId(0) };
                timeline.observe(Time::ZERO + Span::from_secs(second), arrived);
            }
        }
        let horizon = Span::from_millis(horizon_ms);
        timeline.finish(Time::ZERO + horizon);
        Series::of(&timeline, horizon, together, |window, length| window.arrivals as f64 / length)
    }

    fn means(series: &Series) -> Vec<(f64, f64, f64)> {
        series.0.iter().map(|stretch| (stretch.from, stretch.to, stretch.mean)).collect()
    }

    #[test]
    fn the_last_window_is_as_long_as_it_was_watched() {
        let series = series(&[10, 5], 1_500, 1);
        assert_eq!(means(&series), [(0.0, 1.0, 10.0), (1.0, 1.5, 10.0)]);
    }

    #[test]
    fn windows_drawn_as_one_keep_their_mean_and_their_extremes() {
        let series = series(&[4, 8, 1, 3, 7], 5_000, 2);
        assert_eq!(means(&series), [(0.0, 2.0, 6.0), (2.0, 4.0, 2.0), (4.0, 5.0, 7.0)]);
        assert_eq!((series.0[0].low, series.0[0].high), (4.0, 8.0));
        assert_eq!(windows_per_stretch(3_600, 500), 8);
        assert_eq!(windows_per_stretch(0, 500), 1);
    }

    #[test]
    fn a_mean_weighs_a_cut_window_by_its_length() {
        // 10 in a second and 10 in half a second are 20 in one and a half.
        let series = series(&[10, 10], 1_500, 2);
        assert!((series.0[0].mean - 20.0 / 1.5).abs() < 1e-12, "{series:?}");
    }

    #[test]
    fn a_line_leaves_at_the_frame_and_comes_back() {
        let x = Scale { of: [0.0, 5.0], onto: [0.0, 50.0] };
        let y = Scale { of: [0.0, 10.0], onto: [100.0, 0.0] };
        let check = |arrivals: &[usize], expected: &[&[Point]]| {
            let horizon_ms = 1_000 * arrivals.len() as u64;
            assert_eq!(series(arrivals, horizon_ms, 1).lines(x, y), expected, "{arrivals:?}");
        };
        check(&[5, 10], &[&[(0.0, 50.0), (10.0, 50.0), (10.0, 0.0), (20.0, 0.0)]]);
        check(
            &[5, 20, 30, 5],
            &[
                &[(0.0, 50.0), (10.0, 50.0), (10.0, 0.0)],
                &[(30.0, 0.0), (30.0, 50.0), (40.0, 50.0)],
            ],
        );
        check(&[20, 20], &[]);
    }

    #[test]
    fn a_burst_does_not_count_as_usual() {
        let mut arrivals = [5; 60];
        arrivals[30] = 90;
        let burst = series(&arrivals, 60_000, 1);
        assert_eq!((burst.top(), burst.usual_top()), (90.0, 5.0));
        let short = series(&arrivals[29..32], 3_000, 1);
        assert_eq!(short.usual_top(), 90.0);
        assert_eq!(series(&[], 0, 1).usual_top(), 0.0);
    }
}
