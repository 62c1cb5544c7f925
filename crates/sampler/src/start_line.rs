//! Where threads wait until all are ready.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// A thread's place at the start. Where it is dropped before the thread stood there, by a
/// panic too, the run is called off: so that none waits for one that is gone.
pub struct Place {
    ready: Sender<()>,
    start: Receiver<Instant>,
}

/// The same as whoever starts them sees it. Where it is dropped, the thread is sent home.
pub struct Waiting {
    ready: Receiver<()>,
    start: Sender<Instant>,
}

/// What is known of a thread on its way to the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It waits for the start.
    Ready,
    /// It still makes ready.
    OnItsWay,
    /// It does not come.
    Gone,
}

/// A place, from both sides.
pub fn place() -> (Place, Waiting) {
    let ((ready, readiness), (start, started)) = (channel(), channel());
    (Place { ready, start: started }, Waiting { ready: readiness, start })
}

impl Place {
    /// Waits until the start is announced, and returns when it is; `None` where there is none.
    pub fn wait(self) -> Option<Instant> {
        // Who does not listen to this will not start it.
        let _ = self.ready.send(());
        self.start.recv().ok()
    }
}

impl Waiting {
    /// Waits for the thread, but no longer than this.
    pub fn wait(&self, time: Duration) -> State {
        match self.ready.recv_timeout(time) {
            Ok(()) => State::Ready,
            Err(RecvTimeoutError::Timeout) => State::OnItsWay,
            Err(RecvTimeoutError::Disconnected) => State::Gone,
        }
    }

    /// Lets it go at this moment.
    pub fn start(self, at: Instant) {
        // One that is gone is missed when all should have come home.
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
