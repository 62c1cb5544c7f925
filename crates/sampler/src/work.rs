//! What threads that run at once do.

use cpb_libraries::Prepared;
use cpb_model::Failure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Makes a call ready, in the thread that is to make it.
pub type Prepare = dyn Fn() -> Result<Box<dyn Prepared>, Failure> + Send + Sync;

/// What every thread does.
#[derive(Clone)]
pub struct Work {
    /// Makes the call ready: once to warm up with, and anew for the run.
    pub prepare: Arc<Prepare>,
    /// How many calls each thread makes.
    pub amount: Amount,
    /// Operations in a call, such as hashes: cycles are told for one of them.
    pub operations: u64,
    /// Threads; not zero.
    pub threads: usize,
    /// What further threads do meanwhile, one each.
    pub others: Vec<Arc<Prepare>>,
}

/// How many calls each of some threads makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amount {
    /// So many, not zero, by a call that made none before.
    Calls(u64),
    /// As many as it can, for so long.
    Time(Duration),
}
