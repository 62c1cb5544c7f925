//! Measures the same calls made by one, two and more threads or processes at once.
//!
//! [`crate::measure()`] keeps all other workers waiting; this lets threads of one worker, or
//! several workers, make calls at the same time.

use crate::machines::crews;
use crate::measure::verified;
use crate::measured::Measured;
use crate::plan::library::self_test;
use crate::plan::scale::ScalePlan;
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::driver::carry_out;
use crate::schedule::quiet_rounds::QuietRounds;
use crate::start::Start;
use crate::together::Together;
use crate::together::job::Means;
use crate::verification::Verified;
use cpb_model::Host;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Measures `plan` on `host` and reports to `progress`, until the budget is spent or `stop` is set.
pub fn measure_scaling(
    plan: &ScalePlan,
    host: &Host,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Measured {
    let sampling = &plan.plan.sampling;
    let start = Start::now();
    let verified = verified(&plan.plan, start, stop, progress);
    let of_sizes = |row| std::iter::repeat_n(row, plan.sizes.len());
    let rows = verified.rows.into_iter().flat_map(of_sizes).collect();
    let means = Means {
        // The last one has the loops of known cycles.
        libraries: [&plan.plan.libraries[..], &[self_test()]].concat(),
        cpus: plan.cpus.clone(),
        threads: plan.sizes.iter().map(|size| size.threads).max().unwrap_or(1),
        shares_keys: plan.shares_keys,
        clock: plan.plan.clock.clone(),
        memory: None,
        cores: usize::MAX,
        timeout: sampling.timeout,
        start,
        end: sampling.maximum(),
        stop: None,
    };
    let (design, together) = (QuietRounds::new(plan, host), Together::new(means, crews()));
    let verified = Verified { rows, ..verified };
    let budget = Budget::new(sampling, Duration::ZERO, sampling.budget, plan.plan.rows.len());
    carry_out(design, together, verified, budget, stop, progress).0
}
