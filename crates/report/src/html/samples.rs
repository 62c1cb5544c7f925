//! Thins raw samples until they fit on a page.

use crate::Source;
use cpb_figures::cycles_of_kept;
use cpb_model::{Point, RawRound, Record};
use serde_json::{Value, json};

/// The approximate number of samples on a page, of two to four bytes each.
const BUDGET: usize = 150_000;
const LENGTHS_AT_MOST: usize = 4;
const ROUNDS_AT_MOST: usize = 16;
/// Minimum, quartiles, maximum.
const SAMPLES_AT_LEAST: usize = 5;
/// The resolution of samples, as a share of the estimate.
const STEP: f64 = 1e-4;

/// Returns how many samples each of `rows` rows may have.
pub(super) fn share(rows: usize) -> usize {
    (BUDGET / rows.max(1)).clamp(60, 2000)
}

/// Returns at most `share` samples of a record: for some of its lengths `[point, rounds kept,
/// samples kept, rounds]`, where a round is `[first one's number, samples]`. Samples are evenly
/// spaced by rank, including minimum and maximum, as differences from the estimate in
/// ten-thousandths of it.
///
/// Null without samples; a reason if they cannot be converted to cycles.
pub(super) fn thinned(source: &Source, record: &Record, share: usize) -> Value {
    let kept: Vec<(usize, &Point)> =
        record.points.iter().enumerate().filter(|(_, point)| !point.raw.is_empty()).collect();
    if kept.is_empty() {
        return Value::Null;
    }
    let lengths = spaced(kept.len(), LENGTHS_AT_MOST);
    let share = share / lengths.len().max(1);
    let mut thinned = Vec::new();
    for (index, point) in lengths.into_iter().map(|place| kept[place]) {
        let kept: Vec<RawRound> = point.raw.iter().collect();
        let rounds = spaced(kept.len(), ROUNDS_AT_MOST.min(share / SAMPLES_AT_LEAST).max(2));
        let each = (share / rounds.len().max(1)).max(SAMPLES_AT_LEAST);
        let estimate = point.cycles_per_call.estimate;
        let mut shown = Vec::new();
        for round in rounds {
            let clock = source.run.clock.as_ref();
            let cycles = clock.and_then(|clock| cycles_of_kept(clock, &kept[round]));
            let Some(mut cycles) = cycles else {
                return json!("These samples do not say by which calibration they became cycles.");
            };
            if cycles.is_empty() {
                continue;
            }
            cycles.sort_by(f64::total_cmp);
            let samples: Vec<i64> = spaced(cycles.len(), each)
                .into_iter()
                .map(|rank| ((cycles[rank] / estimate - 1.0) / STEP).round() as i64)
                .collect();
            shown.push(json!([round + 1, samples]));
        }
        let samples: usize = kept.iter().map(|round| round.samples.ticks.len()).sum();
        if !shown.is_empty() {
            thinned.push(json!([index, kept.len(), samples, shown]));
        }
    }
    if thinned.is_empty() {
        return Value::Null;
    }
    Value::Array(thinned)
}

/// Returns at most `most` of `count` indices, evenly spaced, with both ends.
fn spaced(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    match most {
        0 => Vec::new(),
        1 => vec![0],
        _ => (0..most).map(|place| place * (count - 1) / (most - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{calibration, record, run};
    use cpb_model::{Calibration, ClockSummary, CycleSource, Samples};

    #[test]
    fn places_are_even_and_hold_both_ends() {
        assert_eq!(spaced(3, 5), [0, 1, 2]);
        assert_eq!(spaced(101, 5), [0, 25, 50, 75, 100]);
        assert_eq!(spaced(7, 1), [0]);
        assert_eq!(spaced(0, 4), [0usize; 0]);
    }

    #[test]
    fn samples_become_shares_of_the_estimate() {
        let mut row = record("sha256", "native", 5.0);
        let estimate = row.points[0].cycles_per_call.estimate as u64;
        for _ in 0..50 {
            // Sample n is n per mille above the estimate.
            let samples = Samples {
                calls: 1000,
                ticks: (0..100).map(|n| estimate * (1000 + n)).collect(),
                before: vec![1; 100],
                after: vec![1; 100],
                ..Samples::default()
            };
            let round = RawRound { calibration: 0, overhead_ticks: 0.0, position: None, samples };
            row.points[0].raw.push(&round);
        }
        let mut run = run(vec![row]);
        let silent = run.clone();
        let counted = Calibration { cycle_source: CycleSource::Counted, ..calibration(1) };
        run.clock = Some(ClockSummary {
            name: counted.name(),
            core_hertz: counted.core_hertz,
            core_hertz_range: (counted.core_hertz, counted.core_hertz),
            calibrations: vec![counted],
            samples: 5000,
            workers: 1,
            ..ClockSummary::default()
        });
        let source = Source { name: "a", run: &run };
        let thin = thinned(&source, &run.records[0], 80);
        assert_eq!((&thin[0][0], &thin[0][1], &thin[0][2]), (&json!(0), &json!(50), &json!(5000)));
        let rounds = thin[0][3].as_array().unwrap();
        assert_eq!(rounds.len(), 16);
        assert_eq!(rounds[0], json!([1, [0, 240, 490, 740, 990]]));
        assert_eq!(rounds[15][0], json!(50));
        let silent = Source { name: "a", run: &silent };
        assert!(thinned(&silent, &run.records[0], 80).is_string());
        assert!(thinned(&source, &record("md5", "x", 1.0), 80).is_null());
    }
}
