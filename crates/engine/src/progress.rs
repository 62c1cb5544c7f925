//! Defines the progress reports of a measurement.

use crate::plan::Row;
use cpb_model::{Calibration, Failure, Record};

/// Reports what a run is doing.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "a function has none")]
pub enum Progress<'a> {
    /// Rows are being verified.
    Verify {
        /// Implementations verified so far.
        done: u64,
        /// Implementations in total.
        expected: u64,
    },
    /// The first worker has calibrated its clock.
    Clock(&'a Calibration),
    /// A row is about to be timed in another process.
    Job {
        row: &'a Row,
        /// Jobs done so far.
        done: u64,
        /// Jobs expected in total, as far as known.
        expected: u64,
    },
    /// Every row was timed in another process.
    Figures {
        /// Makes the rows' records from what is known so far, in the order of the plan. It is a
        /// function so that only callers who show them pay for them.
        records: &'a dyn Fn() -> Vec<Record>,
    },
    /// A row failed.
    Failed { row: &'a Row, failure: &'a Failure },
}
