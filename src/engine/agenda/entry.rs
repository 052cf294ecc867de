//! One future event in sixteen bytes.

use std::fmt;

use crate::model::{MAX_EVENTS, MAX_IN_FLIGHT, Tie};
use crate::time::Time;

/// What is going to happen. The order of the variants is not the order of equal instants: that is
/// `Event::class`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A worker is done.
    Completion {
        /// Which one, counted over all services.
        worker: u32,
    },
    /// A client gives up the attempt it waits for.
    Timeout {
        /// The slot of its request.
        call: u32,
    },
    /// A trigger sets in.
    TriggerBegins {
        /// Its position in the model.
        trigger: u32,
    },
    /// A trigger is over.
    TriggerEnds {
        /// Its position in the model.
        trigger: u32,
    },
    /// A fresh request arrives.
    Arrival {
        /// The client's position in the model.
        client: u32,
    },
    /// The wait before a retry is over.
    RetryDue {
        /// The slot of its request.
        call: u32,
    },
    /// An attempt has travelled to its service.
    AttemptArrives {
        /// The slot of its journey.
        journey: u32,
    },
    /// An answer has travelled to its client.
    AnswerArrives {
        /// The slot of its journey.
        journey: u32,
    },
    /// A surge brings a request.
    SurgeArrival {
        /// The trigger's position in the model.
        trigger: u32,
    },
    /// A user of a closed loop has thought enough.
    UserSends {
        /// Which one, counted over all clients.
        user: u32,
    },
    /// A lever is pulled.
    LeverPulled {
        /// Its position in the model.
        lever: u32,
    },
    /// What a lever did for a while is over.
    LeverReleased {
        /// Its position in the model.
        lever: u32,
    },
    /// Operators look at their alerts.
    Watch,
    /// The time of an attempt in a queue is over.
    QueueTimeout {
        /// The slot of its timer.
        timer: u32,
    },
    /// An autoscaler looks at what it measures.
    ScalerLooks {
        /// Which instance of all services it scales.
        station: u32,
    },
    /// Workers that were ordered have started.
    WorkersStart {
        /// At which instance of all services.
        station: u32,
    },
    /// A client waits no longer for an attempt that it keeps a flight for.
    FlightEnds {
        /// The slot of its flight.
        flight: u32,
    },
    /// An attempt that was held up on its client's side may leave.
    FlightLeaves {
        /// The slot of its flight.
        flight: u32,
    },
    /// What an attempt has waited for that another one fetched is there, or has failed.
    FlightTold {
        /// The slot of its flight.
        flight: u32,
    },
    /// A connection that was dead lives again.
    Reconnected {
        /// The slot of what makes it anew.
        reconnection: u32,
    },
    /// Another copy of an attempt that is still out may be sent.
    HedgeDue {
        /// The slot of its request.
        call: u32,
    },
}

/// What an event that can die refers to: whether it is dead is known there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mortal {
    /// A completion.
    Worker(u32),
    /// A timeout, a retry or a hedge.
    Call(u32),
    /// What a client does about a single attempt.
    Flight(u32),
}

/// An event with its place in the order: by instant, then by class, then by when it was scheduled.
///
/// One number and so one comparison: 64 bits of nanoseconds, 2 of class, 33 of sequence, 4 of kind
/// and 25 of payload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u128);

const PAYLOAD_BITS: u32 = 25;
const KIND_BITS: u32 = 4;
const SEQUENCE_BITS: u32 = 33;

/// Payloads (slots, workers) are below this.
const PAYLOADS: u32 = 1 << PAYLOAD_BITS;

// What the model's limits let through fits into an entry: an attempt is two events and up to three
// entries (its timer, its completion, its retry), and whatever is in flight has a slot.
const _: () = assert!(1.5 * MAX_EVENTS <= (1_u64 << SEQUENCE_BITS) as f64);
const _: () = assert!(MAX_IN_FLIGHT <= PAYLOADS as f64);

impl Event {
    /// What comes first among equal instants: completions, client timers, triggers and the timers of
    /// queues, so that a client gives up before it is told that it has waited too long (and after them
    /// hand-overs from queues, which the engine does without an entry), then arrivals and retries.
    #[inline(always)]
    const fn class(self, tie: Tie) -> u64 {
        let (completion, timer) = match tie {
            Tie::CompletionWins => (0, 1),
            Tie::TimerWins => (1, 0),
        };
        match self {
            Self::Completion { .. } | Self::AnswerArrives { .. } | Self::FlightTold { .. } => {
                completion
            }
            Self::Timeout { .. } | Self::FlightEnds { .. } | Self::HedgeDue { .. } => timer,
            Self::TriggerBegins { .. }
            | Self::TriggerEnds { .. }
            | Self::LeverPulled { .. }
            | Self::LeverReleased { .. }
            | Self::QueueTimeout { .. }
            | Self::ScalerLooks { .. }
            | Self::WorkersStart { .. }
            | Self::Watch => 2,
            Self::Arrival { .. }
            | Self::RetryDue { .. }
            | Self::AttemptArrives { .. }
            | Self::Reconnected { .. }
            | Self::FlightLeaves { .. }
            | Self::SurgeArrival { .. }
            | Self::UserSends { .. } => 3,
        }
    }

    #[inline(always)]
    const fn kind_and_payload(self) -> (u64, u32) {
        match self {
            Self::Completion { worker } => (0, worker),
            Self::Timeout { call } => (1, call),
            Self::RetryDue { call } => (2, call),
            Self::HedgeDue { call } => (3, call),
            Self::FlightEnds { flight } => (4, flight),
            Self::FlightLeaves { flight } => (5, flight),
            Self::Arrival { client } => (6, client),
            Self::AttemptArrives { journey } => (7, journey),
            Self::AnswerArrives { journey } => (8, journey),
            Self::UserSends { user } => (9, user),
            Self::QueueTimeout { timer } => (10, timer),
            Self::FlightTold { flight } => (11, flight),
            Self::Reconnected { reconnection } => (12, reconnection),
            Self::TriggerBegins { trigger } => rare(0, trigger),
            Self::TriggerEnds { trigger } => rare(1, trigger),
            Self::SurgeArrival { trigger } => rare(2, trigger),
            Self::LeverPulled { lever } => rare(3, lever),
            Self::LeverReleased { lever } => rare(4, lever),
            Self::Watch => rare(5, 0),
            Self::ScalerLooks { station } => rare(6, station),
            Self::WorkersStart { station } => rare(7, station),
        }
    }

    /// What is numbered by the model shares one kind, with a kind of its own in the payload.
    fn of_rare(payload: u32) -> Self {
        let index = payload & ((1 << RARE_BITS) - 1);
        match payload >> RARE_BITS {
            0 => Self::TriggerBegins { trigger: index },
            1 => Self::TriggerEnds { trigger: index },
            2 => Self::SurgeArrival { trigger: index },
            3 => Self::LeverPulled { lever: index },
            4 => Self::LeverReleased { lever: index },
            5 => Self::Watch,
            6 => Self::ScalerLooks { station: index },
            7 => Self::WorkersStart { station: index },
            _ => unreachable!("an entry is made from an event"),
        }
    }
}

/// The kind of everything that is numbered by the model.
const RARE: u64 = 15;
/// Positions in the model are numbers of so many bits.
const RARE_BITS: u32 = 16;

const fn rare(kind: u32, index: u32) -> (u64, u32) {
    debug_assert!(index >> RARE_BITS == 0);
    (RARE, kind << RARE_BITS | index)
}

impl Entry {
    /// Comes after every real entry.
    pub const NONE: Self = Self(u128::MAX);

    /// `event` at `time`, as the `sequence`-th thing scheduled.
    #[inline(always)]
    pub const fn new(time: Time, sequence: u64, event: Event, tie: Tie) -> Self {
        let (kind, payload) = event.kind_and_payload();
        debug_assert!(payload < PAYLOADS && sequence >> SEQUENCE_BITS == 0);
        let low = (event.class(tie) << (SEQUENCE_BITS + KIND_BITS + PAYLOAD_BITS))
            | (sequence << (KIND_BITS + PAYLOAD_BITS))
            | (kind << PAYLOAD_BITS)
            | payload as u64;
        Self(((time.as_nanos() as u128) << 64) | low as u128)
    }

    /// Comes after everything of `time` that precedes a hand-over, and before everything that
    /// follows one.
    pub const fn hand_over(time: Time) -> Self {
        Self(
            ((time.as_nanos() as u128) << 64)
                | (3_u128 << (SEQUENCE_BITS + KIND_BITS + PAYLOAD_BITS)),
        )
    }

    /// When it happens.
    pub const fn time(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    /// Which of the things scheduled it is.
    #[inline]
    pub const fn sequence(self) -> u64 {
        (self.0 as u64 >> (KIND_BITS + PAYLOAD_BITS)) & ((1 << SEQUENCE_BITS) - 1)
    }

    /// What it refers to, if it can die: every other event happens for certain.
    #[inline]
    pub const fn mortal(self) -> Option<Mortal> {
        let low = self.0 as u64;
        let payload = low as u32 & (PAYLOADS - 1);
        match (low >> PAYLOAD_BITS) & ((1 << KIND_BITS) - 1) {
            0 => Some(Mortal::Worker(payload)),
            1..=3 => Some(Mortal::Call(payload)),
            4 | 5 | 11 => Some(Mortal::Flight(payload)),
            _ => None,
        }
    }

    /// What happens.
    ///
    /// # Panics
    /// On [`Entry::NONE`], which is no event.
    #[inline]
    pub fn event(self) -> Event {
        let low = self.0 as u64;
        let payload = low as u32 & (PAYLOADS - 1);
        match (low >> PAYLOAD_BITS) & ((1 << KIND_BITS) - 1) {
            0 => Event::Completion { worker: payload },
            1 => Event::Timeout { call: payload },
            2 => Event::RetryDue { call: payload },
            3 => Event::HedgeDue { call: payload },
            4 => Event::FlightEnds { flight: payload },
            5 => Event::FlightLeaves { flight: payload },
            6 => Event::Arrival { client: payload },
            7 => Event::AttemptArrives { journey: payload },
            8 => Event::AnswerArrives { journey: payload },
            9 => Event::UserSends { user: payload },
            10 => Event::QueueTimeout { timer: payload },
            11 => Event::FlightTold { flight: payload },
            12 => Event::Reconnected { reconnection: payload },
            RARE => Event::of_rare(payload),
            _ => unreachable!("an entry is made from an event"),
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str("nothing");
        }
        write!(f, "{} {:?}", self.time(), self.event())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIE: Tie = Tie::CompletionWins;

    #[test]
    fn an_entry_gives_back_what_it_was_made_from() {
        let call = PAYLOADS - 1;
        let events = [
            Event::Completion { worker: 0 },
            Event::Timeout { call },
            Event::TriggerBegins { trigger: 1 },
            Event::TriggerEnds { trigger: 2 },
            Event::Arrival { client: 3 },
            Event::RetryDue { call },
            Event::AttemptArrives { journey: call },
            Event::AnswerArrives { journey: 0 },
            Event::SurgeArrival { trigger: 1 },
            Event::UserSends { user: call },
            Event::LeverPulled { lever: 1 },
            Event::LeverReleased { lever: (1 << RARE_BITS) - 1 },
            Event::Watch,
            Event::QueueTimeout { timer: call },
            Event::FlightTold { flight: 1 },
            Event::Reconnected { reconnection: call },
            Event::ScalerLooks { station: 3 },
            Event::WorkersStart { station: 0 },
            Event::HedgeDue { call },
            Event::FlightEnds { flight: call },
            Event::FlightLeaves { flight: 0 },
        ];
        for time in [Time::ZERO, Time::from_nanos(u64::MAX - 1)] {
            for event in events {
                let entry = Entry::new(time, (1 << SEQUENCE_BITS) - 1, event, TIE);
                assert_eq!((entry.time(), entry.event()), (time, event));
                assert!(entry < Entry::NONE);
            }
        }
    }

    #[test]
    fn equal_instants_are_ordered_by_class_then_by_schedule() {
        let now = Time::from_nanos(5);
        let order = [
            Entry::new(Time::from_nanos(4), 99, Event::Arrival { client: 9 }, TIE),
            Entry::new(now, 70, Event::Completion { worker: 9 }, TIE),
            Entry::new(now, 60, Event::Timeout { call: 9 }, TIE),
            Entry::new(now, 50, Event::TriggerEnds { trigger: 9 }, TIE),
            Entry::new(now, 51, Event::TriggerBegins { trigger: 8 }, TIE),
            Entry::hand_over(now),
            Entry::new(now, 40, Event::RetryDue { call: 0 }, TIE),
            Entry::new(now, 41, Event::Arrival { client: 0 }, TIE),
            Entry::new(Time::from_nanos(6), 1, Event::Completion { worker: 0 }, TIE),
        ];
        assert!(order.is_sorted());
    }
}
