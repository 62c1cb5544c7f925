//! How cpb's own commands sample.

use crate::output;
use cpb_engine::Row;
use std::collections::BTreeSet;
use std::time::Duration;

pub(crate) const BATCH: Duration = Duration::from_micros(30);
/// Slow calls get no more time than this in a round.
pub(crate) const LONGEST_WORKLOAD: Duration = Duration::from_millis(20);
pub(crate) const WARM_UP: Duration = Duration::from_micros(500);
pub(crate) const ROUNDS_AT_LEAST: u32 = 5;
pub(crate) const ROUNDS_AT_MOST: u32 = 100;

/// Samples of a workload in each round: as many as the time allows for
/// [`ROUNDS_AT_LEAST`] rounds, within these bounds.
const SAMPLES: std::ops::RangeInclusive<u32> = 6..=40;
/// Time that a sample takes beside its batch, and a workload beside its
/// samples.
const BESIDE_BATCH: Duration = Duration::from_micros(7);
const BESIDE_SAMPLES: Duration = Duration::from_micros(80);

/// How many samples of each workload a round can afford.
pub(crate) fn samples_per_round(rows: &[Row], budget: Duration) -> u32 {
    let workloads: usize = rows.iter().map(|row| row.lengths.len()).sum();
    let share = budget.as_secs_f64() / f64::from(ROUNDS_AT_LEAST) / workloads.max(1) as f64;
    let samples = (share - BESIDE_SAMPLES.as_secs_f64()) / (BATCH + BESIDE_BATCH).as_secs_f64();
    (samples.max(0.0) as u32).clamp(*SAMPLES.start(), *SAMPLES.end())
}

/// What takes longer than this is announced.
const LONG: Duration = Duration::from_secs(10);

/// Says before a measurement that may take long how much it is, and how long it takes.
pub(crate) fn announce(rows: &[Row], at_most: Duration) {
    if at_most > LONG {
        let libraries: BTreeSet<&str> =
            rows.iter().map(|row| row.subject.library.as_str()).collect();
        output::inform(&format!(
            "{} of {}, in {} at most; --quick or --max-time make it shorter",
            counted(rows.len(), "row", "rows"),
            counted(libraries.len(), "library", "libraries"),
            duration(at_most),
        ));
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `45 s`, `3 min`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}
