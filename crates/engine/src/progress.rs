//! What is told while a run is measured.

use crate::plan::Row;
use cpb_model::{Calibration, Failure, Record};

/// What a run tells while it works.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "a function has none")]
pub enum Progress<'a> {
    /// Rows are being verified.
    Verify {
        /// Implementations done so far.
        done: u64,
        /// Implementations there are.
        expected: u64,
    },
    /// The first worker has calibrated its clock.
    Clock(&'a Calibration),
    /// A row is about to be timed in one more process.
    Job {
        /// The row.
        row: &'a Row,
        /// Jobs done so far.
        done: u64,
        /// Jobs there will be, as far as is known now.
        expected: u64,
    },
    /// Every row was timed in one more process.
    Figures {
        /// Makes the rows' records, in the order of the plan, of what is known of each so far:
        /// only who shows them pays for them.
        records: &'a dyn Fn() -> Vec<Record>,
    },
    /// A row failed.
    Failed {
        /// The row.
        row: &'a Row,
        /// Why.
        failure: &'a Failure,
    },
}
