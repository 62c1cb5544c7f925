//! Runs the main loop of every measurement.

use crate::measured::Measured;
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::design::Design;
use crate::schedule::executor::Executor;
use crate::schedule::scheduler::{Scheduler, Step};
use crate::verification::Verified;
use cpb_model::Steal;
use std::sync::atomic::{AtomicBool, Ordering};

/// Lets `executor` run what `design` wants of the verified rows. Returns the measured records, and the
/// design, which may hold further results.
pub(crate) fn carry_out<D: Design>(
    design: D,
    mut executor: impl Executor<Job = D::Job, Taken = D::Taken>,
    verified: Verified,
    budget: Budget,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Measured, D) {
    let mut scheduler = Scheduler::new(design, verified.rows, budget);
    let steal = drive(&mut scheduler, &mut executor, stop, progress);
    let Scheduler { mut design, mut rows, known_loops, .. } = scheduler;
    let records = design.finish(&mut rows, executor.seen());
    let mut measured = executor.finish();
    if let Some(clock) = &mut measured.clock {
        clock.known_loops = known_loops.figures(clock.quiet);
    }
    let (libraries, interrupted) = (verified.libraries, rows.is_interrupted);
    (Measured { records, libraries, steal, interrupted, ..measured }, design)
}

/// Lets `executor` do what `scheduler` says until all is done or `stop` is set, and reports to
/// `progress`. Returns the share of time that the hypervisor took.
pub(crate) fn drive<D: Design>(
    scheduler: &mut Scheduler<D>,
    executor: &mut dyn Executor<Job = D::Job, Taken = D::Taken>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Option<Steal> {
    let stolen_before = executor.stolen_and_total();
    scheduler.rows.is_interrupted = stop.load(Ordering::Relaxed);
    loop {
        let is_stopped = stop.load(Ordering::Relaxed);
        let step = scheduler.next(executor.seen(), is_stopped);
        tell_failures(scheduler, progress);
        match step {
            Step::Unit(unit) => {
                let is_lost = !measure(scheduler, executor, &unit, progress);
                // A job that lasts as long as its calls do is ended by it.
                scheduler.rows.is_interrupted |= is_lost && stop.load(Ordering::Relaxed);
            }
            Step::EndOfRound { is_whole } => {
                scheduler.rows.is_interrupted |= is_stopped && !is_whole;
                if is_whole && !is_stopped {
                    let Scheduler { known_loops, design, budget, .. } = &mut *scheduler;
                    known_loops.round(design, executor, budget);
                }
                executor.end_round();
                if is_whole {
                    let seen = executor.seen();
                    let is_over = scheduler.budget.is_over(seen.now);
                    scheduler.design.end_round(&mut scheduler.rows, seen, is_over);
                    scheduler.budget.end_round(executor.seen().now.saturating_sub(seen.now));
                    let seen = executor.seen();
                    let records = &|| scheduler.design.snapshot(&scheduler.rows, seen);
                    progress(Progress::Figures { records });
                }
            }
            Step::Done => break,
        }
    }
    stolen_before.zip(executor.stolen_and_total()).and_then(steal_between)
}

/// Whether all of a unit could be measured.
fn measure<D: Design>(
    scheduler: &mut Scheduler<D>,
    executor: &mut dyn Executor<Job = D::Job, Taken = D::Taken>,
    unit: &[usize],
    progress: &mut dyn FnMut(Progress<'_>),
) -> bool {
    let mut taken = Vec::with_capacity(unit.len());
    for (index, &row) in unit.iter().enumerate() {
        let (done, expected) = (scheduler.done, scheduler.expected);
        progress(Progress::Job { row: scheduler.design.row(row), done, expected });
        let (job, patience) = scheduler.begin(row, unit.len() - index, executor.seen().now);
        match executor.run(&job, patience, progress) {
            Ok(samples) => taken.push((row, samples)),
            Err(failure) => {
                scheduler.lose(unit, row, failure);
                return false;
            }
        }
    }
    scheduler.design.take(&mut scheduler.rows, taken, executor.seen());
    true
}

fn tell_failures<D: Design>(scheduler: &mut Scheduler<D>, progress: &mut dyn FnMut(Progress<'_>)) {
    let mut last = None;
    for row in scheduler.rows.fresh_failures.drain(..) {
        let Some(failure) = &scheduler.rows.states[row].failure else { continue };
        let row = scheduler.design.row(row);
        // A row that was to be measured in several ways is reported once.
        if last.replace((&raw const *row, failure)) != Some((row, failure)) {
            progress(Progress::Failed { row, failure });
        }
    }
}

/// Returns the stolen share between two readings of the stolen and the total time.
fn steal_between(
    ((stolen, total), (stolen_after, total_after)): ((u64, u64), (u64, u64)),
) -> Option<Steal> {
    let total = total_after.checked_sub(total).filter(|&total| total != 0)?;
    Some(Steal { share: stolen_after.checked_sub(stolen)? as f64 / total as f64 })
}
