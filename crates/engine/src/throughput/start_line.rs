//! Where threads wait for each other.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets threads go together, or none of them.
pub(super) struct StartLine {
    barrier: Barrier,
    is_called_off: AtomicBool,
}

/// A thread on its way to the line. Where it is dropped before it was there, by a
/// panic too, the run is called off: so that none waits for one that is gone.
pub(super) struct Runner<'a> {
    line: &'a StartLine,
    is_there: bool,
}

impl StartLine {
    pub(super) fn new(threads: usize) -> Self {
        Self { barrier: Barrier::new(threads), is_called_off: AtomicBool::new(false) }
    }

    /// For each thread, before anything that may fail.
    pub(super) fn runner(&self) -> Runner<'_> {
        Runner { line: self, is_there: false }
    }
}

impl Runner<'_> {
    /// Waits for the others; false where the run is called off.
    pub(super) fn go(mut self) -> bool {
        self.is_there = true;
        let line = self.line;
        drop(self);
        !line.is_called_off.load(Ordering::Relaxed)
    }
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        if !self.is_there {
            self.line.is_called_off.store(true, Ordering::Relaxed);
        }
        self.line.barrier.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn threads_go_together() {
        let line = StartLine::new(3);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| line.runner().go())).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
        });
    }

    #[test]
    fn a_thread_that_panics_leaves_no_other_waiting() {
        let line = Arc::new(StartLine::new(2));
        let (told, arrived) = std::sync::mpsc::channel();
        let other = Arc::clone(&line);
        std::thread::spawn(move || told.send(other.runner().go()));
        let panicking = std::thread::spawn(move || {
            let _runner = line.runner();
            std::panic::resume_unwind(Box::new("as a bug would"));
        });
        assert!(panicking.join().is_err());
        assert_eq!(arrived.recv_timeout(Duration::from_secs(20)), Ok(false));
    }
}
