//! Makes threads wait until all are ready.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// A thread's side of the start. Dropping it before the thread is ready, also by a panic,
/// cancels the run, so that no thread waits for one that has ended.
pub struct Place {
    ready: Sender<()>,
    start: Receiver<Instant>,
}

/// The starter's side. Dropping it makes the thread end without a run.
pub struct Waiting {
    ready: Receiver<()>,
    start: Sender<Instant>,
}

/// States what is known of a thread before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It waits for the start.
    Ready,
    /// It is still preparing.
    OnItsWay,
    /// It has ended.
    Gone,
}

/// Returns both sides of a thread's start.
pub fn place() -> (Place, Waiting) {
    let ((ready, readiness), (start, started)) = (channel(), channel());
    (Place { ready, start: started }, Waiting { ready: readiness, start })
}

impl Place {
    /// Waits until the start is announced, and returns its time; `None` if the run is
    /// cancelled.
    pub fn wait(self) -> Option<Instant> {
        // A starter that has ended is noticed in the next line.
        let _ = self.ready.send(());
        self.start.recv().ok()
    }
}

impl Waiting {
    /// Waits for the thread, at most for `time`.
    pub fn wait(&self, time: Duration) -> State {
        match self.ready.recv_timeout(time) {
            Ok(()) => State::Ready,
            Err(RecvTimeoutError::Timeout) => State::OnItsWay,
            Err(RecvTimeoutError::Disconnected) => State::Gone,
        }
    }

    /// Lets the thread start at this moment.
    pub fn start(self, at: Instant) {
        // A thread that has ended is noticed when it is joined.
        let _ = self.start.send(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(60);

    #[test]
    fn all_threads_hear_of_the_same_start() {
        let (places, waiting): (Vec<_>, Vec<_>) = (0..3).map(|_| place()).unzip();
        let threads: Vec<_> =
            places.into_iter().map(|place| std::thread::spawn(|| place.wait())).collect();
        assert!(waiting.iter().all(|thread| thread.wait(SOON) == State::Ready));
        let at = Instant::now() + Duration::from_millis(1);
        waiting.into_iter().for_each(|thread| thread.start(at));
        for thread in threads {
            assert_eq!(thread.join().unwrap(), Some(at));
        }
    }

    #[test]
    fn a_thread_that_panics_is_gone_and_the_others_are_sent_home() {
        let ((panicking, gone), (place, waiting)) = (place(), place());
        let other = std::thread::spawn(|| place.wait());
        let panicked = std::thread::spawn(move || {
            let _place = panicking;
            std::panic::resume_unwind(Box::new("as a bug would"));
        });
        assert!(panicked.join().is_err());
        assert_eq!(gone.wait(SOON), State::Gone);
        drop(waiting);
        assert_eq!(other.join().unwrap(), None);
    }
}
