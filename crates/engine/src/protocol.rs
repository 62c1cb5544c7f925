//! The lines that parent and worker exchange: one JSON value each.

use cpb_model::{Calibration, Failure, LibraryId, Samples, Verification, Workload};
use serde::{Deserialize, Serialize};

/// From the parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    Setup(Setup),
    Job(Job),
}

/// The first line of a worker's life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub(crate) library: String,
    pub(crate) counter: Option<String>,
    pub(crate) megahertz: Option<f64>,
    pub(crate) cpu: Option<usize>,
}

/// One workload to verify and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) workload: Workload,
    pub(crate) backend: String,
    /// Calls in a batch; found by the worker where absent.
    pub(crate) calls: Option<u64>,
    pub(crate) batch_nanoseconds: u64,
    /// Accepted samples wanted.
    pub(crate) samples: u32,
}

/// From the worker, one for each request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Ready { calibration: Calibration, library: LibraryId },
    Measured { verification: Verification, samples: Samples },
    Failed { verification: Option<Verification>, failure: Failure },
}
