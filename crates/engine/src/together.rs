//! Lets threads of one worker, or several workers, make the same calls at once.

mod crew;
pub(crate) mod crews;
pub(crate) mod job;
pub(crate) mod repetition;
pub(crate) mod round;

use crate::clock_watch::{self, ClockWatch};
use crate::failures::not_run;
use crate::measured::Measured;
use crate::progress::Progress;
use crate::schedule::executor::Executor;
use crate::schedule::rows::Seen;
use crate::together::crews::Crews;
use crate::together::job::{Job, Means, Ran, Taken};
use cpb_figures::core_hertz;
use cpb_model::{Calibration, Failure, GateLoop};
use cpb_quiet::QuietCore;
use cpb_stats::Histogram;
use std::time::Duration;

/// Runs jobs of processes whose threads make calls at once.
pub(crate) struct Together<'a> {
    means: Means<'a>,
    /// The processes of this round.
    crews: Box<dyn Crews>,
    watch: ClockWatch,
    /// The calibrations of the first process.
    calibrations: Vec<Calibration>,
    no_cycles: Option<String>,
    /// The number of processes started in earlier rounds.
    started: u64,
    /// What was learned about quiet; `None` if it is not watched.
    quiet: Option<QuietCore>,
}

impl<'a> Together<'a> {
    /// Creates the executor; processes start when a job needs them.
    pub(crate) fn new(means: Means<'a>, crews: Box<dyn Crews>) -> Self {
        Self {
            quiet: means.memory.map(QuietCore::of_chains),
            means,
            crews,
            watch: ClockWatch::default(),
            calibrations: Vec::new(),
            no_cycles: None,
            started: 0,
        }
    }
}

impl Executor for Together<'_> {
    type Job = Job;
    type Taken = Taken;

    fn seen(&self) -> Seen<'_> {
        let gate = self.quiet.as_ref().map(QuietCore::gate).unwrap_or_default();
        Seen { now: self.means.start.elapsed(), gate, calibrations: &self.calibrations }
    }

    /// Threads make the requested calls, however quiet their cores are.
    fn run(
        &mut self,
        job: &Job,
        _patience: Duration,
        _progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let library = job.library.ok_or_else(not_run)?;
        let ran = self.crews.run(&self.means, library, job)?;
        if self.calibrations.is_empty() {
            let known = ran.iter().flat_map(|ran| &ran.started.calibrations);
            self.calibrations.extend(known.flatten().cloned());
        }
        let no_cycles = || ran.iter().find_map(|ran| ran.started.no_cycles.clone());
        self.no_cycles = self.no_cycles.take().or_else(no_cycles);
        for (calibration, samples) in ran.iter().flat_map(Ran::clocked) {
            self.watch.count(samples);
            self.watch.see(&core_hertz(calibration, samples).collect::<Vec<_>>());
            if let Some(quiet) = &mut self.quiet {
                let mut probes = Histogram::default();
                round::probe_cycles(calibration, samples).into_iter().for_each(|it| probes.add(it));
                quiet.learn(GateLoop::Chains, probes.bins());
            }
        }
        if let Some(quiet) = &self.quiet {
            let probed = ran.iter().flat_map(Ran::clocked);
            for (calibration, samples) in probed.filter(|(_, it)| !it.probe_after.is_empty()) {
                let states = quiet.gate().states(calibration, samples);
                let quiet = states.filter(|state| state.is_quiet()).count();
                self.watch.count_quiet(quiet, samples.ticks.len());
            }
        }
        Ok(Taken(ran))
    }

    /// The placement of pages in memory differs from one process to the next.
    fn end_round(&mut self) {
        self.started += self.crews.end();
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        self.crews.stolen_and_total(&self.means.cpus)
    }

    /// The clock is absent if no worker calibrated one.
    fn finish(self) -> Measured {
        let Self { means, calibrations, no_cycles, started, watch, quiet, .. } = self;
        // If another process could calibrate its clock, the reason was temporary.
        let no_cycles = no_cycles.filter(|_| calibrations.is_empty());
        let core = quiet.unwrap_or_default();
        let clock = clock_watch::clock(calibrations, started, &watch, &core);
        means.memory.into_iter().for_each(|memory| core.remember(memory));
        Measured { clock, no_cycles, cpus: means.cpus, ..Measured::default() }
    }
}
