//! Why a command ended without results, and the exit status that says so.

use crate::output::complain;
use cpb_report::WriteError;
use std::process::ExitCode;

/// Exit status: something asked for could not be measured.
pub(crate) const NOT_MEASURED: u8 = 1;
/// Exit status: wrong use.
pub(crate) const WRONG_USE: u8 = 2;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// What was wrong, what would be right.
    #[error("{0}")]
    Usage(String),
    /// Nothing could be measured.
    #[error("{0}")]
    NotMeasured(String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Fault {
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            // The reader has seen enough; there is nobody to tell.
            Fault::Write(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
            Fault::Usage(reason) => {
                complain(reason);
                ExitCode::from(WRONG_USE)
            }
            Fault::NotMeasured(_) | Fault::Write(_) => {
                complain(&self.to_string());
                ExitCode::from(NOT_MEASURED)
            }
        }
    }
}
