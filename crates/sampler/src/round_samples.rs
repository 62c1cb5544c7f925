//! Collects the samples of a workload in a round, and knows when there are enough.

use crate::acceptance::Acceptance;
use crate::quiet_monitor::{Observation, QuietMonitor};
use cpb_model::Samples;
use std::time::Duration;

/// The number of rejections after which the tolerance doubles; fewer where the caches are emptied
/// before each sample, which may take a fifth of a second.
const REJECTIONS_PER_DOUBLING: u32 = 100;
const EVICTING_REJECTIONS_PER_DOUBLING: u32 = 10;
/// The time to wait for a few samples of any kind when time is up, and the rejections in a row that
/// no working counter gives.
const GRACE: Duration = Duration::from_millis(500);
const MOST_REJECTIONS: u32 = 1000;
/// The samples taken beside a neighbour, for an upper bound if quiet never comes; and the looks
/// between two of them.
const LOUD_SAMPLES: usize = 8;
const LOOKS_PER_LOUD_SAMPLE: u32 = 8;

/// Collects the samples of a round.
pub(crate) struct RoundSamples {
    pub(crate) samples: Samples,
    pub(crate) acceptance: Acceptance,
    /// Quiet samples that are wanted.
    capacity: usize,
    /// Other samples that are wanted.
    loud_capacity: usize,
    /// The minimum of samples of any kind to wait for.
    fewest: usize,
    /// Whether to keep samples during which the clock moved. If the duration of calls is random, these
    /// are the longer ones, and the mean would be too low without them.
    pub(crate) keeps_all: bool,
    quiet: usize,
    loud: usize,
    /// Looks since the last sample.
    looks: u32,
}

impl RoundSamples {
    pub(crate) fn new(
        monitor: &mut QuietMonitor<'_>,
        calls: u64,
        fewest: usize,
        capacity: usize,
        evicts: bool,
    ) -> Self {
        let step = monitor.timer().calibration().step_ticks;
        let knows_quiet = monitor.knows_quiet();
        let per_doubling =
            if evicts { EVICTING_REJECTIONS_PER_DOUBLING } else { REJECTIONS_PER_DOUBLING };
        let loud_capacity = if knows_quiet { capacity.min(LOUD_SAMPLES) } else { capacity };
        let room = || Vec::with_capacity(capacity + loud_capacity);
        let samples = Samples {
            calls,
            wanted: capacity as u64,
            ticks: room(),
            before: room(),
            after: room(),
            probe_before: room(),
            probe_after: room(),
            ..Samples::default()
        };
        Self {
            samples,
            acceptance: Acceptance::new(step, per_doubling),
            // An unknown quiet level cannot be waited for.
            capacity: if knows_quiet { capacity } else { 0 },
            loud_capacity,
            fewest,
            keeps_all: false,
            quiet: 0,
            loud: 0,
            looks: 0,
        }
    }

    pub(crate) fn is_enough(&self) -> bool {
        self.quiet >= self.capacity && (self.capacity != 0 || self.loud >= self.loud_capacity)
    }

    pub(crate) fn is_late(&self, now: Duration, until: Duration) -> bool {
        if self.quiet + self.loud >= self.fewest {
            return now >= until;
        }
        let is_hopeless = self.acceptance.rejected_in_a_row() >= MOST_REJECTIONS;
        now >= until + GRACE && is_hopeless
    }

    /// Whether to take a sample on a busy core: at intervals, until there are enough.
    pub(crate) fn wants_loud_sample(&mut self) -> bool {
        self.looks += 1;
        let is_due = self.capacity == 0 || self.looks.is_multiple_of(LOOKS_PER_LOUD_SAMPLE);
        is_due && self.loud < self.loud_capacity
    }

    pub(crate) fn add(
        &mut self,
        before: Observation,
        ticks: u64,
        after: Observation,
        is_quiet: bool,
        attempts: Option<u64>,
    ) {
        if !(self.keeps_all || self.acceptance.accepts(before.bracket, ticks, after.bracket)) {
            self.samples.rejected += 1;
            return;
        }
        if is_quiet {
            self.quiet += 1;
        } else if self.loud < self.loud_capacity {
            self.loud += 1;
        } else {
            self.samples.busy += 1;
            return;
        }
        let samples = &mut self.samples;
        samples.ticks.push(ticks);
        samples.before.push(before.bracket);
        samples.after.push(after.bracket);
        samples.probe_before.push(before.probe);
        samples.probe_after.push(after.probe);
        samples.attempts.extend(attempts);
    }
}
