//! Summarises what the samples of a run show about the clock and about neighbours. Pure.

use cpb_figures::chain_hertz;
use cpb_model::{Calibration, ClockSummary, Samples};
use cpb_quiet::QuietCore;
use cpb_stats::{median_of, quantile_of};

/// Collects clock statistics over a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClockWatch {
    /// Median, lowest and highest core clock of each worker and row, in Hz; the extremes are the
    /// 1st and 99th percentile.
    medians: Vec<f64>,
    lows: Vec<f64>,
    highs: Vec<f64>,
    accepted: u64,
    rejected: u64,
    /// Nanoseconds for which the core was watched, and quiet.
    watched: u64,
    quiet: u64,
}

impl ClockWatch {
    /// Adds a round of a row.
    pub(crate) fn watch(&mut self, calibration: &Calibration, measured: &[Samples]) {
        measured.iter().for_each(|samples| self.count(samples));
        let clocks: Vec<f64> =
            measured.iter().flat_map(|samples| chain_hertz(calibration, samples)).collect();
        self.see(&clocks);
    }

    /// Counts accepted and rejected samples.
    pub(crate) fn count(&mut self, samples: &Samples) {
        self.accepted += samples.ticks.len() as u64;
        self.rejected += samples.rejected;
        self.watched += samples.watched_nanoseconds;
        self.quiet += samples.quiet_nanoseconds;
    }

    /// Counts quiet samples, if the time was not watched.
    pub(crate) fn count_quiet(&mut self, quiet: usize, samples: usize) {
        self.quiet += quiet as u64;
        self.watched += samples as u64;
    }

    /// Adds the core clocks around the samples of one worker, in Hz.
    pub(crate) fn see(&mut self, hertz: &[f64]) {
        self.medians.extend(median_of(hertz));
        self.lows.extend(quantile_of(hertz, 0.01));
        self.highs.extend(quantile_of(hertz, 0.99));
    }
}

/// Returns the median of all overheads so far. All workers run the same code on the same machine,
/// so only the measurement of the overhead differs.
pub(crate) fn common_overhead(calibrations: &[Calibration]) -> Option<f64> {
    let overheads: Vec<f64> = calibrations.iter().map(|c| c.overhead_ticks).collect();
    median_of(&overheads)
}

/// Returns the summary of the clock over the whole run.
pub(crate) fn clock(
    calibrations: Vec<Calibration>,
    workers: u64,
    watch: &ClockWatch,
    quiet: &QuietCore,
) -> Option<ClockSummary> {
    let first = calibrations.first()?;
    let while_calibrating = || {
        let all: Vec<f64> = calibrations.iter().map(|c| c.core_hertz).collect();
        median_of(&all)
    };
    let core_hertz = median_of(&watch.medians).or_else(while_calibrating)?;
    let range = quantile_of(&watch.lows, 0.01).zip(quantile_of(&watch.highs, 0.99));
    let share = watch.quiet as f64 / watch.watched.max(1) as f64;
    Some(ClockSummary {
        name: first.name(),
        core_hertz,
        workers,
        core_hertz_range: range.unwrap_or((core_hertz, core_hertz)),
        samples: watch.accepted,
        rejected: watch.rejected,
        quiet: (watch.watched != 0).then(|| quiet.summary(share)),
        window_curve: quiet.curve(),
        known_loops: Vec::new(),
        no_events: None,
        calibrations,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::ticks;
    use cpb_figures::testing::calibration;

    #[test]
    fn the_clock_is_watched() {
        let calibration = calibration(1);
        // Chains at clocks between 3.7 and 4 GHz; ticks are those of 4 GHz.
        let chain = calibration.bracket_links as f64 * 3.0;
        let bracket = |index: u32| {
            let hertz = 3.7e9 + 3e6 * f64::from(index);
            ticks(&calibration, chain * calibration.core_hertz / hertz)
        };
        let brackets: Vec<u64> = (0..100).map(bracket).collect();
        let samples = Samples {
            ticks: vec![1; 100],
            before: brackets.clone(),
            after: brackets,
            ..Samples::default()
        };
        let mut watch = ClockWatch::default();
        watch.watch(&calibration, &[samples]);
        let clock = clock(vec![calibration], 1, &watch, &QuietCore::default()).unwrap();
        let (low, high) = clock.core_hertz_range;
        assert!(3.65e9 < low && low < clock.core_hertz && clock.core_hertz < high && high < 4.05e9);
        assert_eq!((clock.samples, clock.rejected), (100, 0));
    }

    #[test]
    fn the_overhead_is_one_for_all_workers() {
        let with = |overhead_ticks| Calibration { overhead_ticks, ..calibration(1) };
        assert_eq!(common_overhead(&[with(50.0), with(54.0), with(300.0)]), Some(54.0));
        assert_eq!(common_overhead(&[]), None);
    }
}
