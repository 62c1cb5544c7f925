//! Queues segments between reader and lanes, longest first.

use crate::Segment;
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A bounded queue that hands out its longest segments first, so that no long one is left to run
/// alone at the end.
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    emptied: Condvar,
    capacity: usize,
    takers: usize,
}

struct State {
    waiting: BinaryHeap<ByLength>,
    closed: bool,
}

/// A segment, ordered by its iterations.
struct ByLength(Segment);

/// Closes the queue when dropped.
pub(super) struct Closing<'a>(&'a Queue);

impl Queue {
    /// Creates an empty queue for about `capacity` segments and `takers` threads.
    pub(super) fn new(capacity: usize, takers: usize) -> Self {
        let state = State { waiting: BinaryHeap::new(), closed: false };
        let (filled, emptied) = (Condvar::new(), Condvar::new());
        Self { state: Mutex::new(state), filled, emptied, capacity, takers }
    }

    /// Adds all of `segments` once there is room; if the queue is closed, drops them and returns
    /// false.
    pub(super) fn add(&self, segments: &mut Vec<Segment>) -> bool {
        let mut state = self.lock();
        while state.waiting.len() >= self.capacity && !state.closed {
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let is_open = !state.closed;
        if is_open {
            state.waiting.extend(segments.drain(..).map(ByLength));
        }
        segments.clear();
        drop(state);
        self.filled.notify_all();
        is_open
    }

    /// Returns a guard for each thread that fills or takes, to be held until it ends, even by a
    /// panic, so that no thread waits for one that is gone. A taker ends before the queue is closed
    /// only if all are to end.
    pub(super) fn closing(&self) -> Closing<'_> {
        Closing(self)
    }

    /// Declares that nothing more will come; waiting segments are still handed out.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.emptied.notify_all();
    }

    /// Declares that nothing more will come, and drops waiting segments.
    pub(super) fn abandon(&self) {
        self.lock().waiting.clear();
        self.close();
    }

    /// Takes up to `wanted` of the longest segments, fewer if they become scarce, so that they are
    /// shared evenly; the longest comes last. If there are none, waits only if it `may_wait`.
    pub(super) fn take(&self, wanted: usize, may_wait: bool, segments: &mut Vec<Segment>) {
        let mut state = self.lock();
        while may_wait && state.waiting.is_empty() && !state.closed {
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let share = state.waiting.len().div_ceil(self.takers).min(wanted);
        segments.extend((0..share).map_while(|_| state.waiting.pop()).map(|waiting| waiting.0));
        segments.reverse();
        let has_room = state.waiting.len() < self.capacity;
        drop(state);
        if has_room {
            self.emptied.notify_one();
        }
    }

    /// Locks the state, which a panicking thread leaves consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Ord for ByLength {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |this: &Self| (this.0.iterations, std::cmp::Reverse(this.0.line));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for ByLength {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByLength {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ByLength {}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(lengths: &[u64]) -> Vec<Segment> {
        let segment = |(line, &iterations)| Segment {
            line: line as u64 + 1,
            start: [0; 32],
            iterations,
            end: [0; 32],
        };
        lengths.iter().enumerate().map(segment).collect()
    }

    #[test]
    fn the_longest_are_taken_and_scarce_ones_shared() {
        let queue = Queue::new(10, 2);
        queue.add(&mut segments(&[3, 9, 1, 7, 5, 8]));
        let take = |wanted| {
            let mut taken = Vec::new();
            queue.take(wanted, false, &mut taken);
            taken.into_iter().map(|segment| segment.iterations).collect::<Vec<u64>>()
        };
        assert_eq!(take(2), [8, 9]);
        assert_eq!(take(8), [5, 7]);
        assert_eq!(take(8), [3]);
        assert_eq!(take(8), [1]);
        assert!(take(8).is_empty());
        queue.close();
        assert!(!queue.add(&mut segments(&[1])));
        let mut taken = Vec::new();
        queue.take(8, true, &mut taken);
        assert_eq!(taken, []);
    }

    #[test]
    fn a_taker_that_panics_leaves_no_filler_waiting() {
        let queue = std::sync::Arc::new(Queue::new(1, 1));
        assert!(queue.add(&mut segments(&[1])));
        let (told, answer) = std::sync::mpsc::channel();
        let filled = std::sync::Arc::clone(&queue);
        std::thread::spawn(move || told.send(filled.add(&mut segments(&[2]))));
        let taker = std::thread::spawn(move || {
            let _closing = queue.closing();
            std::panic::resume_unwind(Box::new("as a bug would"));
        });
        assert!(taker.join().is_err());
        let added = answer.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(added, Ok(false), "the filler still waits");
    }

    #[test]
    fn a_full_queue_makes_its_filler_wait() {
        let queue = Queue::new(4, 1);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..100 {
                    queue.add(&mut segments(&[1, 2, 3]));
                }
                queue.close();
            });
            let mut total = 0;
            loop {
                assert!(queue.lock().waiting.len() <= 6);
                let mut taken = Vec::new();
                queue.take(2, true, &mut taken);
                if taken.is_empty() {
                    break;
                }
                total += taken.len();
            }
            assert_eq!(total, 300);
        });
    }
}
