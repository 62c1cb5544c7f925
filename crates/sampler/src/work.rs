//! Defines the work of threads that run at once.

use cpb_libraries::Prepared;
use cpb_model::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Prepares a call, in the thread that makes it.
pub type Prepare = dyn Fn() -> Result<Box<dyn Prepared>, Failure> + Send + Sync;

/// The work of every thread.
#[derive(Clone)]
pub struct Work {
    /// Prepares the call: once for the warm-up, and again for the run.
    pub prepare: Arc<Prepare>,
    /// The number of calls of each thread.
    pub amount: Amount,
    /// Operations per call, such as hashes: cycles are reported per operation.
    pub operations: u64,
    /// The number of threads; not zero.
    pub threads: usize,
    /// The work of further threads during the calls, one thread each.
    pub others: Vec<Arc<Prepare>>,
}

/// Says how many calls each thread makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amount {
    /// It makes this number of calls, at least one, with a call that made none before.
    Calls(u64),
    /// It makes as many calls as it can in this time.
    Time(Duration),
}
