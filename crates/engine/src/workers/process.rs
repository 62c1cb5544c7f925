//! A worker as its parent sees it.

use crate::plan::library::LibrarySpec;
use crate::verification;
use crate::workers::files;
use crate::workers::pipes::{Broken, OutputLimits, Pipes};
use crate::workers::protocol::{
    Accept, AcceptanceReply, Calibrate, Calibrated, Check, Checked, Done, Job, Open, Place,
    PrepareThreads, Reply, Request, SUBCOMMAND, StartThreads, Started, ThreadRun, Threads,
    nanoseconds,
};
use crate::workers::reply_limits::longest_reply;
use crate::workers::words::Words;
use cpb_model::{Failure, FailureKind, FromOutside, LibraryBuild, Offer};
use cpb_sampler::Noise;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a worker that closed its output, or is to end, may take to be gone.
const GRACE: Duration = Duration::from_millis(500);
/// How much longer than all may take a worker may, which is at work then.
const LATE: Duration = Duration::from_millis(250);

/// What a sample takes beside its batch, and how much longer all takes on a
/// machine with other work.
const BESIDE_BATCH: Duration = Duration::from_micros(30);
const LOADED: u32 = 8;

/// A running worker process, which ends as what it supervises did: whoever answers, and
/// whatever its library starts.
pub(crate) struct Worker {
    child: Child,
    /// Closed where all that is to end.
    pipes: Option<Pipes>,
    words: Words,
    bounds: Bounds,
    is_gone: bool,
    /// Which of the positions its library lies at, where it was placed.
    position: Option<u8>,
}

/// How long a worker may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// For what takes no time by itself.
    pub(crate) timeout: Duration,
    /// When all is to be over.
    pub(crate) end: Option<Instant>,
}

impl Bounds {
    /// A time for each answer, and none for all of them.
    pub(crate) fn timeout(timeout: Duration) -> Self {
        Self { timeout, end: None }
    }

    /// Whether time is up.
    pub(crate) fn are_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether it is too late even for who was at work then.
    pub(crate) fn are_long_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end + LATE)
    }
}

impl Worker {
    /// Starts a worker that opens `library`, at this place where one is given, and returns
    /// what that is and, where `list` asks for it, what it offers. It must run the same files as
    /// all processes of that library before.
    pub(crate) fn start(
        library: &LibrarySpec,
        list: bool,
        place: Option<Place>,
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
            // The password of a store is no business of a library's.
            .env_remove("PGPASSWORD")
            .envs(library.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C goes to the terminal's whole group; workers finish their job.
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

    /// Whether Ctrl-C ended it, which is never for a worker: it can meet one in the moment
    /// between its birth and its having a group of its own.
    fn met_ctrl_c(&mut self) -> bool {
        let status = self.child.try_wait().ok().flatten();
        status.and_then(|status| status.signal()) == Some(Signal::INT.as_raw())
    }

    /// Pins the worker and lets it make a clock.
    pub(crate) fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure> {
        let patience = Duration::from_nanos(calibrate.learning_nanoseconds);
        let request = Request::Calibrate(Box::new(calibrate));
        match self.ask_within(&request, self.bounds.timeout + patience)? {
            Reply::Calibrated(calibrated) => Ok(calibrated),
            other => Err(self.refusal(other)),
        }
    }

    /// Runs workloads once each, and returns what they put out.
    pub(crate) fn check(&mut self, check: Check) -> Result<Vec<Checked>, Failure> {
        let wanted = check.workloads.len();
        match self.ask(&Request::Check(check))? {
            Reply::Checked(outputs) if outputs.len() == wanted => Ok(outputs),
            other => Err(self.refusal(other)),
        }
    }

    /// Has the library say whether a case is right.
    pub(crate) fn accept(&mut self, accept: Accept) -> Result<AcceptanceReply, Failure> {
        match self.ask(&Request::Accept(accept))? {
            Reply::Accepted(opinion) => Ok(opinion),
            other => Err(self.refusal(other)),
        }
    }

    /// Times workloads.
    pub(crate) fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        let wanted = job.kinds_of_calls();
        // Sampling takes its time by itself; on a loaded machine several times
        // that. What is counted is the silence beyond.
        let sample = Duration::from_nanos(job.batch_nanoseconds) + BESIDE_BATCH;
        let sampling = sample * job.samples * u32::try_from(wanted).unwrap_or(u32::MAX);
        let patience = Duration::from_nanos(job.patience_nanoseconds);
        let timeout = self.bounds.timeout + sampling * LOADED + patience;
        match self.ask_within(&Request::Job(job), timeout)? {
            Reply::Measured(done) if done.samples.len() == wanted => Ok(done),
            other => Err(self.refusal(other)),
        }
    }

    /// Watches what disturbs the core for so long.
    pub(crate) fn watch(&mut self, time: Duration) -> Result<Noise, Failure> {
        let timeout = self.bounds.timeout + time;
        match self.ask_within(&Request::Watch(nanoseconds(time)), timeout)? {
            Reply::Watched(noise) => Ok(noise),
            other => Err(self.refusal(other)),
        }
    }

    /// Starts threads for all that follows.
    pub(crate) fn start_threads(&mut self, threads: Threads) -> Result<Started, Failure> {
        let count = threads.count;
        match self.ask(&Request::Threads(threads))? {
            Reply::Started(started) if started.calibrations.len() == count => Ok(started),
            other => Err(self.refusal(other)),
        }
    }

    /// Has threads make a workload ready.
    pub(crate) fn line_up(&mut self, line_up: PrepareThreads) -> Result<(), Failure> {
        match self.ask(&Request::PrepareThreads(line_up))? {
            Reply::LinedUp => Ok(()),
            other => Err(self.refusal(other)),
        }
    }

    /// Lets so many that are ready go, and make calls for `time` from then, or say that they are
    /// at it; until `stop` is set.
    pub(crate) fn go(
        &mut self,
        go: StartThreads,
        threads: usize,
        time: Duration,
        stop: Option<&AtomicBool>,
    ) -> Result<Vec<ThreadRun>, Failure> {
        let timeout = self.bounds.timeout + time;
        let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        match self.ask_until(&Request::StartThreads(go), timeout, &is_stopped)? {
            Reply::Ran(runs) if runs.len() == threads => Ok(runs),
            other => Err(self.refusal(other)),
        }
    }

    /// Which of the positions its library lies at, where it was placed.
    pub(crate) fn position(&self) -> Option<u8> {
        self.position
    }

    /// Whether the process ended, by itself or killed for its silence.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone
    }

    pub(super) fn ask(&mut self, request: &Request) -> Result<Reply, Failure> {
        self.ask_within(request, self.bounds.timeout)
    }

    fn ask_within(&mut self, request: &Request, timeout: Duration) -> Result<Reply, Failure> {
        self.ask_until(request, timeout, &|| false)
    }

    /// What it replies, which it may be silent before for so long; it is killed once it
    /// `is_stopped`.
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
                Err(verification::interrupted())
            }
            Err(Broken::Ended) => Err(self.exit_report()),
            Err(Broken::Flooded) => Err(self.nonsense()),
            Err(Broken::Silent) if self.bounds.are_over() => {
                self.kill();
                Err(not_measured("time was up before it answered; worker killed".to_owned()))
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

    /// What a reply that was not asked for means.
    pub(super) fn refusal(&mut self, reply: Reply) -> Failure {
        match reply {
            Reply::Failed(failure) => failure,
            _ => self.nonsense(),
        }
    }

    /// What the worker writes is cpb's own; other words are of its library.
    fn nonsense(&mut self) -> Failure {
        self.kill();
        let reason = "the library wrote to the worker's output; worker killed".to_owned();
        Failure { kind: FailureKind::Crashed, reason }
    }

    /// How the worker ended, in words.
    fn exit_report(&mut self) -> Failure {
        let ended = self.ends_by_itself(Duration::from_millis(1));
        let reason = match self.kill() {
            Some(status) if ended => describe(status),
            _ => "the worker closed its output and did not end; killed".to_owned(),
        };
        Failure { kind: FailureKind::Crashed, reason }
    }

    /// Whether it ends within the grace, looked at every so often.
    fn ends_by_itself(&mut self, every: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < GRACE {
            if has_ended(&self.child) {
                return true;
            }
            self.words.hear();
            std::thread::sleep(every);
        }
        false
    }

    /// Ends the worker and what its library started, if they have not, and
    /// returns how the worker ended.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.pipes = None;
        if !std::mem::replace(&mut self.is_gone, true)
            && !self.ends_by_itself(Duration::from_micros(100))
        {
            // A library may have stopped its supervisor, too.
            let _ = self.child.kill();
        }
        let status = self.child.wait().ok();
        self.words.hear_last();
        status
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether `child` has ended; it can be waited for all the same.
fn has_ended(child: &Child) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), look), Ok(None))
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
