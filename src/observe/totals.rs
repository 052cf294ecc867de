//! What a whole run came to, service by service and edge by edge.

use super::{Line, Link, Recording, Station};
use crate::id::{ClientId, EdgeId, ServiceId};

/// What one service saw in a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceTotal {
    /// What it took in and made of it.
    pub seen: Station,
    /// How long its queue was.
    pub line: Line,
}

/// What went over one edge in a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeTotal {
    /// What was asked, sent, and became of it.
    pub link: Link,
    /// Fresh requests of the clients whose requests may come to it.
    pub fresh: u64,
}

impl EdgeTotal {
    /// Attempts for each of the fresh requests at the top; none without them. Retries at every hop on the
    /// way down multiply here, and so do services that call several times for one attempt.
    pub fn attempts_per_fresh_request(&self) -> Option<f64> {
        (self.fresh > 0).then(|| self.link.attempts as f64 / self.fresh as f64)
    }
}

impl Recording {
    /// One service.
    pub fn service(&self, id: ServiceId) -> ServiceTotal {
        ServiceTotal { seen: self.station(id), line: self.line(id) }
    }

    /// Every service, by its position.
    pub fn services(&self) -> Vec<ServiceTotal> {
        let (stations, _) = self.graph.totals();
        if stations.is_empty() {
            return vec![self.service(ServiceId(0))];
        }
        let with_line = |(id, seen)| ServiceTotal { seen, line: self.line(ServiceId(id)) };
        (0..).zip(stations).map(with_line).collect()
    }

    /// Every edge, by its position: those of the clients first.
    pub fn edges(&self) -> Vec<EdgeTotal> {
        let (_, links) = self.graph.totals();
        if links.is_empty() {
            let link = self.link(EdgeId::from(ClientId(0)));
            return vec![EdgeTotal { link, fresh: link.requests }];
        }
        links.into_iter().map(|(link, fresh)| EdgeTotal { link, fresh }).collect()
    }
}
