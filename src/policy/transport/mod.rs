//! Is an attempt sent again beneath the policy, where no count and no budget sees it?
//!
//! Whose memory it is: the client's, for its connections ([`Connections`], one for all its requests or
//! for each of its instances); and the request's, for what was repeated ([`Repeated`]).
//!
//! Asked and told at these moments:
//!
//! * [`Connections::depart`] when an attempt leaves: on what it leaves, and whether that is about to be
//!   closed under it;
//! * [`Connections::keep`] when an attempt was answered, whatever the answer: its connection is idle
//!   from now on. One whose answer was lost, or is no longer waited for, is never kept;
//! * [`Repeats::after`] when an attempt has failed, before anybody else hears of it. What is sent again
//!   is the same attempt to retry, budget, throttle, breaker and hedge, none of which is asked or told;
//!   to the service it is one more.

mod connections;

pub use connections::{Connections, Departure, KeepAlive};

use crate::time::Span;

/// What happens beneath a client's policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transport {
    /// How connections are kept; none for a fresh one each time that costs nothing.
    pub keep_alive: Option<KeepAlive>,
    /// What is sent again.
    pub repeats: Repeats,
}

/// What is sent again beneath the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// Nothing.
    #[default]
    Never,
    /// What was lost on a connection that had carried an answer before: the server has probably closed
    /// it in the meantime. It is sent again at once, on a fresh connection, and what is lost there is
    /// lost; nothing is after a timeout. Go's `net/http`, for requests that may be repeated.
    OnReused,
    /// gRPC's transparent retries (gRFC A6): what has never left the client is sent again until the
    /// deadline; what reached the server and not the application is sent again at once, the first time
    /// that this happens to a request.
    Transparent {
        /// How long the client takes to find out whether it can send again what has not left. Not
        /// zero: a server that cannot be reached would be asked without end at one instant.
        pause: Span,
    },
}

/// On what an attempt was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A connection that had carried no answer yet.
    Fresh,
    /// A connection that had.
    Reused,
}

/// How far an attempt came that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It has not left the client.
    Nobody,
    /// It reached the server, which refused it before the application saw it (HTTP/2's
    /// `REFUSED_STREAM`).
    TheServer,
    /// Nobody knows: the connection broke, or the answer was lost on its way.
    Unknown,
    /// It was answered, if badly, or timed out: the transport has done what it could.
    TheApplication,
}

/// What a request remembers of what was sent again. New for each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeated {
    /// Whether it was sent again because the server had refused it unseen.
    unseen: bool,
}

impl Repeated {
    /// Nothing yet.
    pub const NOTHING: Self = Self { unseen: false };
}

/// What becomes of an attempt that has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is sent again after this wait, on a fresh connection.
    Again(Span),
    /// It has failed, and the policy is told.
    Fails,
}

impl Repeats {
    /// What becomes of an attempt that has failed with so much time left to its deadline
    /// ([`Span::MAX`] without one).
    pub fn after(
        &self,
        reached: Reached,
        carrier: Carrier,
        left: Span,
        repeated: &mut Repeated,
    ) -> Step {
        match self {
            Self::Never => Step::Fails,
            Self::OnReused => match (reached, carrier) {
                (Reached::TheApplication, _) | (_, Carrier::Fresh) => Step::Fails,
                (Reached::Nobody | Reached::TheServer | Reached::Unknown, Carrier::Reused) => {
                    Step::Again(Span::ZERO)
                }
            },
            Self::Transparent { pause } => match reached {
                Reached::Nobody => {
                    let pause = (*pause).max(Span::NANOSECOND);
                    if pause < left { Step::Again(pause) } else { Step::Fails }
                }
                Reached::TheServer if !repeated.unseen => {
                    repeated.unseen = true;
                    Step::Again(Span::ZERO)
                }
                Reached::TheServer | Reached::Unknown | Reached::TheApplication => Step::Fails,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::budget::{Budget, Extra, Ledger, Permission, Receipt, Rule, TokenThreshold};
    use crate::policy::outcome::{Failure, Failures, Outcome};
    use crate::random::{Bits, Purpose, Stream};
    use crate::time::Time;

    const EACH: [Reached; 4] =
        [Reached::Nobody, Reached::TheServer, Reached::Unknown, Reached::TheApplication];

    fn grpc() -> Repeats {
        Repeats::Transparent { pause: Span::from_secs(1) }
    }

    fn bucket() -> Ledger {
        let rule =
            TokenThreshold { max_tokens: 10, ratio_thousandths: 100, counted: Failures::ALL };
        Budget::from(Rule::TokenThreshold(rule)).open()
    }

    /// Three attempts at most with no wait, of which each fails after it came so far. How many went
    /// over the wire, and what the last one says how many there were before.
    fn call(reached: Reached, ledger: &mut Ledger) -> (u32, u32) {
        let (mut receipt, mut repeated) = (Receipt::default(), Repeated::default());
        let (mut wire, mut before) = (0, 0);
        loop {
            wire += 1;
            if let Step::Again(_) = grpc().after(reached, Carrier::Fresh, Span::MAX, &mut repeated)
            {
                continue;
            }
            let failure = Failure::Unavailable;
            ledger.ended(Time::ZERO, Outcome::Failed(failure), &mut receipt);
            let extra = Extra::Retry(failure);
            if before == 2 || ledger.withdraw(Time::ZERO, extra, &mut receipt) == Permission::Denied
            {
                return (wire, before);
            }
            before += 1;
        }
    }

    /// Case F07: every stream is refused before the application sees it. One more than the policy
    /// knows of, and the bucket has lost three of its ten tokens: with seven it grants a retry after
    /// one more failure, and not after two.
    #[test]
    fn transparent_retries_are_outside_the_policy() {
        let mut ledger = bucket();
        assert_eq!(call(Reached::TheServer, &mut ledger), (4, 2));
        let mut receipt = Receipt::default();
        let mut ask_after_one_more = || {
            ledger.ended(Time::ZERO, Outcome::Failed(Failure::Unavailable), &mut receipt);
            ledger.withdraw(Time::ZERO, Extra::Retry(Failure::Unavailable), &mut receipt)
        };
        assert_eq!(ask_after_one_more(), Permission::Granted);
        assert_eq!(ask_after_one_more(), Permission::Denied);
        assert_eq!(call(Reached::TheApplication, &mut bucket()), (3, 2));
    }

    /// With a deadline of 3.5 s and a second from one to the next, what cannot leave is tried four
    /// times, and nobody has been charged for it.
    #[test]
    fn what_never_left_is_sent_until_the_deadline() {
        let tries = |pause: Span, deadline: Span| {
            let (mut left, mut tries) = (deadline, 1);
            let mut repeated = Repeated::default();
            let repeats = Repeats::Transparent { pause };
            while let Step::Again(wait) =
                repeats.after(Reached::Nobody, Carrier::Fresh, left, &mut repeated)
            {
                left = left - wait;
                tries += 1;
            }
            tries
        };
        assert_eq!(tries(Span::from_secs(1), Span::from_millis(3_500)), 4);
        assert_eq!(tries(Span::from_secs(1), Span::from_secs(3)), 3, "at the deadline it is over");
        assert_eq!(tries(Span::ZERO, Span::from_nanos(100)), 100, "it ends even without a pause");
    }

    #[test]
    fn what_is_sent_again() {
        let again = |repeats: Repeats, carrier| {
            EACH.map(|reached| {
                let step = repeats.after(reached, carrier, Span::MAX, &mut Repeated::default());
                step != Step::Fails
            })
        };
        for carrier in [Carrier::Fresh, Carrier::Reused] {
            assert_eq!(again(Repeats::Never, carrier), [false; 4]);
            assert_eq!(again(grpc(), carrier), [true, true, false, false]);
        }
        assert_eq!(again(Repeats::OnReused, Carrier::Fresh), [false; 4]);
        assert_eq!(again(Repeats::OnReused, Carrier::Reused), [true, true, true, false]);
    }

    /// Lab L7: payments one after another, each answer lost with probability 0.2, at most 5 attempts.
    /// Attempts as the program counts them, and as the server does.
    fn payments(repeats: Repeats) -> (u32, u32) {
        let keep_alive =
            KeepAlive { server_closes: None, client_closes: None, one_way: Span::ZERO, most: None };
        let mut connections = keep_alive.open();
        let mut bits = Stream::new(3, Purpose::Requests, "payments");
        let (mut program, mut server) = (0, 0);
        let mut is_answered = |connections: &mut Connections, carrier: Option<Carrier>| {
            let mut carrier = carrier;
            loop {
                let on = carrier.unwrap_or_else(|| connections.depart(Time::ZERO).carrier());
                server += 1;
                if bits.uniform() >= 0.2 {
                    connections.keep(Time::ZERO);
                    return true;
                }
                let mut repeated = Repeated::default();
                match repeats.after(Reached::Unknown, on, Span::MAX, &mut repeated) {
                    Step::Again(_) => carrier = Some(Carrier::Fresh),
                    Step::Fails => return false,
                }
            }
        };
        for _ in 0..1_000 {
            for _ in 0..5 {
                program += 1;
                if is_answered(&mut connections, None) {
                    break;
                }
            }
        }
        (program, server)
    }

    /// From a connection that has carried an answer, 0.2 x 0.2 of attempts fail twice and are seen:
    /// 1 + 0.04 x 1.25 = 1.05 attempts for each payment.
    #[test]
    fn the_program_sees_fewer_attempts_than_the_server() {
        let (program, server) = payments(Repeats::OnReused);
        assert!(program.abs_diff(1_043) <= 21, "{program}");
        assert!(server.abs_diff(1_250) <= 62, "{server}");
        let (program, server) = payments(Repeats::Never);
        assert!(program == server && program.abs_diff(1_250) <= 62, "{program}");
    }
}
