//! The worker process: one library, one round, one job at a time.

use crate::protocol::{Calibrate, Check, Implementation, Job, Open, Reply, Request, nanoseconds};
use crate::sibling::{self, SiblingWatch};
use crate::timed::{Wanted, take_samples};
use crate::verify::{self, WrongAnswer};
use crate::{library, pinning};
use cpb_clock::{Clock, counter};
use cpb_libraries::{Library, PrepareError, Prepared};
use cpb_model::{Failure, FailureKind, LibraryId, Offer, Workload, harmless};
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

    let mut worker = Worker { opened: None, clock: None };
    for line in BufReader::new(io::stdin()).lines() {
        let reply = worker.answer(serde_json::from_str(&line?)?).unwrap_or_else(Reply::Failed);
        let mut line = serde_json::to_vec(&reply)?;
        line.push(b'\n');
        replies.write_all(&line)?;
    }
    Ok(())
}

struct Worker {
    opened: Option<Opened>,
    clock: Option<Clock>,
}

struct Opened {
    id: LibraryId,
    library: Box<dyn Library>,
    offers: Vec<Offer>,
}

impl Worker {
    fn answer(&mut self, request: Request) -> Result<Reply, Failure> {
        match request {
            Request::Open(open) => self.open(&open),
            Request::Calibrate(calibrate) => self.calibrate(&calibrate),
            Request::Check(check) => self.opened()?.check(&check),
            Request::Job(job) => {
                let opened = self.opened.as_ref().ok_or_else(|| not_measured("no library"))?;
                let clock = self.clock.as_ref().ok_or_else(|| not_measured("no clock"))?;
                opened.measure(clock, &job)
            }
        }
    }

    fn opened(&self) -> Result<&Opened, Failure> {
        self.opened.as_ref().ok_or_else(|| not_measured("no library"))
    }

    fn open(&mut self, open: &Open) -> Result<Reply, Failure> {
        let library = library::open(&open.library).map_err(unavailable)?;
        let opened = Opened {
            id: library::identify(&open.library, library.as_ref()),
            offers: library.offers(),
            library,
        };
        let reply = Reply::Opened {
            library: opened.id.clone(),
            offers: if open.list { opened.offers.clone() } else { Vec::new() },
        };
        self.opened = Some(opened);
        Ok(reply)
    }

    fn calibrate(&mut self, calibrate: &Calibrate) -> Result<Reply, Failure> {
        if let Some(cpu) = calibrate.cpu {
            pinning::pin_to(cpu).map_err(not_measured)?;
        }
        let counter = match &calibrate.clock.counter {
            Some(name) => counter::open(name),
            None => counter::open_best(),
        };
        let counter = counter.map_err(not_measured)?;
        let clock = Clock::calibrate(counter, calibrate.clock.megahertz).map_err(not_measured)?;
        let reply = Reply::Calibrated {
            calibration: clock.calibration().clone(),
            quietest_probe: sibling::quietest(&clock),
        };
        self.clock = Some(clock);
        Ok(reply)
    }
}

impl Opened {
    fn offer(&self, implementation: &Implementation) -> Result<&Offer, Failure> {
        let Implementation { operation, spelling, backend } = implementation;
        self.offers
            .iter()
            .find(|offer| {
                offer.operation == *operation
                    // As the parent has taken them in.
                    && harmless(&offer.spelling) == *spelling
                    && harmless(&offer.backend) == *backend
            })
            .ok_or_else(|| {
                let what = format!("{spelling} ({})", operation.name());
                unavailable(PrepareError::NotOffered { library: self.id.label.clone(), what })
            })
    }

    fn prepare(&self, offer: &Offer, workload: &Workload) -> Result<Box<dyn Prepared>, Failure> {
        self.library.prepare(offer, workload).map_err(unavailable)
    }

    fn check(&self, check: &Check) -> Result<Reply, Failure> {
        let offer = self.offer(&check.implementation)?;
        verify::known_answers(self.library.as_ref(), offer).map_err(|wrong| match wrong {
            WrongAnswer::Prepare(reason) => unavailable(reason),
            wrong => Failure { kind: FailureKind::WrongAnswer, reason: wrong.to_string() },
        })?;
        let outputs = check.workloads.iter().map(|workload| {
            let mut prepared = self.prepare(offer, workload)?;
            prepared.run(1);
            let output = prepared.output().map_err(wrong_answer)?;
            verify::against_oracle(workload, &output).map_err(wrong_answer)?;
            Ok(verify::digest(&output))
        });
        Ok(Reply::Checked(outputs.collect::<Result<_, Failure>>()?))
    }

    fn measure(&self, clock: &Clock, job: &Job) -> Result<Reply, Failure> {
        let offer = self.offer(&job.implementation)?;
        let patience = Duration::from_nanos(job.patience_nanoseconds);
        let mut sibling = SiblingWatch::new(job.quiet_probe, patience);
        let mut measured = Vec::with_capacity(job.workloads.len());
        for (index, workload) in job.workloads.iter().enumerate() {
            let mut prepared = self.prepare(offer, workload)?;
            let wanted = Wanted {
                samples: job.samples,
                calls: job.calls.get(index).copied().flatten(),
                batch: Duration::from_nanos(job.batch_nanoseconds),
                // What is awake after one length stays so for the next.
                warm_up: if index == 0 {
                    Duration::from_nanos(job.warm_up_nanoseconds)
                } else {
                    Duration::ZERO
                },
                limit: job.limit_nanoseconds.map(Duration::from_nanos),
                quota: job.quota,
            };
            let samples =
                take_samples(clock, &mut sibling, prepared.as_mut(), wanted).ok_or_else(|| {
                    not_measured(
                        "too few samples had brackets that agree; the machine is too disturbed",
                    )
                })?;
            prepared.output().map_err(wrong_answer)?;
            measured.push(samples);
        }
        let waited_nanoseconds = nanoseconds(sibling.waited());
        Ok(Reply::Measured { samples: measured, waited_nanoseconds })
    }
}

fn not_measured(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::NotMeasured, reason: reason.to_string() }
}

fn unavailable(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::Unavailable, reason: reason.to_string() }
}

fn wrong_answer(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::WrongAnswer, reason: reason.to_string() }
}
