//! The worker process: one library, one round, one job at a time.

use crate::protocol::{Job, Reply, Request, Setup};
use crate::timed::{Wanted, take_samples};
use crate::verify::{WrongAnswer, verify};
use crate::{libraries, pinning};
use cpb_clock::{Clock, counter};
use cpb_libraries::{Library, PrepareError};
use cpb_model::{Failure, FailureKind};
use std::io::{self, BufRead, BufReader, Write};
use std::time::Duration;

/// The hidden subcommand under which cpb starts itself as a worker.
pub const SUBCOMMAND: &str = "worker";

/// Answers requests from standard input on standard output until the input
/// ends.
///
/// # Errors
/// When a line cannot be read, understood or written: the parent is gone or
/// is no cpb of this version.
pub fn serve() -> io::Result<()> {
    // A library that prints must not disturb the protocol: from here on,
    // standard output is standard error, and replies have a pipe of their own.
    let mut replies = std::fs::File::from(rustix::io::dup(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    // Should the parent be killed, a job that hangs must not outlive it. Not
    // having this is no reason to refuse work.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));

    let mut state = None;
    for line in BufReader::new(io::stdin()).lines() {
        let reply = match (serde_json::from_str(&line?)?, &state) {
            (Request::Setup(setup), _) => match set_up(&setup) {
                Ok(ready) => {
                    let reply = Reply::Ready {
                        calibration: ready.clock.calibration().clone(),
                        library: ready.library.id(),
                    };
                    state = Some(ready);
                    reply
                }
                Err(failure) => Reply::Failed { verification: None, failure },
            },
            (Request::Job(job), Some(ready)) => measure(ready, &job),
            (Request::Job(_), None) => Reply::Failed {
                verification: None,
                failure: not_measured("the worker was not set up".to_owned()),
            },
        };
        let mut line = serde_json::to_vec(&reply)?;
        line.push(b'\n');
        replies.write_all(&line)?;
    }
    Ok(())
}

struct Ready {
    library: Box<dyn Library>,
    clock: Clock,
}

fn set_up(setup: &Setup) -> Result<Ready, Failure> {
    if let Some(cpu) = setup.cpu {
        pinning::pin_to(cpu).map_err(|reason| not_measured(reason.to_string()))?;
    }
    let counter = match &setup.counter {
        Some(name) => counter::open(name),
        None => counter::open_best(),
    };
    let counter = counter.map_err(|reason| not_measured(reason.to_string()))?;
    let clock = Clock::calibrate(counter, setup.megahertz)
        .map_err(|reason| not_measured(reason.to_string()))?;
    let library = libraries::open(&setup.library)
        .ok_or_else(|| not_measured(format!("unknown library '{}'", setup.library)))?;
    Ok(Ready { library, clock })
}

fn measure(ready: &Ready, job: &Job) -> Reply {
    let failed = |kind, reason: String| Reply::Failed {
        verification: None,
        failure: Failure { kind, reason },
    };
    let library = ready.library.as_ref();
    let mut prepared = match library.prepare(&job.workload, &job.backend) {
        Ok(prepared) => prepared,
        Err(reason) => return failed(FailureKind::Unavailable, reason.to_string()),
    };
    prepared.run(1);
    let verification = match verify(library, &job.backend, &job.workload, prepared.output()) {
        Ok(verification) => verification,
        Err(WrongAnswer::Prepare(PrepareError::Unavailable(reason))) => {
            return failed(FailureKind::Unavailable, reason);
        }
        Err(wrong) => return failed(FailureKind::WrongAnswer, wrong.to_string()),
    };
    let wanted = Wanted {
        samples: job.samples,
        calls: job.calls,
        batch: Duration::from_nanos(job.batch_nanoseconds),
    };
    let samples = take_samples(&ready.clock, prepared.as_mut(), wanted);
    if samples.ticks.len() < job.samples as usize {
        let failure = not_measured(format!(
            "only {} of {} samples had brackets that agree; the machine is too disturbed",
            samples.ticks.len(),
            job.samples
        ));
        return Reply::Failed { verification: Some(verification), failure };
    }
    Reply::Measured { verification, samples }
}

fn not_measured(reason: String) -> Failure {
    Failure { kind: FailureKind::NotMeasured, reason }
}
