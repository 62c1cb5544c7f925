//! Workers with a clock each: one for every library, fresh ones in every round.

pub(crate) mod files;
mod first_use;
pub(crate) mod machine;
pub(crate) mod pipes;
pub(crate) mod process;
pub(crate) mod protocol;
mod reply_limits;
mod solo;
pub(crate) mod tracing;
pub(crate) mod words;

use crate::clock_watch::{self, ClockWatch};
use crate::plan::Plan;
use crate::plan::library::LibrarySpec;
use crate::progress::Progress;
use crate::quiet::QuietCore;
use crate::verification;
use crate::workers::machine::{Machine, Worker};
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job, nanoseconds};
use cpb_libraries::placement;
use cpb_model::{
    Calibration, EventCounts, Failure, FailureKind, GateLoop, Quiet, RawRound, Samples,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// Workers that calibrate their clocks; those after them take the middle of
/// what these found.
const CALIBRATIONS: usize = 5;
/// How long the first worker may learn what quiet is, how long each later one while it is not known,
/// and the share of the time that all together may.
const LEARNING: Duration = Duration::from_millis(1200);
const LEARNING_LATER: Duration = Duration::from_millis(300);
const LEARNING_SHARE: u32 = 4;

/// The order in which rounds go through the positions that libraries are placed at, so that a few
/// rounds are spread over all of them, too.
const POSITIONS: [u8; placement::POSITIONS as usize] = [0, 4, 2, 6, 1, 5, 3, 7];

pub(crate) struct Workers<'a> {
    plan: &'a Plan,
    libraries: &'a [LibrarySpec],
    machine: &'a mut dyn Machine,
    /// By library.
    running: Vec<Option<Running>>,
    calibrations: Vec<Calibration>,
    watch: ClockWatch,
    quiet: QuietCore,
    /// Rounds that have ended.
    rounds: usize,
    /// Workers that were started.
    started: u64,
    /// How long workers learned what quiet is.
    learning: Duration,
    /// When nothing is tried again.
    end: Option<Duration>,
    /// The CPU that was quiet last, and all that jobs ended on.
    cpu: Option<usize>,
    cpus: BTreeSet<usize>,
    /// Why the core's other counters do not tell, where that was so once.
    no_events: Option<String>,
}

struct Running {
    worker: Box<dyn Worker>,
    /// Which of the calibrations is this worker's.
    calibration: usize,
}

/// The samples of a job, by length.
#[derive(Clone)]
pub(crate) struct Taken {
    calibration: usize,
    position: Option<u8>,
    samples: Vec<Samples>,
    /// What else the core counted in a call, by length.
    pub(crate) events: Vec<Option<EventCounts>>,
    /// Why calls cannot be made one by one, where that was asked for.
    pub(crate) no_dependence: Option<String>,
}

impl Taken {
    /// The samples, with what makes core cycles of them.
    pub(crate) fn raw(self, calibrations: &[Calibration]) -> Vec<RawRound> {
        let Self { calibration, position, samples, .. } = self;
        let overhead_ticks = clock_watch::common_overhead(calibrations).unwrap_or_default();
        let raw = |samples| RawRound { calibration, overhead_ticks, position, samples };
        samples.into_iter().map(raw).collect()
    }
}

impl<'a> Workers<'a> {
    /// Nobody yet; who is needed is started when a job comes.
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
            end: None,
            cpu: next_cpu(&plan.cpus, 0),
            cpus: BTreeSet::new(),
            no_events: None,
        }
    }

    /// The library of this label.
    pub(crate) fn library(&self, label: &str) -> Option<usize> {
        self.libraries.iter().position(|spec| spec.label() == label)
    }

    /// What a fresh process says of quiet; `None` where it learned nothing.
    pub(crate) fn learn(mut self) -> Option<Quiet> {
        self.worker(0, &mut |_| {}).ok()?;
        self.quiet.remember(&self.plan.memory);
        self.quiet.learned().map(|_| self.quiet.summary(0.0))
    }

    /// Has the worker of `library` do `job` once, waiting for quiet as long as `patience` lasts.
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
        if self.running.get(library).ok_or_else(verification::not_run)?.is_none() {
            let running = self.start(library)?;
            if let [calibration] = self.calibrations.as_slice() {
                progress(Progress::Clock(calibration));
            }
            self.running[library] = Some(running);
        }
        self.running[library].as_mut().ok_or_else(verification::not_run)
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
        // Which of the calibrations the worker is given, where there are enough.
        let given = (self.calibrations.len() >= CALIBRATIONS).then(|| self.middle_calibration());
        let calibrate = Calibrate {
            clock: self.plan.clock.clone(),
            cpus: self.plan.cpus.clone(),
            calibration: given.map(|index| self.calibrations[index].clone()),
            learned: self.quiet.learned(),
            learning_nanoseconds: nanoseconds(learning),
            known: self.plan.memory.known,
            siblings: self.plan.memory.siblings.clone(),
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

    /// The loop that the worker of `library` runs as its probe.
    fn gate_loop(&self, library: usize) -> GateLoop {
        let running = self.running.get(library).and_then(Option::as_ref);
        running.map_or(GateLoop::Chains, |it| self.calibrations[it.calibration].gate_loop)
    }

    /// The calibration whose overhead is in the middle.
    fn middle_calibration(&self) -> usize {
        let mut indices: Vec<usize> = (0..self.calibrations.len()).collect();
        let overhead = |index: &usize| self.calibrations[*index].overhead_ticks;
        indices.sort_by(|a, b| overhead(a).total_cmp(&overhead(b)));
        indices[indices.len() / 2]
    }
}

/// The CPU that a round begins on.
fn next_cpu(cpus: &[usize], round: usize) -> Option<usize> {
    cpus.get(round % cpus.len().max(1)).copied()
}

/// Where libraries lie in a round, which is the same in every run. Each time through the positions
/// begins with the next one: an even number of CPUs, which rounds begin on in turn, would else meet
/// each position on one of them alone.
fn position(round: usize) -> u8 {
    POSITIONS[(round + round / POSITIONS.len()) % POSITIONS.len()]
}

/// Whether what failed may well succeed a moment later.
fn is_passing(failure: &Failure) -> bool {
    failure.kind == FailureKind::NotMeasured
}

/// The rounds that a row lost to a disturbed machine.
#[derive(Debug, Default)]
pub(crate) struct LostRounds {
    rounds: u32,
    last: Option<Failure>,
}

impl LostRounds {
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

    #[test]
    fn a_row_is_given_up_once_most_of_its_rounds_are_lost() {
        let mut losses = LostRounds::default();
        let disturbed = || failure(FailureKind::NotMeasured);
        assert_eq!(losses.count(disturbed(), 0), None);
        assert_eq!(losses.count(disturbed(), 4), None);
        assert_eq!(losses.count(disturbed(), 2), None);
        assert_eq!(losses.count(disturbed(), 2), Some(disturbed()));
        let crashed = failure(FailureKind::Crashed);
        assert_eq!(LostRounds::default().count(crashed.clone(), 9), Some(crashed));
    }

    #[test]
    fn a_row_without_rounds_tells_what_took_them() {
        let mut losses = LostRounds::default();
        losses.count(failure(FailureKind::NotMeasured), 0);
        assert_eq!(losses.failure(), Some(failure(FailureKind::NotMeasured)));
    }
}
