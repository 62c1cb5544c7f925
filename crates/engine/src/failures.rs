//! Creates the failures that several modules report.

use cpb_model::{Failure, FailureKind};

pub(crate) fn not_measured(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::NotMeasured, reason: reason.to_string() }
}

pub(crate) fn unavailable(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::Unavailable, reason: reason.to_string() }
}

pub(crate) fn wrong_answer(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::WrongAnswer, reason: reason.to_string() }
}

/// Returns the failure of a row that was interrupted before its turn.
pub(crate) fn interrupted() -> Failure {
    not_measured("interrupted")
}

/// Returns the failure of a row for which no time was left.
pub fn no_time() -> Failure {
    not_measured("no time was left for it; give more with --max-time, or select less")
}

pub(crate) fn not_run() -> Failure {
    not_measured("its library is not part of the run")
}

/// Whether a retry may succeed.
pub(crate) fn is_passing(failure: &Failure) -> bool {
    failure.kind == FailureKind::NotMeasured
}
