//! Holds what the threads of a verification share.

use super::queue::Queue;
use super::tally::Tally;
use std::sync::atomic::{AtomicBool, Ordering};

/// The segments that are read before they are queued, and the most bad lines that wait to be
/// reported, so that a file of nothing else cannot fill the memory.
pub(super) const HANDFUL: usize = 64;

/// What the threads share.
pub(super) struct Work<'a> {
    pub(super) queue: Queue,
    pub(super) tally: Tally,
    pub(super) stop: &'a AtomicBool,
}

impl Work<'_> {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
