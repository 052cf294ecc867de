//! One worker with a short queue, and clients who come again: the retrial queue.
//!
//! Whoever finds the queue full is refused at once, waits for an exponential time, and asks again, until
//! he is let in; those who wait so are the *orbit* (G. I. Falin, J. G. C. Templeton, "Retrial Queues",
//! 1997). Work may take longer the more wait when it begins, as with [`Backlog`]: a full queue is then
//! served slowly, those whom it refuses keep it full, and the system has a bad state beside its good one.
//! A [`Model`](crate::model::Model) says the same of one worker with exponential work, a bounded queue,
//! patience without end and unlimited retries with `jitter = "exponential"`.

use super::Chain;
use crate::policy::slowdown::Backlog;

/// Who comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sources {
    /// Anybody, independently: so many per second, of whom those are lost that find so many in the orbit.
    Open {
        /// Arrivals per second.
        rate: f64,
        /// The most that can be in the orbit.
        orbit: usize,
    },
    /// A closed loop: so many users, each of whom thinks for an exponential time after an answer.
    Users {
        /// How many.
        count: usize,
        /// How often one who thinks sends, per second.
        rate: f64,
    },
}

/// The model. Rates are per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrialQueue {
    /// Who comes.
    pub sources: Sources,
    /// How many can be present, the one in service counted; at least one.
    pub places: usize,
    /// How fast the worker works while nobody waits.
    pub service: f64,
    /// By what work takes longer that begins while others wait; none for not at all.
    pub slowdown: Option<Backlog>,
    /// How often each in the orbit asks again.
    pub retrial: f64,
}

/// Who is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// How many are present, the one in service counted.
    pub present: usize,
    /// How many waited when the work under way began; zero if nothing is under way, or if nothing depends
    /// on it.
    pub begun: usize,
    /// How many are in the orbit.
    pub orbit: usize,
}

/// The chain of a [`RetrialQueue`], its states numbered orbit by orbit.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The chain.
    pub chain: Chain,
    /// What each of its states means.
    pub crowds: Vec<Crowd>,
}

impl RetrialQueue {
    /// Its chain.
    ///
    /// # Panics
    /// If there is no place, or a rate is no number from zero up.
    pub fn solve(&self) -> Solution {
        assert!(self.places > 0, "without a place nobody is served");
        let block = 1 + self.places * self.paces();
        let crowds: Vec<Crowd> =
            (0..=self.most_in_orbit()).flat_map(|orbit| self.with_orbit(orbit)).collect();
        // From one orbit to the next, and anywhere within both.
        let mut chain = Chain::new(crowds.len(), 2 * block);
        let find = |crowd: Crowd| {
            let near = crowds.partition_point(|other| other.orbit < crowd.orbit);
            near + crowds[near..]
                .iter()
                .position(|other| *other == crowd)
                .expect("a crowd of the chain")
        };
        for (state, &crowd) in crowds.iter().enumerate() {
            for (to, rate) in self.steps(crowd) {
                chain.add(state, find(to), rate);
            }
        }
        Solution { chain, crowds }
    }

    /// How many numbers of those who waited when work began make a difference.
    const fn paces(&self) -> usize {
        if self.slowdown.is_some() { self.places } else { 1 }
    }

    fn most_in_orbit(&self) -> usize {
        match self.sources {
            Sources::Open { orbit, .. } => orbit,
            Sources::Users { count, .. } => count.saturating_sub(1),
        }
    }

    /// How many can be present and in the orbit together.
    fn most(&self) -> usize {
        match self.sources {
            Sources::Open { orbit, .. } => self.places + orbit,
            Sources::Users { count, .. } => count,
        }
    }

    fn with_orbit(&self, orbit: usize) -> impl Iterator<Item = Crowd> + use<> {
        let most = self.places.min(self.most() - orbit);
        // Fewer may have waited then than do now, or more.
        let paces = self.paces();
        let busy = (1..=most)
            .flat_map(move |present| (0..paces).map(move |begun| Crowd { present, begun, orbit }));
        std::iter::once(Crowd { present: 0, begun: 0, orbit }).chain(busy)
    }

    /// How often fresh ones come.
    fn arrival_rate(&self, crowd: Crowd) -> f64 {
        match self.sources {
            Sources::Open { rate, .. } => rate,
            Sources::Users { count, rate } => (count - crowd.present - crowd.orbit) as f64 * rate,
        }
    }

    /// Where a crowd goes next, and at which rate.
    fn steps(&self, crowd: Crowd) -> Vec<(Crowd, f64)> {
        let Crowd { present, begun, orbit } = crowd;
        let mut steps = Vec::new();
        let arrives = self.arrival_rate(crowd);
        let admitted = Crowd { present: present + 1, ..crowd };
        if present < self.places {
            steps.push((admitted, arrives));
            if orbit > 0 {
                steps.push((Crowd { orbit: orbit - 1, ..admitted }, orbit as f64 * self.retrial));
            }
        } else if orbit < self.most_in_orbit() {
            steps.push((Crowd { orbit: orbit + 1, ..crowd }, arrives));
        }
        if present > 0 {
            let factor = self.slowdown.map_or(1.0, |law| law.factor(begun));
            // The next one begins while all the others wait.
            let begun = present.saturating_sub(2).min(self.paces() - 1);
            steps.push((Crowd { present: present - 1, begun, orbit }, self.service / factor));
        }
        steps.retain(|(_, rate)| *rate > 0.0);
        steps
    }
}

impl Solution {
    /// The number of the state in which these are so.
    pub fn state(&self, crowd: Crowd) -> Option<usize> {
        self.crowds.iter().position(|other| *other == crowd)
    }

    /// The mean of something over the long run.
    pub fn mean(&self, of: impl Fn(Crowd) -> f64) -> f64 {
        let shares = self.chain.stationary();
        shares.into_iter().zip(&self.crowds).map(|(share, &crowd)| share * of(crowd)).sum()
    }

    /// The mean time in seconds from `from` to the first crowd that `is_there`; none if there is no such
    /// crowd as `from`.
    pub fn mean_time(&self, from: Crowd, is_there: impl Fn(Crowd) -> bool) -> Option<f64> {
        let times = self.chain.mean_time_to(|state| is_there(self.crowds[state]));
        Some(times[self.state(from)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: Crowd = Crowd { present: 0, begun: 0, orbit: 0 };

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
    }

    fn classical(load: f64, retrial: f64) -> Solution {
        let sources = Sources::Open { rate: load, orbit: 400 };
        RetrialQueue { sources, places: 1, service: 1.0, slowdown: None, retrial }.solve()
    }

    /// Falin and Templeton, section 1.2: the mean orbit of M/M/1 with retrials is
    /// load (arrival rate + load x retrial rate) / ((1 - load) retrial rate), and the worker is busy for
    /// the share `load` of the time.
    #[test]
    fn the_classical_retrial_queue_is_its_closed_form() {
        for (load, retrial) in [(0.3, 0.1), (0.5, 1.0), (0.7, 5.0), (0.8, 0.5)] {
            let solution = classical(load, retrial);
            close(solution.mean(|crowd| crowd.present as f64), load);
            let orbit = load * (load + load * retrial) / ((1.0 - load) * retrial);
            close(solution.mean(|crowd| crowd.orbit as f64), orbit);
        }
    }

    /// The share of time with nobody at all: (1 - load)^(arrival rate / retrial rate + 1).
    #[test]
    fn it_is_empty_as_often_as_by_the_book() {
        let shares = classical(0.6, 0.4).chain.stationary();
        close(shares[0], libm::pow(0.4, 0.6 / 0.4 + 1.0));
    }

    /// Who comes again so soon that no other gets a free place before waits in a queue but for his name:
    /// M/M/1, with load / (1 - load) there on average.
    #[test]
    fn those_who_come_again_at_once_are_a_queue() {
        let solution = classical(0.6, 1e9);
        let there = solution.mean(|crowd| (crowd.present + crowd.orbit) as f64);
        assert!((there / 1.5 - 1.0).abs() < 1e-6, "{there}");
    }

    /// With room for all users nobody is ever refused: M/M/1//N, the machine repairman.
    #[test]
    fn with_room_for_all_it_is_the_machine_repairman() {
        let sources = Sources::Users { count: 4, rate: 0.5 };
        let model = RetrialQueue { sources, places: 4, service: 1.0, slowdown: None, retrial: 1.0 };
        let solution = model.solve();
        let weights: Vec<f64> = (0..=4)
            .scan(1.0, |weight, present| {
                let here = *weight;
                *weight *= 0.5 * f64::from(4 - present);
                Some(here)
            })
            .collect();
        let sum: f64 = weights.iter().sum();
        for (present, weight) in weights.iter().enumerate() {
            let share = solution.mean(|crowd| f64::from(u8::from(crowd.present == present)));
            close(share, weight / sum);
        }
    }

    /// Slow work and clients who come again make two states of one load: from the full one it takes far
    /// longer back than without the slowness, and from the empty one it takes long to get there.
    #[test]
    fn a_queue_that_slows_down_has_two_states() {
        let model = |slowdown| RetrialQueue {
            sources: Sources::Users { count: 40, rate: 1.0 },
            places: 6,
            service: 100.0,
            slowdown,
            retrial: 4.0,
        };
        let full = Crowd { present: 6, begun: 0, orbit: 34 };
        let back =
            |slowdown| model(slowdown).solve().mean_time(full, |crowd| crowd == NOBODY).unwrap();
        let (plain, slow) = (back(None), back(Some(Backlog::new(2.0, 1).unwrap())));
        assert!(plain < 2.0 && slow > 20.0 * plain, "{plain} {slow}");
        let collapse = model(Some(Backlog::new(2.0, 1).unwrap())).solve();
        let up = collapse.mean_time(NOBODY, |crowd| crowd.orbit >= 10).unwrap();
        assert!(up > 1.0, "{up}");
    }
}
