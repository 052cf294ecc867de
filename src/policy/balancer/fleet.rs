//! Who is there, who of them is healthy, and how much has each of them to do?
//!
//! Whose memory it is: that of whoever sends to them. Who may be picked is kept as lists, in order of
//! number, because an attempt asks for them each time and they change only now and then.

use super::Among;

/// Whether an instance may be picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Healthy,
    /// It may only if too few are healthy.
    Unhealthy,
    /// It is not there, or not yet, or not any more, and does not count in any share. What is out to
    /// it may still end.
    Away,
}

/// The instances of a service as one caller sees them, by number from zero.
#[derive(Clone, Debug)]
pub struct Fleet {
    instances: Vec<Instance>,
    /// In order of number.
    healthy: Vec<u32>,
    /// Healthy or not, in order of number.
    present: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Instance {
    outstanding: u32,
    standing: Standing,
}

impl Fleet {
    /// So many instances, all of them healthy and idle.
    pub fn new(instances: u32) -> Self {
        Self {
            instances: vec![
                Instance { outstanding: 0, standing: Standing::Healthy };
                instances as usize
            ],
            healthy: (0..instances).collect(),
            present: (0..instances).collect(),
        }
    }

    /// How many there are, away or not.
    pub fn instances(&self) -> u32 {
        self.instances.len() as u32
    }

    /// An instance has this standing from now on. In time that grows with the number of instances.
    pub fn set(&mut self, instance: u32, standing: Standing) {
        self.instances[instance as usize].standing = standing;
        let (is_present, is_healthy) = match standing {
            Standing::Healthy => (true, true),
            Standing::Unhealthy => (true, false),
            Standing::Away => (false, false),
        };
        enter(&mut self.present, instance, is_present);
        enter(&mut self.healthy, instance, is_healthy);
    }

    /// An attempt has left for an instance.
    #[inline]
    pub fn sent(&mut self, instance: u32) {
        self.instances[instance as usize].outstanding += 1;
    }

    /// An attempt to an instance has ended, as far as its sender knows.
    #[inline]
    pub fn ended(&mut self, instance: u32) {
        let outstanding = &mut self.instances[instance as usize].outstanding;
        debug_assert!(*outstanding > 0, "what has ended was sent");
        *outstanding = outstanding.saturating_sub(1);
    }

    /// Attempts out to an instance.
    #[inline]
    pub fn outstanding(&self, instance: u32) -> u32 {
        self.instances[instance as usize].outstanding
    }

    /// The standing of an instance.
    pub fn standing(&self, instance: u32) -> Standing {
        self.instances[instance as usize].standing
    }

    /// Those that are healthy, in order of number.
    pub fn healthy(&self) -> &[u32] {
        &self.healthy
    }

    /// Those that are there, healthy or not, in order of number.
    pub fn present(&self) -> &[u32] {
        &self.present
    }

    pub(super) fn may_be_picked(&self, instance: u32, among: Among) -> bool {
        match self.instances.get(instance as usize).map(|instance| instance.standing) {
            Some(Standing::Healthy) => true,
            Some(Standing::Unhealthy) => among == Among::All,
            Some(Standing::Away) | None => false,
        }
    }
}

/// Puts a number in a sorted list, or takes it out.
fn enter(list: &mut Vec<u32>, number: u32, is_in: bool) {
    match (list.binary_search(&number), is_in) {
        (Err(place), true) => list.insert(place, number),
        (Ok(place), false) => {
            list.remove(place);
        }
        (Ok(_), true) | (Err(_), false) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The lists say what the standings say, in order.
        #[test]
        fn the_lists_are_the_standings(
            steps in prop::collection::vec((0_u32..9, 0_u8..3), 1..100),
        ) {
            let mut fleet = Fleet::new(9);
            for (instance, standing) in steps {
                let standing = match standing {
                    0 => Standing::Healthy,
                    1 => Standing::Unhealthy,
                    _ => Standing::Away,
                };
                fleet.set(instance, standing);
                let with = |wanted: &dyn Fn(Standing) -> bool| -> Vec<u32> {
                    (0..9).filter(|&number| wanted(fleet.standing(number))).collect()
                };
                prop_assert_eq!(fleet.healthy(), with(&|s| s == Standing::Healthy));
                prop_assert_eq!(fleet.present(), with(&|s| s != Standing::Away));
            }
        }
    }
}
