//! Measures costs of calls besides cycles that no trace reveals, in workers that time nothing
//! else. Each first use has a worker of its own.

use crate::code_paths::TracePlan;
use crate::failures::not_measured;
use crate::implementation::Implementation;
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::workers::machine::Worker as _;
use crate::workers::process::Worker;
use crate::workers::protocol::{Check, FirstUse as Job, FirstUsed, GivenCall, Took, TraceCall};
use crate::workers::time_limits::Bounds;
use cpb_figures::of_runs;
use cpb_model::{
    CallSpec, CodePath, Contract, Costs, Failure, Figure, FirstUse, Offer, Spent, WrittenStack,
};
use cpb_stats::{median_of, median_of_rounds};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// An upper limit of the keys of any scheme.
const LARGEST_CASE: usize = 16 << 20;
/// Processes per first use.
const PROCESSES: u32 = 8;

/// Measures the costs of each row's calls, whose `paths` come from a trace, and reports the rows
/// done to `progress`. `None` for rows not reached before `stop`.
pub fn find_costs(
    plan: &TracePlan<'_>,
    paths: &[Option<CodePath>],
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64, u64, &Row),
) -> Vec<Option<Costs>> {
    let mut costs = vec![None; plan.rows.len()];
    let (mut done, expected) = (0, plan.rows.len() as u64);
    for library in plan.libraries {
        let label = library.label();
        let mut finder = Finder { plan, library, worker: None, file_bytes: None };
        for (index, row) in plan.rows.iter().enumerate() {
            if row.subject.library != label {
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                return costs;
            }
            progress(done, expected, row);
            done += 1;
            let path = paths.get(index).and_then(Option::as_ref);
            costs[index] = Some(finder.costs(row, path));
        }
    }
    costs
}

/// Measures the costs of one library's rows.
struct Finder<'a> {
    plan: &'a TracePlan<'a>,
    library: &'a LibrarySpec,
    /// A worker that is reused as long as nothing fails.
    worker: Option<Worker>,
    file_bytes: Option<u64>,
}

impl Finder<'_> {
    fn costs(&mut self, row: &Row, path: Option<&CodePath>) -> Costs {
        let stacks = self.stacks(row, path);
        let first_use = self.first_use(row);
        let (first_use, no_first_use) = match first_use {
            Ok(first_use) => (Some(first_use), None),
            Err(failure) => (None, Some(failure.reason)),
        };
        Costs { file_bytes: self.file_bytes, stacks, first_use, no_first_use }
    }

    /// Measures the stack of calls whose trace does not contain it.
    fn stacks(&mut self, row: &Row, path: Option<&CodePath>) -> Vec<WrittenStack> {
        let is_told = |length: usize| {
            let call = path.and_then(|path| path.calls.iter().find(|it| it.length == length));
            call.is_some_and(|it| it.stack_bytes.is_some() && !it.is_cut)
        };
        let implementation = Implementation::of_subject(&row.subject);
        let mut written = |length: usize| {
            let workload = row.call(length);
            let implementation = implementation.clone();
            let call = TraceCall { implementation, workload, makes_objects: false, cpu: None };
            // The trace already reports why a call cannot be made.
            self.ask(|worker| worker.paint(call)).ok().flatten()
        };
        let untold = row.lengths.iter().copied().filter(|&length| !is_told(length));
        untold.filter_map(|length| Some(WrittenStack { length, bytes: written(length)? })).collect()
    }

    /// Measures the first use of the shortest length, with objects made once.
    fn first_use(&mut self, row: &Row) -> Result<FirstUse, Failure> {
        if self.library.index.is_some() {
            let reason = "of a folder of sources, no library is installed";
            return Err(not_measured(reason));
        }
        let length = row.lengths.first().copied().unwrap_or_default();
        let workload = CallSpec { contract: Contract::Keyed, ..row.call(length) };
        let implementation = Implementation::of_subject(&row.subject);
        let check = Check {
            implementation: implementation.clone(),
            workloads: vec![workload.clone()],
            case_bytes: LARGEST_CASE,
        };
        self.ask(|worker| worker.check(check))?;
        let (offer, given) =
            self.ask(|worker| worker.give(implementation.clone(), workload.clone()))?;
        let mut right: Option<Vec<u8>> = None;
        let mut uses = Vec::new();
        for _ in 0..PROCESSES {
            let used = self.used_first(&offer, &workload, &given)?;
            if right.as_ref() != Some(&used.output) {
                let (implementation, workload) = (implementation.clone(), workload.clone());
                let (given, output) = (given.clone(), used.output.clone());
                self.ask(|worker| worker.judge(implementation, workload, given, output))?;
                right = Some(used.output.clone());
            }
            uses.push(used);
        }
        of_processes(length, &uses).ok_or_else(|| not_measured("no process made a first use"))
    }

    /// Measures one first use in a process of its own.
    fn used_first(
        &self,
        offer: &Offer,
        workload: &CallSpec,
        given: &GivenCall,
    ) -> Result<FirstUsed, Failure> {
        let job = Job {
            library: self.library.clone(),
            offer: offer.clone(),
            workload: workload.clone(),
            given: given.clone(),
            cpu: cpb_host::allowed_cpus().last().copied(),
        };
        Worker::use_first(self.library, job, Bounds::timeout(self.plan.timeout))
    }

    fn ask<T>(
        &mut self,
        ask: impl FnOnce(&mut Worker) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => {
                let bounds = Bounds::timeout(self.plan.timeout);
                let (worker, id, _) = Worker::start(self.library, false, None, bounds)?;
                let size = |path: &String| std::fs::metadata(Path::new(path)).ok();
                let file = id.path.as_ref().and_then(size).filter(std::fs::Metadata::is_file);
                self.file_bytes = file.map(|file| file.len());
                worker
            }
        };
        let answer = ask(&mut worker);
        if !worker.is_gone() {
            self.worker = Some(worker);
        }
        answer
    }
}

/// Returns medians over processes; `None` if there are none.
fn of_processes(length: usize, uses: &[FirstUsed]) -> Option<FirstUse> {
    let of = |part: &dyn Fn(&FirstUsed) -> Option<Took>| {
        let all: Vec<Took> = uses.iter().map(part).collect::<Option<_>>()?;
        spent(&all)
    };
    Some(FirstUse {
        length,
        processes: u32::try_from(uses.len()).unwrap_or(u32::MAX),
        total: of(&|it| Some(it.total()))?,
        load: of(&|it| it.opening[0]),
        find: of(&|it| it.opening[1]),
        objects: of(&|it| Some(it.objects))?,
        call: of(&|it| Some(it.call))?,
    })
}

fn spent(all: &[Took]) -> Option<Spent> {
    let values =
        |of: &dyn Fn(&Took) -> u64| all.iter().map(|it| of(it) as f64).collect::<Vec<f64>>();
    let figure = |of: &dyn Fn(&Took) -> u64| -> Option<Figure> {
        of_runs(&values(of), median_of_rounds(|run| median_of(run)))
    };
    Some(Spent {
        nanoseconds: figure(&|it| it.nanoseconds)?,
        on_cpu_nanoseconds: figure(&|it| it.on_cpu_nanoseconds)?,
        minor_faults: median_of(&values(&|it| it.minor_faults))?,
        major_faults: median_of(&values(&|it| it.major_faults))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(nanoseconds: u64) -> Took {
        Took { nanoseconds, on_cpu_nanoseconds: nanoseconds / 2, minor_faults: 3, major_faults: 0 }
    }

    #[test]
    fn a_first_use_is_the_median_of_processes_and_the_total_that_of_sums() {
        let used = |load, call| FirstUsed {
            opening: [Some(took(load)), Some(took(10))],
            objects: took(1),
            call: took(call),
            output: Vec::new(),
        };
        let found = of_processes(64, &[used(100, 5), used(200, 1), used(300, 9)]).unwrap();
        assert_eq!((found.processes, found.load.unwrap().nanoseconds.estimate), (3, 200.0));
        assert_eq!(found.call.nanoseconds.estimate, 5.0);
        // The median of 116, 212 and 320.
        assert_eq!(found.total.nanoseconds.estimate, 212.0);
        assert_eq!(found.total.minor_faults, 12.0);
        assert!(found.total.nanoseconds.interval.is_some());
        assert_eq!(found.parts().count(), 4);
    }

    #[test]
    fn what_has_nothing_to_load_has_no_such_part() {
        let used =
            FirstUsed { opening: [None; 2], objects: took(1), call: took(5), output: Vec::new() };
        let found = of_processes(64, &[used]).unwrap();
        assert_eq!((found.load, found.find), (None, None));
        assert_eq!(found.total.nanoseconds.estimate, 6.0);
        assert_eq!(found.parts().count(), 2);
        assert_eq!(of_processes(64, &[]), None);
    }
}
