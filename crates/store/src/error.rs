//! Defines the errors of a store, each with its remedy.

use crate::{LocationError, StoreLocation};
use std::path::PathBuf;

/// The reason why the store could not do what was requested. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing names a place for it.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// It is a folder, a pipe or a device.
    #[error("'{}' is {what}, and a store is a file; name one with --store FILE", path.display())]
    NoFile { path: PathBuf, what: &'static str },
    /// The server cannot be reached, or rejects us.
    #[error("the store '{place}' cannot be reached: {reason}; {remedy}")]
    Unreachable { place: StoreLocation, reason: String, remedy: String },
    /// There is no store.
    #[error(
        "no runs are saved yet: there is no {}; cpb run makes it, or name another with --store",
        missing(place)
    )]
    Missing { place: StoreLocation },
    /// It is not a store of cpb.
    #[error("{}, and is left as it is; name another with --store", foreign(place))]
    Foreign { place: StoreLocation },
    /// A newer cpb wrote it than this one, which knows schemas up to `known`.
    #[error(
        "the store '{place}' is by a newer cpb (schema {schema}; this one reads up to {known}); use that cpb, or name another with --store"
    )]
    Newer { place: StoreLocation, schema: i64, known: i64 },
    /// Its contents cannot be read.
    #[error(
        "the store '{place}' is damaged ({what}), and is left as it is; bring back a copy{}, or \
         name another with --store",
        recovery(place)
    )]
    Damaged { place: StoreLocation, what: String },
    /// It is read-only.
    #[error(
        "the store '{place}' cannot be written: {}, or name another with --store",
        read_only(place)
    )]
    ReadOnly { place: StoreLocation },
    /// Its volume is full.
    #[error(
        "the volume of the store '{place}' is full; make room there, or name another with --store"
    )]
    Full { place: StoreLocation },
    /// Another process kept it locked for too long.
    #[error("the store '{place}' is locked by another process; try again when that has ended")]
    Busy { place: StoreLocation },
    /// Any other failure.
    #[error("cannot use the store '{place}': {reason}")]
    Io { place: StoreLocation, reason: String },
    /// The run is already saved.
    #[error("it is already saved here, as run {number}")]
    Present { number: i64 },
    /// This run cannot be saved.
    #[error("the run cannot be saved: {reason}")]
    Unfit { reason: String },
    /// No run has this number.
    #[error("there is no run {number}")]
    NoRun { number: i64 },
    /// Another run, with this number, has this label.
    #[error(
        "'{label}' is the label of run {number}; choose another, or take it from that run with \
         --move"
    )]
    LabelTaken { label: String, number: i64 },
    /// The text cannot be a label.
    #[error("'{label}' cannot be a label: {reason}")]
    WrongLabel { label: String, reason: &'static str },
}

impl StoreError {
    /// Whether the store was not reached, or lost during the transfer, so that the run can be sent
    /// later.
    pub fn is_transfer_failure(&self) -> bool {
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

    /// Whether the machine is the cause rather than the request: no space, no permission, another
    /// process.
    pub fn is_machine_failure(&self) -> bool {
        use StoreError::{Busy, Full, Io, Location, ReadOnly};
        let no_place = matches!(self, Location(LocationError::NoPlace));
        no_place || matches!(self, ReadOnly { .. } | Full { .. } | Busy { .. } | Io { .. })
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
