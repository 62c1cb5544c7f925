//! A job on whatever machine there is: the samples of every workload.

use crate::sampling::cases::Counted;
use crate::sampling::lookout::Lookout;
use crate::sampling::timed::{NoSamples, Wanted, take_samples};
use crate::sampling::timer::Timer;
use crate::workers::protocol::{Done, Job};
use cpb_figures::Gate;
use cpb_libraries::Prepared;
use cpb_model::{Failure, FailureKind, Workload};
use std::time::Duration;

/// What makes a call ready.
pub(crate) type Prepare<'a> = dyn FnMut(&Workload) -> Result<Box<dyn Prepared>, Failure> + 'a;

/// Does `job` on `timer`, with what `prepare` makes of its workloads.
pub(crate) fn carry_out(
    job: &Job,
    timer: &mut dyn Timer,
    prepare: &mut Prepare<'_>,
) -> Result<Done, Failure> {
    if let Some(cpu) = job.cpu {
        timer.move_to(cpu);
    }
    let end = timer.now() + Duration::from_nanos(job.patience_nanoseconds);
    let mut lookout = Lookout::new(timer, Gate { quiet: job.quiet, assumed: job.assumes_quiet });
    let mut measured = Vec::with_capacity(job.workloads.len());
    for (index, workload) in job.workloads.iter().enumerate() {
        let mut prepared = prepare(workload)?;
        let mut call = Counted::of(prepared.as_mut(), workload);
        let now = lookout.now();
        let left = (job.workloads.len() - index) as u32;
        let wanted = Wanted {
            samples: job.samples,
            samples_before: job.samples_before,
            calls: job.calls.get(index).copied().flatten(),
            batch: Duration::from_nanos(job.batch_nanoseconds),
            // What is awake after one length stays so for the next.
            warm_up: if index == 0 {
                Duration::from_nanos(job.warm_up_nanoseconds)
            } else {
                Duration::ZERO
            },
            limit: job.limit_nanoseconds.map(Duration::from_nanos),
            quota: job.quota,
            until: now + end.saturating_sub(now) / left,
        };
        let samples = take_samples(&mut lookout, &mut call, wanted).map_err(|reason| {
            let kind = match reason {
                NoSamples::Disturbed => FailureKind::NotMeasured,
                _ => FailureKind::WrongAnswer,
            };
            Failure { kind, reason: reason.to_string() }
        })?;
        prepared.output().map_err(|reason| Failure { kind: FailureKind::WrongAnswer, reason })?;
        measured.push(samples);
    }
    let cpu = lookout.timer().cpu();
    Ok(Done { samples: measured, probes: lookout.into_probes(), cpu })
}
