//! Is an operation executed again that another attempt has executed, or is about to?
//!
//! Whose memory it is: the service's, in its [`Desk`] of keys; and the request's, in its [`Operation`],
//! which knows what was really done, as only a simulation can. All attempts of a request carry its key.
//!
//! Asked and told at these moments:
//!
//! * [`Desk::ask`] when an attempt would begin its work;
//! * [`Desk::ended`] when the work has ended of an attempt that was told to execute: the answer is who
//!   has waited for it. Work that is cut off by a crash of which nobody is told keeps its key for ever,
//!   as a lock without an expiry does;
//! * [`Desk::leave`] when an attempt that waits does so no longer.
//!
//! What it may remember: with a retention, the operations of that long; without one, all of them. Each
//! takes some 100 bytes.

mod table;

use table::Table;

use std::collections::VecDeque;

use crate::time::{Span, Time};

/// What keeps an operation from being executed twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idempotency {
    /// Nothing: each attempt executes it.
    #[default]
    None,
    /// Its key.
    Keys {
        /// What happens to an attempt while another one is at it.
        meanwhile: Meanwhile,
        /// How long after its end an operation is remembered; none for ever.
        retention: Option<Span>,
    },
}

/// What happens to an attempt while another one of the same operation is at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meanwhile {
    /// The key is locked: it is told so, and that is an error to its client (Stripe's 409).
    #[default]
    Conflicts,
    /// The key is stored only with the answer: it executes the operation too.
    Executes,
    /// It waits for the first one's answer, and executes if that one did not.
    Waits,
}

/// Who attempts an operation, as the caller names it.
pub type Who = u32;

/// What an attempt is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Execute the operation.
    Execute(Execution),
    /// Nothing: the answer of the first one is at hand.
    Replay,
    /// Nothing: another one is at it, and this is what it is told.
    Conflict,
    /// Wait for another one, in this place.
    WaitsFor(Place),
}

/// An execution that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    key: u64,
    number: u64,
}

/// Where an attempt waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    key: u64,
    number: u64,
}

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The operation was executed, whoever hears of it.
    Executed,
    /// It was not, and might as well not have been begun.
    Undone,
}

/// What becomes of those who have waited for an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nobody has.
    Nobody,
    /// All that [`Desk::next_replay`] names are answered with what was stored.
    Replays,
    /// This one executes the operation now; the others wait on.
    Executes(Who, Execution),
}

/// What was really done for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// How often it was executed.
    pub executions: u32,
}

impl Operation {
    /// Nothing yet.
    pub const NOTHING: Self = Self { executions: 0 };
}

/// What was done for all requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Executions.
    pub executions: u64,
    /// Those of an operation that had been executed before.
    pub duplicates: u64,
    /// Operations that were executed more than once.
    pub repeated: u64,
    /// Keys that were forgotten because their time was over.
    pub expired: u64,
}

/// What a service remembers during a run.
#[derive(Clone, Debug)]
pub struct Desk {
    idempotency: Idempotency,
    keys: Table<Record>,
    /// When which key is forgotten, in order of time.
    expiries: VecDeque<(Time, u64)>,
    /// Those that may be answered with what was stored.
    replays: VecDeque<Who>,
    /// Lines of waiters that stand empty, for the next to wait in.
    spare: Vec<VecDeque<(u64, Who)>>,
    next_number: u64,
    counts: Counts,
}

#[derive(Clone, Debug)]
struct Record {
    state: State,
    line: VecDeque<(u64, Who)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The execution with this number is at it.
    Running(u64),
    /// The answer is kept until then.
    Stored(Time),
}

impl Idempotency {
    /// A desk at which nothing has been done.
    pub fn open(&self) -> Desk {
        Desk {
            idempotency: *self,
            keys: Table::new(),
            expiries: VecDeque::new(),
            replays: VecDeque::new(),
            spare: Vec::new(),
            next_number: 0,
            counts: Counts::default(),
        }
    }
}

impl Desk {
    /// What an attempt is to do that carries this key.
    #[inline]
    pub fn ask(&mut self, now: Time, key: u64, who: Who) -> Answer {
        let Idempotency::Keys { meanwhile, .. } = self.idempotency else {
            return Answer::Execute(self.execution(key));
        };
        self.forget(now);
        let state = self.keys.get(key).map(|record| record.state);
        match (state, meanwhile) {
            (Some(State::Stored(_)), _) => Answer::Replay,
            (Some(State::Running(_)), Meanwhile::Conflicts) => Answer::Conflict,
            (Some(State::Running(_)), Meanwhile::Waits) => Answer::WaitsFor(self.wait(key, who)),
            (None, Meanwhile::Executes) | (Some(State::Running(_)), Meanwhile::Executes) => {
                Answer::Execute(self.execution(key))
            }
            (None, Meanwhile::Conflicts | Meanwhile::Waits) => {
                let execution = self.execution(key);
                self.put(key, State::Running(execution.number));
                Answer::Execute(execution)
            }
        }
    }

    /// An execution has ended.
    pub fn ended(
        &mut self,
        now: Time,
        execution: Execution,
        end: End,
        operation: &mut Operation,
    ) -> Next {
        match end {
            End::Executed => self.count(operation),
            End::Undone => {}
        }
        let Idempotency::Keys { retention, .. } = self.idempotency else { return Next::Nobody };
        self.forget(now);
        match end {
            End::Executed => self.store(now, execution.key, retention),
            End::Undone => self.release(execution),
        }
    }

    /// The next of those who are answered with what was stored, in the order in which they came; none
    /// when all were told.
    pub fn next_replay(&mut self) -> Option<Who> {
        self.replays.pop_front()
    }

    /// Whoever waits in this place waits no longer. In time that grows with how many wait for the same
    /// operation.
    pub fn leave(&mut self, place: Place) {
        if let Some(record) = self.keys.get_mut(place.key) {
            record.line.retain(|&(number, _)| number != place.number);
        }
    }

    /// Operations that it remembers.
    pub fn keys(&self) -> usize {
        self.keys.len()
    }

    /// What was done.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    const fn count(&mut self, operation: &mut Operation) {
        self.counts.executions += 1;
        match operation.executions {
            0 => {}
            1 => {
                self.counts.duplicates += 1;
                self.counts.repeated += 1;
            }
            2.. => self.counts.duplicates += 1,
        }
        operation.executions = operation.executions.saturating_add(1);
    }

    const fn execution(&mut self, key: u64) -> Execution {
        self.next_number += 1;
        Execution { key, number: self.next_number }
    }

    fn put(&mut self, key: u64, state: State) {
        let line = self.spare.pop().unwrap_or_default();
        self.keys.insert(key, Record { state, line });
    }

    fn wait(&mut self, key: u64, who: Who) -> Place {
        self.next_number += 1;
        if let Some(record) = self.keys.get_mut(key) {
            record.line.push_back((self.next_number, who));
        }
        Place { key, number: self.next_number }
    }

    fn store(&mut self, now: Time, key: u64, retention: Option<Span>) -> Next {
        let until = retention.map_or(Time::NEVER, |length| now + length);
        match self.keys.get_mut(key) {
            // Whoever executes a second time answers with its own, and the time begins anew.
            Some(record) => record.state = State::Stored(until),
            None => self.put(key, State::Stored(until)),
        }
        if retention.is_some() {
            self.expiries.push_back((until, key));
        }
        let Some(record) = self.keys.get_mut(key) else { return Next::Nobody };
        if record.line.is_empty() {
            return Next::Nobody;
        }
        self.replays.extend(record.line.drain(..).map(|(_, who)| who));
        Next::Replays
    }

    /// An operation was not executed after all: whoever waits for it first is at it now.
    fn release(&mut self, execution: Execution) -> Next {
        let Some(record) = self.keys.get_mut(execution.key) else { return Next::Nobody };
        if record.state != State::Running(execution.number) {
            return Next::Nobody;
        }
        let Some((_, who)) = record.line.pop_front() else {
            self.remove(execution.key);
            return Next::Nobody;
        };
        let heir = self.execution(execution.key);
        if let Some(record) = self.keys.get_mut(execution.key) {
            record.state = State::Running(heir.number);
        }
        Next::Executes(who, heir)
    }

    /// Forgets the keys whose time is over; at the very instant it is.
    fn forget(&mut self, now: Time) {
        while let Some(&(until, key)) = self.expiries.front()
            && until <= now
        {
            self.expiries.pop_front();
            // Stored anew since then, it is forgotten later.
            if self.keys.get(key).is_some_and(|record| record.state == State::Stored(until)) {
                self.remove(key);
                self.counts.expired += 1;
            }
        }
    }

    fn remove(&mut self, key: u64) {
        if let Some(mut record) = self.keys.remove(key) {
            record.line.clear();
            // Most lines never had anybody in them, and are not worth keeping.
            if record.line.capacity() > 0 {
                self.spare.push(record.line);
            }
        }
    }
}

#[cfg(test)]
mod tests;
