//! In which order facts may come.

use metastable::observe::{CallId, Dropped, Fact};

/// What has to be the next fact, where one follows from another at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Must {
    /// The service says what it does with what has just been sent.
    Receive(CallId, u32),
    /// The request of a useful completion succeeds.
    Succeed(CallId),
    /// The request fails for good.
    Fail(CallId),
}

/// What must have been due for `fact` to happen; none for what happens by itself.
pub(super) fn answers(fact: &Fact) -> Option<Must> {
    match *fact {
        Fact::Refused { call, attempt, .. }
        | Fact::Queued { call, attempt, .. }
        | Fact::Shed { call, attempt, dropped: Dropped::OnArrival, .. }
        | Fact::Started { call, attempt, from_queue: false, .. } => {
            Some(Must::Receive(call, attempt))
        }
        Fact::Succeeded { call, .. } => Some(Must::Succeed(call)),
        Fact::Failed { call, .. } => Some(Must::Fail(call)),
        Fact::Arrived { .. }
        | Fact::Sent { .. }
        | Fact::BudgetDenied { .. }
        | Fact::TimedOut { .. }
        | Fact::Shed { dropped: Dropped::AtPickUp | Dropped::ByTimer, .. }
        | Fact::RefusalBegun { .. }
        | Fact::RefusalSaid { .. }
        | Fact::RefusalLost { .. }
        | Fact::Started { from_queue: true, .. }
        | Fact::Completed { .. }
        | Fact::TriggerBegan { .. }
        | Fact::TriggerEnded { .. }
        | Fact::Repeated { .. }
        | Fact::Executed { .. }
        | Fact::Replayed { .. }
        | Fact::Conflicted { .. }
        | Fact::KeyExpired { .. }
        | Fact::Called { .. }
        | Fact::Hit { .. }
        | Fact::Coalesced { .. }
        | Fact::Returned { .. }
        | Fact::Blocked { .. }
        | Fact::LostOnTheWay { .. }
        | Fact::CameToNothing { .. }
        | Fact::Lost { .. }
        | Fact::Withdrawn { .. }
        | Fact::HeldBack { .. }
        | Fact::BreakerOpened { .. }
        | Fact::Routed { .. }
        | Fact::Settled { .. }
        | Fact::Ejected { .. }
        | Fact::Reinstated { .. }
        | Fact::LeverPulled { .. }
        | Fact::LeverReleased { .. } => None,
    }
}

/// The order of equal instants: completions, client timers, triggers, hand-overs, and last what is
/// sent anew.
pub(super) fn rank(fact: &Fact) -> u8 {
    match fact {
        Fact::Completed { .. } | Fact::RefusalSaid { .. } => 0,
        Fact::TimedOut { .. } => 1,
        Fact::TriggerBegan { .. }
        | Fact::TriggerEnded { .. }
        | Fact::Shed { dropped: Dropped::ByTimer, .. }
        | Fact::LeverPulled { .. }
        | Fact::LeverReleased { .. } => 2,
        Fact::Shed { dropped: Dropped::AtPickUp, .. }
        | Fact::RefusalBegun { .. }
        | Fact::Started { from_queue: true, .. } => 3,
        Fact::Arrived { .. } | Fact::Sent { .. } | Fact::BudgetDenied { .. } => 4,
        // These follow from the fact before them.
        Fact::Queued { .. }
        | Fact::Refused { .. }
        | Fact::RefusalLost { .. }
        | Fact::Shed { dropped: Dropped::OnArrival, .. }
        | Fact::Started { from_queue: false, .. }
        | Fact::Succeeded { .. }
        | Fact::Failed { .. }
        | Fact::Repeated { .. }
        | Fact::Executed { .. }
        | Fact::Replayed { .. }
        | Fact::Conflicted { .. }
        | Fact::KeyExpired { .. }
        | Fact::Called { .. }
        | Fact::Hit { .. }
        | Fact::Coalesced { .. }
        | Fact::Returned { .. }
        | Fact::Blocked { .. }
        | Fact::LostOnTheWay { .. }
        | Fact::CameToNothing { .. }
        | Fact::Lost { .. }
        | Fact::Withdrawn { .. }
        | Fact::HeldBack { .. }
        | Fact::BreakerOpened { .. }
        | Fact::Routed { .. }
        | Fact::Settled { .. }
        | Fact::Ejected { .. }
        | Fact::Reinstated { .. } => 0,
    }
}
