//! Simulates threads and processes that make concurrent calls, each on a core of its own.

use super::workers::Costs;
use crate::recursive::library as recursive;
use crate::together::crews::Crews;
use crate::together::job::{Job, Means, Ran};
use crate::verification::answers;
use crate::workers::protocol::{Started, ThreadRun, nanoseconds};
use cpb_figures::agree;
use cpb_libraries::Prepared;
use cpb_model::{Calibration, Failure, Operation, Samples};
use cpb_sampler::{Amount, Timer};
use cpb_simulated::{Core, Execution, Work, normal};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

/// The time of a job besides its calls: starting processes, and warm-up.
const BESIDE: f64 = 20e-3;
/// The samples that a thread takes, and the duration of each.
const SAMPLES: usize = 12;
const BATCH: Duration = Duration::from_micros(100);
/// The relative slowdown of calls per additional thread, for XOFs and for everything else, and the
/// variation between threads.
const CONTENTION: f64 = 0.1;
const LITTLE: f64 = 0.002;
const JITTER: f64 = 0.001;

/// Processes in which the cost of code is known, for any number of threads.
pub(super) struct SimulatedCrews {
    execution: Rc<RefCell<Execution>>,
    costs: Rc<Costs>,
    /// The relative slowness of each process, by library and side.
    factors: HashMap<(usize, usize), Vec<f64>>,
}

impl SimulatedCrews {
    pub(super) fn new(execution: Rc<RefCell<Execution>>, costs: Rc<Costs>) -> Self {
        Self { execution, costs, factors: HashMap::new() }
    }

    /// Returns the relative slowness of these processes, some of which may run already.
    fn factors(&mut self, library: usize, job: &Job) -> Vec<f64> {
        let mut execution = self.execution.borrow_mut();
        let deviation = execution.noise().between_processes;
        let factors = self.factors.entry((library, job.side)).or_default();
        while factors.len() < job.size.processes {
            factors.push(1.0 + deviation * normal(execution.random()));
        }
        factors[..job.size.processes].to_vec()
    }

    /// Simulates a thread that runs `job`, whose calls cost this much.
    fn thread(&self, core: &mut Core, job: &Job, mut work: Work) -> ThreadRun {
        let hertz = core.calibration().core_hertz;
        let seconds_per_call = work.cycles / hertz;
        let calls = match job.amount {
            Amount::Calls(calls) => calls,
            Amount::Time(time) => (time.as_secs_f64() / seconds_per_call).max(1.0) as u64,
        };
        let batch = ((BATCH.as_secs_f64() / seconds_per_call) as u64).clamp(1, calls.max(1));
        let mut samples = Samples { calls: batch * job.operations, ..Samples::default() };
        while samples.ticks.len() < SAMPLES {
            let (probe_before, before) = (core.probe(), core.bracket());
            let ticks = core.time(&mut || work.run(batch));
            let (probe_after, after) = (core.probe(), core.bracket());
            if !agree(core.calibration(), (before, after)) {
                samples.rejected += 1;
                continue;
            }
            samples.probe_before.push(probe_before);
            samples.before.push(before);
            samples.ticks.push(ticks);
            samples.probe_after.push(probe_after);
            samples.after.push(after);
        }
        let time = nanoseconds(Duration::from_secs_f64(calls as f64 * seconds_per_call));
        ThreadRun {
            calls,
            nanoseconds: time,
            on_cpu_nanoseconds: time,
            waiting_nanoseconds: Some(0),
            samples,
            output: answers::digest(&output(job)),
            ..ThreadRun::default()
        }
    }
}

impl Crews for SimulatedCrews {
    fn run(&mut self, means: &Means<'_>, library: usize, job: &Job) -> Result<Vec<Ran>, Failure> {
        let Job { size, work, amount, .. } = job;
        let threads = if work.beside.is_some() { 1 } else { size.threads };
        let spec = &means.libraries[library];
        let cost = (self.costs)(spec, 0, &work.implementation, &work.workload);
        let contention =
            if work.workload.operation == Operation::Xof { CONTENTION } else { LITTLE };
        let others = (size.all() - 1) as f64;
        let cycles = cost.of(work.workload.parameters.length()) * (1.0 + contention * others);
        let factors = self.factors(library, job);
        self.execution.borrow_mut().idle(BESIDE);
        let ran = factors.into_iter().map(|factor| {
            let mut core = Core::new(Rc::clone(&self.execution));
            let calibrations: Vec<Option<Calibration>> =
                vec![Some(core.calibration().clone()); threads];
            let work = || {
                let jitter = 1.0 + JITTER * normal(self.execution.borrow_mut().random());
                Work {
                    execution: Rc::clone(&self.execution),
                    cycles: cycles * factor * jitter,
                    susceptibility: cost.susceptibility,
                }
            };
            let threads = (0..threads).map(|_| self.thread(&mut core, job, work())).collect();
            Ran { threads, started: Started { calibrations, no_cycles: None } }
        });
        let ran = ran.collect();
        if let Amount::Time(time) = amount {
            self.execution.borrow_mut().idle(time.as_secs_f64());
        }
        Ok(ran)
    }

    fn end(&mut self) -> u64 {
        self.factors.drain().map(|(_, factors)| factors.len() as u64).sum()
    }

    fn stolen_and_total(&self, _cpus: &[usize]) -> Option<(u64, u64)> {
        None
    }
}

/// Returns the output of a job's calls, which is known beforehand for recursive SHA-256.
fn output(Job { work, amount, .. }: &Job) -> Vec<u8> {
    match amount {
        Amount::Calls(calls) if work.workload.primitive == recursive::NAME => {
            recursive::output(work, *calls)
        }
        _ => Vec::new(),
    }
}
