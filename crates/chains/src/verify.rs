//! Verifies segments by hashing, on all lanes and threads.

mod fill;
mod hash;
mod queue;
mod tally;
mod verdict;
mod work;

use crate::Lanes;
use crate::reader::{BadLine, ReadError};
use queue::Queue;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};
use tally::Tally;
use work::{HANDFUL, Work};

pub use verdict::{FirstWrong, Verdict};

/// The most segments that wait, of 80 bytes each.
const WAITING: usize = 1 << 16;
const TELLING: Duration = Duration::from_millis(100);

/// Options of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The loops that hash.
    pub lanes: Lanes,
    /// The number of threads; not zero.
    pub threads: usize,
    /// The length of the input in bytes, if known.
    pub bytes: Option<u64>,
}

/// A progress report.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A line that is not a segment; they are reported in order.
    Bad(&'a BadLine),
    /// The progress.
    Done {
        /// Iterations so far.
        iterations: u64,
        /// Iterations in total, as far as known.
        expected: u64,
    },
}

/// Verifies all segments of `input`, in constant memory except for one bit per line. Bad lines are
/// reported and skipped. It ends once `stop` is set, unless `input` blocks, which
/// [`Input`](crate::Input) does not.
pub fn verify(
    input: impl BufRead + Send,
    options: &Options,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Verdict {
    let start = Instant::now();
    let queue = Queue::new(WAITING, options.threads);
    let work = Work { queue, tally: Tally::default(), stop };
    let (bad_lines, unread) = std::thread::scope(|scope| {
        let (sender, told) = sync_channel(HANDFUL);
        match Threads::start(scope, input, options, &work, sender) {
            Ok(threads) => (listen(&told, &work, tell), threads.join()),
            Err(reason) => (0, Some(reason)),
        }
    });
    Verdict {
        bad_lines,
        unread,
        elapsed: start.elapsed(),
        interrupted: stop.load(Ordering::Relaxed),
        ..work.tally.into_verdict()
    }
}

/// The reading thread, and the hashing threads.
struct Threads<'scope> {
    reading: ScopedJoinHandle<'scope, Result<(), ReadError>>,
    hashing: Vec<ScopedJoinHandle<'scope, ()>>,
    /// Why there are fewer than requested.
    refused: Option<std::io::Error>,
}

impl<'scope> Threads<'scope> {
    /// Starts the threads that `options` request; fewer work as well. The channel of `bad_lines`
    /// closes when the last one is done.
    fn start(
        scope: &'scope Scope<'scope, '_>,
        input: impl BufRead + Send + 'scope,
        &Options { lanes, threads, bytes }: &Options,
        work: &'scope Work<'_>,
        bad_lines: SyncSender<BadLine>,
    ) -> Result<Self, ReadError> {
        let bad = bad_lines.clone();
        let read = move || {
            let _closing = work.queue.closing();
            fill::fill(input, bytes, work, &bad)
        };
        let reading = Builder::new().spawn_scoped(scope, read).map_err(ReadError::NoThread)?;
        let (mut hashing, mut refused) = (Vec::new(), None);
        for _ in 0..threads {
            let open = bad_lines.clone();
            let hash = move || {
                let _open = open;
                let _closing = work.queue.closing();
                hash::hash(lanes, work);
            };
            match Builder::new().spawn_scoped(scope, hash) {
                Ok(thread) => hashing.push(thread),
                Err(reason) => refused = Some(reason),
            }
        }
        if hashing.is_empty() {
            work.queue.abandon();
        }
        Ok(Self { reading, hashing, refused })
    }

    /// Waits for all; returns why not everything was read or hashed.
    fn join(self) -> Option<ReadError> {
        let mut unread = self.reading.join().unwrap_or(Err(ReadError::Lost)).err();
        if let Some(reason) = self.refused.filter(|_| self.hashing.is_empty()) {
            unread = Some(ReadError::NoThread(reason));
        }
        for thread in self.hashing {
            if thread.join().is_err() {
                unread = Some(ReadError::Lost);
            }
        }
        unread
    }
}

/// Reports the progress until all threads are done; returns the number of bad lines.
fn listen(told: &Receiver<BadLine>, work: &Work<'_>, tell: &mut dyn FnMut(Progress<'_>)) -> u64 {
    let mut bad_lines = 0;
    loop {
        match told.recv_timeout(TELLING) {
            Ok(bad) => {
                bad_lines += 1;
                tell(Progress::Bad(&bad));
            }
            Err(RecvTimeoutError::Timeout) => {
                let (iterations, expected) = work.tally.progress();
                tell(Progress::Done { iterations, expected });
                if work.is_stopped() {
                    work.queue.abandon();
                }
            }
            Err(RecvTimeoutError::Disconnected) => return bad_lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Segment, Style};
    use cpb_kernels::Backend as _;
    use cpb_kernels::recursive_sha256::{Backend, iterate_with};
    use proptest::prelude::*;

    fn naive(segment: &Segment) -> bool {
        let portable = Backend::PORTABLE;
        let mut value = [segment.start];
        iterate_with(portable, &mut value, segment.iterations);
        value[0] == segment.end
    }

    /// Creates a segment for each length; those whose flag is set are wrong.
    fn file(lengths: &[(u64, bool)]) -> Vec<Segment> {
        let portable = Backend::PORTABLE;
        let segment = |(index, &(iterations, is_wrong)): (usize, &(u64, bool))| {
            let start = [index as u8; 32];
            let mut end = [start];
            iterate_with(portable, &mut end, iterations);
            end[0][index % 32] ^= u8::from(is_wrong) << (index % 8);
            Segment { line: index as u64 + 1, start, iterations, end: end[0] }
        };
        lengths.iter().enumerate().map(segment).collect()
    }

    fn run(text: &str, lanes: Lanes, threads: usize) -> Verdict {
        let options = Options { lanes, threads, bytes: Some(text.len() as u64) };
        verify(text.as_bytes(), &options, &AtomicBool::new(false), &mut |_| {})
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn lanes_that_are_filled_again_find_what_one_by_one_finds(
            lengths in prop::collection::vec(
                (prop_oneof![0_u64..4, 0_u64..300, Just(64)], prop::bool::weighted(0.1)),
                0..200,
            ),
            threads in 1_usize..4,
        ) {
            let segments = file(&lengths);
            let text: String = segments.iter().map(|segment| segment.text(Style::Csv)).collect();
            let wrong: Vec<u64> =
                segments.iter().filter(|s| !naive(s)).map(|segment| segment.line).collect();
            let backends = Backend::available().into_iter().map(Lanes::Backend);
            for lanes in backends.chain([Lanes::Best]) {
                let verdict = run(&text, lanes, threads);
                prop_assert!(verdict.wrong.iter().eq(wrong.iter().copied()), "{:?}", lanes);
                prop_assert_eq!(verdict.segments, segments.len() as u64);
                prop_assert_eq!(verdict.iterations, lengths.iter().map(|(n, _)| n).sum::<u64>());
                let first = verdict.first_wrong.map(|first| first.segment.line);
                prop_assert_eq!(first, wrong.first().copied());
            }
        }
    }

    #[test]
    fn bad_lines_are_told_in_order_and_the_rest_is_verified() {
        let good = file(&[(3, false), (5, true)]);
        let text =
            format!("{}nonsense\n{}x,y\n", good[0].text(Style::Csv), good[1].text(Style::Json));
        let mut told = Vec::new();
        let options = Options { lanes: Lanes::Best, threads: 2, bytes: None };
        let verdict = verify(text.as_bytes(), &options, &AtomicBool::new(false), &mut |progress| {
            if let Progress::Bad(bad) = progress {
                told.push(bad.line);
            }
        });
        assert_eq!((told, verdict.bad_lines), (vec![2, 4], 2));
        assert!(verdict.wrong.iter().eq([3]));
        assert_eq!(verdict.segments, 2);
    }

    #[test]
    fn it_ends_when_told() {
        let endless = Segment { line: 1, start: [0; 32], iterations: u64::MAX, end: [0; 32] };
        let text = endless.text(Style::Csv);
        let options = Options { lanes: Lanes::Best, threads: 2, bytes: None };
        let stop = AtomicBool::new(false);
        let verdict = verify(text.as_bytes(), &options, &stop, &mut |_| {
            stop.store(true, Ordering::Relaxed);
        });
        assert!(verdict.interrupted && verdict.wrong.is_empty());
        assert_eq!(verdict.segments, 0);
    }
}
