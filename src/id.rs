//! Names turned into small numbers: positions in the lists of a [`Model`](crate::model::Model).

/// Which service, by its position in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u16);

/// Which client, by its position in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u16);

/// Which edge: over which a client calls its service. It has the client's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u16);

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
    /// The position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The client whose edge it is.
    pub const fn client(self) -> ClientId {
        ClientId(self.0)
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
