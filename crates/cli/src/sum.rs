//! Sums of a suite: what several rows cost together, as both sides of a handshake do.

use cpb_model::Operation;

/// Operations that are done one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    /// What they are, as a whole.
    pub(crate) name: String,
    /// Who does them.
    pub(crate) side: String,
    pub(crate) parts: Vec<Part>,
}

/// An operation, and how often it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) primitive: String,
    pub(crate) operation: Operation,
    pub(crate) times: u32,
}

impl Sum {
    /// Adds an operation that is done once more.
    pub(crate) fn add(&mut self, primitive: &str, operation: Operation) {
        let is_it = |part: &&mut Part| part.primitive == primitive && part.operation == operation;
        match self.parts.iter_mut().find(is_it) {
            Some(part) => part.times += 1,
            None => self.parts.push(Part { primitive: primitive.to_owned(), operation, times: 1 }),
        }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.times > 1 {
            write!(f, "{} × ", self.times)?;
        }
        write!(f, "{} {}", self.primitive, self.operation.name())
    }
}
