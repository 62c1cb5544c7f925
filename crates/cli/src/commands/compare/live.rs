//! Sides that are measured now, next to each other.

use super::Arguments;
use super::pairs::Pairs;
use crate::cli_error::CliError;
use crate::comparison::{self, Line, Outcome};
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use crate::sampling;
use crate::side::LibrarySide;
use cpb_figures::Ratio;
use cpb_model::Run;
use cpb_stats::Question;
use std::sync::atomic::AtomicBool;

impl Arguments {
    pub(super) fn measure_both(
        &self,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        stop: &AtomicBool,
    ) -> Result<(Outcome, bool), CliError> {
        let invocation = MeasurementContext::on(&self.machine)?;
        let specs = sides.each_ref().map(|side| side.spec.clone());
        let shelf =
            LibrarySet::look(&specs, sampling::timeout(self.machine.timeout, self.max_time));
        if !shelf.report_missing() {
            return Err(CliError::NotMeasured("a side of the comparison is missing".to_owned()));
        }
        if !self.threads.is_empty() {
            return self.measure_crowds(sides, names, invocation, &shelf, stop);
        }
        let pairs = Pairs::of(&shelf, sides, &self.selection(), self.per_size)?;
        Ok(self.measure_side_by_side(invocation, &shelf, sides, names, pairs, stop))
    }

    /// Measures what the sides have in common, until every line has a verdict or time is up; and
    /// whether all was there.
    pub(super) fn measure_side_by_side(
        &self,
        invocation: MeasurementContext,
        shelf: &LibrarySet,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        pairs: Pairs,
        stop: &AtomicBool,
    ) -> (Outcome, bool) {
        let Pairs { rows, only, complete } = pairs;
        let specs = vec![sides.each_ref().map(|side| side.spec.clone()); rows.len() / 2];
        let asked = (Question::Difference, self.precision);
        let time = (self.max_time, self.machine.timeout);
        let (compared, run, _) = invocation.compare(shelf, rows, specs, asked, time, stop);
        let lines = comparison::paired(&run, &compared.pairs);
        let (halves, sum) = (comparison::halves(&run), compared.all.map(Ratio::from));
        (self.outcome(sides, names, only, (run, halves), (lines, sum)), complete)
    }

    /// What sides say that were measured in one run, of which `halves` are each side's.
    pub(super) fn outcome(
        &self,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        only: [Vec<String>; 2],
        (run, halves): (Run, [Run; 2]),
        (lines, sum): (Vec<Line>, Option<Ratio>),
    ) -> Outcome {
        Outcome {
            names,
            labels: sides.each_ref().map(|side| Some(side.spec.label())),
            is_paired: true,
            precision: self.precision,
            asked: !self.sizes.is_empty(),
            sum,
            summed: lines.iter().filter(|line| line.ratio.is_some()).count(),
            lines,
            only,
            halves: Some(halves),
            runs: vec![run],
            measured: Some(0),
        }
    }
}
