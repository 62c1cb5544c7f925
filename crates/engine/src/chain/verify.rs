//! Segments against what hashing gives, on all lanes and threads.
//!
//! Segments differ in length, and a loop runs all its lanes equally long. So
//! each thread steps its lanes by the least that one of them has left, takes
//! out what is finished, and puts the next segment in its place.

use super::Segment;
use super::queue::Queue;
use super::reader::{BadLine, ReadError, Reader};
use super::wrong::LineSet;
use cpb_kernels::recursive_sha256::{Backend, Cover};
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Segments that wait at most: 80 bytes each.
const WAITING: usize = 1 << 16;
/// Segments that are read before they are handed over.
const HANDFUL: usize = 64;
/// Iterations between two looks at whether to stop.
const STRIDE: u64 = 1 << 16;
const TELLING: Duration = Duration::from_millis(100);
/// Lanes for which the best loop is asked: more than any loop has.
const MANY_LANES: usize = 64;

/// Which loops hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// Those that are best on this CPU.
    Best,
    /// Those of one backend.
    Backend(Backend),
}

/// How to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Which loops hash.
    pub lanes: Lanes,
    /// Threads; not zero.
    pub threads: usize,
    /// Length of the input in bytes, where it is known.
    pub bytes: Option<u64>,
}

/// What is heard while it runs.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A line that is no segment; they come in order.
    Bad(&'a BadLine),
    /// How far it has come.
    Done {
        /// Iterations so far.
        iterations: u64,
        /// In all, as far as can be told.
        expected: u64,
    },
}

/// The first segment that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstWrong {
    /// As the file has it.
    pub segment: Segment,
    /// Where it really ends.
    pub end: [u8; 32],
}

/// What came out.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Segments that were hashed.
    pub segments: u64,
    /// Their iterations.
    pub iterations: u64,
    /// Lines of segments that do not hold.
    pub wrong: LineSet,
    /// The first of them.
    pub first_wrong: Option<FirstWrong>,
    /// Lines that are no segments.
    pub bad_lines: u64,
    /// Why the input was not read to its end.
    pub unread: Option<ReadError>,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Whether it was told to stop.
    pub interrupted: bool,
}

impl Lanes {
    /// Lanes of the loop with the highest throughput.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Lanes::Best => Cover::new(MANY_LANES).forms().first().map_or(1, |form| form.lanes()),
            Lanes::Backend(backend) => backend.widths().iter().copied().max().unwrap_or(1),
        }
    }

    /// The backend of that loop.
    #[must_use]
    pub fn backend(self) -> Backend {
        match self {
            Lanes::Best => Cover::new(MANY_LANES)
                .forms()
                .first()
                .map_or_else(Backend::fastest, |form| form.backend()),
            Lanes::Backend(backend) => backend,
        }
    }

    /// A cover for each number of lanes up to the width, from 0.
    fn covers(self) -> Vec<Cover> {
        let cover = |lanes| match self {
            Lanes::Best => Cover::new(lanes),
            Lanes::Backend(backend) => Cover::of(backend, lanes),
        };
        (0..=self.width()).map(cover).collect()
    }
}

/// Verifies all segments of `input`, in memory that does not grow with it but
/// for a bit for each line. Bad lines are told and passed over. It ends once
/// `stop` is set, unless `input` blocks: [`Input`](super::Input) does not.
pub fn verify(
    input: impl BufRead + Send,
    options: &Options,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Verdict {
    let start = Instant::now();
    let queue = Queue::new(WAITING, options.threads);
    let tally = Tally::default();
    // Bounded, so that a file of nothing but bad lines does not pile up here.
    let (bad_lines, told) = sync_channel(HANDFUL);
    let mut verdict = Verdict::default();
    std::thread::scope(|scope| {
        let reading = {
            let (bad_lines, queue, tally) = (bad_lines.clone(), &queue, &tally);
            Builder::new().spawn_scoped(scope, move || {
                let _closing = queue.closing();
                fill(input, options.bytes, queue, tally, stop, &bad_lines)
            })
        };
        let reading = match reading {
            Ok(reading) => reading,
            Err(reason) => {
                verdict.unread = Some(ReadError::NoThread(reason));
                return;
            }
        };
        let hash = || {
            // The channel closes when the last thread is done.
            let (open, queue, tally) = (bad_lines.clone(), &queue, &tally);
            Builder::new().spawn_scoped(scope, move || {
                let _open = open;
                let _closing = queue.closing();
                hash(options.lanes, queue, tally, stop);
            })
        };
        // Fewer than asked for hash as well.
        let (mut hashing, mut refused) = (Vec::new(), None);
        for _ in 0..options.threads {
            match hash() {
                Ok(thread) => hashing.push(thread),
                Err(reason) => refused = Some(reason),
            }
        }
        if hashing.is_empty() {
            queue.abandon();
        }
        drop(bad_lines);
        loop {
            match told.recv_timeout(TELLING) {
                Ok(bad) => {
                    verdict.bad_lines += 1;
                    tell(Progress::Bad(&bad));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let iterations = tally.iterations.load(Ordering::Relaxed);
                    let expected = tally.expected.load(Ordering::Relaxed).max(iterations);
                    tell(Progress::Done { iterations, expected });
                    if stop.load(Ordering::Relaxed) {
                        queue.abandon();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        verdict.unread = reading.join().unwrap_or(Err(ReadError::Lost)).err();
        if let Some(reason) = refused.filter(|_| hashing.is_empty()) {
            verdict.unread = Some(ReadError::NoThread(reason));
        }
        for thread in hashing {
            if thread.join().is_err() {
                verdict.unread = Some(ReadError::Lost);
            }
        }
    });
    let findings = tally.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    Verdict {
        segments: tally.segments.into_inner(),
        iterations: tally.iterations.into_inner(),
        wrong: findings.wrong,
        first_wrong: findings.first,
        elapsed: start.elapsed(),
        interrupted: stop.load(Ordering::Relaxed),
        ..verdict
    }
}

/// What the threads found so far.
#[derive(Default)]
struct Tally {
    segments: AtomicU64,
    iterations: AtomicU64,
    /// Iterations in all, as far as can be told.
    expected: AtomicU64,
    findings: Mutex<Findings>,
}

#[derive(Default)]
struct Findings {
    wrong: LineSet,
    first: Option<FirstWrong>,
}

impl Tally {
    fn note_wrong(&self, segment: Segment, end: [u8; 32]) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.wrong.insert(segment.line);
        if findings.first.as_ref().is_none_or(|first| segment.line < first.segment.line) {
            findings.first = Some(FirstWrong { segment, end });
        }
    }
}

/// Reads `input` into the queue.
fn fill(
    input: impl BufRead,
    bytes: Option<u64>,
    queue: &Queue,
    tally: &Tally,
    stop: &AtomicBool,
    bad_lines: &SyncSender<BadLine>,
) -> Result<(), ReadError> {
    let mut reader = Reader::new(input);
    let mut segments = Vec::with_capacity(HANDFUL);
    let mut read = 0_u64;
    let hand_over = |segments: &mut Vec<Segment>, read: u64, so_far: u64| {
        let whole = bytes
            .filter(|&bytes| bytes > so_far)
            .map_or(1.0, |bytes| bytes as f64 / so_far.max(1) as f64);
        tally.expected.store((read as f64 * whole) as u64, Ordering::Relaxed);
        queue.add(segments)
    };
    while !stop.load(Ordering::Relaxed) {
        match reader.next() {
            Ok(Some(Ok(segment))) => {
                read = read.saturating_add(segment.iterations);
                segments.push(segment);
                if segments.len() == HANDFUL && !hand_over(&mut segments, read, reader.bytes()) {
                    break;
                }
            }
            // Where nobody listens any more, there is nobody to tell.
            Ok(Some(Err(bad))) => drop(bad_lines.send(bad)),
            Ok(None) => break,
            // An input that can be told to stop has been.
            Err(_) if stop.load(Ordering::Relaxed) => break,
            Err(error) => {
                hand_over(&mut segments, read, u64::MAX);
                return Err(error);
            }
        }
    }
    hand_over(&mut segments, read, u64::MAX);
    Ok(())
}

/// Hashes what the queue has until it is empty and closed.
fn hash(lanes: Lanes, queue: &Queue, tally: &Tally, stop: &AtomicBool) {
    let covers = lanes.covers();
    let width = covers.len() - 1;
    let mut ahead: Vec<Segment> = Vec::with_capacity(width);
    let mut values: Vec<[u8; 32]> = Vec::with_capacity(width);
    // The segment of each value, and the iterations it has left.
    let mut running: Vec<(Segment, u64)> = Vec::with_capacity(width);
    while !stop.load(Ordering::Relaxed) {
        while running.len() < width {
            if ahead.is_empty() {
                queue.take(width, running.is_empty(), &mut ahead);
            }
            let Some(segment) = ahead.pop() else { break };
            values.push(segment.start);
            let left = segment.iterations;
            running.push((segment, left));
        }
        let Some(least) = running.iter().map(|(_, left)| *left).min() else { return };
        let step = least.min(STRIDE);
        covers[values.len()].iterate(&mut values, step);
        tally.iterations.fetch_add(step * running.len() as u64, Ordering::Relaxed);
        running.iter_mut().for_each(|(_, left)| *left -= step);
        let mut finished = 0;
        for index in (0..running.len()).rev() {
            if running[index].1 == 0 {
                let (segment, _) = running.swap_remove(index);
                let end = values.swap_remove(index);
                finished += 1;
                if end != segment.end {
                    tally.note_wrong(segment, end);
                }
            }
        }
        tally.segments.fetch_add(finished, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::*;
    use cpb_kernels::recursive_sha256::iterate_with;
    use proptest::prelude::*;

    fn naive(segment: &Segment) -> bool {
        let portable = Backend::by_name("portable").unwrap();
        let mut value = [segment.start];
        iterate_with(portable, &mut value, segment.iterations);
        value[0] == segment.end
    }

    /// A segment for each length; those whose flag is set do not hold.
    fn file(lengths: &[(u64, bool)]) -> Vec<Segment> {
        let portable = Backend::by_name("portable").unwrap();
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
