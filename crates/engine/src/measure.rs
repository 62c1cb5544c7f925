//! Measures a plan and returns its records.

use crate::machines::machine;
use crate::measured::Measured;
use crate::plan::library::{LibrarySpec, self_test};
use crate::plan::{Plan, Row};
use crate::progress::Progress;
use crate::schedule::budget;
use crate::schedule::decided::{Compared, LONGEST_PATIENCE, Pairing, UntilDecided};
use crate::schedule::driver::carry_out;
use crate::schedule::executor::Executor;
use crate::schedule::gated::Gated;
use crate::schedule::precise::UntilPrecise;
use crate::schedule::sample_file::SampleFile;
use crate::start::Start;
use crate::verification::{self, Verified};
use crate::workers::Workers;
use crate::workers::protocol::Calibrate;
use crate::workers::time_limits::Bounds;
use cpb_model::{Calibration, Failure, Quiet};
use cpb_quiet::Learning;
use cpb_sampler::Noise;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Lets a fresh worker learn the probe's quiet level, as the plan's memory asks, and keeps the
/// result. `None` if it learned nothing.
pub fn learn_quiet(plan: &Plan) -> Option<Quiet> {
    let libraries = [self_test()];
    let mut machine = machine(Bounds::timeout(plan.sampling.timeout), &[]);
    Workers::new(plan, &libraries, machine.as_mut()).learn()
}

/// Lets a worker record disturbances on the first CPU of `plan` for `time`. Also returns the
/// calibration of its clock.
///
/// # Errors
/// The reason why it could not.
pub fn watch_noise(plan: &Plan, time: Duration) -> Result<(Calibration, Noise), Failure> {
    let mut machine = machine(Bounds::timeout(plan.sampling.timeout), &[]);
    let mut worker = machine.start(&self_test(), 0)?;
    let calibrate = Calibrate {
        clock: plan.clock.clone(),
        cpus: plan.cpus.first().copied().into_iter().collect(),
        calibration: None,
        learning: Learning::default(),
    };
    let calibration = worker.calibrate(calibrate)?.calibration;
    Ok((calibration, worker.watch(time)?))
}

/// Measures `plan`, reports to `progress`, and also returns the raw samples of the records. Starts
/// no further job once `stop` is set.
pub fn measure(
    plan: &Plan,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Measured, SampleFile) {
    with_workers(plan, &plan.libraries, stop, progress, |verified, workers, left, progress| {
        measure_verified(plan, verified, workers, left, stop, progress)
    })
}

/// Measures the plan in the time that is left, after all rows were verified.
pub(crate) fn measure_verified(
    plan: &Plan,
    verified: Verified,
    workers: Workers<'_>,
    left: Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Measured, SampleFile) {
    let budget = workers.budget(left);
    let library = |_, row: &Row| workers.library(&row.subject.library);
    let gated = Gated::new(plan, library, workers.library(&self_test().label()));
    let design = UntilPrecise::new(gated, workers.seen().gate);
    let (measured, design) = carry_out(design, workers, verified, budget, stop, progress);
    (measured, design.gated.samples)
}

/// Measures both sides of every pair, reports to `progress`, and also returns the raw samples of
/// the records. Starts no further pair once `stop` is set.
pub fn measure_pairs(
    pairing: &Pairing,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Compared, SampleFile) {
    let libraries = pairing.libraries();
    with_workers(&pairing.plan, &libraries, stop, progress, |verified, workers, left, progress| {
        compare_verified(pairing, verified, workers, left, stop, progress)
    })
}

/// Measures the pairs in the time that is left, after all rows were verified by workers that load
/// the libraries of both sides first.
pub(crate) fn compare_verified(
    pairing: &Pairing,
    verified: Verified,
    workers: Workers<'_>,
    left: Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Compared, SampleFile) {
    let budget = workers.budget(left).with_longest(LONGEST_PATIENCE);
    let library = |row, _: &Row| pairing.library(row);
    let gated = Gated::new(&pairing.plan, library, workers.library(&self_test().label()));
    let design = UntilDecided::new(pairing, gated, workers.seen().gate);
    let (measured, design) = carry_out(design, workers, verified, budget, stop, progress);
    design.compared(measured)
}

/// Verifies the rows of a plan, for a measurement that began at `start`.
pub(crate) fn verified(
    plan: &Plan,
    start: Start,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Verified {
    let sampling = &plan.sampling;
    let bounds = start.bounds(sampling.timeout, budget::for_verifying(sampling));
    verification::verify(plan, bounds, stop, &mut |done, expected| {
        progress(Progress::Verify { done, expected });
    })
}

/// Verifies the rows of a plan and then runs `measure`, with workers of these libraries, in the
/// time that is left.
fn with_workers<T>(
    plan: &Plan,
    libraries: &[LibrarySpec],
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
    measure: impl FnOnce(Verified, Workers<'_>, Duration, &mut dyn FnMut(Progress<'_>)) -> T,
) -> T {
    let (start, sampling) = (Start::now(), &plan.sampling);
    let verified = verified(plan, start, stop, progress);
    let bounds = start.bounds(sampling.timeout, sampling.maximum());
    let mut machine = machine(bounds, &verified.libraries);
    let mut libraries = libraries.to_vec();
    if !libraries.contains(&self_test()) {
        libraries.push(self_test());
    }
    let workers = Workers::new(plan, &libraries, machine.as_mut());
    let gone = if sampling.budget_is_maximum { start.elapsed() } else { Duration::ZERO };
    let left = sampling.budget.saturating_sub(gone);
    measure(verified, workers, left, progress)
}
