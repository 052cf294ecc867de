//! A Markov chain in continuous time with finitely many states.
//!
//! Everything is solved by taking out one state after the other without ever subtracting (W. K.
//! Grassmann, M. I. Taksar, D. P. Heyman, "Regenerative analysis and steady state distributions for
//! Markov chains", Operations Research 33, 1985): each number is right in nearly all of its digits
//! however small it is, and what happens once in a million years is as exact as what happens always.
//! Rates are kept in a band around the diagonal, so that the work grows with the number of states and
//! not with its cube: number states so that those which lead to each other are near each other.

/// A chain with states 0, 1, 2, …, and rates per second between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    states: usize,
    band: usize,
    /// Row by row, `2 band + 1` rates each, the state itself in the middle.
    rates: Vec<f64>,
}

impl Chain {
    /// `states` states, none of which leads anywhere yet; those that will lead to each other have numbers
    /// at most `band` apart.
    pub fn new(states: usize, band: usize) -> Self {
        let band = band.min(states.saturating_sub(1));
        Self { states, band, rates: vec![0.0; states * (2 * band + 1)] }
    }

    /// How many states there are.
    pub const fn states(&self) -> usize {
        self.states
    }

    /// Adds `rate` per second to what leads from `from` to `to`; a rate of zero adds nothing.
    ///
    /// # Panics
    /// If a state is none of the chain's, the two are further apart than the band or the same, or the rate
    /// is no number from zero up.
    pub fn add(&mut self, from: usize, to: usize, rate: f64) {
        assert!(rate.is_finite() && rate >= 0.0, "a rate of {rate}");
        assert!(from < self.states && to < self.states && from != to, "from {from} to {to}");
        assert!(from.abs_diff(to) <= self.band, "from {from} to {to} is beyond the band");
        *self.rate_mut(from, to) += rate;
    }

    /// The rate per second from one state to another one within the band.
    fn rate(&self, from: usize, to: usize) -> f64 {
        self.rates[from * (2 * self.band + 1) + self.band + to - from]
    }

    fn rate_mut(&mut self, from: usize, to: usize) -> &mut f64 {
        &mut self.rates[from * (2 * self.band + 1) + self.band + to - from]
    }

    /// The first state that can lead to `state` or be led to from there.
    fn first_near(&self, state: usize) -> usize {
        state.saturating_sub(self.band)
    }

    fn near(&self, state: usize) -> impl Iterator<Item = usize> + use<> {
        let last = (state + self.band).min(self.states - 1);
        (self.first_near(state)..=last).filter(move |&other| other != state)
    }

    /// The share of time that is spent in each state in the long run.
    ///
    /// # Panics
    /// If some state is never come back to: such a chain has no long run of its own.
    pub fn stationary(&self) -> Vec<f64> {
        let mut left = self.clone();
        for state in (1..self.states).rev() {
            let out: f64 = (left.first_near(state)..state).map(|to| left.rate(state, to)).sum();
            assert!(out > 0.0, "from state {state} nothing leads back");
            left.take_out(state, out);
        }
        let mut shares = vec![1.0];
        for state in 1..self.states {
            let from = self.first_near(state)..state;
            shares.push(from.map(|other| shares[other] * left.rate(other, state)).sum());
        }
        let sum: f64 = shares.iter().sum();
        shares.iter().map(|share| share / sum).collect()
    }

    /// The mean time in seconds from each state to the first one that `is_target`; infinite from where
    /// none of them can be reached, and zero from within.
    pub fn mean_time_to(&self, is_target: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut left = self.clone();
        // What leads into the target, and for how many stays in its state each visit counts.
        let mut into = vec![0.0; self.states];
        let mut stays = vec![1.0; self.states];
        for state in (0..self.states).filter(|&state| !is_target(state)) {
            into[state] =
                self.near(state).filter(|&to| is_target(to)).map(|to| self.rate(state, to)).sum();
        }
        let kept: Vec<bool> = (0..self.states).map(|state| !is_target(state)).collect();
        let mut out = vec![0.0; self.states];
        for state in (0..self.states).rev().filter(|&state| kept[state]) {
            let before = (left.first_near(state)..state).filter(|&to| kept[to]);
            out[state] = into[state] + before.map(|to| left.rate(state, to)).sum::<f64>();
            if out[state] == 0.0 {
                continue;
            }
            left.take_out(state, out[state]);
            for from in (left.first_near(state)..state).filter(|&from| kept[from]) {
                let share = left.rate(from, state);
                into[from] += share * into[state];
                stays[from] += share * stays[state];
            }
        }
        let mut times = vec![0.0; self.states];
        for state in (0..self.states).filter(|&state| kept[state]) {
            let before = (left.first_near(state)..state)
                .filter(|&to| kept[to] && left.rate(state, to) > 0.0);
            let sum: f64 = before.map(|to| left.rate(state, to) * times[to]).sum();
            times[state] =
                if out[state] > 0.0 { (stays[state] + sum) / out[state] } else { f64::INFINITY };
        }
        times
    }

    /// Takes `state` out, which is left at the rate `out`: whoever led to it leads to where it leads. What
    /// led to it becomes its share in `out`.
    fn take_out(&mut self, state: usize, out: f64) {
        let before = self.first_near(state)..state;
        for from in before.clone() {
            let share = self.rate(from, state) / out;
            *self.rate_mut(from, state) = share;
            if share == 0.0 {
                continue;
            }
            for to in before.clone().filter(|&to| to != from) {
                let through = share * self.rate(state, to);
                *self.rate_mut(from, to) += through;
            }
        }
    }

    /// The chance that some state that `is_target` is met within `seconds`, from `from` on. By
    /// uniformisation (A. Jensen, "Markoff chains as an aid in the study of Markoff processes",
    /// Skandinavisk Aktuarietidskrift 36, 1953).
    pub fn chance_within(
        &self,
        seconds: f64,
        from: usize,
        is_target: impl Fn(usize) -> bool,
    ) -> f64 {
        let out = |state: usize| -> f64 { self.near(state).map(|to| self.rate(state, to)).sum() };
        let fastest = (0..self.states).map(out).fold(0.0, f64::max);
        if is_target(from) || fastest == 0.0 || seconds <= 0.0 {
            return f64::from(u8::from(is_target(from)));
        }
        let mut place = vec![0.0; self.states];
        place[from] = 1.0;
        let (mut met, mut chance) = (0.0, 0.0);
        for weight in poisson(fastest * seconds) {
            chance += weight * met;
            let mut next = vec![0.0; self.states];
            for state in (0..self.states).filter(|&state| place[state] > 0.0) {
                next[state] += place[state] * (1.0 - out(state) / fastest);
                for to in self.near(state) {
                    next[to] += place[state] * self.rate(state, to) / fastest;
                }
            }
            for state in (0..self.states).filter(|&state| is_target(state)) {
                met += std::mem::take(&mut next[state]);
            }
            place = next;
        }
        chance
    }
}

/// The chances of 0, 1, 2, … events where `mean` are expected, as far as they matter. From the most likely
/// number on both ways, and then so that they sum to one: the chance of none may be too small for a
/// float.
fn poisson(mean: f64) -> Vec<f64> {
    let most_likely = mean as usize;
    let last = (mean + 12.0 * mean.sqrt() + 30.0) as usize;
    let mut weights = vec![0.0; last + 1];
    weights[most_likely] = 1.0;
    for number in (0..most_likely).rev() {
        weights[number] = weights[number + 1] * (number + 1) as f64 / mean;
    }
    for number in most_likely + 1..=last {
        weights[number] = weights[number - 1] * mean / number as f64;
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::super::birth_death;
    use super::*;

    fn queue(places: usize, load: f64) -> Chain {
        let mut chain = Chain::new(places + 1, 1);
        for present in 0..places {
            chain.add(present, present + 1, load);
            chain.add(present + 1, present, 1.0);
        }
        chain
    }

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found}, not {expected}");
    }

    #[test]
    fn a_bounded_queue_is_its_closed_form() {
        for (places, load) in [(1, 2.0), (4, 1.0), (10, 0.3), (60, 0.5), (60, 1.7)] {
            let (chain, theory) = (queue(places, load), birth_death::shares(places, load));
            for (found, expected) in chain.stationary().into_iter().zip(theory) {
                close(found, expected);
            }
            let up = birth_death::mean_time_up(places, load, 1.0);
            close(chain.mean_time_to(|present| present == places)[0], up);
            let down = birth_death::mean_time_down(places, load, 1.0);
            close(chain.mean_time_to(|present| present == 0)[places], down);
        }
    }

    /// Once in 10^17 units of time, which no sum with a minus in it would find.
    #[test]
    fn what_hardly_ever_happens_is_exact() {
        let time = queue(60, 0.5).mean_time_to(|present| present == 60)[0];
        close(time, birth_death::mean_time_up(60, 0.5, 1.0));
        assert!(time > 1e18, "{time}");
    }

    /// Two states: in time t the other is met with chance 1 - exp(-rate t).
    #[test]
    fn chances_in_time() {
        let mut chain = Chain::new(2, 1);
        chain.add(0, 1, 0.25);
        for (seconds, expected) in [(1e-6, 0.25e-6), (4.0, 1.0 - libm::exp(-1.0)), (4e4, 1.0)] {
            let found = chain.chance_within(seconds, 0, |state| state == 1);
            assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
        }
        assert_eq!(chain.chance_within(1.0, 1, |state| state == 1), 1.0);
        assert_eq!(chain.chance_within(0.0, 0, |state| state == 1), 0.0);
    }

    /// A rare event comes after an exponential time, so that chance and mean time say the same.
    #[test]
    fn chance_and_mean_time_agree_on_rare_events() {
        let chain = queue(20, 0.5);
        let rate = 1.0 / chain.mean_time_to(|present| present == 20)[0];
        let chance = chain.chance_within(10_000.0, 0, |present| present == 20);
        assert!((chance / (rate * 10_000.0) - 1.0).abs() < 0.01, "{chance} {rate}");
    }

    #[test]
    fn from_where_nothing_leads_there_it_takes_for_ever() {
        let mut chain = Chain::new(3, 2);
        chain.add(1, 2, 2.0);
        assert_eq!(chain.mean_time_to(|state| state == 2), [f64::INFINITY, 0.5, 0.0]);
    }
}
