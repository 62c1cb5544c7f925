//! Defines why nothing can be built of a folder.

use std::path::PathBuf;

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
