//! What can be wrong with a store, each with its remedy.

use crate::StoreLocation;
use std::path::PathBuf;

/// Why the store could not do what was asked. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nobody says where it should be.
    #[error(
        "there is no place for saved runs: neither XDG_DATA_HOME nor HOME names a folder; name a \
         file with --store FILE"
    )]
    NoPlace,
    /// SQLite would keep no file, or another one.
    #[error(
        "'{}' is no file's path, and a store is a file, or a server as postgres://USER@HOST/DATABASE: \
         give one of them, or measure without saving with --no-save; a file of that very name is \
         './{}'", path.display(), path.display()
    )]
    NoPath {
        /// What was given.
        path: PathBuf,
    },
    /// It is a folder, a pipe or a device.
    #[error("'{}' is {what}, and a store is a file; name one with --store FILE", path.display())]
    NoFile {
        /// What was given.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// This is no server's address.
    #[error(
        "'{address}' is not the address of a PostgreSQL server: {reason}; write postgres://USER@HOST:PORT/DATABASE?sslmode=require, with the password in ~/.pgpass or \
         PGPASSWORD"
    )]
    NoAddress {
        /// What was given, without its password.
        address: String,
        /// In words.
        reason: String,
    },
    /// It is a server, and this program speaks to none.
    #[error(
        "'{address}' is a database of PostgreSQL, and this cpb was built without it; cargo install \
         --locked --path crates/cli builds all of cpb"
    )]
    NotBuilt {
        /// What was given, without its password.
        address: String,
    },
    /// The server cannot be reached, or does not let us in.
    #[error("the store '{place}' cannot be reached: {reason}; {remedy}")]
    Unreachable {
        /// Where it would be.
        place: StoreLocation,
        /// In words.
        reason: String,
        /// What would be right.
        remedy: String,
    },
    /// There is no store.
    #[error(
        "no runs are saved yet: there is no {}; cpb run makes it, or name another with --store",
        missing(place)
    )]
    Missing {
        /// Where it would be.
        place: StoreLocation,
    },
    /// It is something else.
    #[error("{}, and is left as it is; name another with --store", foreign(place))]
    Foreign {
        /// Where it is.
        place: StoreLocation,
    },
    /// A newer cpb has written it.
    #[error(
        "the store '{place}' is by a newer cpb (schema {schema}; this one reads up to {known}); use that cpb, or name another with --store"
    )]
    Newer {
        /// Where it is.
        place: StoreLocation,
        /// Its schema.
        schema: i64,
        /// The newest this program knows.
        known: i64,
    },
    /// What it holds cannot be read.
    #[error(
        "the store '{place}' is damaged ({what}), and is left as it is; bring back a copy{}, or \
         name another with --store",
        recovery(place)
    )]
    Damaged {
        /// Where it is.
        place: StoreLocation,
        /// What was found.
        what: String,
    },
    /// It cannot be written.
    #[error(
        "the store '{place}' cannot be written: {}, or name another with --store",
        read_only(place)
    )]
    ReadOnly {
        /// Where it is.
        place: StoreLocation,
    },
    /// There is no room.
    #[error(
        "the volume of the store '{place}' is full; make room there, or name another with --store"
    )]
    Full {
        /// Where it is.
        place: StoreLocation,
    },
    /// Another process kept it locked for too long.
    #[error("the store '{place}' is locked by another process; try again when that has ended")]
    Busy {
        /// Where it is.
        place: StoreLocation,
    },
    /// Anything else.
    #[error("cannot use the store '{place}': {reason}")]
    Io {
        /// Where it is.
        place: StoreLocation,
        /// In words.
        reason: String,
    },
    /// The run is there already.
    #[error("it is already saved here, as run {number}")]
    Present {
        /// Under which number.
        number: i64,
    },
    /// A run cannot be saved.
    #[error("the run cannot be saved: {reason}")]
    Unfit {
        /// In words.
        reason: String,
    },
    /// No run has this number.
    #[error("there is no run {number}")]
    NoRun {
        /// The number.
        number: i64,
    },
    /// The label is another run's.
    #[error(
        "'{label}' is the label of run {number}; choose another, or take it from that run with \
         --move"
    )]
    LabelTaken {
        /// The label.
        label: String,
        /// Whose it is.
        number: i64,
    },
    /// This can be no label.
    #[error("'{label}' cannot be a label: {reason}")]
    WrongLabel {
        /// What was given.
        label: String,
        /// In words.
        reason: &'static str,
    },
}

impl StoreError {
    /// Whether the store was not reached, or lost on the way: what was to be saved can be sent
    /// later.
    #[must_use]
    pub fn is_of_the_way(&self) -> bool {
        use StoreError::{Busy, Damaged, Foreign, Full, Io, Missing, Newer, ReadOnly, Unreachable};
        match self {
            Unreachable { .. } => true,
            Foreign { place }
            | Newer { place, .. }
            | Damaged { place, .. }
            | ReadOnly { place }
            | Full { place }
            | Busy { place }
            | Io { place, .. }
            | Missing { place } => {
                matches!(place, StoreLocation::Server(_))
            }
            _ => false,
        }
    }

    /// Whether the cause lies outside of what was asked for: no room, no
    /// right, another process.
    #[must_use]
    pub fn is_of_the_machine(&self) -> bool {
        use StoreError::{Busy, Full, Io, NoPlace, ReadOnly};
        matches!(self, NoPlace | ReadOnly { .. } | Full { .. } | Busy { .. } | Io { .. })
    }

    pub(crate) fn damaged(place: &StoreLocation, what: impl ToString) -> Self {
        StoreError::Damaged { place: place.clone(), what: what.to_string() }
    }

    pub(crate) fn unfit(error: &std::io::Error) -> Self {
        StoreError::Unfit { reason: error.to_string() }
    }
}

fn missing(place: &StoreLocation) -> String {
    match place {
        StoreLocation::File(_) => format!("'{place}'"),
        StoreLocation::Server(_) => format!("schema 'cpb' in '{place}'"),
    }
}

fn foreign(place: &StoreLocation) -> String {
    match place {
        StoreLocation::File(_) => {
            format!("'{place}' is a file of another program, not a store of cpb")
        }
        StoreLocation::Server(_) => {
            format!("the schema 'cpb' of '{place}' is of another program, not a store of cpb")
        }
    }
}

fn recovery(place: &StoreLocation) -> &'static str {
    match place {
        StoreLocation::File(_) => ", save what can be read with sqlite3's .recover",
        StoreLocation::Server(_) => "",
    }
}

fn read_only(place: &StoreLocation) -> &'static str {
    match place {
        StoreLocation::File(_) => {
            "the file, its folder or the whole volume is read-only; allow writing"
        }
        StoreLocation::Server(_) => {
            "the user may not, or the server is read-only; let the owner of the database grant it \
             (CREATE on the database for the first run, then all on schema cpb and its tables)"
        }
    }
}
