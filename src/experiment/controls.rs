//! Control runs that many cells have in common.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::OnceLock;

use super::{Cell, Workbench};
use crate::analysis::first_disturbed_window;
use crate::model::Model;

/// Whether control runs fail, of all cells of a grid under all its seeds. Cells that differ in nothing
/// but their triggers have one control run between them, which is run when it is first asked for.
pub(super) struct Controls {
    /// Which world each cell is without what disturbs it.
    groups: Vec<usize>,
    seeds: Range<u64>,
    /// Of each world, under each seed.
    fails: Vec<OnceLock<bool>>,
}

/// How many of the latest worlds a cell is compared with: a grid goes through its axes in turn, and with
/// more worlds than these in turn, comparing them would cost more than it saves.
const COMPARED: usize = 64;

impl Controls {
    pub(super) fn of(cells: &[Cell], seeds: Range<u64>) -> Self {
        let mut worlds: VecDeque<(usize, (Option<usize>, Model))> = VecDeque::new();
        let (mut groups, mut count) = (Vec::with_capacity(cells.len()), 0);
        for cell in cells {
            let world = (first_disturbed_window(&cell.model), cell.model.undisturbed());
            let known = worlds.iter().find(|(_, other)| *other == world);
            groups.push(known.map_or(count, |(group, _)| *group));
            if known.is_none() {
                worlds.truncate(COMPARED - 1);
                worlds.push_front((count, world));
                count += 1;
            }
        }
        let runs = count * (seeds.end - seeds.start) as usize;
        let fails = std::iter::repeat_with(OnceLock::new).take(runs).collect();
        Self { groups, seeds, fails }
    }

    /// Whether the control run of cell number `nth`, which has this `model`, fails under `seed`.
    pub(super) fn fails(
        &self,
        bench: &mut Workbench,
        nth: usize,
        model: &Model,
        seed: u64,
    ) -> bool {
        let seeds = (self.seeds.end - self.seeds.start) as usize;
        let place = self.groups[nth] * seeds + (seed - self.seeds.start) as usize;
        *self.fails[place].get_or_init(|| bench.control_fails(model, seed))
    }
}
