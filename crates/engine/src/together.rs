//! Threads of one worker, or workers beside each other, make the same calls at once.

mod crew;
mod round;
pub(crate) mod threads;

use crate::clock_watch::{self, ClockWatch};
use crate::progress::Progress;
use crate::quiet::QuietCore;
use crate::scale::{Company, ScalePlan, Size, call};
use crate::schedule::{Executor, Seen};
use crate::verification;
use crate::workers::process::Bounds;
use crate::workers::protocol::{Beside, Implementation};
use cpb_figures::Gate;
use cpb_host::stolen_and_total;
use cpb_model::{Calibration, CallSpec, ClockSummary, CrowdRound, Failure, FailureKind, Proof};
use crew::{Crew, CrowdWork, Means, Places, Ran};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What is asked of many at once.
pub(crate) struct Job {
    /// The library, by place among the plan's; none where it is not there.
    library: Option<usize>,
    /// Jobs of one library share its processes in a round where this is the same, too.
    side: usize,
    size: Size,
    work: CrowdWork,
    round: u32,
}

impl Job {
    /// Of a row of `plan`, at one size, in a round.
    pub(crate) fn of(plan: &ScalePlan, index: usize, size: Size, round: u32) -> Self {
        let row = &plan.plan.rows[index];
        let label = &row.subject.library;
        Self {
            library: plan.plan.libraries.iter().position(|spec| spec.label() == *label),
            // Sides of a comparison share no processes, though they may be of the same library.
            side: index % plan.abreast,
            size,
            work: CrowdWork {
                implementation: Implementation::of_subject(&row.subject),
                workload: call(row),
                beside: beside(&plan.company[index]),
            },
            round,
        }
    }
}

/// What many did in a round.
pub(crate) struct Taken {
    pub(crate) round: CrowdRound,
    /// What all put out, where all must put out the same.
    pub(crate) output: Option<String>,
}

/// The processes of a plan.
pub(crate) struct Together<'a> {
    plan: &'a ScalePlan,
    places: Places,
    bounds: Bounds,
    start: Instant,
    /// By library and side; of this round.
    crews: HashMap<(usize, usize), Crew>,
    watch: ClockWatch,
    /// Those of the first process.
    calibrations: Vec<Calibration>,
    no_cycles: Option<String>,
    /// Processes that were started in rounds before.
    started: u64,
}

impl<'a> Together<'a> {
    /// Of `plan`, whose time began at `start`.
    pub(crate) fn new(plan: &'a ScalePlan, start: Instant) -> Self {
        let sampling = &plan.plan.sampling;
        let places = Places {
            cpus: plan.cpus.clone(),
            threads: plan.sizes.iter().map(|size| size.threads).max().unwrap_or(1),
            share_keys: plan.shares_keys,
            clock: plan.plan.clock.clone(),
        };
        Self {
            plan,
            places,
            bounds: Bounds::of(sampling, start, sampling.budget),
            start,
            crews: HashMap::new(),
            watch: ClockWatch::default(),
            calibrations: Vec::new(),
            no_cycles: None,
            started: 0,
        }
    }

    /// The clock; absent where no worker got as far as calibrating it. And why cycles cannot be
    /// told, where they cannot.
    pub(crate) fn finish(self) -> (Option<ClockSummary>, Option<String>) {
        let Self { calibrations, no_cycles, started, watch, .. } = self;
        // Where another process could calibrate its clock, the reason was a passing one.
        let no_cycles = no_cycles.filter(|_| calibrations.is_empty());
        (clock_watch::clock(calibrations, started, &watch, &QuietCore::default()), no_cycles)
    }
}

impl Executor for Together<'_> {
    type Job = Job;
    type Taken = Taken;

    fn seen(&self) -> Seen<'_> {
        let (now, gate) = (self.start.elapsed(), Gate::default());
        Seen { now, gate, calibrations: &self.calibrations }
    }

    fn is_over(&self) -> bool {
        self.start.elapsed() >= self.plan.plan.sampling.budget
    }

    /// They make calls for as long as the plan has it, however quiet their cores are.
    fn run(
        &mut self,
        job: &Job,
        _patience: Duration,
        _progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let library = job.library.ok_or_else(verification::not_run)?;
        let means = Means {
            library: &self.plan.plan.libraries[library],
            places: &self.places,
            bounds: self.bounds,
            time: self.plan.time,
        };
        let crew = self.crews.entry((library, job.side)).or_default();
        let ran = crew.run(&means, job.size, &job.work)?;
        if self.calibrations.is_empty() {
            let known = ran.iter().flat_map(|ran| &ran.started.calibrations);
            self.calibrations.extend(known.flatten().cloned());
        }
        let no_cycles = || ran.iter().find_map(|ran| ran.started.no_cycles.clone());
        self.no_cycles = self.no_cycles.take().or_else(no_cycles);
        let output = common_output(&job.work.workload, &ran)?;
        Ok(Taken { round: round::figures(job.round, &ran, &mut self.watch)?, output })
    }

    /// Where pages happen to lie differs from one process to the next.
    fn end_round(&mut self, _is_whole: bool) {
        self.started += self.crews.drain().map(|(_, crew)| crew.started()).sum::<u64>();
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        stolen_and_total(&self.plan.cpus)
    }
}

/// What every thread put out; `None` where they need not put out the same.
fn common_output(workload: &CallSpec, ran: &[Ran]) -> Result<Option<String>, Failure> {
    let operation = workload.operation;
    if operation.is_public_key() || operation.row().proof == Proof::LooksRandom {
        return Ok(None);
    }
    let mut outputs = ran.iter().flat_map(|ran| &ran.threads).map(|thread| &thread.output);
    let first = outputs.next();
    if outputs.any(|output| Some(output) != first) {
        return Err(not_the_same());
    }
    Ok(first.cloned())
}

pub(crate) fn not_the_same() -> Failure {
    let reason = "made by several threads at once, calls put out what they do not alone";
    Failure { kind: FailureKind::WrongAnswer, reason: reason.to_owned() }
}

fn beside(company: &Company) -> Option<Beside> {
    match company {
        Company::Same => None,
        Company::Memory => Some(Beside::Memory),
        Company::Calls(row) => Some(Beside::Calls {
            implementation: Implementation::of_subject(&row.subject),
            workload: call(row),
        }),
    }
}
