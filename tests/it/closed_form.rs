//! What queueing theory says, exactly: the yardstick that the engine is held against.
//!
//! Rates are per second, times in seconds. The stations without a law of their own in the name have
//! Poisson arrivals and exponential work; `offered` is arrival rate x mean work, in workers.

/// The share of arrivals that find every one of `workers` busy and are lost, where nobody may wait
/// (A. K. Erlang, 1917), by the recursion over the number of workers.
pub(crate) fn erlang_b(workers: u32, offered: f64) -> f64 {
    (1..=workers)
        .fold(1.0, |blocked, worker| offered * blocked / (f64::from(worker) + offered * blocked))
}

/// The share of arrivals that must wait, where everybody may.
pub(crate) fn erlang_c(workers: u32, offered: f64) -> f64 {
    let blocked = erlang_b(workers, offered);
    blocked / (1.0 - offered / f64::from(workers) * (1.0 - blocked))
}

/// Mean waiting time of M/M/c.
pub(crate) fn mmc_wait(workers: u32, arrival_rate: f64, work: f64) -> f64 {
    erlang_c(workers, arrival_rate * work) / (f64::from(workers) / work - arrival_rate)
}

/// Mean waiting time of M/G/1 from the mean work and its squared coefficient of variation
/// (Pollaczek and Khinchine, 1930): 0 for fixed work, 1 for exponential.
pub(crate) fn mg1_wait(arrival_rate: f64, work: f64, squared_variation: f64) -> f64 {
    let load = arrival_rate * work;
    load * work * (1.0 + squared_variation) / (2.0 * (1.0 - load))
}

/// M/M/1/K, in which at most `places` are present, the one in service included.
pub(crate) struct Mm1k {
    /// The share of arrivals that is refused.
    pub(crate) refused: f64,
    /// Mean waiting time of those let in.
    pub(crate) wait: f64,
}

impl Mm1k {
    pub(crate) fn new(places: u32, arrival_rate: f64, work: f64) -> Self {
        let load = arrival_rate * work;
        let weights: Vec<f64> = std::iter::successors(Some(1.0), |weight| Some(weight * load))
            .take(places as usize + 1)
            .collect();
        let total: f64 = weights.iter().sum();
        let refused = weights[places as usize] / total;
        let waiting: f64 =
            weights.iter().enumerate().skip(1).map(|(n, weight)| (n - 1) as f64 * weight).sum();
        // Little's law, for those let in.
        let wait = waiting / total / (arrival_rate * (1.0 - refused));
        Self { refused, wait }
    }
}

/// The yardstick against values that can be checked on paper.
#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} {expected}");
    }

    #[test]
    fn erlang_on_paper() {
        close(erlang_b(1, 1.0), 0.5);
        close(erlang_b(2, 1.0), 0.2);
        close(erlang_b(3, 2.0), 4.0 / 19.0);
        close(erlang_c(1, 0.7), 0.7);
        close(erlang_c(2, 1.0), 1.0 / 3.0);
        close(erlang_c(3, 2.0), 4.0 / 9.0);
    }

    #[test]
    fn one_worker_three_ways() {
        for load in [0.1, 0.5, 0.9] {
            let expected = load / (1.0 - load);
            close(mmc_wait(1, load, 1.0), expected);
            close(mg1_wait(load, 1.0, 1.0), expected);
            close(mg1_wait(load, 1.0, 0.0), expected / 2.0);
            close(Mm1k::new(2_000, load, 1.0).wait, expected);
        }
    }

    #[test]
    fn few_places_on_paper() {
        // One place is Erlang's loss system; at load 1 all 1 + K states are equally likely.
        close(Mm1k::new(1, 2.0, 1.0).refused, 2.0 / 3.0);
        close(Mm1k::new(1, 2.0, 1.0).wait, 0.0);
        close(Mm1k::new(4, 1.0, 1.0).refused, 0.2);
        close(Mm1k::new(4, 1.0, 1.0).wait, 1.5);
    }
}
