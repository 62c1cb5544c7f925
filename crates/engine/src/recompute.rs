//! From raw samples back to the figures that were made of them.

use crate::cell;
use crate::gate::Gate;
use crate::plan::{Calls, Row};
use crate::summary;
use cpb_model::{Line, Method, Point, Record, Run};

/// The figures of `record`, made anew of its raw samples: its points without
/// raw samples, and its line. They equal those of the record.
///
/// `run` is the run it is part of. `None` where the run does not hold what it
/// takes: raw samples of every round, their calibrations, and how the line was
/// fitted.
#[must_use]
pub fn recompute(run: &Run, record: &Record) -> Option<(Vec<Point>, Option<Line>)> {
    let first = record.points.first()?;
    let line = match &record.line {
        Some(line) => Some((line.fitted.as_ref()?.fit, line.fitted.as_ref()?.lengths.clone())),
        None => None,
    };
    let row = Row {
        subject: record.subject.clone(),
        contract: record.contract,
        output_bytes: first.parameters.output_bytes,
        aad_bytes: first.parameters.aad_bytes,
        key_bytes: first.parameters.key_bytes,
        nonce_bytes: first.parameters.nonce_bytes,
        alignment: first.parameters.alignment,
        lengths: record.points.iter().map(|point| point.parameters.length()).collect(),
        line,
        // How many there were to be no longer matters.
        calls: (record.method == Method::Calls).then_some(Calls { timed: 1, warm: 0 }),
    };
    if row.method() != record.method {
        return None;
    }
    let clock = run.clock.as_ref()?;
    let quiet = clock.quiet.unwrap_or_default();
    let gate = Gate { quiet: quiet.cycles_per_operation, assumed: quiet.assumed };
    let raw = record.points.iter().map(|point| &point.raw);
    let cells = cell::cells(raw, &clock.calibrations, gate)?;
    if record.points.iter().zip(&cells).any(|(point, cell)| point.rounds != cell.rounds()) {
        return None;
    }
    Some((summary::points(&row, &cells, run.seed), summary::line(&row, &cells, run.seed)))
}
