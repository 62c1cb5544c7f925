//! Defines why a command ended without results, with its exit status.

use crate::output::complain;
use cpb_report::WriteError;
use cpb_store::StoreError;
use std::process::ExitCode;

/// Exit status: something requested could not be measured.
pub(crate) const NOT_MEASURED: u8 = 1;
/// Exit status: wrong use.
pub(crate) const WRONG_USE: u8 = 2;
/// Exit status: a gate found something slower.
pub(crate) const SLOWER: u8 = 3;

/// Creates the error of wrong use, in words as for `format!`.
macro_rules! usage {
    ($($words:tt)+) => { $crate::cli_error::CliError::Usage(format!($($words)+)) };
}

/// Creates the error that something could not be measured, in words as for `format!`.
macro_rules! not_measured {
    ($($words:tt)+) => { $crate::cli_error::CliError::NotMeasured(format!($($words)+)) };
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The command line or its input is wrong; the text says what would be right.
    #[error("{0}")]
    Usage(String),
    /// Nothing could be measured.
    #[error("{0}")]
    NotMeasured(String),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CliError {
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            // The reader has closed the pipe, so nobody can be notified.
            CliError::Write(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
            CliError::Usage(reason) => {
                complain(reason);
                ExitCode::from(WRONG_USE)
            }
            CliError::NotMeasured(_) | CliError::Write(_) => {
                complain(&self.to_string());
                ExitCode::from(NOT_MEASURED)
            }
            CliError::Store(error) => {
                complain(&error.to_string());
                ExitCode::from(store_status(error))
            }
        }
    }
}

/// Describes a panic at `place`. Some are not cpb's fault: the standard library panics if the
/// system grants no more resources.
pub(crate) fn of_panic(place: &str, words: &str) -> String {
    if words.starts_with("failed to spawn thread") {
        return format!("the system grants no more threads: {words}");
    }
    if words == "capacity overflow" {
        return "not enough memory: a length is beyond any memory".to_owned();
    }
    format!("internal error at {place}: {words}; please report this")
}

/// Returns the exit status for an error of the store.
pub(crate) fn store_status(error: &StoreError) -> u8 {
    if error.is_machine_failure() { NOT_MEASURED } else { WRONG_USE }
}
