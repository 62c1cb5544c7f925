//! From raw samples back to the figures that were made of them.

use crate::plan::{Calls, Row};
use crate::summary::{self, Cell, ClockWatch};
use cpb_model::{Calibration, Line, Method, Parameters, Point, RawRound, Record, Run, Samples};

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
        lengths: record.points.iter().map(|point| length(point.parameters)).collect(),
        line,
        // How many there were to be no longer matters.
        calls: (record.method == Method::Calls).then_some(Calls { timed: 1, warm: 0 }),
    };
    if row.method() != record.method {
        return None;
    }
    let calibrations = &run.clock.as_ref()?.calibrations;
    let cells = cells(&record.points, calibrations)?;
    Some((summary::points(&row, &cells, run.seed), summary::line(&row, &cells, run.seed)))
}

fn length(parameters: Parameters) -> usize {
    let iterations = parameters.iterations.and_then(|count| usize::try_from(count).ok());
    iterations.unwrap_or(parameters.message_bytes)
}

/// Round by round over all points, as they were measured.
fn cells(points: &[Point], calibrations: &[Calibration]) -> Option<Vec<Cell>> {
    let mut kept: Vec<_> = points.iter().map(|point| point.raw.iter()).collect();
    let mut cells = vec![Cell::default(); points.len()];
    for _ in 0..points.first()?.rounds {
        let rounds: Vec<RawRound> = kept.iter_mut().map(Iterator::next).collect::<Option<_>>()?;
        let RawRound { calibration, overhead_ticks, .. } = *rounds.first()?;
        let own = calibrations.get(calibration)?.clone();
        let calibration = Calibration { overhead_ticks, ..own };
        let samples: Vec<Samples> = rounds.into_iter().map(|round| round.samples).collect();
        summary::add_round(&mut cells, &calibration, &samples, &mut ClockWatch::default());
    }
    Some(cells)
}
