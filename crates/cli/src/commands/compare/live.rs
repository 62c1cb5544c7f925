//! Measures two sides now, next to each other.

use super::Arguments;
use super::pairs::Pairs;
use crate::cli_error::CliError;
use crate::comparison::{self, ComparedRow, Comparison};
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
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
    ) -> Result<(Comparison, bool), CliError> {
        let invocation = MeasurementContext::on(&self.machine)?;
        let specs = sides.each_ref().map(|side| side.spec.clone());
        let libraries = LibrarySet::discover(&specs, self.machine.timeout, self.max_time);
        if !libraries.report_missing() {
            return Err(not_measured!("a side of the comparison is missing"));
        }
        if !self.threads.is_empty() {
            return self.measure_concurrently(sides, names, invocation, &libraries, stop);
        }
        let pairs = Pairs::of(&libraries, sides, &self.selection(), self.per_size)?;
        Ok(self.measure_side_by_side(invocation, &libraries, sides, names, pairs, stop))
    }

    /// Measures the common rows of both sides until every row has a verdict or time is up; also
    /// returns whether everything was available.
    pub(super) fn measure_side_by_side(
        &self,
        invocation: MeasurementContext,
        libraries: &LibrarySet,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        pairs: Pairs,
        stop: &AtomicBool,
    ) -> (Comparison, bool) {
        let Pairs { rows, only, complete } = pairs;
        let specs = vec![sides.each_ref().map(|side| side.spec.clone()); rows.len() / 2];
        let asked = (Question::Difference, self.precision);
        let time = (self.max_time, self.machine.timeout);
        let (compared, run, _) = invocation.compare(libraries, rows, specs, asked, time, stop);
        let lines = comparison::paired(&run, &compared.pairs);
        let (halves, sum) = (comparison::halves(&run), compared.all.map(Ratio::from));
        (self.comparison(sides, names, only, (run, halves), (lines, sum)), complete)
    }

    /// Returns what sides say that were measured in one run, of which `halves` are each side's.
    pub(super) fn comparison(
        &self,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        only: [Vec<String>; 2],
        (run, halves): (Run, [Run; 2]),
        (lines, sum): (Vec<ComparedRow>, Option<Ratio>),
    ) -> Comparison {
        Comparison {
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
