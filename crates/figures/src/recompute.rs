//! Recomputes figures from raw samples.

use crate::{EstimateSpec, PointSamples, QuietCriterion, cells};
use cpb_model::{Estimator, Line, Method, Point, Record, Run};

/// Recomputes the figures of `record` from its raw samples: its points, without raw samples, and
/// its line. They equal the record's own if its estimator is [`Estimator::CURRENT`].
///
/// `run` contains the record. `None` if the run lacks raw samples of a round, their calibrations,
/// or how the line was fitted.
#[must_use]
pub fn recompute(run: &Run, record: &Record) -> Option<(Vec<Point>, Option<Line>)> {
    let line = match &record.line {
        Some(line) => Some((line.fitted.as_ref()?.fit, line.fitted.as_ref()?.lengths.clone())),
        None => None,
    };
    if record.points.is_empty() || (record.method == Method::Slope) != line.is_some() {
        return None;
    }
    let asked = EstimateSpec {
        parameters: record.points.iter().map(|point| point.parameters).collect(),
        line,
        seed: run.seed,
    };
    let clock = run.clock.as_ref()?;
    let gate = QuietCriterion::of(clock.quiet.unwrap_or_default());
    let raw = record.points.iter().map(|point| &point.raw);
    let mut cells = cells(&record.workload, raw, &clock.calibrations, gate)?;
    let is_whole = record.points.iter().zip(&cells).all(|(it, cell)| it.rounds == cell.rounds());
    for point in record.points.iter().filter(|_| record.has_one_by_one()) {
        let raw = point.one_by_one.iter().flat_map(|it| [&it.independent.raw, &it.dependent.raw]);
        let mut pair = crate::cells(&record.workload, raw, &clock.calibrations, gate)?;
        pair.resize_with(2, PointSamples::default);
        cells.append(&mut pair);
    }
    is_whole.then(|| {
        let (mut points, line) = asked.figures(&cells);
        // Event counts are not derived from samples.
        points.iter_mut().zip(&record.points).for_each(|(point, it)| point.events = it.events);
        (points, line)
    })
}

/// Recomputes the figures of `run` that are of an earlier estimator, so that they can be compared
/// with new ones. Records without raw samples keep their figures and their estimator.
pub fn renew(run: &mut Run) {
    for index in 0..run.records.len() {
        let record = &run.records[index];
        if record.estimator == Estimator::CURRENT {
            continue;
        }
        let Some((points, line)) = recompute(run, record) else { continue };
        let record = &mut run.records[index];
        let raw = record.raw();
        (record.points, record.line, record.estimator) = (points, line, Estimator::CURRENT);
        record.put_raw(raw);
    }
}

/// Returns why the figures of these records cannot be compared, if their estimators differ;
/// otherwise `None`.
#[must_use]
pub fn other_estimator(then: &Record, now: &Record) -> Option<String> {
    let have_figures = !then.points.is_empty() && !now.points.is_empty();
    (have_figures && then.estimator != now.estimator).then(|| {
        format!(
            "the figures are made in different ways, and lie apart of the same rounds: {} then, \
             {} now. Their raw samples were not kept: measure it again",
            then.estimator.describe(),
            now.estimator.describe()
        )
    })
}
