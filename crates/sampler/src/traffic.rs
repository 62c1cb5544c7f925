//! Keeps memory busy beside the measured calls.

use crate::eviction::more_than_the_caches;
use cpb_libraries::Prepared;
use std::collections::TryReserveError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const WORDS_PER_LINE: usize = 8;
/// The cache lines that one call visits: few enough that a thread can end in time.
const LINES_PER_CALL: usize = 1024;

/// More data than the caches hold, shared by all threads of a process, because these may be
/// many.
pub struct Data(Arc<Vec<AtomicU64>>);

impl Data {
    /// Allocates twice the size of the last-level cache.
    pub fn new() -> Result<Self, TryReserveError> {
        Self::of_words(more_than_the_caches() / size_of::<AtomicU64>())
    }

    fn of_words(words: usize) -> Result<Self, TryReserveError> {
        let mut data = Vec::new();
        data.try_reserve_exact(words)?;
        data.resize_with(words, AtomicU64::default);
        Ok(Self(Arc::new(data)))
    }

    /// Returns the work of one of `threads` threads, each of which begins at a different
    /// position.
    pub fn traffic(&self, thread: usize, threads: usize) -> MemoryLoad {
        let start = self.0.len() / WORDS_PER_LINE * thread / threads.max(1);
        MemoryLoad { data: Arc::clone(&self.0), next: start * WORDS_PER_LINE }
    }
}

/// Reads and writes every line of the data, some of them with each call.
pub struct MemoryLoad {
    data: Arc<Vec<AtomicU64>>,
    next: usize,
}

impl Prepared for MemoryLoad {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            for _ in 0..LINES_PER_CALL {
                let Some(word) = self.data.get(self.next) else {
                    self.next = 0;
                    continue;
                };
                // Threads need not see every change, and no instruction must wait for one.
                word.store(word.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
                self.next += WORDS_PER_LINE;
            }
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_written_and_threads_begin_apart() {
        let data = Data::of_words(2 * LINES_PER_CALL * WORDS_PER_LINE).unwrap();
        let mut threads = [0, 1].map(|thread| data.traffic(thread, 2));
        threads.iter_mut().for_each(|thread| thread.run(1));
        let words = data.0.iter().map(|word| word.load(Ordering::Relaxed));
        for (place, word) in words.enumerate() {
            assert_eq!(word, u64::from(place % WORDS_PER_LINE == 0), "{place}");
        }
        // At the end it wraps around, after one iteration that finds the end.
        threads[1].run(1);
        assert_eq!(data.0[0].load(Ordering::Relaxed), 2);
    }
}
