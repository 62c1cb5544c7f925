//! How cpb's own commands sample.

use crate::output;
use cpb_engine::{Rounds, Row, Sampling};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long a sample lasts. What stalls a core more briefly than a probe lasts is seen by none, and the
/// longer a sample is, the more of it it has.
pub(crate) const BATCH: Duration = Duration::from_micros(10);
/// Slow calls get no more time than this in a round.
pub(crate) const LONGEST_WORKLOAD: Duration = Duration::from_millis(20);
pub(crate) const WARM_UP: Duration = Duration::from_micros(500);
/// One at each of the positions that libraries lie at in turn: a figure is the mean over these.
pub(crate) const ROUNDS_AT_LEAST: u32 = cpb_libraries::placement::POSITIONS as u32;
pub(crate) const ROUNDS_AT_MOST: u32 = 100;

/// What finding the libraries may take beyond the time asked for; more goes off it.
pub(crate) const START: Duration = Duration::from_secs(1);

/// One for each place of the stack: what varies is the process, so that more rounds tell more than
/// more samples.
const SAMPLES_OF_PAIRS: u32 = 16;

/// Samples of a workload in each round: as many as the time allows for
/// [`ROUNDS_AT_LEAST`] rounds, within these bounds.
const SAMPLES: std::ops::RangeInclusive<u32> = 6..=40;
/// Time that a sample takes beside its batch, and a workload beside its
/// samples.
const BESIDE_BATCH: Duration = Duration::from_micros(7);
const BESIDE_SAMPLES: Duration = Duration::from_micros(80);

/// How many samples of each workload a round can afford.
pub(crate) fn samples_per_round(rows: &[Row], budget: Duration) -> u32 {
    // Made one by one, calls are independent and dependent.
    let kinds = |row: &Row| row.lengths.len() * if row.one_by_one { 3 } else { 1 };
    let workloads: usize = rows.iter().map(kinds).sum();
    let share = budget.as_secs_f64() / f64::from(ROUNDS_AT_LEAST) / workloads.max(1) as f64;
    let samples = (share - BESIDE_SAMPLES.as_secs_f64()) / (BATCH + BESIDE_BATCH).as_secs_f64();
    (samples.max(0.0) as u32).clamp(*SAMPLES.start(), *SAMPLES.end())
}

/// How rows are sampled, in what is left of a maximum or in the usual time.
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

/// The same of rows in pairs, of which the comparison says how many rounds it takes.
pub(crate) fn of_pairs(time: (Option<Duration>, Duration), timeout: Duration) -> Sampling {
    of_rows(SAMPLES_OF_PAIRS, Rounds::Fixed(1), time, timeout)
}

/// What takes longer than this is announced.
const LONG: Duration = Duration::from_secs(10);

/// How long a measurement takes.
#[derive(Clone, Copy)]
pub(crate) enum Time {
    /// No longer than this.
    AtMost(Duration),
    /// About this, unless everything is known before.
    About(Duration),
}

/// Says before a measurement that may take long how much it is, how long it takes, and
/// which `options` make it shorter.
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

/// How long a library may be silent: where a time is asked for, not beyond that.
pub(crate) fn timeout(timeout: Duration, max_time: Option<Duration>) -> Duration {
    max_time.map_or(timeout, |max_time| timeout.min(max_time + START))
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
