//! Compares two runs that were measured apart, row by row. `cpb compare` and the page share this
//! comparison.

use crate::ratio::{Ratio, RatioBound, between, mean};
use crate::{Matched, matched, other_estimator};
use cpb_model::{Figure, Record, Run};
use cpb_stats::verdicts::verdict_count;
use cpb_stats::{Family, Question, Verdict, geometric_mean};

/// The confidence of all verdicts together.
pub const CONFIDENCE: f64 = 0.95;

/// The message lengths that are compared by default, in bytes.
pub const USUAL_LENGTHS: [usize; 3] = [64, 1024, 16_384];
/// The default margin: costs that differ by less count as equal, relatively.
pub const USUAL_PRECISION: f64 = 0.005;

/// Compares a later run with the first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunComparison {
    /// The rows of both runs.
    pub rows: Vec<RowPair>,
    /// The ratio over all rows with intervals, or over all rows if none has one. Bounds are left
    /// out.
    pub all: Option<Ratio>,
    /// The number of rows in that ratio.
    pub counted: usize,
    /// The indices of rows that only one of the runs has.
    pub only: [Vec<usize>; 2],
}

/// A row that both runs have.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPair {
    /// Its index in each run's records.
    pub places: [usize; 2],
    /// The ratio over all lengths. `None` if a side failed, if the figures are of different
    /// estimators, or if bounds leave both directions open.
    pub ratio: Option<Ratio>,
    /// The common lengths.
    pub lengths: Vec<LengthPair>,
}

/// One length of a row in both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct LengthPair {
    /// Bytes of the message, or iterations.
    pub length: usize,
    /// Cycles per call of each run.
    pub cycles: [Figure; 2],
    /// The second run's cycles ÷ the first's.
    pub ratio: Option<Ratio>,
}

/// Compares the `chosen` records of two runs, each at the common lengths, limited to `wanted` ones
/// unless that is empty.
#[must_use]
pub fn compare(
    runs: [&Run; 2],
    chosen: [&[usize]; 2],
    wanted: &[usize],
    precision: f64,
) -> RunComparison {
    let Matched { pairs, only } = matched(runs, chosen);
    let sides = |places: [usize; 2]| {
        let records = [&runs[0].records[places[0]], &runs[1].records[places[1]]];
        Some((places, common(records, wanted)?))
    };
    let rows: Vec<([usize; 2], Common)> = pairs.into_iter().filter_map(sides).collect();
    let lengths = rows.iter().map(|(_, common)| common.len()).filter(|count| *count != 0);
    let family = Family {
        question: Question::Difference,
        precision,
        confidence: CONFIDENCE,
        verdicts: verdict_count(lengths),
        looks: 1,
    };
    let at = |(length, cycles): (usize, [Figure; 2])| {
        let ratio = Ratio::of(&[cycles], &family);
        LengthPair { length, cycles, ratio }
    };
    let row = |(places, common): ([usize; 2], Common)| {
        let ratio = Ratio::of(&figures(&common), &family);
        RowPair { places, ratio, lengths: common.into_iter().map(at).collect() }
    };
    let rows: Vec<RowPair> = rows.into_iter().map(row).collect();
    let (all, counted) = all(&rows, &family);
    RunComparison { rows, all, counted, only }
}

/// Common lengths with the figures of both sides.
type Common = Vec<(usize, [Figure; 2])>;

fn figures(common: &Common) -> Vec<[Figure; 2]> {
    common.iter().map(|(_, sides)| *sides).collect()
}

/// Returns the lengths of both records; empty if one failed or their estimators differ, `None` if
/// they have none in common.
fn common([a, b]: [&Record; 2], wanted: &[usize]) -> Option<Common> {
    if a.failure.is_some() || b.failure.is_some() || other_estimator(a, b).is_some() {
        return Some(Vec::new());
    }
    let mut common = Vec::new();
    for point in &a.points {
        let other = b.points.iter().find(|other| other.parameters == point.parameters);
        let Some(other) = other else { continue };
        common.push((point.parameters.length(), [point.cycles_per_call, other.cycles_per_call]));
    }
    if common.iter().any(|(length, _)| wanted.contains(length)) {
        common.retain(|(length, _)| wanted.contains(length));
    }
    (!common.is_empty()).then_some(common)
}

fn all(rows: &[RowPair], family: &Family) -> (Option<Ratio>, usize) {
    let known = || rows.iter().filter_map(|row| Some((row, row.ratio?)));
    let measured = || known().filter(|(_, ratio)| ratio.known == RatioBound::About);
    let has_interval = measured().any(|(_, ratio)| ratio.interval.is_some());
    let counting = || measured().filter(|(_, it)| it.interval.is_some() || !has_interval);
    let values: Vec<f64> = counting().map(|(_, ratio)| ratio.value).collect();
    let sides: Vec<Vec<[Figure; 2]>> = counting()
        .map(|(row, _)| row.lengths.iter().map(|length| length.cycles).collect())
        .collect();
    let finding = family.judge(|confidence| {
        let each = sides.iter().filter_map(|sides| between(sides, confidence));
        mean(&each.collect::<Vec<_>>())
    });
    let plain = geometric_mean(&values).map(|value| Ratio {
        value,
        known: RatioBound::About,
        interval: None,
        verdict: Verdict::CannotTell,
    });
    (finding.map(Ratio::from).or(plain), values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bounded, failed, record, run};
    use cpb_model::Estimator;

    fn compared(a: &Run, b: &Run) -> RunComparison {
        let all = [a, b].map(|run| (0..run.records.len()).collect::<Vec<_>>());
        compare([a, b], [&all[0], &all[1]], &USUAL_LENGTHS, USUAL_PRECISION)
    }

    #[test]
    fn the_same_run_has_ratios_of_one() {
        let run = run(vec![record("sha256", "native", 5.0), record("sha256", "openssl", 4.0)]);
        let comparison = compared(&run, &run);
        assert_eq!((comparison.rows.len(), comparison.counted), (2, 2));
        assert!(comparison.only.iter().all(Vec::is_empty));
        assert_eq!(comparison.all.map(|all| all.value), Some(1.0));
        assert_eq!(comparison.rows[0].lengths.len(), 3);
    }

    #[test]
    fn ratios_follow_names_not_places() {
        let first = run(vec![record("sha256", "native", 5.0), record("sha256", "openssl", 4.0)]);
        let later = run(vec![record("sha256", "openssl", 4.0), record("sha512", "native", 1.0)]);
        let comparison = compared(&first, &later);
        assert_eq!(comparison.rows.len(), 1);
        assert_eq!((comparison.rows[0].places, &comparison.only), ([1, 0], &[vec![0], vec![1]]));
        assert_eq!(compared(&first, &run(vec![])).all, None);
    }

    #[test]
    fn figures_of_different_estimators_have_no_ratio() {
        let rows = || vec![record("sha256", "native", 5.0), record("sha1", "native", 3.0)];
        let (first, mut later) = (run(rows()), run(rows()));
        later.records[1].estimator = Estimator::MiddleRounds;
        let comparison = compared(&first, &later);
        assert!(comparison.rows[0].ratio.is_some() && comparison.rows[1].ratio.is_none());
        assert_eq!(comparison.counted, 1);
    }

    #[test]
    fn what_failed_has_no_ratio_and_bounds_no_part_in_the_mean() {
        let rows = |sha: f64| vec![record("sha256", "native", sha), record("sha1", "native", 3.0)];
        let first = run([rows(5.0), vec![record("md5", "native", 9.0)]].concat());
        let mut later = rows(5.0);
        later[1] = failed("sha1", "native", "SIGILL");
        later.push(bounded("md5", "native", 2.0));
        let comparison = compared(&first, &run(later));
        assert_eq!((comparison.rows[1].ratio, comparison.counted), (None, 1));
        let bound = comparison.rows[2].ratio.unwrap();
        assert_eq!((bound.known, bound.verdict), (RatioBound::AtMost, Verdict::Faster));
        assert_eq!(comparison.all.map(|all| all.value), Some(1.0));
    }
}
