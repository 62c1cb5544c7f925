//! Sums of a suite: what several rows cost together, as both sides of a handshake do.

use crate::Operation;
use serde::{Deserialize, Serialize};

/// Operations that are done one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// What they are, as a whole.
    pub name: String,
    /// Who does them.
    pub side: String,
    /// Each operation once.
    pub parts: Vec<Part>,
}

/// An operation, and how often it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The canonical name of the primitive.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// How often.
    pub times: u32,
}

impl Sum {
    /// Adds an operation that is done once more.
    pub fn add(&mut self, primitive: &str, operation: Operation) {
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
