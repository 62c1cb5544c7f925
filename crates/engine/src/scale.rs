//! The same calls, made by one, two and more at once.
//!
//! Unlike [`crate::measure`], which keeps everybody else waiting, this lets threads of one
//! worker process make their calls at the same time, or workers beside each other. In every
//! round all sizes of a row follow one another in random order, in the same processes: what
//! disturbs the machine hits all alike, and each size is compared with one thread of its
//! own round.

mod crew;
mod round;
pub(crate) mod threads;
mod traffic;

use crate::clock_watch::{self, ClockWatch};
use crate::plan::{Plan, Row};
use crate::progress::Progress;
use crate::session::{SHARE_FOR_VERIFYING, steal_between};
use crate::verification;
use crate::workers::process::Bounds;
use crate::workers::protocol::{Beside, Implementation};
use cpb_figures::{Gate, scaling};
use cpb_host::{share_cores, stolen_and_total};
use cpb_model::{
    Calibration, ClockSummary, Crowd, CrowdRound, Failure, FailureKind, Host, LibraryId, Scaling,
    Steal, Verification, Workload,
};
use crew::{Crew, CrowdWork, Places, Ran};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How many make calls at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Processes; not zero.
    pub processes: usize,
    /// Threads of each; not zero, and one where there are several processes.
    pub threads: usize,
    /// Threads that do something else; none where there are several processes.
    pub others: usize,
}

impl Size {
    /// One thread, which all others are compared with.
    pub const ONE: Self = Self { processes: 1, threads: 1, others: 0 };

    /// All threads of all processes.
    #[must_use]
    pub fn all(self) -> usize {
        self.processes * self.threads + self.others
    }
}

/// What threads do beside the one that is measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Company {
    /// They read and write more than caches hold.
    Memory,
    /// They make the calls of this row, which is of the same library and has one length.
    Calls(Box<Row>),
}

/// What to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalePlan {
    /// The rows, at one length each; of the rest what is not said here.
    pub plan: Plan,
    /// What threads beside the measured one do, for each row; empty where all do the same.
    pub company: Vec<Company>,
    /// The sizes, with [`Size::ONE`] among them.
    pub sizes: Vec<Size>,
    /// A CPU for each thread; none where they are not pinned.
    pub cpus: Vec<usize>,
    /// Whether threads of a process use the same key objects, instead of each its own.
    pub shares_keys: bool,
    /// For how long each size makes calls in a round.
    pub time: Duration,
    /// Rounds.
    pub rounds: u32,
}

/// What [`measure_scaling`] brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// A record for each row, in the plan's order.
    pub records: Vec<Scaling>,
    /// The clock; absent where no worker got as far as calibrating it.
    pub clock: Option<ClockSummary>,
    /// Why cycles cannot be told, where they cannot.
    pub no_cycles: Option<String>,
    /// The libraries, as their workers found them.
    pub libraries: Vec<LibraryId>,
    /// Time the hypervisor took away.
    pub steal: Option<Steal>,
}

/// Measures `plan` on `host`, telling `progress` how it goes, until its budget is spent or
/// `stop` is set.
pub fn measure_scaling(
    plan: &ScalePlan,
    host: &Host,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Scaled {
    let sampling = &plan.plan.sampling;
    let start = Instant::now();
    let for_verifying = Bounds::of(sampling, start, sampling.budget / SHARE_FOR_VERIFYING);
    let verified = verification::verify(&plan.plan, for_verifying, stop, &mut |done, expected| {
        progress(Progress::Verify { done, expected });
    });
    let stolen = stolen_and_total(&plan.cpus);
    let mut session = Session {
        plan,
        stop,
        bounds: Bounds::of(sampling, start, sampling.budget),
        end: start + sampling.budget,
        rows: verified.rows.into_iter().map(|verdict| State::new(verdict, plan)).collect(),
        watch: ClockWatch::default(),
        calibrations: Vec::new(),
        no_cycles: None,
        started: 0,
        random: fastrand::Rng::with_seed(plan.plan.seed),
    };
    session.run(progress);
    let interrupted = stop.load(Ordering::Relaxed);
    let Session { rows, calibrations, watch, no_cycles, started, .. } = session;
    let rows = plan.plan.rows.iter().zip(rows);
    // Where another process could calibrate its clock, the reason was a passing one.
    let no_cycles = no_cycles.filter(|_| calibrations.is_empty());
    Scaled {
        records: rows
            .enumerate()
            .map(|(index, (row, state))| Scaling {
                beside: plan.company.get(index).map(words),
                ..state.record(plan, row, host, interrupted)
            })
            .collect(),
        clock: clock_watch::clock(calibrations, started, &watch, Gate::default()),
        no_cycles,
        libraries: verified.libraries,
        steal: stolen.zip(stolen_and_total(&plan.cpus)).and_then(steal_between),
    }
}

struct Session<'a> {
    plan: &'a ScalePlan,
    stop: &'a AtomicBool,
    bounds: Bounds,
    end: Instant,
    rows: Vec<State>,
    watch: ClockWatch,
    /// Those of the first process.
    calibrations: Vec<Calibration>,
    no_cycles: Option<String>,
    /// Processes that were started.
    started: u64,
    random: fastrand::Rng,
}

impl Session<'_> {
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.end
    }

    fn run(&mut self, progress: &mut dyn FnMut(Progress<'_>)) {
        let plan = self.plan;
        let places = Places {
            cpus: plan.cpus.clone(),
            threads: plan.sizes.iter().map(|size| size.threads + size.others).max().unwrap_or(1),
            share_keys: plan.shares_keys,
            clock: plan.plan.clock.clone(),
        };
        let jobs = (self.rows.len() * plan.sizes.len()) as u64;
        let mut done = 0;
        for round in 0..plan.rounds {
            // Fresh processes: where pages happen to lie differs from one to the next.
            let mut crews: HashMap<&str, Crew<'_>> = HashMap::new();
            let mut order: Vec<usize> = (0..self.rows.len()).collect();
            self.random.shuffle(&mut order);
            for index in order {
                let row = &plan.plan.rows[index];
                let label = row.subject.library.as_str();
                let library = plan.plan.libraries.iter().find(|spec| spec.label() == label);
                let Some(library) = library else { continue };
                let crew =
                    crews.entry(label).or_insert_with(|| Crew::new(library, &places, self.bounds));
                let mut sizes: Vec<usize> = (0..plan.sizes.len()).collect();
                self.random.shuffle(&mut sizes);
                for size in sizes {
                    if self.is_over() {
                        break;
                    }
                    let expected = jobs * u64::from(plan.rounds);
                    progress(Progress::Job { row, done, expected });
                    done += 1;
                    self.one(round, index, size, crew);
                }
            }
            self.started += crews.values().map(Crew::started).sum::<u64>();
        }
    }

    /// Has one size of one row make its calls in this round.
    fn one(&mut self, round: u32, index: usize, size: usize, crew: &mut Crew<'_>) {
        let (plan, state) = (self.plan, &mut self.rows[index]);
        let row = &plan.plan.rows[index];
        if state.verdict.is_err() || state.sizes[size].is_given_up() {
            return;
        }
        let work = CrowdWork {
            implementation: Implementation::of_subject(&row.subject),
            workload: workload(row),
            beside: plan.company.get(index).map(beside),
        };
        let ran = crew.run(plan.sizes[size], &work, plan.time);
        let found = ran.and_then(|ran| {
            if self.calibrations.is_empty() {
                let known = ran.iter().flat_map(|ran| &ran.started.calibrations);
                self.calibrations.extend(known.flatten().cloned());
            }
            let no_cycles = ran.iter().find_map(|ran| ran.started.no_cycles.clone());
            self.no_cycles = self.no_cycles.take().or(no_cycles);
            let output = common_output(&work.workload, &ran)?;
            Ok((round::figures(round, &ran, &mut self.watch)?, output))
        });
        match found {
            // What it lacks, it lacks at every size.
            Err(failure) if failure.kind == FailureKind::Unavailable => {
                state.verdict = Err(failure);
            }
            found => state.sizes[size].add(found),
        }
    }
}

/// What every thread put out; `None` where they need not put out the same.
fn common_output(workload: &Workload, ran: &[Ran]) -> Result<Option<String>, Failure> {
    if workload.operation.is_public_key() {
        return Ok(None);
    }
    let mut outputs = ran.iter().flat_map(|ran| &ran.threads).map(|thread| &thread.output);
    let first = outputs.next();
    if outputs.any(|output| Some(output) != first) {
        return Err(not_the_same());
    }
    Ok(first.cloned())
}

fn not_the_same() -> Failure {
    let reason = "made by several threads at once, calls put out what they do not alone";
    Failure { kind: FailureKind::WrongAnswer, reason: reason.to_owned() }
}

fn beside(company: &Company) -> Beside {
    match company {
        Company::Memory => Beside::Memory,
        Company::Calls(row) => Beside::Calls {
            implementation: Implementation::of_subject(&row.subject),
            workload: workload(row),
        },
    }
}

/// What company does, in words.
fn words(company: &Company) -> String {
    let Company::Calls(row) = company else { return "memory traffic".to_owned() };
    let (subject, parameters) = (&row.subject, workload(row).parameters);
    let length = match parameters.message_bytes {
        0 => String::new(),
        bytes => format!(", {bytes} B"),
    };
    format!("{} {}{length}", subject.primitive, subject.operation.name())
}

/// The workload of a row, which has one length.
fn workload(row: &Row) -> Workload {
    row.workload(row.lengths.first().copied().unwrap_or_default())
}

/// What is known of a row so far.
struct State {
    verdict: Result<Verification, Failure>,
    sizes: Vec<SizeState>,
}

/// What is known of one of its sizes.
#[derive(Default)]
struct SizeState {
    rounds: Vec<CrowdRound>,
    /// What all its threads put out, where all must put out the same.
    output: Option<String>,
    failure: Option<Failure>,
}

impl SizeState {
    fn add(&mut self, found: Result<(CrowdRound, Option<String>), Failure>) {
        match found {
            Ok((_, output)) if !self.rounds.is_empty() && output != self.output => {
                self.failure = Some(not_the_same());
            }
            Ok((round, output)) => {
                self.rounds.push(round);
                self.output = output;
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Whether what went wrong would do so again.
    fn is_given_up(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.kind != FailureKind::NotMeasured)
    }
}

impl State {
    fn new(verdict: Result<Verification, Failure>, plan: &ScalePlan) -> Self {
        let sizes = plan.sizes.iter().map(|_| SizeState::default()).collect();
        Self { verdict, sizes }
    }

    fn record(self, plan: &ScalePlan, row: &Row, host: &Host, interrupted: bool) -> Scaling {
        let cpus = host.cores.len().max(1);
        let one = plan.sizes.iter().position(|&size| size == Size::ONE);
        let one = one.map(|index| &self.sizes[index]);
        let alone = one.and_then(|one| one.output.clone());
        let one = one.map(|one| one.rounds.clone()).unwrap_or_default();
        let no_more =
            || if interrupted { verification::interrupted() } else { verification::no_time() };
        let (verification, failure) = match self.verdict {
            Ok(verification) => (Some(verification), None),
            Err(failure) => (None, Some(failure)),
        };
        let sizes = plan.sizes.iter().zip(self.sizes).filter(|_| failure.is_none());
        let crowds: Vec<Crowd> = sizes
            .map(|(&size, state)| {
                let given_up = state.is_given_up();
                let nothing = state.rounds.is_empty();
                let differs = alone.is_some() && state.output.is_some() && state.output != alone;
                let failure = state.failure.filter(|_| given_up || nothing);
                let failure = failure.or_else(|| differs.then(not_the_same));
                let failure = failure.or_else(|| nothing.then(no_more));
                let rounds = if failure.is_none() { state.rounds } else { Vec::new() };
                scaling::with_figures(crowd(size, plan, host, rounds, failure), &one, cpus)
            })
            .collect();
        let verdict = scaling::verdict(&crowds, cpus);
        Scaling {
            subject: row.subject.clone(),
            contract: row.contract,
            shares_keys: plan.shares_keys,
            beside: None,
            parameters: workload(row).parameters,
            verification,
            crowds,
            verdict,
            failure,
        }
    }
}

fn crowd(
    size: Size,
    plan: &ScalePlan,
    host: &Host,
    rounds: Vec<CrowdRound>,
    failure: Option<Failure>,
) -> Crowd {
    let cpus: Vec<usize> = plan.cpus.iter().copied().take(size.all()).collect();
    Crowd {
        processes: size.processes,
        threads: size.threads,
        others: size.others,
        shares_cores: share_cores(host, &cpus),
        cpus,
        calls_per_second: None,
        efficiency: None,
        cycles_per_call: None,
        slowest: None,
        time: None,
        core_hertz: None,
        probe_cycles: None,
        rounds,
        failure,
    }
}
