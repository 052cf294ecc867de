//! Names turned into small numbers: positions in the lists of a [`Model`](crate::model::Model).

/// Which service, by its position in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u16);

/// Which client, by its position in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u16);

/// Which edge: that of a client to the service it calls, which has the client's position, or one of
/// those between services, which come after them, service by service in the order of their calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(u16);

/// Marks an edge between services, so that nobody has to know how many clients there are.
const INNER: u16 = 1 << 15;

/// Which trigger, by its position in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TriggerId(pub u16);

/// Which lever, by its position in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeverId(pub u16);

impl ServiceId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ClientId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl EdgeId {
    /// More edges than this have no numbers.
    pub const MOST: usize = INNER as usize;

    /// An edge between services, by its position among all edges.
    pub const fn between_services(index: usize) -> Self {
        debug_assert!(index < Self::MOST);
        Self(INNER | index as u16)
    }

    /// The position among all edges, those of the clients first, as an index.
    pub const fn index(self) -> usize {
        (self.0 & !INNER) as usize
    }

    /// Whether it is a service that calls.
    pub const fn is_between_services(self) -> bool {
        self.0 & INNER != 0
    }

    /// The client whose edge it is; none if a service calls.
    pub const fn client(self) -> Option<ClientId> {
        if self.is_between_services() { None } else { Some(ClientId(self.0)) }
    }
}

impl From<ClientId> for EdgeId {
    fn from(client: ClientId) -> Self {
        Self(client.0)
    }
}

impl TriggerId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LeverId {
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
