//! Manages workers, each with its own clock: one per library, and fresh ones in every round.

pub(crate) mod files;
mod first_use;
pub(crate) mod machine;
pub(crate) mod pipes;
pub(crate) mod process;
pub(crate) mod protocol;
mod reply_limits;
mod solo;
pub(crate) mod this_machine;
pub(crate) mod time_limits;
pub(crate) mod tracing;
pub(crate) mod words;

use crate::clock_watch::{self, ClockWatch};
use crate::failures::not_run;
use crate::plan::Plan;
use crate::plan::library::LibrarySpec;
use crate::progress::Progress;
use crate::workers::machine::{Machine, Worker};
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job, nanoseconds};
use cpb_libraries::placement;
use cpb_model::{Calibration, EventCounts, Failure, GateLoop, Quiet, RawRound, Samples};
use cpb_quiet::Learning;
use cpb_quiet::QuietCore;
use std::collections::BTreeSet;
use std::time::Duration;

/// Workers that calibrate their own clock; later ones take the median of those calibrations.
const CALIBRATIONS: usize = 5;
/// The time that the first worker may spend learning what quiet looks like, the time of each later
/// one while it is unknown, and the share of the total time for all together.
const LEARNING: Duration = Duration::from_millis(1200);
const LEARNING_LATER: Duration = Duration::from_millis(300);
const LEARNING_SHARE: u32 = 4;

/// The order in which rounds use the positions of libraries, so that even a few rounds spread over
/// all of them.
const POSITIONS: [u8; placement::POSITIONS as usize] = [0, 4, 2, 6, 1, 5, 3, 7];

pub(crate) struct Workers<'a> {
    plan: &'a Plan,
    libraries: &'a [LibrarySpec],
    machine: &'a mut dyn Machine,
    /// The running worker of each library.
    running: Vec<Option<Running>>,
    calibrations: Vec<Calibration>,
    watch: ClockWatch,
    quiet: QuietCore,
    /// Rounds that have ended.
    rounds: usize,
    /// Workers started.
    started: u64,
    /// The time that workers spent learning what quiet looks like.
    learning: Duration,
    /// The CPU that was quiet last, and all CPUs on which jobs ended.
    cpu: Option<usize>,
    cpus: BTreeSet<usize>,
    /// Why the core's event counters could not be read, if that happened.
    no_events: Option<String>,
}

struct Running {
    worker: Box<dyn Worker>,
    /// The index of this worker's calibration.
    calibration: usize,
}

/// The samples of a job, by length.
#[derive(Clone)]
pub(crate) struct Taken {
    calibration: usize,
    position: Option<u8>,
    samples: Vec<Samples>,
    /// Other events that the core counted per call, by length.
    pub(crate) events: Vec<Option<EventCounts>>,
    /// Why serial calls could not be measured, if requested.
    pub(crate) no_dependence: Option<String>,
}

impl Taken {
    /// Returns the samples as raw rounds, which can be turned into core cycles.
    pub(crate) fn raw(self, calibrations: &[Calibration]) -> Vec<RawRound> {
        let Self { calibration, position, samples, .. } = self;
        let overhead_ticks = clock_watch::common_overhead(calibrations).unwrap_or_default();
        let raw = |samples| RawRound { calibration, overhead_ticks, position, samples };
        samples.into_iter().map(raw).collect()
    }
}

impl<'a> Workers<'a> {
    /// Creates the manager; workers start when a job needs them.
    pub(crate) fn new(
        plan: &'a Plan,
        libraries: &'a [LibrarySpec],
        machine: &'a mut dyn Machine,
    ) -> Self {
        Self {
            plan,
            libraries,
            machine,
            running: libraries.iter().map(|_| None).collect(),
            calibrations: Vec::new(),
            watch: ClockWatch::default(),
            quiet: QuietCore::of(&plan.memory),
            rounds: 0,
            started: 0,
            learning: Duration::ZERO,
            cpu: next_cpu(&plan.cpus, 0),
            cpus: BTreeSet::new(),
            no_events: None,
        }
    }

    /// Returns the index of the library with this label.
    pub(crate) fn library(&self, label: &str) -> Option<usize> {
        self.libraries.iter().position(|spec| spec.label() == label)
    }

    /// Returns what a fresh process learned about quiet; `None` if nothing.
    pub(crate) fn learn(mut self) -> Option<Quiet> {
        self.worker(0, &mut |_| {}).ok()?;
        self.quiet.remember(&self.plan.memory);
        self.quiet.learned().map(|_| self.quiet.summary(0.0))
    }

    /// Lets the worker of `library` run `job` once, waiting for quiet for at most `patience`.
    fn attempt(
        &mut self,
        library: usize,
        job: &Job,
        patience: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        self.worker(library, progress)?;
        let gate = self.quiet.gate();
        let gate_loop = self.gate_loop(library);
        let job = Job {
            cpu: self.cpu,
            quiet: gate.quiet.filter(|_| gate_loop == gate.gate_loop),
            assumes_quiet: gate.assumed,
            patience_nanoseconds: nanoseconds(patience),
            ..job.clone()
        };
        let running = self.worker(library, progress)?;
        let (calibration, position) = (running.calibration, running.worker.position());
        let done = running.worker.measure(job)?;
        self.quiet.learn(gate_loop, done.probes);
        self.cpu = done.cpu;
        self.cpus.extend(done.cpu);
        self.no_events = self.no_events.take().or(done.no_events);
        let Done { samples, events, no_dependence, .. } = done;
        self.watch.watch(&self.calibrations[calibration], &samples);
        Ok(Taken { calibration, position, samples, events, no_dependence })
    }

    fn worker(
        &mut self,
        library: usize,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<&mut Running, Failure> {
        if self.running.get(library).ok_or_else(not_run)?.is_none() {
            let running = self.start(library)?;
            if let [calibration] = self.calibrations.as_slice() {
                progress(Progress::Clock(calibration));
            }
            self.running[library] = Some(running);
        }
        self.running[library].as_mut().ok_or_else(not_run)
    }

    fn start(&mut self, library: usize) -> Result<Running, Failure> {
        let position = position(self.rounds);
        let mut worker = self.machine.start(&self.libraries[library], position)?;
        let left = (self.plan.sampling.budget / LEARNING_SHARE).saturating_sub(self.learning);
        let is_first = self.learning.is_zero();
        let learning = match (self.quiet.wants_learning(), is_first) {
            (false, _) => Duration::ZERO,
            (true, true) => LEARNING.min(left),
            (true, false) => LEARNING_LATER.min(left),
        };
        // The index of the calibration that the worker is given, once there are enough.
        let given = (self.calibrations.len() >= CALIBRATIONS).then(|| self.middle_calibration());
        let calibrate = Calibrate {
            clock: self.plan.clock.clone(),
            cpus: self.plan.cpus.clone(),
            calibration: given.map(|index| self.calibrations[index].clone()),
            learning: Learning {
                learned: self.quiet.learned(),
                nanoseconds: nanoseconds(learning),
                known: self.plan.memory.known,
                siblings: self.plan.memory.siblings.clone(),
            },
        };
        let start = self.machine.now();
        let Calibrated { calibration, learned } = worker.calibrate(calibrate)?;
        if let Some(learned) = learned {
            self.learning += self.machine.now().saturating_sub(start);
            self.quiet.take(learned);
        }
        let known = self.calibrations.iter().position(|known| *known == calibration);
        let index = known.unwrap_or_else(|| {
            self.calibrations.push(calibration);
            self.calibrations.len() - 1
        });
        self.started += 1;
        Ok(Running { worker, calibration: index })
    }

    /// Returns the loop that the worker of `library` runs as its probe.
    fn gate_loop(&self, library: usize) -> GateLoop {
        let running = self.running.get(library).and_then(Option::as_ref);
        running.map_or(GateLoop::Chains, |it| self.calibrations[it.calibration].gate_loop)
    }

    /// Returns the index of the calibration with the median overhead.
    fn middle_calibration(&self) -> usize {
        let mut indices: Vec<usize> = (0..self.calibrations.len()).collect();
        let overhead = |index: &usize| self.calibrations[*index].overhead_ticks;
        indices.sort_by(|a, b| overhead(a).total_cmp(&overhead(b)));
        indices[indices.len() / 2]
    }
}

/// Returns the CPU on which a round begins.
fn next_cpu(cpus: &[usize], round: usize) -> Option<usize> {
    cpus.get(round % cpus.len().max(1)).copied()
}

/// Returns the position of libraries in a round, which is the same in every run. Each pass through
/// the positions starts one further; otherwise an even number of CPUs, used in turn, would meet
/// each position on only one of them.
fn position(round: usize) -> u8 {
    POSITIONS[(round + round / POSITIONS.len()) % POSITIONS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_eight_rounds_in_turn_are_at_all_positions_which_meet_all_of_two_cpus() {
        let mut seen = BTreeSet::new();
        for turn in 0..2 {
            let rounds = turn * POSITIONS.len()..(turn + 1) * POSITIONS.len();
            let at: BTreeSet<u8> = rounds.clone().map(position).collect();
            assert_eq!(at, (0..placement::POSITIONS).collect());
            seen.extend(rounds.map(|round| (next_cpu(&[0, 1], round), position(round))));
        }
        assert_eq!(seen.len(), 2 * POSITIONS.len());
    }
}
