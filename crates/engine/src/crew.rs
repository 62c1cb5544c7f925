//! Workers with a clock each: one for every library, fresh ones in every round.

use crate::library::LibrarySpec;
use crate::plan::Plan;
use crate::process::Worker;
use crate::protocol::{Calibrate, Job, nanoseconds};
use crate::session::Progress;
use crate::sibling;
use crate::summary::{self, ClockWatch};
use crate::verification;
use cpb_model::{Calibration, ClockSummary, Failure, FailureKind, RawRound, Samples};
use std::time::{Duration, Instant};

/// A job that could not be measured is tried again in a fresh process: what
/// disturbs the machine comes and goes.
const ATTEMPTS: u32 = 3;
/// A busy sibling is waited for, since it mostly works in bursts, but not for
/// ever: this long, and this share of the time since the first worker.
const PATIENCE: Duration = Duration::from_secs(5);
const PATIENCE_SHARE: f64 = 0.15;

pub(crate) struct Crew<'a> {
    plan: &'a Plan,
    libraries: &'a [LibrarySpec],
    /// By library.
    running: Vec<Option<Running>>,
    calibrations: Vec<Calibration>,
    watch: ClockWatch,
    /// Cycles of a throughput probe as quiet as each worker saw it.
    quietest_probes: Vec<f64>,
    started: Instant,
    /// How long workers waited for their sibling.
    waited: Duration,
}

struct Running {
    worker: Worker,
    /// Which of the crew's calibrations is this worker's.
    calibration: usize,
}

/// The samples of a job, by length.
pub(crate) struct Taken {
    calibration: usize,
    samples: Vec<Samples>,
}

impl<'a> Crew<'a> {
    /// Nobody yet; who is needed is started when a job comes.
    pub(crate) fn new(plan: &'a Plan, libraries: &'a [LibrarySpec]) -> Self {
        Self {
            plan,
            libraries,
            running: libraries.iter().map(|_| None).collect(),
            calibrations: Vec::new(),
            watch: ClockWatch::default(),
            quietest_probes: Vec::new(),
            started: Instant::now(),
            waited: Duration::ZERO,
        }
    }

    /// The library of this label.
    pub(crate) fn library(&self, label: &str) -> Option<usize> {
        self.libraries.iter().position(|spec| spec.label() == label)
    }

    /// Has the worker of `library` do `job`, as patiently as may be.
    pub(crate) fn measure(
        &mut self,
        library: usize,
        job: &Job,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let mut attempt = 1;
        loop {
            let outcome = self.attempt(library, job, progress);
            let Err(failure) = outcome else { return outcome };
            let is_gone = |running: &Running| running.worker.is_gone();
            if is_passing(&failure) || self.running[library].as_ref().is_some_and(is_gone) {
                self.running[library] = None;
            }
            if !is_passing(&failure) || attempt == ATTEMPTS {
                return Err(failure);
            }
            attempt += 1;
        }
    }

    /// The samples that were taken, with what makes core cycles of them.
    pub(crate) fn raw(&mut self, taken: Taken) -> Vec<RawRound> {
        let Taken { calibration: index, samples } = taken;
        let calibration = &self.calibrations[index];
        self.watch.watch(calibration, &samples);
        let overhead_ticks =
            summary::common_overhead(&self.calibrations).unwrap_or(calibration.overhead_ticks);
        let raw = |samples| RawRound { calibration: index, overhead_ticks, samples };
        samples.into_iter().map(raw).collect()
    }

    /// The calibrations of all workers so far.
    pub(crate) fn calibrations(&self) -> &[Calibration] {
        &self.calibrations
    }

    /// Ends the workers: where pages happen to lie differs from process to
    /// process, not within one.
    pub(crate) fn dismiss(&mut self) {
        self.running.iter_mut().for_each(|running| *running = None);
    }

    /// The clock over all jobs; `None` where no worker got as far as having one.
    pub(crate) fn clock(self) -> Option<ClockSummary> {
        summary::clock(self.calibrations, &self.watch)
    }

    fn attempt(
        &mut self,
        library: usize,
        job: &Job,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        self.worker(library, progress)?;
        let patience = PATIENCE + self.started.elapsed().mul_f64(PATIENCE_SHARE);
        let job = Job {
            quiet_probe: sibling::quiet(&self.quietest_probes),
            patience_nanoseconds: nanoseconds(patience.saturating_sub(self.waited)),
            ..job.clone()
        };
        let running = self.worker(library, progress)?;
        let calibration = running.calibration;
        let (samples, waited) = running.worker.measure(job)?;
        self.waited += waited;
        Ok(Taken { calibration, samples })
    }

    fn worker(
        &mut self,
        library: usize,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<&mut Running, Failure> {
        let place = self.running.get_mut(library).ok_or_else(verification::not_run)?;
        if place.is_none() {
            let (spec, timeout) = (&self.libraries[library], self.plan.sampling.timeout);
            let (mut worker, _, _) = Worker::start(spec, false, timeout)?;
            let calibrate = Calibrate { clock: self.plan.clock.clone(), cpu: self.plan.cpu };
            let (calibration, quietest_probe) = worker.calibrate(calibrate)?;
            self.quietest_probes.extend(quietest_probe);
            if self.calibrations.is_empty() {
                progress(Progress::Clock(&calibration));
            }
            self.calibrations.push(calibration);
            *place = Some(Running { worker, calibration: self.calibrations.len() - 1 });
        }
        place.as_mut().ok_or_else(verification::not_run)
    }
}

/// Whether what failed may well succeed a moment later.
fn is_passing(failure: &Failure) -> bool {
    failure.kind == FailureKind::NotMeasured
}

/// The rounds that a row lost to a disturbed machine.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    rounds: u32,
    last: Option<Failure>,
}

impl Losses {
    /// Counts a round that failed. Returns the failure where the row is to be
    /// given up: it is not a disturbance that will pass, or more rounds are
    /// lost than `measured`.
    pub(crate) fn count(&mut self, failure: Failure, measured: u32) -> Option<Failure> {
        self.rounds += 1;
        if !is_passing(&failure) || self.rounds > measured + 1 {
            return Some(failure);
        }
        self.last = Some(failure);
        None
    }

    /// Why there is no round at all, where all there were are lost.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.last.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind) -> Failure {
        Failure { kind, reason: "x".to_owned() }
    }

    #[test]
    fn a_row_is_given_up_once_most_of_its_rounds_are_lost() {
        let mut losses = Losses::default();
        let disturbed = || failure(FailureKind::NotMeasured);
        assert_eq!(losses.count(disturbed(), 0), None);
        assert_eq!(losses.count(disturbed(), 4), None);
        assert_eq!(losses.count(disturbed(), 2), None);
        assert_eq!(losses.count(disturbed(), 2), Some(disturbed()));
        let crashed = failure(FailureKind::Crashed);
        assert_eq!(Losses::default().count(crashed.clone(), 9), Some(crashed));
    }

    #[test]
    fn a_row_without_rounds_tells_what_took_them() {
        let mut losses = Losses::default();
        losses.count(failure(FailureKind::NotMeasured), 0);
        assert_eq!(losses.failure(), Some(failure(FailureKind::NotMeasured)));
    }
}
