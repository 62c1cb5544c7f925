//! What disturbs the core that this runs on, watched for a while.

use cpb_clock::Clock;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// A gap between two reads of the counter that no code of ours explains.
const INTERRUPTION: Duration = Duration::from_micros(2);
/// Reads between two looks at the core clock.
const READS_PER_BRACKET: usize = 200;

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// How long was watched, in seconds.
    pub seconds: f64,
    /// Times a second that the process was interrupted for more than 2 µs.
    pub interruptions_per_second: f64,
    /// The longest of them, in nanoseconds.
    pub longest_nanoseconds: f64,
    /// Share of the time that interruptions took.
    pub lost_share: f64,
    /// Median core clock in Hz; absent where the chain cannot tell.
    pub core_hertz: Option<f64>,
    /// Its first and 99th percentile, in Hz.
    pub core_hertz_range: Option<(f64, f64)>,
}

/// Watches the CPU that this thread is pinned to for `duration`.
pub(crate) fn watch(clock: &Clock, duration: Duration) -> Noise {
    let calibration = clock.calibration();
    let nanoseconds_per_tick = 1e9 / calibration.ticks_per_second;
    let threshold = (INTERRUPTION.as_nanos() as f64 / nanoseconds_per_tick) as u64;
    let (mut interruptions, mut longest, mut lost) = (0_u64, 0_u64, 0_u64);
    let mut brackets = Vec::new();
    let mut read = 0_u64;
    let start = Instant::now();
    while start.elapsed() < duration {
        brackets.push(clock.bracket());
        let mut last = clock.counter().read();
        let first = last;
        for _ in 0..READS_PER_BRACKET {
            let now = clock.counter().read();
            let gap = now.wrapping_sub(last);
            last = now;
            if gap > threshold {
                interruptions += 1;
                longest = longest.max(gap);
                lost += gap;
            }
        }
        read += last.wrapping_sub(first);
    }
    let seconds = start.elapsed().as_secs_f64();
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
        // Gaps are seen while reading, not in brackets.
        lost_share: lost as f64 / read.max(1) as f64,
        interruptions_per_second: interruptions as f64 * calibration.ticks_per_second
            / read.max(1) as f64,
        core_hertz: quantile(0.5),
        core_hertz_range: quantile(0.01).zip(quantile(0.99)),
    }
}
