//! Runs a job on a real or simulated machine, and takes the samples of its calls.

use crate::failures::wrong_answer;
use crate::workers::protocol::{Done, Job};
use cpb_figures::QuietCriterion;
use cpb_libraries::dependence::{Dependence, NoDependence, one_by_one};
use cpb_libraries::{Prepared, scheme};
use cpb_model::{Caches, CallSpec, EventCounts, Failure, FailureKind, Samples};
use cpb_sampler::{CaseCursor, NoSamples, QuietMonitor, SampleRequest, Timer, take_samples};
use std::time::Duration;

/// Prepares a call.
pub(crate) type Prepare<'a> = dyn FnMut(&CallSpec) -> Result<Box<dyn Prepared>, Failure> + 'a;

/// Runs `job` on `timer`, with the calls that `prepare` makes.
pub(crate) fn carry_out(
    job: &Job,
    timer: &mut dyn Timer,
    prepare: &mut Prepare<'_>,
) -> Result<Done, Failure> {
    if let Some(cpu) = job.cpu {
        timer.move_to(cpu);
    }
    let dependences = if job.one_by_one { &Dependence::ALL[..] } else { &[] };
    let gate_loop = timer.calibration().gate_loop;
    let gate = QuietCriterion { gate_loop, quiet: job.quiet, assumed: job.assumes_quiet };
    let mut at_work = AtWork {
        job,
        end: timer.now() + Duration::from_nanos(job.patience_nanoseconds),
        left: job.kinds_of_calls() as u32,
        monitor: QuietMonitor::new(timer, gate),
    };
    let mut samples = Vec::with_capacity(job.kinds_of_calls());
    let mut further = Vec::new();
    let (mut events, mut no_events) = (Vec::with_capacity(job.workloads.len()), None);
    let mut no_dependence = None;
    for (index, workload) in job.workloads.iter().enumerate() {
        let mut prepared = prepare(workload)?;
        let taken = at_work.take(index, workload, prepared.as_mut())?;
        // A call of seconds is not repeated just for this.
        let counted = (!scheme::is_slow(&workload.primitive, workload.operation))
            .then(|| at_work.count(workload, prepared.as_mut(), taken.calls));
        events.push(counted.and_then(|it| it.map_err(|reason| no_events = Some(reason)).ok()));
        samples.push(taken);
        prepared.output().map_err(wrong_answer)?;
        for &dependence in dependences {
            let place = job.workloads.len() + further.len();
            let taken = match one_by_one(prepare(workload)?, workload, dependence) {
                Ok(mut call) => {
                    let taken = at_work.take(place, workload, call.as_mut())?;
                    call.output().map(|_| taken).map_err(|_| NoDependence::Refused)
                }
                Err(reason) => Err(reason),
            };
            further.push(taken.unwrap_or_else(|reason| {
                no_dependence.get_or_insert(reason.to_string());
                Samples::default()
            }));
        }
    }
    samples.append(&mut further);
    let cpu = at_work.monitor.timer().cpu();
    let probes = at_work.monitor.into_probes();
    Ok(Done { samples, events, no_events, no_dependence, probes, cpu })
}

/// The state of a running job.
struct AtWork<'a> {
    job: &'a Job,
    /// The time at which it must end.
    end: Duration,
    /// Samples still to be taken.
    left: u32,
    monitor: QuietMonitor<'a>,
}

impl AtWork<'_> {
    /// Counts other events of the core in as many calls as a sample has, outside the timing.
    fn count(
        &mut self,
        workload: &CallSpec,
        call: &mut dyn Prepared,
        calls: u64,
    ) -> Result<EventCounts, String> {
        let timer = self.monitor.timer();
        if workload.parameters.caches == Caches::Evicted {
            timer.evict().map_err(|reason| reason.to_string())?;
        }
        timer.count(&mut || call.run(calls)).map(|counts| counts.of_one(calls))
    }

    /// Takes the samples of `call`, which has this index in [`Job::calls`].
    fn take(
        &mut self,
        place: usize,
        workload: &CallSpec,
        call: &mut dyn Prepared,
    ) -> Result<Samples, Failure> {
        let Self { job, end, left, monitor } = self;
        let evicts = workload.parameters.caches == Caches::Evicted;
        let now = monitor.now();
        let wanted = SampleRequest {
            samples: job.samples,
            samples_before: job.samples_before,
            calls: if evicts { Some(1) } else { job.calls.get(place).copied().flatten() },
            evicts,
            batch: Duration::from_nanos(job.batch_nanoseconds),
            // Units woken up by one length stay awake for the next.
            warm_up: if place == 0 {
                Duration::from_nanos(job.warm_up_nanoseconds)
            } else {
                Duration::ZERO
            },
            limit: job.limit_nanoseconds.map(Duration::from_nanos),
            quota: job.quota,
            until: now + end.saturating_sub(now) / (*left).max(1),
        };
        *left -= 1;
        take_samples(monitor, &mut CaseCursor::of(call, workload), wanted).map_err(|reason| {
            let kind = match reason {
                NoSamples::Disturbed | NoSamples::NoMemory(_) => FailureKind::NotMeasured,
                _ => FailureKind::WrongAnswer,
            };
            Failure { kind, reason: reason.to_string() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::idle_core;
    use cpb_model::{Contract, Operation, Parameters};

    /// A call that always takes the same time.
    struct Idle(Box<dyn FnMut()>);

    impl Prepared for Idle {
        fn run(&mut self, _calls: u64) {
            (self.0)();
        }

        fn output(&self) -> Result<Vec<u8>, String> {
            Ok(Vec::new())
        }
    }

    fn request(samples: u32, batch: Duration) -> SampleRequest {
        SampleRequest {
            samples,
            samples_before: 0,
            calls: None,
            evicts: false,
            batch,
            warm_up: Duration::from_micros(1),
            limit: None,
            quota: None,
            until: Duration::from_secs(1),
        }
    }

    /// Takes these samples of a call that lasts so many seconds, on a core that is always quiet.
    fn take_idle(lasting: f64, wanted: SampleRequest) -> Result<Samples, NoSamples> {
        let workload = CallSpec {
            primitive: "x".to_owned(),
            operation: Operation::Hash,
            contract: Contract::Keyed,
            parameters: Parameters::default(),
        };
        let (mut core, pass) = idle_core();
        let gate = QuietCriterion { assumed: true, ..QuietCriterion::default() };
        let mut monitor = QuietMonitor::new(&mut core, gate);
        let mut idle = Idle(Box::new(move || pass(lasting)));
        take_samples(&mut monitor, &mut CaseCursor::of(&mut idle, &workload), wanted)
    }

    /// Without this check the loop would never end, since no number of calls fills a batch.
    #[test]
    fn a_library_that_makes_no_calls_is_found_out_while_it_warms_up() {
        for lasting in [0.0, 5e-6] {
            let found = take_idle(lasting, request(3, Duration::from_secs(3600)));
            assert!(matches!(found, Err(NoSamples::NoTimeSpent { .. })), "{found:?}");
        }
    }

    /// Emptying the caches takes a tenth of a second here, and the job has one second.
    #[test]
    fn samples_of_cold_caches_are_as_many_as_the_time_of_the_job_allows() {
        let wanted = SampleRequest {
            calls: Some(1),
            evicts: true,
            limit: Some(Duration::from_secs(1)),
            ..request(100, Duration::from_micros(30))
        };
        let taken = take_idle(1e-3, wanted).unwrap().ticks.len();
        assert!((6..=9).contains(&taken), "{taken}");
    }
}
