//! Splits readings into histories of comparable figures.

use cpb_figures::RatioBound;
use cpb_model::Figure;
use cpb_report::group_by;
use cpb_store::{Reading, RunEntry, Series};
use std::collections::HashMap;

/// Runs in order of their start.
pub struct Timeline {
    runs: Vec<RunEntry>,
    places: HashMap<i64, usize>,
}

/// The figures of a series on one machine with one clock and one estimator, oldest first: of
/// successive builds, or of one of several builds that existed side by side.
pub struct HistorySegment<'a> {
    /// The series. If all builds had one path, its library includes that.
    pub series: Series,
    /// The CPU.
    pub machine: &'a str,
    /// The machine's name; absent if the runs do not record it.
    pub machine_id: Option<&'a str>,
    /// The clock's name; absent if there was none.
    pub clock: Option<&'a str>,
    /// The estimator's name; absent for the first one.
    pub estimator: Option<&'a str>,
    /// The points; at least one.
    pub entries: Vec<HistoryPoint<'a>>,
}

/// A figure, with its difference from the one before.
pub struct HistoryPoint<'a> {
    /// The run of the figure.
    pub run: &'a RunEntry,
    pub reading: Reading,
    /// The difference; absent for the first point, and between two bounds.
    pub difference: Option<Difference>,
}

/// The difference between two consecutive figures.
pub struct Difference {
    /// The change relative to the figure before; above 0 it became slower.
    pub relative: f64,
    /// Whether that is only a bound, because one of the figures is.
    pub known: RatioBound,
    /// Whether the intervals are disjoint; absent if a figure has none.
    pub apart: Option<bool>,
}

impl Timeline {
    /// Creates the timeline of `runs`, oldest first as a store lists them.
    pub fn of(runs: Vec<RunEntry>) -> Self {
        let places = runs.iter().enumerate().map(|(place, run)| (run.number, place)).collect();
        Self { runs, places }
    }

    /// Returns all runs, oldest first.
    pub fn runs(&self) -> &[RunEntry] {
        &self.runs
    }

    /// Returns the run with this number.
    pub fn run(&self, number: i64) -> Option<&RunEntry> {
        self.places.get(&number).map(|&place| &self.runs[place])
    }

    /// Splits the readings of `series` by machine, clock and estimator, and by path for builds that
    /// existed side by side. Readings of other runs are ignored.
    pub fn stretches(
        &self,
        series: &Series,
        mut readings: Vec<Reading>,
    ) -> Vec<HistorySegment<'_>> {
        // Runs of other machines may have been imported later than they were measured.
        readings.sort_by_key(|reading| self.places.get(&reading.run).copied());
        // A filtered run, or one saved since the runs were listed, is not known.
        let known = readings.into_iter().filter_map(|it| Some((self.run(it.run)?, it)));
        let stretches =
            group_by(known, |(run, _)| (&run.machine, &run.machine_id, &run.clock, &run.estimator));
        let lanes = stretches.into_iter().flat_map(|all| lanes(series, all));
        lanes.filter_map(|readings| HistorySegment::of(series, readings)).collect()
    }
}

/// Returns `readings` as they are, or split by path if builds that differ only in their paths
/// existed side by side: if one run has two of them, or one returns after another.
fn lanes<'a>(
    series: &Series,
    readings: Vec<(&'a RunEntry, Reading)>,
) -> Vec<Vec<(&'a RunEntry, Reading)>> {
    let mut paths: Vec<&str> = readings.iter().map(|(_, it)| it.build.path.as_str()).collect();
    paths.dedup();
    let turns = paths.len();
    paths.sort_unstable();
    paths.dedup();
    let in_one_run = readings.windows(2).any(|it| it[0].0.number == it[1].0.number);
    if !series.has_any_path() || paths.len() == 1 || (turns == paths.len() && !in_one_run) {
        return vec![readings];
    }
    group_by(readings, |(_, reading)| reading.build.path.clone())
}

impl<'a> HistorySegment<'a> {
    /// Whether its figures are of the first estimator.
    pub fn is_first_estimator(&self) -> bool {
        self.estimator.is_none()
    }

    /// Creates the history of readings on one machine; `None` if there is none.
    fn of(series: &Series, readings: Vec<(&'a RunEntry, Reading)>) -> Option<Self> {
        let (run, first) = readings.first()?;
        let path = first.build.path.as_str();
        let has_one_path = readings.iter().all(|(_, it)| it.build.path == path);
        let series = if has_one_path { series.at(path) } else { series.clone() };
        let mut stretch = Self {
            series,
            machine: run.machine.as_str(),
            machine_id: run.machine_id.as_deref(),
            clock: run.clock.as_deref(),
            estimator: run.estimator.as_deref(),
            entries: Vec::with_capacity(readings.len()),
        };
        for (run, reading) in readings {
            stretch.entries.push(HistoryPoint::after(stretch.entries.last(), run, reading));
        }
        Some(stretch)
    }
}

impl<'a> HistoryPoint<'a> {
    fn after(before: Option<&HistoryPoint<'_>>, run: &'a RunEntry, reading: Reading) -> Self {
        let figures = before.map(|before| [before.reading.figure, reading.figure]);
        Self { run, reading, difference: figures.and_then(Difference::of) }
    }
}

impl Difference {
    /// Returns the difference between two figures; `None` between two bounds.
    fn of(figures: [Figure; 2]) -> Option<Self> {
        let [before, now] = figures;
        let apart = now.interval.zip(before.interval);
        Some(Self {
            relative: now.estimate / before.estimate - 1.0,
            known: RatioBound::of(figures)?,
            apart: apart.map(|(now, before)| now.high < before.low || before.high < now.low),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::tests::{reading, run, series};
    use cpb_figures::testing::figure;
    use cpb_store::Build;

    #[test]
    fn a_difference_from_or_to_a_bound_is_one() {
        let known = |figures| Difference::of(figures).map(|it| it.known);
        let (sure, bound) = (figure(5.0), Figure::at_most(4.0));
        assert_eq!(known([sure, sure]), Some(RatioBound::About));
        assert_eq!(known([sure, bound]), Some(RatioBound::AtMost));
        assert_eq!(known([bound, sure]), Some(RatioBound::AtLeast));
        assert_eq!(known([bound, bound]), None);
        assert_eq!(Difference::of([sure, figure(6.0)]).and_then(|it| it.apart), Some(true));
        assert_eq!(Difference::of([sure, bound]).and_then(|it| it.apart), None);
    }

    /// Returns the library and the runs of each history, from readings given as run and path.
    fn stretched(library: &str, readings: &[(i64, &str)]) -> Vec<(String, Vec<i64>)> {
        let numbers: std::collections::BTreeSet<i64> = readings.iter().map(|it| it.0).collect();
        let timeline = Timeline::of(numbers.into_iter().map(|it| run(it, it)).collect());
        let series = Series { library: library.to_owned(), ..series() };
        let readings = readings.iter().map(|&(run, path)| {
            let build = Build { path: path.to_owned(), ..Build::default() };
            Reading { build: build.into(), ..reading(run, 5.0) }
        });
        let of = |it: &HistorySegment<'_>| {
            let runs = it.entries.iter().map(|entry| entry.run.number).collect();
            (it.series.library.clone(), runs)
        };
        timeline.stretches(&series, readings.collect()).iter().map(of).collect()
    }

    #[test]
    fn builds_side_by_side_have_lanes_by_their_paths_and_others_follow_each_other() {
        let lane = |library: &str, runs: &[i64]| (library.to_owned(), runs.to_vec());
        let any = "openssl=…";
        // One path; one after the other; back to the first; two in one run.
        assert_eq!(stretched(any, &[(1, "/a"), (2, "/a")]), [lane("openssl=/a", &[1, 2])]);
        let in_order = [(1, "/1.0"), (2, "/1.0"), (3, "/1.1"), (4, "/1.2")];
        assert_eq!(stretched(any, &in_order), [lane(any, &[1, 2, 3, 4])]);
        let in_turn = [(1, "/a"), (2, "/b"), (3, "/a")];
        let apart = [lane("openssl=/a", &[1, 3]), lane("openssl=/b", &[2])];
        assert_eq!(stretched(any, &in_turn), apart);
        let at_once = [(1, "/a"), (1, "/b"), (2, "/b"), (2, "/a")];
        let apart = [lane("openssl=/a", &[1, 2]), lane("openssl=/b", &[1, 2])];
        assert_eq!(stretched(any, &at_once), apart);
        for (library, wanted) in [("openssl=/a", 1), ("openssl=…", 2), ("openssl", 0)] {
            let timeline = Timeline::of(vec![run(1, 1)]);
            let series = Series { library: any.to_owned(), ..series() };
            let of = |path: &str| Build { path: path.to_owned(), ..Build::default() };
            let both = ["/a", "/b"].map(|it| Reading { build: of(it).into(), ..reading(1, 5.0) });
            let stretches = timeline.stretches(&series, both.into());
            assert_eq!(stretches.iter().filter(|it| it.series.has(library)).count(), wanted);
        }
        // A named build, and the installed one, is one lane wherever its file is.
        for library in ["new:openssl", "openssl", "openssl;X=…=…"] {
            assert_eq!(stretched(library, &in_turn), [lane(library, &[1, 2, 3])]);
        }
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
        let numbers = |stretch: &HistorySegment| -> Vec<i64> {
            stretch.entries.iter().map(|entry| entry.run.number).collect()
        };
        assert_eq!(
            stretches.iter().map(numbers).collect::<Vec<_>>(),
            [vec![3, 1], vec![2], vec![4], vec![5]]
        );
    }
}
