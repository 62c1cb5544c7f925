//! Defines sums over several rows of a suite, such as both sides of a handshake.

use crate::Operation;
use serde::{Deserialize, Serialize};

/// A sum over operations that are done one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// The name of the whole.
    pub name: String,
    /// The side that does them.
    pub side: String,
    /// The operations, each once.
    pub parts: Vec<Part>,
}

/// An operation, with its count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The canonical name of the primitive.
    pub primitive: String,
    pub operation: Operation,
    pub times: u32,
}

impl Sum {
    /// Adds one execution of an operation.
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
