//! Measures two sides now, next to each other.

use super::pairs::Pairs;
use super::{Arguments, seed};
use crate::cli_error::CliError;
use crate::comparison::{self, Comparison};
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::side::LibrarySide;
use crate::time_budget;
use cpb_engine::{Pairing, Plan, measure_pairs};
use cpb_figures::Ratio;
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
        let libraries =
            LibrarySet::discover(&specs, sampling::timeout(self.machine.timeout, self.max_time));
        if !libraries.report_missing() {
            return Err(CliError::NotMeasured("a side of the comparison is missing".to_owned()));
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
        let by_itself = time_budget::COMPARE.of(rows.len() / 2);
        let time = self.max_time.map_or(Time::About(by_itself), Time::AtMost);
        sampling::announce(&rows, time, "--max-time makes");
        let left = self.max_time.map(|time| invocation.left_of(time));
        let sampling = sampling::of_pairs((left, by_itself), self.machine.timeout);
        let plan = Plan { seed: seed(), ..invocation.plan(libraries, rows, sampling) };
        let specs = sides.each_ref().map(|side| side.spec.clone());
        let pairing = Pairing {
            sides: vec![specs; plan.rows.len() / 2],
            plan,
            question: Question::Difference,
            precision: self.precision,
        };
        let bar = Bar::of(self.max_time);
        let (compared, _) = measure_pairs(&pairing, stop, &mut |progress| bar.tell(progress));
        bar.finish();
        let lines = comparison::paired(&compared);
        let run = invocation.record(&pairing.plan, compared.measured);
        let outcome = Comparison {
            names,
            labels: sides.each_ref().map(|side| Some(side.spec.label())),
            is_paired: true,
            precision: self.precision,
            asked: !self.sizes.is_empty(),
            sum: compared.all.map(Ratio::from),
            summed: compared.pairs.iter().filter(|pair| pair.findings.finding.is_some()).count(),
            lines,
            only,
            halves: Some(comparison::halves(&run)),
            runs: vec![run],
            measured: Some(0),
        };
        (outcome, complete)
    }
}
