//! A worker as its parent sees it.

use crate::library::LibrarySpec;
use crate::protocol::{Calibrate, Check, Job, Open, Reply, Request};
use crate::worker;
use cpb_model::{Calibration, Failure, FailureKind, FromOutside, LibraryId, Offer, Samples};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long a worker that closed its output may take to be gone.
const GRACE: Duration = Duration::from_millis(500);

/// What a sample takes beside its batch, and how much longer all takes on a
/// machine with other work.
const BESIDE_BATCH: Duration = Duration::from_micros(30);
const LOADED: u32 = 8;

/// Of one reply: a library may offer so much, or a job have so many samples, but
/// what a provider writes into the pipe must not fill the parent's memory.
const MOST_REPLY_BYTES: u64 = 8 << 20;
/// A sample is three numbers in a reply.
const SAMPLE_BYTES: u64 = 64;

/// A running worker process.
pub(crate) struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    replies: Receiver<Vec<u8>>,
    /// Bytes that the next reply may have.
    most_bytes: Arc<AtomicU64>,
    timeout: Duration,
    is_gone: bool,
}

impl Worker {
    /// Starts a worker that opens `library`, and returns what that is and,
    /// where `list` asks for it, what it offers.
    pub(crate) fn start(
        library: &LibrarySpec,
        list: bool,
        timeout: Duration,
    ) -> Result<(Self, LibraryId, Vec<Offer>), Failure> {
        let mut child = Command::new(own_program())
            .arg(worker::SUBCOMMAND)
            .envs(library.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C goes to the terminal's whole group; workers finish their job.
            .process_group(0)
            .spawn()
            .map_err(|reason| not_measured(format!("cannot start a worker process: {reason}")))?;
        let requests = child.stdin.take();
        // One is read ahead at most, so that a flood of replies stays in the pipe.
        let (lines, replies) = sync_channel(1);
        let most_bytes = Arc::new(AtomicU64::new(MOST_REPLY_BYTES));
        if let Some(output) = child.stdout.take() {
            // Reading in a thread is what lets a wait for a reply time out.
            let most_bytes = Arc::clone(&most_bytes);
            std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                while let Ok(Some(line)) = reply(&mut output, &most_bytes) {
                    if lines.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut worker = Self { child, requests, replies, most_bytes, timeout, is_gone: false };
        match worker.ask(&Request::Open(Open { library: library.clone(), list }))? {
            Reply::Opened { library, offers } => Ok((worker, library, offers)),
            other => Err(refusal(other)),
        }
    }

    /// Pins the worker and lets it make a clock; also returns the cycles of a
    /// throughput probe as quiet as it got.
    pub(crate) fn calibrate(
        &mut self,
        calibrate: Calibrate,
    ) -> Result<(Calibration, Option<f64>), Failure> {
        match self.ask(&Request::Calibrate(calibrate))? {
            Reply::Calibrated { calibration, quietest_probe } => Ok((calibration, quietest_probe)),
            other => Err(refusal(other)),
        }
    }

    /// Runs workloads once each, and returns a digest of each output.
    pub(crate) fn check(&mut self, check: Check) -> Result<Vec<String>, Failure> {
        match self.ask(&Request::Check(check))? {
            Reply::Checked(outputs) => Ok(outputs),
            other => Err(refusal(other)),
        }
    }

    /// Times workloads; also returns how long the worker waited for its sibling.
    pub(crate) fn measure(&mut self, job: Job) -> Result<(Vec<Samples>, Duration), Failure> {
        let wanted = job.workloads.len();
        let samples = job.quota.map_or(0, |quota| quota.timed.saturating_add(quota.warm));
        let samples = samples.saturating_add(job.samples.into());
        let samples = samples.saturating_mul(wanted as u64).saturating_mul(SAMPLE_BYTES);
        self.most_bytes.store(MOST_REPLY_BYTES.saturating_add(samples), Ordering::Relaxed);
        // Sampling takes its time by itself; on a loaded machine several times
        // that. What is counted is the silence beyond.
        let sample = Duration::from_nanos(job.batch_nanoseconds) + BESIDE_BATCH;
        let sampling = sample * job.samples * u32::try_from(wanted).unwrap_or(u32::MAX);
        let patience = Duration::from_nanos(job.patience_nanoseconds);
        let timeout = self.timeout + sampling * LOADED + patience;
        match self.ask_within(&Request::Job(job), timeout)? {
            Reply::Measured { samples, waited_nanoseconds } if samples.len() == wanted => {
                Ok((samples, Duration::from_nanos(waited_nanoseconds)))
            }
            other => Err(refusal(other)),
        }
    }

    /// Whether the process ended, by itself or killed for its silence.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone
    }

    fn ask(&mut self, request: &Request) -> Result<Reply, Failure> {
        self.ask_within(request, self.timeout)
    }

    fn ask_within(&mut self, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
        let written =
            serde_json::to_vec(request).map_err(std::io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                self.requests.as_mut().map_or(Ok(()), |pipe| pipe.write_all(&line))
            });
        if written.is_err() {
            return Err(self.obituary());
        }
        match self.replies.recv_timeout(timeout) {
            Ok(line) if line.last() != Some(&b'\n') => {
                self.kill();
                let reason = format!(
                    "the worker answered with more than {} MiB, and was killed; a library that \
                     writes into its pipe cannot be measured",
                    line.len() >> 20
                );
                Err(Failure { kind: FailureKind::Crashed, reason })
            }
            Ok(line) => serde_json::from_slice(&line)
                .map(|FromOutside(reply)| reply)
                .map_err(|reason| not_measured(format!("the worker answered nonsense: {reason}"))),
            Err(RecvTimeoutError::Disconnected) => Err(self.obituary()),
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                let reason = format!(
                    "no answer in {} s, worker killed; give it longer with --timeout",
                    timeout.as_secs_f64().round()
                );
                Err(Failure { kind: FailureKind::Hung, reason })
            }
        }
    }

    /// How the worker ended, in words.
    fn obituary(&mut self) -> Failure {
        self.is_gone = true;
        let start = Instant::now();
        while start.elapsed() < GRACE {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Failure { kind: FailureKind::Crashed, reason: describe(status) };
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        let reason = "the worker closed its output and did not end; killed".to_owned();
        Failure { kind: FailureKind::Crashed, reason }
    }

    fn kill(&mut self) {
        self.is_gone = true;
        // It may be gone already, which is all that is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // End of input tells a worker to leave; one that does not is killed.
        self.requests = None;
        let start = Instant::now();
        while start.elapsed() < GRACE {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        self.kill();
    }
}

/// The next line, with its end; without one where it is longer than it may be.
/// `None` where there is no whole line any more.
fn reply(output: &mut impl BufRead, most_bytes: &AtomicU64) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        let arrived = output.fill_buf()?;
        if arrived.is_empty() {
            return Ok(None);
        }
        let end = arrived.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(arrived.len(), |end| end + 1);
        line.extend_from_slice(&arrived[..taken]);
        output.consume(taken);
        if end.is_some() {
            return Ok(Some(line));
        }
        if line.len() as u64 > most_bytes.load(Ordering::Relaxed) {
            return Ok(Some(line));
        }
    }
}

/// This very program. `/proc` may be missing: then the path it was called by.
fn own_program() -> PathBuf {
    std::env::current_exe()
        .ok()
        .or_else(|| std::env::args_os().next().map(PathBuf::from))
        .unwrap_or_else(|| PathBuf::from("cpb"))
}

fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => match signal_name(signal) {
            Some((name, about)) => format!("the worker was ended by {name} ({about})"),
            None => format!("the worker was ended by signal {signal}"),
        },
        (None, Some(code)) => format!("the worker exited by itself with status {code}"),
        (None, None) => "the worker ended".to_owned(),
    }
}

fn signal_name(signal: i32) -> Option<(&'static str, &'static str)> {
    use rustix::process::Signal;
    let names = [
        (Signal::SEGV, "SIGSEGV", "invalid memory access"),
        (Signal::ILL, "SIGILL", "illegal instruction"),
        (Signal::ABORT, "SIGABRT", "abort"),
        (Signal::BUS, "SIGBUS", "bus error"),
        (Signal::FPE, "SIGFPE", "arithmetic fault"),
        (Signal::KILL, "SIGKILL", "killed"),
        (Signal::TERM, "SIGTERM", "terminated"),
        (Signal::TRAP, "SIGTRAP", "trap"),
        (Signal::SYS, "SIGSYS", "forbidden system call"),
        (Signal::INT, "SIGINT", "interrupted"),
        (Signal::XCPU, "SIGXCPU", "CPU time limit"),
    ];
    names
        .into_iter()
        .find(|(known, _, _)| known.as_raw() == signal)
        .map(|(_, name, about)| (name, about))
}

/// What a reply that was not asked for means.
fn refusal(reply: Reply) -> Failure {
    match reply {
        Reply::Failed(failure) => failure,
        _ => not_measured("the worker answered nonsense".to_owned()),
    }
}

fn not_measured(reason: String) -> Failure {
    Failure { kind: FailureKind::NotMeasured, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_lines_and_a_flood_is_cut_off() {
        let most = AtomicU64::new(20_000);
        let flood = [&b"one\n"[..], &[b'x'; 15_000], b"\n\nlast"].concat();
        let mut pipe = BufReader::new(&flood[..]);
        let mut next = || reply(&mut pipe, &most).unwrap();
        assert_eq!(next().as_deref(), Some(&b"one\n"[..]));
        assert_eq!(next().map(|line| line.len()), Some(15_001));
        assert_eq!(next().as_deref(), Some(&b"\n"[..]));
        assert_eq!(next(), None, "a line without its end is none");
        let cut = reply(&mut BufReader::new(std::io::repeat(b'x')), &most).unwrap().unwrap();
        assert!(cut.len() <= 30_000 && !cut.ends_with(b"\n"), "{}", cut.len());
    }

    #[test]
    fn an_end_is_told_by_its_signal_or_status() {
        assert_eq!(
            describe(ExitStatus::from_raw(11)),
            "the worker was ended by SIGSEGV (invalid memory access)"
        );
        assert_eq!(describe(ExitStatus::from_raw(63)), "the worker was ended by signal 63");
        assert_eq!(
            describe(ExitStatus::from_raw(3 << 8)),
            "the worker exited by itself with status 3"
        );
    }
}
