//! Runs a worker process, from the parent's side.

use crate::failures::{interrupted, not_measured};
use crate::plan::library::LibrarySpec;
use crate::workers::pipes::{Broken, OutputLimits, Pipes};
use crate::workers::protocol::{
    Accept, AcceptanceReply, Calibrate, Calibrated, Check, Checked, Done, Job, LibraryPosition,
    Open, PrepareThreads, Reply, Request, SUBCOMMAND, StartThreads, Started, ThreadRun, Threads,
    nanoseconds,
};
use crate::workers::reply_limits::longest_reply;
use crate::workers::time_limits::{Bounds, LATE};
use crate::workers::words::Words;
use crate::workers::{files, machine};
use cpb_model::{Failure, FailureKind, FromOutside, LibraryBuild, Offer};
use cpb_sampler::Noise;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time that a worker has to exit when it is to end, and at least after closing its output.
const GRACE: Duration = Duration::from_millis(500);
/// The time of a sample besides its batch, and the slowdown accepted on a loaded machine.
const BESIDE_BATCH: Duration = Duration::from_micros(30);
const LOADED: u32 = 8;

/// Takes the reply that a request wants; any other is a failure.
macro_rules! wanted {
    ($worker:ident, $reply:expr, $wanted:pat $(if $fits:expr)? => $found:expr) => {
        match $reply? {
            $wanted $(if $fits)? => Ok($found),
            other => Err($worker.refusal(other)),
        }
    };
}
pub(super) use wanted;

/// A running worker process. It exits together with all it supervises: the process that answers,
/// and whatever its library starts.
pub(crate) struct Worker {
    child: Child,
    /// Dropped to make everything exit.
    pipes: Option<Pipes>,
    words: Words,
    bounds: Bounds,
    is_gone: bool,
    /// The position of its library; `None` if it was not placed.
    position: Option<u8>,
}

impl Worker {
    /// Starts a worker that opens `library`, at this position if one is given. Returns its identity
    /// and, if `list` is set, its offers. It must map the same files as all earlier processes of
    /// that library.
    pub(crate) fn start(
        library: &LibrarySpec,
        list: bool,
        place: Option<LibraryPosition>,
        bounds: Bounds,
    ) -> Result<(Self, LibraryBuild, Vec<Offer>), Failure> {
        let open = Request::Open(Open { library: library.clone(), list, place });
        let mut worker = Self::spawn(library, bounds)?;
        let mut reply = worker.ask(&open);
        if reply.is_err() && worker.met_ctrl_c() {
            worker = Self::spawn(library, bounds)?;
            reply = worker.ask(&open);
        }
        match reply? {
            Reply::Opened { library, offers, position, files } => {
                files::same_as_before(&library.label, files)?;
                worker.position = position;
                Ok((worker, library, offers))
            }
            other => Err(worker.refusal(other)),
        }
    }

    pub(super) fn spawn(library: &LibrarySpec, bounds: Bounds) -> Result<Self, Failure> {
        let mut child = Command::new(own_program())
            .arg(SUBCOMMAND)
            // A library must not see the password of a store.
            .env_remove("PGPASSWORD")
            .envs(library.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C signals the terminal's whole process group; workers must finish their job.
            .process_group(0)
            .spawn()
            .map_err(|reason| not_measured(format!("cannot start a worker process: {reason}")))?;
        let pipes = Pipes::of(&mut child);
        let words = Words::new(library.label(), child.stderr.take());
        let mut worker = Self { child, pipes: None, words, bounds, is_gone: false, position: None };
        let no_pipes = |reason| not_measured(format!("cannot talk to a worker process: {reason}"));
        worker.pipes = Some(pipes.map_err(no_pipes)?);
        Ok(worker)
    }

    /// Whether Ctrl-C killed it, which can happen between its start and its having a process group
    /// of its own.
    fn met_ctrl_c(&mut self) -> bool {
        let status = self.child.try_wait().ok().flatten();
        status.and_then(|status| status.signal()) == Some(Signal::INT.as_raw())
    }

    /// Runs calls once each, and returns their outputs.
    pub(crate) fn check(&mut self, check: Check) -> Result<Vec<Checked>, Failure> {
        let wanted = check.workloads.len();
        let reply = self.ask(&Request::Check(check));
        wanted!(self, reply, Reply::Checked(outputs) if outputs.len() == wanted => outputs)
    }

    /// Asks the library whether it accepts a case.
    pub(crate) fn accept(&mut self, accept: Accept) -> Result<AcceptanceReply, Failure> {
        wanted!(self, self.ask(&Request::Accept(accept)), Reply::Accepted(opinion) => opinion)
    }

    /// Starts threads for all following requests.
    pub(crate) fn start_threads(&mut self, threads: Threads) -> Result<Started, Failure> {
        let count = threads.count;
        let reply = self.ask(&Request::Threads(threads));
        wanted!(self, reply, Reply::Started(it) if it.calibrations.len() == count => it)
    }

    /// Lets the threads prepare a call.
    pub(crate) fn line_up(&mut self, line_up: PrepareThreads) -> Result<(), Failure> {
        wanted!(self, self.ask(&Request::PrepareThreads(line_up)), Reply::LinedUp => ())
    }

    /// Starts the first `count` prepared threads together, which make calls for `time` and send
    /// heartbeats, until `stop` is set.
    pub(crate) fn go(
        &mut self,
        go: StartThreads,
        threads: usize,
        time: Duration,
        stop: Option<&AtomicBool>,
    ) -> Result<Vec<ThreadRun>, Failure> {
        let timeout = self.bounds.timeout + time;
        let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let reply = self.ask_until(&Request::StartThreads(go), timeout, &is_stopped);
        wanted!(self, reply, Reply::Ran(runs) if runs.len() == threads => runs)
    }

    pub(super) fn ask(&mut self, request: &Request) -> Result<Reply, Failure> {
        self.ask_within(request, self.bounds.timeout)
    }

    fn ask_within(&mut self, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
        self.ask_until(request, timeout, &|| false)
    }

    /// Sends a request and returns the reply, accepting silence of this duration; kills the worker
    /// once `is_stopped` returns true.
    pub(super) fn ask_until(
        &mut self,
        request: &Request,
        timeout: Duration,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Reply, Failure> {
        let mut line = serde_json::to_vec(request)
            .map_err(|reason| not_measured(format!("the request cannot be written: {reason}")))?;
        line.push(b'\n');
        let Some(pipes) = &mut self.pipes else { return Err(self.exit_report()) };
        let child = &self.child;
        let bearable = OutputLimits {
            longest: longest_reply(request),
            silence: timeout,
            until: self.bounds.end.map(|end| end + LATE),
            signs: match request {
                Request::Job(job) => job.workloads.len(),
                Request::PrepareThreads(_) | Request::StartThreads(_) => usize::MAX - 1,
                _ => 0,
            },
        };
        let mut is_over = || is_stopped() || has_ended(child);
        match pipes.exchange(&line, bearable, &mut self.words, &mut is_over) {
            Ok(line) => serde_json::from_slice(&line)
                .map(|FromOutside(reply)| reply)
                .map_err(|_| self.nonsense()),
            Err(Broken::Ended) if is_stopped() => {
                self.kill();
                Err(interrupted())
            }
            Err(Broken::Ended) => Err(self.exit_report()),
            Err(Broken::Flooded) => Err(self.nonsense()),
            Err(Broken::Silent) if self.bounds.are_over() => {
                self.kill();
                Err(not_measured(
                    "time was up before it answered, worker killed; give more --max-time",
                ))
            }
            Err(Broken::Silent) => {
                self.kill();
                let reason = format!(
                    "no answer in {} s, worker killed; give it longer with --timeout",
                    timeout.as_secs_f64().round()
                );
                Err(Failure { kind: FailureKind::Hung, reason })
            }
        }
    }

    /// Returns the failure for a reply that does not match the request.
    pub(super) fn refusal(&mut self, reply: Reply) -> Failure {
        match reply {
            Reply::Failed(failure) => failure,
            _ => self.nonsense(),
        }
    }

    /// Returns the failure for output that is not of the protocol, which must be the library's.
    fn nonsense(&mut self) -> Failure {
        self.kill();
        let reason = "the library wrote to the worker's output; worker killed".to_owned();
        Failure { kind: FailureKind::Crashed, reason }
    }

    /// Describes how the worker ended, as a failure.
    fn exit_report(&mut self) -> Failure {
        // A busy machine may let it wait for as long as for any answer, but for the deadline.
        let left = |end: Instant| (end + LATE).saturating_duration_since(Instant::now());
        let limit = self.bounds.timeout.min(self.bounds.end.map_or(Duration::MAX, left));
        let ended = self.ends_within(limit.max(GRACE), Duration::from_millis(1));
        let reason = match self.kill() {
            Some(status) if ended => describe(status),
            _ => "the worker closed its output and did not end; killed".to_owned(),
        };
        Failure { kind: FailureKind::Crashed, reason }
    }

    /// Whether it exits by itself within `limit`, checking at this interval.
    fn ends_within(&mut self, limit: Duration, every: Duration) -> bool {
        let start = Instant::now();
        loop {
            // This process may wait for a CPU, too, so it looks once more when time is up.
            let is_over = start.elapsed() >= limit;
            if has_ended(&self.child) {
                return true;
            }
            if is_over {
                return false;
            }
            self.words.hear();
            std::thread::sleep(every);
        }
    }

    /// Kills the worker and what its library started, unless they have ended, and returns its exit
    /// status.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.pipes = None;
        if !std::mem::replace(&mut self.is_gone, true)
            && !self.ends_within(GRACE, Duration::from_micros(100))
        {
            // A library may have stopped its supervisor, too.
            let _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        self.words.hear_last();
        status
    }
}

impl machine::Worker for Worker {
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure> {
        let patience = Duration::from_nanos(calibrate.learning.nanoseconds);
        let request = Request::Calibrate(Box::new(calibrate));
        let reply = self.ask_within(&request, self.bounds.timeout + patience);
        wanted!(self, reply, Reply::Calibrated(calibrated) => calibrated)
    }

    fn position(&self) -> Option<u8> {
        self.position
    }

    fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        let wanted = job.kinds_of_calls();
        // Sampling itself takes time, several times as much on a loaded machine. Only silence
        // beyond that counts.
        let sample = Duration::from_nanos(job.batch_nanoseconds) + BESIDE_BATCH;
        let sampling = sample * job.samples * u32::try_from(wanted).unwrap_or(u32::MAX);
        let patience = Duration::from_nanos(job.patience_nanoseconds);
        let timeout = self.bounds.timeout + sampling * LOADED + patience;
        let reply = self.ask_within(&Request::Job(job), timeout);
        wanted!(self, reply, Reply::Measured(done) if done.samples.len() == wanted => done)
    }

    fn watch(&mut self, time: Duration) -> Result<Noise, Failure> {
        let request = Request::Watch(nanoseconds(time));
        let reply = self.ask_within(&request, self.bounds.timeout + time);
        wanted!(self, reply, Reply::Watched(noise) => noise)
    }

    fn is_gone(&self) -> bool {
        self.is_gone
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether `child` has ended; leaves it waitable.
fn has_ended(child: &Child) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), look), Ok(None))
}

/// Returns the path of this program; without `/proc`, the one it was called by.
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
