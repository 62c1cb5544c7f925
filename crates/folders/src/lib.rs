//! Folders of implementations in source, as SUPERCOP has them: which there are, built by
//! every compiler into shared libraries that speak `cpb_provider.h`, and checked by
//! SUPERCOP's own checksums.
//!
//! [`build`] takes a folder to an [`cpb_libraries::Index`], which a worker opens as one
//! library. What does not build or check stands in it with the reason. Nothing foreign runs
//! in this process: compilers and checks are children with limits ([`confine`]).

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod builder;
mod cache;
mod checked;
mod compiler;
pub mod confine;
pub mod database;
mod dialect;
mod headers;
mod objects;
mod operations;
mod tree;

pub use builder::{Built, Progress, build};
pub use compiler::{Compiler, usual_compilers};
pub use tree::Skipped;

use std::path::PathBuf;
use std::time::Duration;

/// What to build, and how.
#[derive(Debug)]
pub struct Request {
    /// The folder of an implementation, a primitive, an operation, or a whole tree.
    pub folder: PathBuf,
    /// What of it, by names such as `crypto_hash/sha256`; all without any.
    pub only: Vec<String>,
    /// By each of these.
    pub compilers: Vec<Compiler>,
    /// How long a compiler or a check may take.
    pub patience: Duration,
    /// How many bytes of what was built may be kept for later, of this and of other folders.
    pub most_kept: u64,
}

/// Why nothing can be built of a folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error("cannot read {}: {reason}", folder.display())]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// The system's words.
        reason: std::io::Error,
    },
    /// There are none in it.
    #[error(
        "{} has no implementation: a folder of one has an api.h, and stands in one called \
         crypto_OPERATION/PRIMITIVE, such as crypto_hash/sha256/ref",
        .0.display()
    )]
    NoImplementations(PathBuf),
    /// All of them are for others.
    #[error(
        "none of the {implementations} implementations in {} can be built here: they are for other \
         architectures than {}, or Rust crates",
        folder.display(),
        std::env::consts::ARCH
    )]
    OtherArchitectures {
        /// The folder.
        folder: PathBuf,
        /// How many it has.
        implementations: usize,
    },
    /// There is no compiler.
    #[error("{0}")]
    NoCompiler(String),
    /// What was built has no place.
    #[error("builds cannot be kept: {0}")]
    Cache(std::io::Error),
}
