//! Defines why a library cannot be opened, or a call not prepared.

use crate::NoMemory;
use cpb_model::DoesNotFit;

/// The reason why a library cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It is not installed, or cpb was built without its shim.
    #[error("{library} is not available: {reason}; {remedy}")]
    Missing {
        /// The library's name.
        library: String,
        /// The loader's messages for each attempt.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// The file cannot be loaded.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The file's path.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// The file was loaded, but is not the expected library.
    #[error("{path} is no {library} library: it lacks the symbol {symbol}")]
    WrongLibrary {
        /// The file's path.
        path: String,
        /// The expected library.
        library: String,
        /// The first symbol that was not found.
        symbol: String,
    },
    /// The provider has another version of the interface.
    #[error("{path} speaks version {found} of cpb_provider.h, cpb speaks {expected}; rebuild it")]
    OtherAbi {
        /// The file's path.
        path: String,
        /// The provider's version.
        found: u32,
        /// The version that cpb supports.
        expected: u32,
    },
    /// The library refuses to be used.
    #[error("{library} refuses to start: {reason}")]
    Refused {
        /// The library's name.
        library: String,
        /// The library's message.
        reason: String,
    },
}

/// The reason why a call could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The library does not implement it.
    #[error("{library} has no {what}")]
    NotOffered {
        /// The library's name.
        library: String,
        /// The implementation, or the contract that it lacks.
        what: String,
    },
    /// It is implemented, but cannot run here or refuses; with the library's message.
    #[error("{0}")]
    Unavailable(String),
    /// It does not accept these lengths.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// There is not enough memory for the inputs.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}
