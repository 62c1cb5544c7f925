//! A worker as its parent sees it.

use crate::files;
use crate::library::LibrarySpec;
use crate::protocol::{Calibrate, Check, Done, Job, Open, Reply, Request};
use crate::worker;
use cpb_model::{Calibration, Failure, FailureKind, LibraryId, Offer};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a worker that closed its output may take to be gone.
const GRACE: Duration = Duration::from_millis(500);

/// What a sample takes beside its batch, and how much longer all takes on a
/// machine with other work.
const BESIDE_BATCH: Duration = Duration::from_micros(30);
const LOADED: u32 = 8;

/// A running worker process.
pub(crate) struct Worker {
    child: Child,
    requests: Option<ChildStdin>,
    replies: Receiver<String>,
    timeout: Duration,
    is_gone: bool,
}

impl Worker {
    /// Starts a worker that opens `library`, and returns what that is and,
    /// where `list` asks for it, what it offers. It must run the same files as
    /// all processes of that library before.
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
        let (lines, replies) = channel();
        if let Some(output) = child.stdout.take() {
            // Reading in a thread is what lets a wait for a reply time out.
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if lines.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut worker = Self { child, requests, replies, timeout, is_gone: false };
        match worker.ask(&Request::Open(Open { library: library.clone(), list }))? {
            Reply::Opened { library, offers, files } => {
                files::same_as_before(&library.label, files)?;
                Ok((worker, library, offers))
            }
            other => Err(refusal(other)),
        }
    }

    /// Pins the worker and lets it make a clock.
    pub(crate) fn calibrate(
        &mut self,
        calibrate: Calibrate,
    ) -> Result<(Calibration, Vec<(i32, u64)>), Failure> {
        let patience = Duration::from_nanos(calibrate.scout_nanoseconds);
        match self.ask_within(&Request::Calibrate(calibrate), self.timeout + patience)? {
            Reply::Calibrated { calibration, probes } => Ok((calibration, probes)),
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

    /// Times workloads.
    pub(crate) fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        let wanted = job.workloads.len();
        // Sampling takes its time by itself; on a loaded machine several times
        // that. What is counted is the silence beyond.
        let sample = Duration::from_nanos(job.batch_nanoseconds) + BESIDE_BATCH;
        let sampling = sample * job.samples * u32::try_from(wanted).unwrap_or(u32::MAX);
        let patience = Duration::from_nanos(job.patience_nanoseconds);
        let timeout = self.timeout + sampling * LOADED + patience;
        match self.ask_within(&Request::Job(job), timeout)? {
            Reply::Measured(done) if done.samples.len() == wanted => Ok(done),
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
            Ok(line) => serde_json::from_str(&line)
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
