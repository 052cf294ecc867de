//! Closed forms of one worker with a bounded queue, M/M/1/K: the chain that goes up and down by one.
//!
//! `load` is the arrival rate times the mean work, `work` the mean work in seconds, and `places` the K of
//! the name, the one in service counted.

/// The share of time with 0, 1, …, `places` present: each is `load` times the one before.
pub fn shares(places: usize, load: f64) -> Vec<f64> {
    let weights: Vec<f64> =
        std::iter::successors(Some(1.0), |weight| Some(weight * load)).take(places + 1).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The mean time in seconds from an empty queue to `places` present. From `n` to `n + 1` it takes the sum
/// of `load^-i` over `i` from 0 to `n`, in units of the mean time between arrivals (S. Karlin, H. M.
/// Taylor, "A First Course in Stochastic Processes", 1975, section 4.7).
pub fn mean_time_up(places: usize, load: f64, work: f64) -> f64 {
    let steps = (0..places).scan(0.0, |step, _| {
        *step = 1.0 + *step / load;
        Some(*step)
    });
    steps.sum::<f64>() * work / load
}

/// The mean time in seconds from `places` present, of which there cannot be more, to none: the same the
/// other way round.
pub fn mean_time_down(places: usize, load: f64, work: f64) -> f64 {
    let steps = (0..places).scan(0.0, |step, _| {
        *step = 1.0 + *step * load;
        Some(*step)
    });
    steps.sum::<f64>() * work
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: at load 1 to the second place it takes 1 + 2 arrivals' times; at load 1/2, 1 + 3 of them.
    #[test]
    fn small_queues_by_hand() {
        assert_eq!(mean_time_up(1, 0.5, 1.0), 2.0);
        assert_eq!(mean_time_up(2, 1.0, 1.0), 3.0);
        assert_eq!(mean_time_up(2, 0.5, 1.0), 8.0);
        assert_eq!(mean_time_down(2, 0.5, 1.0), 2.5);
        assert_eq!(shares(1, 2.0), [1.0 / 3.0, 2.0 / 3.0]);
    }
}
