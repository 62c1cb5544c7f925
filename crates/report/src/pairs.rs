//! Saved runs against each other, row by row.

use crate::number::gigahertz;
use crate::ranking::{Unit, figure, unit};
use cpb_model::{Calibration, CycleSource, Figure, Record, Run};
use std::collections::HashMap;

/// Core clocks that differ by more are told.
const CLOCKS_APART: f64 = 0.05;

/// A later run against the first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    /// What makes the ratios mean less than they seem to.
    pub(crate) notes: Vec<String>,
    /// Rows that both have.
    pub(crate) pairs: Vec<Pair>,
    /// Geometric mean of the ratios; absent without pairs.
    pub(crate) mean: Option<f64>,
    /// Rows that only one of the runs has a figure of.
    pub(crate) unmatched: usize,
}

/// A row in both runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// Its place in the first run.
    pub(crate) first: usize,
    /// Its place in the later run.
    pub(crate) later: usize,
    pub(crate) unit: Unit,
    /// The later run's cost over the first one's: below 1, it is faster.
    pub(crate) ratio: f64,
    /// Absent where one of the runs has none.
    pub(crate) interval: Option<(f64, f64)>,
}

/// `later` against `first`.
///
/// The interval of a ratio combines those of both figures as if they were
/// independent: their relative half-widths add as squares.
pub(crate) fn compare(first: &Run, later: &Run) -> Comparison {
    let mut rows: HashMap<_, usize> = HashMap::new();
    for (index, record) in first.records.iter().enumerate() {
        rows.entry(key(record)).or_insert(index);
    }
    let mut pairs = Vec::new();
    for (index, record) in later.records.iter().enumerate() {
        let Some(&other) = rows.get(&key(record)) else { continue };
        pairs.extend(pair((other, &first.records[other]), (index, record)));
    }
    let measured = |run: &Run| run.records.iter().filter(|row| !row.points.is_empty()).count();
    let unmatched = (measured(first) + measured(later)).saturating_sub(2 * pairs.len());
    let logarithms: f64 = pairs.iter().map(|pair| pair.ratio.ln()).sum();
    let mean = (!pairs.is_empty()).then(|| (logarithms / pairs.len() as f64).exp());
    Comparison { notes: notes(first, later), pairs, mean, unmatched }
}

/// What makes two rows the same work.
fn key(record: &Record) -> impl Eq + std::hash::Hash + use<'_> {
    let subject = &record.subject;
    let parameters = record.points.first().map(|point| {
        (point.parameters.aad_bytes, point.parameters.output_bytes, point.parameters.alignment)
    });
    (
        (subject.primitive.as_str(), subject.operation, record.contract, record.output_bytes),
        (subject.library.as_str(), subject.backend.as_str(), subject.spelling.as_str()),
        parameters,
    )
}

fn pair((first, a): (usize, &Record), (later, b): (usize, &Record)) -> Option<Pair> {
    let unit = unit(&[a, b]);
    if unit == Unit::PerCall && a.points.last()?.parameters != b.points.last()?.parameters {
        return None;
    }
    let (a, b) = (figure(a, unit)?, figure(b, unit)?);
    if a.estimate <= 0.0 || b.estimate <= 0.0 {
        return None;
    }
    let ratio = b.estimate / a.estimate;
    let spread = half_width(a).zip(half_width(b)).map(|(a, b)| a.hypot(b).exp());
    let interval = spread.map(|spread| (ratio / spread, ratio * spread));
    Some(Pair { first, later, unit, ratio, interval })
}

/// Of the logarithm.
fn half_width(figure: Figure) -> Option<f64> {
    let interval = figure.interval.filter(|interval| interval.low > 0.0)?;
    Some((interval.high / interval.low).ln() / 2.0)
}

fn notes(first: &Run, later: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let mut differ = |what: &str, a: Option<String>, b: Option<String>, so: &str| {
        if a != b {
            let word = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
            notes.push(format!("{what} differs ({} and {}): {so}", word(a), word(b)));
        }
    };
    let cpu = |run: &Run| match (&run.host.cpu, &run.host.cpu_id) {
        (Some(name), Some(id)) => Some(format!("{name}, {id}")),
        (name, id) => name.clone().or_else(|| id.clone()),
    };
    differ(
        "The CPU",
        cpu(first),
        cpu(later),
        "ratios say as much about the machines as about the code.",
    );
    let source = |run: &Run| {
        let calibration: &Calibration = run.clock.as_ref()?.calibrations.first()?;
        Some(match calibration.cycle_source {
            CycleSource::Counted | CycleSource::Chain => "measured".to_owned(),
            CycleSource::StatedClock { megahertz } => format!("stated, {megahertz} MHz"),
        })
    };
    differ(
        "Where core cycles come from",
        source(first),
        source(later),
        "a stated clock that is wrong makes every ratio wrong.",
    );
    let clocks = first.clock.as_ref().zip(later.clock.as_ref());
    let clocks = clocks.map(|(a, b)| (a.core_hertz, b.core_hertz));
    if let Some((a, b)) = clocks.filter(|(a, b)| (a / b - 1.0).abs() > CLOCKS_APART) {
        differ(
            "The core clock",
            Some(gigahertz(a)),
            Some(gigahertz(b)),
            "what waits for memory takes other numbers of cycles.",
        );
    }
    let version = |run: &Run| {
        Some(match &run.revision {
            Some(revision) => format!("{} {revision}", run.version),
            None => run.version.clone(),
        })
    };
    differ("cpb's own version", version(first), version(later), "native rows may be other code.");
    let mut later_libraries = HashMap::new();
    for library in &later.libraries {
        later_libraries.entry(library.label.as_str()).or_insert(library);
    }
    for library in &first.libraries {
        if let Some(other) = later_libraries.get(library.label.as_str()) {
            let version = |library: &cpb_model::LibraryId| Some(library.version.clone());
            differ(
                &library.label,
                version(library),
                version(other),
                "other versions are other code.",
            );
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::tests::{record, run};
    use cpb_model::ClockSummary;

    #[test]
    fn the_same_run_has_ratios_of_one() {
        let run = run(vec![record("sha256", "native", 5.0), record("sha256", "openssl", 4.0)]);
        let comparison = compare(&run, &run);
        assert_eq!(comparison.notes, Vec::<String>::new());
        assert_eq!((comparison.pairs.len(), comparison.unmatched), (2, 0));
        assert_eq!(comparison.mean, Some(1.0));
        let (low, high) = comparison.pairs[0].interval.unwrap();
        // ±1 % on either side make ±√2 %.
        assert!((high - 1.0142).abs() < 2e-4 && (low - 1.0 / 1.0142).abs() < 2e-4, "{low} {high}");
    }

    #[test]
    fn ratios_follow_names_not_places_and_other_machines_are_told() {
        let first = run(vec![record("sha256", "native", 5.0), record("sha256", "openssl", 4.0)]);
        let mut later =
            run(vec![record("sha256", "openssl", 5.0), record("sha512", "native", 1.0)]);
        later.host.cpu = Some("another".to_owned());
        let comparison = compare(&first, &later);
        assert_eq!(comparison.pairs.len(), 1);
        let pair = comparison.pairs[0];
        assert_eq!((pair.first, pair.later, pair.ratio), (1, 0, 1.25));
        assert_eq!(comparison.unmatched, 2);
        assert!(comparison.notes[0].starts_with("The CPU differs"), "{:?}", comparison.notes);
        assert_eq!(comparison.notes.len(), 1, "{:?}", comparison.notes);
        let empty = compare(&first, &run(vec![]));
        assert_eq!((empty.mean, empty.pairs.len()), (None, 0));
    }

    #[test]
    fn other_clocks_are_told() {
        let clocked = |core_hertz: f64| {
            let mut run = run(vec![record("sha256", "native", 5.0)]);
            run.clock = Some(ClockSummary {
                name: "amd64-tsc+chain".to_owned(),
                calibrations: Vec::new(),
                core_hertz,
                core_hertz_range: (core_hertz, core_hertz),
                samples: 1,
                rejected: 0,
                quiet: None,
                known_loops: Vec::new(),
                workers: 0,
            });
            run
        };
        assert!(compare(&clocked(4.0e9), &clocked(4.1e9)).notes.is_empty());
        let notes = compare(&clocked(3.0e9), &clocked(4.1e9)).notes;
        assert!(notes[0].contains("3.000 GHz and 4.100 GHz"), "{notes:?}");
    }
}
