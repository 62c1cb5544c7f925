//! What can be wrong with a store, each with its remedy.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

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
        "'{}' is no file's path, and a store is a file: give its path, or measure without saving \
         with --no-save; a file of that very name is './{}'", path.display(), path.display()
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
    /// There is no file.
    #[error(
        "no runs are saved yet: there is no '{}'; cpb run makes it, or name another with --store \
         FILE", path.display()
    )]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// The file is something else.
    #[error(
        "'{}' is no store of cpb but a file of another program, and is left as it is; name \
         another with --store FILE", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer cpb has written it.
    #[error(
        "the store '{}' is of a newer cpb (schema {schema}, this one knows up to {known}); use \
         that cpb, or name another with --store FILE", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        schema: i64,
        /// The newest this program knows.
        known: i64,
    },
    /// What it holds cannot be read.
    #[error(
        "the store '{}' is damaged ({what}), and is left as it is; bring back a copy, save what \
         can be read with sqlite3's .recover, or name another with --store FILE", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// It cannot be written.
    #[error(
        "the store '{}' cannot be written: the file, its folder or the whole volume is \
         read-only; allow writing, or name another with --store FILE", path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// There is no room.
    #[error(
        "the volume of the store '{}' is full; make room there, or name another with --store \
         FILE", path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another process kept it locked for too long.
    #[error(
        "the store '{}' is in use by another process that does not let go of it; try again when \
         that has ended", path.display()
    )]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Anything else.
    #[error("cannot use the store '{}': {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// In words.
        reason: String,
    },
    /// The run is there already.
    #[error("the run is there already, as run {number}")]
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
    #[error("there is no run {number} (any more)")]
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
    #[error("'{label}' can be no label: {reason}")]
    WrongLabel {
        /// What was given.
        label: String,
        /// In words.
        reason: &'static str,
    },
}

impl StoreError {
    /// Whether the cause lies outside of what was asked for: no room, no
    /// right, another process.
    #[must_use]
    pub fn is_of_the_machine(&self) -> bool {
        use StoreError::{Busy, Full, Io, NoPlace, ReadOnly};
        matches!(self, NoPlace | ReadOnly { .. } | Full { .. } | Busy { .. } | Io { .. })
    }

    pub(crate) fn damaged(path: &Path, what: impl ToString) -> Self {
        StoreError::Damaged { path: path.to_owned(), what: what.to_string() }
    }

    /// What SQLite's `error` on the store at `path` means.
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::damaged(&path, error)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { path }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
            Some(ErrorCode::CannotOpen) if is_read_only(&path) => StoreError::ReadOnly { path },
            Some(_) => StoreError::Io { path, reason: error.to_string() },
            // A column of a type it cannot have, or a table that is missing.
            None => StoreError::damaged(&path, error),
        }
    }
}

/// Whether nothing can be written beside `path`, as SQLite has to.
fn is_read_only(path: &Path) -> bool {
    let Some(folder) = path.parent() else { return false };
    let probe = folder.join(format!(".cpb-{}", std::process::id()));
    match std::fs::File::create(&probe) {
        Ok(_) => {
            let _ = std::fs::remove_file(&probe);
            false
        }
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem
        ),
    }
}
