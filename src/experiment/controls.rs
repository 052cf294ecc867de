//! Control runs that many cells have in common.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::run::Control;
use super::{Cell, Workbench};
use crate::analysis::first_disturbed_window;
use crate::model::Model;

/// The control runs of all cells of a grid under all its seeds. Cells that differ in nothing but their
/// triggers have one control run between them, which is run when it is first asked for, and forgotten
/// once all of them have been judged.
pub(super) struct Controls {
    /// Which world each cell is without what disturbs it.
    groups: Vec<usize>,
    seeds: Range<u64>,
    /// Whether runs may end early, for which more of a control run is kept.
    early_stop: bool,
    /// Of each world, under each seed.
    shared: Vec<Mutex<Shared>>,
}

struct Shared {
    control: Option<Arc<Control>>,
    /// How many cells have still to be judged.
    left: usize,
}

/// How many of the latest worlds a cell is compared with: a grid goes through its axes in turn, and with
/// more worlds than these in turn, comparing them would cost more than it saves.
const COMPARED: usize = 64;

impl Controls {
    pub(super) fn of(cells: &[Cell], seeds: Range<u64>, early_stop: bool) -> Self {
        let mut worlds: VecDeque<(usize, (Option<usize>, Model))> = VecDeque::new();
        let (mut groups, mut sizes) = (Vec::with_capacity(cells.len()), Vec::new());
        for cell in cells {
            let world = (first_disturbed_window(&cell.model), cell.model.undisturbed());
            let known = worlds.iter().find(|(_, other)| *other == world).map(|(group, _)| *group);
            let group = known.unwrap_or(sizes.len());
            if known.is_none() {
                worlds.truncate(COMPARED - 1);
                worlds.push_front((group, world));
                sizes.push(0);
            }
            sizes[group] += 1;
            groups.push(group);
        }
        let shared = |&left: &usize| {
            let one = move |_| Mutex::new(Shared { control: None, left });
            seeds.clone().map(one).collect::<Vec<_>>()
        };
        Self { shared: sizes.iter().flat_map(shared).collect(), groups, seeds, early_stop }
    }

    /// The control run of cell number `nth`, which has this `model`, under `seed`. Whoever asks for one
    /// that is being run waits for it.
    pub(super) fn get(
        &self,
        bench: &mut Workbench,
        nth: usize,
        model: &Model,
        seed: u64,
    ) -> Arc<Control> {
        let mut shared = self.shared(nth, seed);
        let control = shared
            .control
            .get_or_insert_with(|| Arc::new(bench.control(model, seed, self.early_stop)));
        Arc::clone(control)
    }

    /// Cell number `nth` has been judged under `seed`.
    pub(super) fn done(&self, nth: usize, seed: u64) {
        let mut shared = self.shared(nth, seed);
        shared.left -= 1;
        if shared.left == 0 {
            shared.control = None;
        }
    }

    fn shared(&self, nth: usize, seed: u64) -> std::sync::MutexGuard<'_, Shared> {
        let seeds = (self.seeds.end - self.seeds.start) as usize;
        let place = self.groups[nth] * seeds + (seed - self.seeds.start) as usize;
        // A control run that panicked has left nothing behind.
        self.shared[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
