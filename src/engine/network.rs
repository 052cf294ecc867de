//! The way between a client and its service, where there is one.

use super::Run;
use super::agenda::{Agenda, Event};
use super::client::{Answer, Reception, edge_at};
use super::state::{Station, left_by};
use crate::model::Notice;
use crate::observe::{CallId, Fact, Observer};
use crate::policy::outcome::Failure;
use crate::policy::retry::Hint;
use crate::random::{Bits, Draw, Sprout};
use crate::time::Span;

/// An attempt or an answer on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Journey {
    /// Where it goes; of no meaning on the way back.
    to: Station,
    call: u32,
    attempt: u32,
    /// What is carried back; of no meaning on the way there.
    answer: Answer,
    /// The work behind the answer, if it was of use when it was done; zero otherwise.
    work: Span,
}

/// In which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    There,
    Back,
}

/// What becomes of what leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It arrives.
    Arrives,
    /// It is lost, and nobody is told.
    Lost,
    /// It is lost with its connection, of which its client hears.
    Breaks,
}

/// Everything on its way, in a slab.
#[derive(Clone, Debug, Default)]
pub(super) struct Journeys {
    slots: Vec<Journey>,
    free: Vec<u32>,
}

impl Journeys {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }

    fn begin(&mut self, journey: Journey) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = journey;
            return slot;
        }
        self.slots.push(journey);
        self.slots.len() as u32 - 1
    }

    fn end(&mut self, slot: u32) -> Journey {
        self.free.push(slot);
        self.slots[slot as usize]
    }
}

impl<A: Agenda, O: Observer> Run<'_, A, O> {
    /// An attempt leaves its client.
    pub(super) fn send_there(&mut self, to: Station, call: u32, attempt: u32) {
        let journey = Journey { to, call, attempt, answer: Answer::Success, work: Span::ZERO };
        self.travel(journey, Way::There, Span::ZERO);
    }

    /// An answer leaves its service, and with it the work behind it if it is of use by now.
    #[inline]
    pub(super) fn answer(&mut self, call: u32, attempt: u32, answer: Answer, work: Span) {
        let edge = self.world.calls.edge(call);
        if self.world.edges[edge.index()].is_direct {
            if work.is_zero() {
                self.hear(call, attempt, answer);
            } else {
                self.succeed(call, attempt);
            }
        } else {
            let journey = Journey { to: Station(0), call, attempt, answer, work };
            self.travel(journey, Way::Back, Span::ZERO);
        }
    }

    /// An answer leaves its service after a while.
    #[cold]
    pub(super) fn answer_late(&mut self, call: u32, attempt: u32, answer: Answer, after: Span) {
        let journey = Journey { to: Station(0), call, attempt, answer, work: Span::ZERO };
        self.travel(journey, Way::Back, after);
    }

    /// Something leaves for the other end, `after` that.
    fn travel(&mut self, journey: Journey, way: Way, after: Span) {
        let Journey { call, attempt, .. } = journey;
        match self.fate(call, attempt, way) {
            Fate::Arrives => {
                let takes = after + self.way_takes(call, attempt, way);
                self.set_out(journey, way, takes);
            }
            lost @ (Fate::Lost | Fate::Breaks) => {
                let edge = self.world.calls.edge(call);
                let fact = Fact::LostOnTheWay { edge, call: CallId(call), attempt };
                self.observer.observe(self.now, fact);
                self.note_late(journey, way);
                if lost == Fate::Breaks {
                    let there = match way {
                        Way::There => self.way_takes(call, attempt, Way::There),
                        Way::Back => Span::ZERO,
                    };
                    let back = self.way_takes(call, attempt, Way::Back);
                    self.break_off(call, attempt, after + there + back);
                }
            }
        }
    }

    /// Whoever has sent an attempt hears, `after` now, that its connection has broken.
    pub(super) fn break_off(&mut self, call: u32, attempt: u32, after: Span) {
        let answer = Answer::Failure(Failure::Reset, Hint::Absent);
        let journey = Journey { to: Station(0), call, attempt, answer, work: Span::ZERO };
        self.set_out(journey, Way::Back, after);
    }

    fn set_out(&mut self, journey: Journey, way: Way, takes: Span) {
        let edge = self.world.calls.edge(journey.call);
        let lane = self.world.edges[edge.index()].journey_lane;
        self.world.calls.retain(journey.call);
        let journey = self.world.journeys.begin(journey);
        let arrival = match way {
            Way::There => Event::AttemptArrives { journey },
            Way::Back => Event::AnswerArrives { journey },
        };
        self.schedule(takes, arrival, lane);
    }

    fn fate(&self, call: u32, attempt: u32, way: Way) -> Fate {
        let state = &self.world.edges[self.world.calls.edge(call).index()];
        let usual = edge_at(self.model, state.owner).loss;
        let (lost, usually) = match way {
            Way::There => (Draw::LostThere, usual.requests),
            Way::Back => (Draw::LostBack, usual.replies),
        };
        let luck = Sprout::of(self.world.calls.key(call), attempt, lost).uniform();
        let left = usually.complement().as_f64();
        let by_triggers = left_by(state.network.losses.iter().map(|(_, share)| *share));
        match usual.clients {
            _ if luck < left * by_triggers => Fate::Arrives,
            // What a trigger loses, it loses without a word.
            Notice::AtOnce if luck >= left => Fate::Breaks,
            Notice::AtOnce | Notice::Never => Fate::Lost,
        }
    }

    /// How long the way takes at the moment.
    fn way_takes(&self, call: u32, attempt: u32, way: Way) -> Span {
        let takes = match way {
            Way::There => Draw::There,
            Way::Back => Draw::Back,
        };
        let state = &self.world.edges[self.world.calls.edge(call).index()];
        let added: Span = state.network.added.iter().map(|(_, added)| *added).sum();
        let law = edge_at(self.model, state.owner).latency.as_ref();
        let key = self.world.calls.key(call);
        let usual = law.map_or(Span::ZERO, |law| law.sample(&mut Sprout::of(key, attempt, takes)));
        usual + added
    }

    /// An attempt has travelled to its service.
    pub(super) fn attempt_arrives(&mut self, journey: u32) {
        let Journey { to, call, attempt, .. } = self.world.journeys.end(journey);
        match self.receive(to, call, attempt) {
            Reception::Taken => {}
            Reception::TurnedAway(failure, hint) => {
                self.answer(call, attempt, Answer::Failure(failure, hint), Span::ZERO);
            }
        }
        self.world.calls.release(call);
    }

    /// An answer has travelled to its client.
    pub(super) fn answer_arrives(&mut self, journey: u32) {
        let journey = self.world.journeys.end(journey);
        let Journey { call, attempt, answer, .. } = journey;
        if !self.is_waited_for(call, attempt) {
            self.note_late(journey, Way::Back);
        }
        self.hear(call, attempt, answer);
        self.world.calls.release(call);
    }

    /// Work that was of use when it was done is wasted after all if its answer does not arrive in
    /// time.
    fn note_late(&mut self, journey: Journey, way: Way) {
        let Journey { call, attempt, work, .. } = journey;
        if way == Way::Back && !work.is_zero() {
            let edge = self.world.calls.edge(call);
            let fact = Fact::CameToNothing { edge, call: CallId(call), attempt, work };
            self.observer.observe(self.now, fact);
        }
    }
}
