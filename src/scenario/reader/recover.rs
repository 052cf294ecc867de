//! Reading on after a mistake, so that one look shows them all.

use serde::de::DeserializeOwned;

use super::Reader;
use crate::scenario::source::Place;
use crate::scenario::tree::Spot;
use crate::scenario::trouble::Diagnostic;

/// How many mistakes are looked for.
const MOST: usize = 20;

/// The node as a `T`, or everything that is wrong with it.
///
/// Serde stops at its first objection. What it objects to is then taken out of a copy of the tree,
/// and the rest is read again: keys and values are independent of each other at this stage.
pub(in crate::scenario) fn read<T: DeserializeOwned>(spot: Spot<'_>) -> Result<T, Vec<Diagnostic>> {
    let mut fault = match T::deserialize(Reader::new(spot)) {
        Ok(value) => return Ok(value),
        Err(fault) => fault,
    };
    let mut tree = spot.node.clone();
    let mut found = Vec::new();
    let mut pruned = Vec::new();
    while found.len() < MOST {
        let place = fault.place().unwrap_or(Place::START);
        // A wrong word is probably the word that is missing: of the two, one says enough.
        let follows = fault.lacks_something() && pruned.contains(&place);
        if !follows {
            found.push(fault.diagnostic(spot.node));
        }
        let Some(key) = tree.prune(place, spot.key) else { break };
        pruned.push(key);
        match T::deserialize(Reader::new(Spot { node: &tree, ..spot })) {
            Ok(_) => break,
            Err(next) => fault = next,
        }
    }
    Err(found)
}
