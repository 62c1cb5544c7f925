//! Makes what SUPERCOP has usable: its folders of implementations in source form as libraries, and
//! its database as runs ([`database`]).
//!
//! Each folder is built with every compiler into shared libraries with the interface of
//! `cpb_provider.h`, and checked against SUPERCOP's own checksums.
//!
//! [`build`] turns a folder into a [`cpb_libraries::Index`], which a worker opens as one library.
//! Failed builds and checks are listed in it with the reason. Nothing foreign runs in this process:
//! compilers and checks are children with limits ([`confine`]).

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
    /// Names to which it is restricted, such as `crypto_hash/sha256`; if empty, all.
    pub only: Vec<String>,
    pub compilers: Vec<Compiler>,
    /// The time limit of a compiler or a check.
    pub patience: Duration,
    /// The bytes of builds that may be kept for later, of this and of other folders.
    pub most_kept: u64,
}

/// The reason why nothing can be built of a folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read, for the system's reason.
    #[error("cannot read {}: {reason}", folder.display())]
    Unreadable { folder: PathBuf, reason: std::io::Error },
    /// It contains no implementation.
    #[error(
        "{} has no implementation: a folder of one has an api.h, and stands in one called \
         crypto_OPERATION/PRIMITIVE, such as crypto_hash/sha256/ref",
        .0.display()
    )]
    NoImplementations(PathBuf),
    /// All its implementations are for other machines.
    #[error(
        "none of the {implementations} implementations in {} can be built here: they are for other \
         architectures than {}, or Rust crates",
        folder.display(),
        std::env::consts::ARCH
    )]
    OtherArchitectures { folder: PathBuf, implementations: usize },
    /// There is no compiler.
    #[error("{0}")]
    NoCompiler(String),
    /// There is no place to store builds.
    #[error("builds cannot be kept: {0}")]
    Cache(std::io::Error),
}
