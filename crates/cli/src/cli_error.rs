//! Why a command ended without results, and the exit status that says so.

use crate::output::complain;
use cpb_report::WriteError;
use cpb_store::StoreError;
use std::process::ExitCode;

/// Exit status: something asked for could not be measured.
pub(crate) const NOT_MEASURED: u8 = 1;
/// Exit status: wrong use.
pub(crate) const WRONG_USE: u8 = 2;
/// Exit status: a gate found something slower.
pub(crate) const SLOWER: u8 = 3;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// What was wrong, what would be right.
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
            // The reader has seen enough; there is nobody to tell.
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

/// What a panic at `place` is called. Some are no fault of cpb's: the standard
/// library gives up so where the system grants no more.
pub(crate) fn of_panic(place: &str, words: &str) -> String {
    if words.starts_with("failed to spawn thread") {
        return format!("the system grants no more threads: {words}");
    }
    if words == "capacity overflow" {
        return "not enough memory: a length is beyond any memory".to_owned();
    }
    format!("internal error at {place}: {words}; please report this")
}

/// The exit status for a store that could not do what was asked.
pub(crate) fn store_status(error: &StoreError) -> u8 {
    if error.is_machine_failure() { NOT_MEASURED } else { WRONG_USE }
}
