//! Labels beside what they name, moved apart just enough not to touch.

/// Heights for labels that would best be at `wanted` (in any order), at least `apart` from each
/// other and within `[low, high]` as long as they fit there; in the order of `wanted`.
///
/// Labels that touch are moved as a block around the mean of their wishes (pool adjacent
/// violators), which moves all of them the least in the sense of least squares.
pub(super) fn spread(wanted: &[f64], apart: f64, [low, high]: [f64; 2]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // A block starts where its first label goes; the others follow `apart` from each other.
    let mut blocks: Vec<Block> = Vec::new();
    for &label in &order {
        let mut block = Block { start: wanted[label], labels: 1 };
        while let Some(above) = blocks.pop_if(|above| above.end(apart) + apart > block.start) {
            block = above.joined(block, apart);
        }
        blocks.push(block);
    }
    // Wishes first, then the room: pushed down from the top, then up from the bottom.
    let mut heights: Vec<f64> = blocks
        .iter()
        .flat_map(|block| (0..block.labels).map(|place| block.start + place as f64 * apart))
        .collect();
    let mut free = low;
    for height in &mut heights {
        *height = height.max(free);
        free = *height + apart;
    }
    let mut free = high;
    for height in heights.iter_mut().rev() {
        *height = height.min(free);
        free = *height - apart;
    }
    let mut placed = vec![0.0; wanted.len()];
    for (&label, height) in order.iter().zip(heights) {
        placed[label] = height;
    }
    placed
}

#[derive(Clone, Copy, Debug)]
struct Block {
    start: f64,
    labels: usize,
}

impl Block {
    fn end(self, apart: f64) -> f64 {
        self.start + (self.labels - 1) as f64 * apart
    }

    /// `self` with `below` put under it; every label's wish pulls equally.
    fn joined(self, below: Self, apart: f64) -> Self {
        let (mine, theirs) = (self.labels as f64, below.labels as f64);
        let start = (self.start * mine + (below.start - mine * apart) * theirs) / (mine + theirs);
        Self { start, labels: self.labels + below.labels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &[f64], expected: &[f64]) {
        let placed = spread(wanted, 10.0, [0.0, 100.0]);
        let close = placed.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close && placed.len() == expected.len(), "{placed:?}, not {expected:?}");
    }

    #[test]
    fn what_does_not_touch_stays() {
        check(&[], &[]);
        check(&[50.0, 10.0, 30.0], &[50.0, 10.0, 30.0]);
    }

    #[test]
    fn what_touches_moves_both_ways() {
        check(&[50.0, 50.0], &[45.0, 55.0]);
        check(&[52.0, 48.0, 50.0], &[60.0, 40.0, 50.0]);
        check(
            &[50.0, 50.0, 58.0, 90.0],
            &[122.0 / 3.0 + 2.0, 122.0 / 3.0 + 12.0, 122.0 / 3.0 + 22.0, 90.0],
        );
    }

    #[test]
    fn the_room_is_kept() {
        check(&[0.0, 0.0], &[0.0, 10.0]);
        check(&[100.0, 100.0, 95.0], &[90.0, 100.0, 80.0]);
    }
}
