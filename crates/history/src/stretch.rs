//! Figures that can be compared from run to run.

use cpb_figures::Known;
use cpb_model::Figure;
use cpb_store::{Reading, RunEntry, Series};
use std::collections::HashMap;

/// Runs in the order in which they were started.
pub struct Timeline {
    runs: Vec<RunEntry>,
    places: HashMap<i64, usize>,
}

/// The figures of a series on one machine by one clock and one estimator, oldest first.
pub struct Stretch<'a> {
    /// What they are figures of.
    pub series: &'a Series,
    /// The CPU.
    pub machine: &'a str,
    /// The machine's name; absent where the runs do not tell.
    pub machine_id: Option<&'a str>,
    /// The clock's name; absent where there was none.
    pub clock: Option<&'a str>,
    /// The name of the estimator; absent for that of before there was another.
    pub estimator: Option<&'a str>,
    /// At least one.
    pub entries: Vec<Entry<'a>>,
}

/// A figure, and how it differs from the one before.
pub struct Entry<'a> {
    /// The run it is of.
    pub run: &'a RunEntry,
    /// The figure.
    pub reading: Reading,
    /// Absent in the first of a stretch, and between two bounds.
    pub difference: Option<Difference>,
}

/// From one figure to the next.
pub struct Difference {
    /// Relative to the figure before: above 0 it became slower.
    pub relative: f64,
    /// Whether that is a bound only, since one of the figures is.
    pub known: Known,
    /// Whether the two intervals have nothing in common; absent where one of
    /// the figures has none.
    pub apart: Option<bool>,
}

impl Timeline {
    /// Of `runs`, which a store lists oldest first.
    #[must_use]
    pub fn of(runs: Vec<RunEntry>) -> Self {
        let places = runs.iter().enumerate().map(|(place, run)| (run.number, place)).collect();
        Self { runs, places }
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn runs(&self) -> &[RunEntry] {
        &self.runs
    }

    /// The run with this number.
    #[must_use]
    pub fn run(&self, number: i64) -> Option<&RunEntry> {
        self.places.get(&number).map(|&place| &self.runs[place])
    }

    /// The readings of `series`, a stretch for each machine, clock and estimator. Those of other
    /// runs have no part in it.
    #[must_use]
    pub fn stretches<'a>(
        &'a self,
        series: &'a Series,
        mut readings: Vec<Reading>,
    ) -> Vec<Stretch<'a>> {
        // Runs of other machines came in later than they were measured.
        readings.sort_by_key(|reading| self.places.get(&reading.run).copied());
        let mut stretches: Vec<Stretch<'a>> = Vec::new();
        let mut places = HashMap::new();
        for reading in readings {
            // One that was left out, or saved since the runs were listed.
            let Some(run) = self.run(reading.run) else { continue };
            let (machine, clock) = (run.machine.as_str(), run.clock.as_deref());
            let machine_id = run.machine_id.as_deref();
            let estimator = run.estimator.as_deref();
            let key = (machine, machine_id, clock, estimator);
            let place = *places.entry(key).or_insert_with(|| {
                let entries = Vec::new();
                stretches.push(Stretch { series, machine, machine_id, clock, estimator, entries });
                stretches.len() - 1
            });
            let stretch = &mut stretches[place];
            stretch.entries.push(Entry::after(stretch.entries.last(), run, reading));
        }
        stretches
    }
}

impl<'a> Entry<'a> {
    fn after(before: Option<&Entry<'_>>, run: &'a RunEntry, reading: Reading) -> Self {
        let figures = before.map(|before| [before.reading.figure, reading.figure]);
        Self { run, reading, difference: figures.and_then(Difference::of) }
    }
}

impl Difference {
    /// From one figure to the next; `None` between two bounds, which say nothing of it.
    fn of(figures: [Figure; 2]) -> Option<Self> {
        let [before, now] = figures;
        let apart = now.interval.zip(before.interval);
        Some(Self {
            relative: now.estimate / before.estimate - 1.0,
            known: Known::of(figures)?,
            apart: apart.map(|(now, before)| now.high < before.low || before.high < now.low),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::tests::{reading, run, series};
    use cpb_figures::testing::figure;

    #[test]
    fn a_difference_from_or_to_a_bound_is_one() {
        let known = |figures| Difference::of(figures).map(|it| it.known);
        let (sure, bound) = (figure(5.0), Figure::at_most(4.0));
        assert_eq!(known([sure, sure]), Some(Known::About));
        assert_eq!(known([sure, bound]), Some(Known::AtMost));
        assert_eq!(known([bound, sure]), Some(Known::AtLeast));
        assert_eq!(known([bound, bound]), None);
        assert_eq!(Difference::of([sure, figure(6.0)]).and_then(|it| it.apart), Some(true));
        assert_eq!(Difference::of([sure, bound]).and_then(|it| it.apart), None);
    }

    #[test]
    fn machines_clocks_and_estimators_are_kept_apart_and_imports_stand_where_they_were_measured() {
        let mut runs = [run(3, 10), run(1, 20), run(2, 30), run(4, 40), run(5, 50)];
        runs[2].machine_id = Some("another".to_owned());
        runs[3].clock = Some("another".to_owned());
        runs[4].estimator = None;
        let (timeline, series) = (Timeline::of(runs.into()), series());
        let readings = [1, 2, 3, 4, 5, 99].map(|run| reading(run, 5.0)).into();
        let stretches = timeline.stretches(&series, readings);
        let numbers = |stretch: &Stretch| -> Vec<i64> {
            stretch.entries.iter().map(|entry| entry.run.number).collect()
        };
        assert_eq!(
            stretches.iter().map(numbers).collect::<Vec<_>>(),
            [vec![3, 1], vec![2], vec![4], vec![5]]
        );
    }
}
