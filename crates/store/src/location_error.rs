//! Defines why a text, or the environment, names no place for a store.

use std::path::PathBuf;

/// The reason why there is no location.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// No variable says where it should be.
    #[error(
        "there is no place for saved runs: neither XDG_DATA_HOME nor HOME names a folder; name a \
         file with --store FILE"
    )]
    NoPlace,
    /// SQLite would not use this path as a plain file.
    #[error(
        "'{}' is no file's path, and a store is a file, or a server as postgres://USER@HOST/DATABASE: \
         give one of them, or measure without saving with --no-save; a file of that very name is \
         './{}'", path.display(), path.display()
    )]
    NoPath { path: PathBuf },
    /// The text, given here without its password, is not a server's address.
    #[error(
        "'{address}' is not the address of a PostgreSQL server: {reason}; write postgres://USER@HOST:PORT/DATABASE?sslmode=require, with the password in ~/.pgpass or \
         PGPASSWORD"
    )]
    NoAddress { address: String, reason: String },
    /// It is a server, here without its password, and this build does not support servers.
    #[error(
        "'{address}' is a database of PostgreSQL, and this cpb was built without it; cargo install \
         --locked --path crates/cli builds all of cpb"
    )]
    NotBuilt { address: String },
}
