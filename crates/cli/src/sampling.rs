//! Defines how cpb's own commands sample.

use crate::output;
use cpb_engine::{Rounds, Row, Sampling};
use std::collections::BTreeSet;
use std::time::Duration;

/// The duration of a sample. No probe sees stalls shorter than itself, and longer samples contain
/// more of them.
const BATCH: Duration = Duration::from_micros(10);
/// The longest time for slow calls in a round.
const LONGEST_WORKLOAD: Duration = Duration::from_millis(20);
const WARM_UP: Duration = Duration::from_micros(500);
/// One round per position of libraries, over which a figure is the mean.
pub(crate) const ROUNDS_AT_LEAST: u32 = cpb_libraries::placement::POSITIONS as u32;
const ROUNDS_AT_MOST: u32 = 100;

/// One sample per stack position: variation is between processes, so that more rounds tell more
/// than more samples.
pub(crate) const SAMPLES_OF_PAIRS: u32 = 16;

/// The bounds of samples per workload and round; within them, as many as the time allows for
/// [`ROUNDS_AT_LEAST`] rounds.
const SAMPLES: std::ops::RangeInclusive<u32> = 6..=40;
/// The time of a sample besides its batch, and of a workload besides its samples.
const BESIDE_BATCH: Duration = Duration::from_micros(7);
const BESIDE_SAMPLES: Duration = Duration::from_micros(80);

/// Returns how many samples of each workload a round can afford.
pub(crate) fn samples_per_round(rows: &[Row], budget: Duration) -> u32 {
    // Serial calls are both independent and dependent.
    let kinds = |row: &Row| row.lengths.len() * if row.one_by_one { 3 } else { 1 };
    let workloads: usize = rows.iter().map(kinds).sum();
    let share = budget.as_secs_f64() / f64::from(ROUNDS_AT_LEAST) / workloads.max(1) as f64;
    let samples = (share - BESIDE_SAMPLES.as_secs_f64()) / (BATCH + BESIDE_BATCH).as_secs_f64();
    (samples.max(0.0) as u32).clamp(*SAMPLES.start(), *SAMPLES.end())
}

/// Returns rounds until every row has this precision; of rows that cannot be the fastest, the
/// `coarse` one, if there is one.
pub(crate) fn until(precision: f64, coarse: Option<f64>, at_least: u32) -> Rounds {
    Rounds::Until { precision, coarse, at_least, at_most: ROUNDS_AT_MOST }
}

/// Returns how rows are sampled, within the rest of a maximum, or the default time.
pub(crate) fn of_rows(
    samples: u32,
    rounds: Rounds,
    (left, usual): (Option<Duration>, Duration),
    timeout: Duration,
) -> Sampling {
    Sampling {
        samples,
        batch: BATCH,
        warm_up: WARM_UP,
        limit: Some(LONGEST_WORKLOAD),
        rounds,
        budget: left.unwrap_or(usual),
        budget_is_maximum: left.is_some(),
        timeout,
    }
}

/// Longer measurements are announced.
const LONG: Duration = Duration::from_secs(10);

/// States how long a measurement takes.
#[derive(Clone, Copy)]
pub(crate) enum Time {
    /// At most this long.
    AtMost(Duration),
    /// About this long, unless everything is precise earlier.
    About(Duration),
}

/// Announces a long measurement: how much it is, how long it takes, and which `options` shorten it.
pub(crate) fn announce(rows: &[Row], time: Time, options: &str) {
    let (text, length) = match time {
        Time::AtMost(length) => (format!("in {} at most", duration(length)), length),
        Time::About(length) => (format!("in about {}", duration(length)), length),
    };
    if length > LONG && !rows.is_empty() {
        let libraries: BTreeSet<&str> =
            rows.iter().map(|row| row.subject.library.as_str()).collect();
        output::inform(&format!(
            "{} of {}, {text}; {options} it shorter",
            counted(rows.len(), "row", "rows"),
            counted(libraries.len(), "library", "libraries"),
        ));
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Formats a duration: `45 s`, `3 min`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}
