//! Observes for a while what disturbs a core.

use crate::timer::Timer;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The shortest gap between two reads of the counter that counts as an
/// interruption.
const INTERRUPTION: Duration = Duration::from_micros(2);
/// The number of reads between two measurements of the core clock.
const READS_PER_BRACKET: usize = 200;

/// The result of the observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Its duration in seconds.
    pub seconds: f64,
    /// Interruptions of more than 2 µs per second.
    pub interruptions_per_second: f64,
    /// The longest interruption in nanoseconds.
    pub longest_nanoseconds: f64,
    /// The share of the time that interruptions took.
    pub lost_share: f64,
    /// The median core clock in Hz; absent if the chain cannot measure it.
    pub core_hertz: Option<f64>,
    /// The first and 99th percentile of the core clock, in Hz.
    pub core_hertz_range: Option<(f64, f64)>,
}

/// Observes for `duration` what disturbs the timer's core.
pub fn watch(timer: &mut dyn Timer, duration: Duration) -> Noise {
    let calibration = timer.calibration().clone();
    let nanoseconds_per_tick = 1e9 / calibration.ticks_per_second;
    let threshold = (INTERRUPTION.as_nanos() as f64 / nanoseconds_per_tick) as u64;
    let (mut interruptions, mut longest, mut lost) = (0_u64, 0_u64, 0_u64);
    let mut brackets = Vec::new();
    let mut read = 0_u64;
    let start = timer.now();
    while timer.now() - start < duration {
        brackets.push(timer.bracket());
        read += timer.read(READS_PER_BRACKET, &mut |gap| {
            if gap > threshold {
                interruptions += 1;
                longest = longest.max(gap);
                lost += gap;
            }
        });
    }
    let seconds = (timer.now() - start).as_secs_f64();
    let hertz: Vec<f64> = calibration
        .multiply_latency
        .map(|latency| {
            let cycles = calibration.bracket_links as f64 * f64::from(latency);
            let rate = |ticks: u64| {
                cycles / (ticks as f64 - calibration.overhead_ticks) * calibration.ticks_per_second
            };
            brackets.into_iter().map(rate).collect()
        })
        .unwrap_or_default();
    let quantile = |q| cpb_stats::quantile_of(&hertz, q);
    Noise {
        seconds,
        longest_nanoseconds: longest as f64 * nanoseconds_per_tick,
        // Gaps are noticed only while reading, not in brackets.
        lost_share: lost as f64 / read.max(1) as f64,
        interruptions_per_second: interruptions as f64 * calibration.ticks_per_second
            / read.max(1) as f64,
        core_hertz: quantile(0.5),
        core_hertz_range: quantile(0.01).zip(quantile(0.99)),
    }
}
