//! The same calls, made by one, two and more at once.
//!
//! Unlike [`crate::measure`], which keeps everybody else waiting, this lets threads of one
//! worker process make their calls at the same time, or workers beside each other. In every
//! round all sizes of a row follow one another in random order, in the same processes: what
//! disturbs the machine hits all alike, and each size is compared with one thread of its
//! own round.

mod crew;
mod round;
mod state;
pub(crate) mod threads;

use crate::clock_watch::{self, ClockWatch};
use crate::plan::{Plan, Row};
use crate::progress::Progress;
use crate::quiet::QuietCore;
use crate::session::{SHARE_FOR_VERIFYING, steal_between};
use crate::verification;
use crate::workers::process::Bounds;
use crate::workers::protocol::{Beside, Implementation};
use cpb_host::stolen_and_total;
use cpb_model::{
    Calibration, CallSpec, ClockSummary, Failure, FailureKind, Host, LibraryId, Proof, Scaling,
    Steal,
};
use crew::{Crew, CrowdWork, Places, Ran};
use state::State;
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
}

impl Company {
    /// How many of so many threads are measured.
    fn measured(&self, threads: usize) -> usize {
        if *self == Company::Same { threads } else { 1 }
    }
}

impl Size {
    /// One thread, which all others are compared with.
    pub const ONE: Self = Self { processes: 1, threads: 1 };

    /// All threads of all processes.
    #[must_use]
    pub fn all(self) -> usize {
        self.processes * self.threads
    }
}

/// What the other threads of a process do beside its first.
#[derive(Debug, Clone, PartialEq)]
pub enum Company {
    /// The same, and all are measured.
    Same,
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
    /// What the other threads do, for each row.
    pub company: Vec<Company>,
    /// So many rows, one behind the other, are measured next to each other at every size: not
    /// zero, and two where these are compared.
    pub abreast: usize,
    /// The sizes, of which [`Size::ONE`] is the first.
    pub sizes: Vec<Size>,
    /// A CPU for each thread; none where they are not pinned.
    pub cpus: Vec<usize>,
    /// Whether threads of a process use the same key objects, instead of each its own.
    pub shares_keys: bool,
    /// For how long each size makes calls in a round.
    pub time: Duration,
    /// Rounds beside no neighbour that each row shall have; at least so many are made, and up
    /// to three times as many.
    pub rounds: u32,
}

/// How many times as many rounds as are asked for are made at most: see [`ScalePlan::rounds`].
pub const MOST_ROUNDS: u32 = 3;

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
        cpus: host.cores.len().max(1),
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
            .map(|(index, (row, state))| {
                state.record(plan, &plan.company[index], row, host, interrupted)
            })
            .collect(),
        clock: clock_watch::clock(calibrations, started, &watch, &QuietCore::default()),
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
    /// CPUs that threads can have.
    cpus: usize,
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
            threads: plan.sizes.iter().map(|size| size.threads).max().unwrap_or(1),
            share_keys: plan.shares_keys,
            clock: plan.plan.clock.clone(),
        };
        let jobs = (self.rows.len() * plan.sizes.len()) as u64;
        let mut done = 0;
        for round in 0..plan.rounds.saturating_mul(MOST_ROUNDS) {
            let order = self.order(round);
            if order.is_empty() {
                break;
            }
            // Fresh processes: where pages happen to lie differs from one to the next. Sides
            // of a comparison do not share them, though they may be of the same library.
            let mut crews: HashMap<(&str, usize), Crew<'_>> = HashMap::new();
            let expected =
                done + order.len() as u64 + jobs * u64::from(plan.rounds.saturating_sub(round + 1));
            for (index, size) in order {
                if self.is_over() {
                    break;
                }
                let row = &plan.plan.rows[index];
                let label = row.subject.library.as_str();
                let library = plan.plan.libraries.iter().find(|spec| spec.label() == label);
                let Some(library) = library else { continue };
                let crew = crews
                    .entry((label, index % plan.abreast))
                    .or_insert_with(|| Crew::new(library, &places, self.bounds));
                progress(Progress::Job { row, done, expected });
                done += 1;
                self.one(round, index, size, crew);
            }
            self.started += crews.values().map(Crew::started).sum::<u64>();
        }
    }

    /// Rows and sizes in the order of a round: what stands abreast in random order, its sizes,
    /// and at each size its rows. Once all rounds asked for were made, only of what has fewer
    /// quiet ones than that.
    fn order(&mut self, round: u32) -> Vec<(usize, usize)> {
        let abreast = self.plan.abreast;
        let mut order = Vec::new();
        let mut groups: Vec<usize> = (0..self.rows.len()).step_by(abreast).collect();
        if round >= self.plan.rounds {
            let lacks = |row: &State| row.lacks_quiet(self.plan, self.cpus);
            groups.retain(|&first| self.rows.iter().skip(first).take(abreast).any(lacks));
        }
        self.random.shuffle(&mut groups);
        for first in groups {
            let mut sizes: Vec<usize> = (0..self.plan.sizes.len()).collect();
            self.random.shuffle(&mut sizes);
            for size in sizes {
                let mut rows: Vec<usize> = (first..self.rows.len().min(first + abreast)).collect();
                self.random.shuffle(&mut rows);
                order.extend(rows.into_iter().map(|row| (row, size)));
            }
        }
        order
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
            workload: call(row),
            beside: beside(&plan.company[index]),
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

fn not_the_same() -> Failure {
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

/// What company does, in words, where that is something else.
fn words(company: &Company) -> Option<String> {
    let row = match company {
        Company::Same => return None,
        Company::Memory => return Some("memory traffic".to_owned()),
        Company::Calls(row) => row,
    };
    let (subject, parameters) = (&row.subject, call(row).parameters);
    let length = match parameters.message_bytes {
        0 => String::new(),
        bytes => format!(", {bytes} B"),
    };
    Some(format!("{} {}{length}", subject.primitive, subject.operation.name()))
}

/// The call of a row, which has one length.
fn call(row: &Row) -> CallSpec {
    row.call(row.lengths.first().copied().unwrap_or_default())
}
