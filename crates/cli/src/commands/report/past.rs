//! Finds the history of a run's rows on its machine.

use crate::cli_error::CliError;
use cpb_history::{Change, HistorySegment, Timeline};
use cpb_model::{Record, Run};
use cpb_report::Colours;
use cpb_report::chart::{OverTime, Point, Series as Drawn, Step, Timed};
use cpb_report::html::Past;
use cpb_report::number::counted;
use cpb_store::{Machine, Series, Store};
use std::collections::BTreeSet;

/// The most charts of a page, chosen by the largest steps.
const MOST_CHARTS: usize = 24;

/// Returns the rows of `run` whose figures stepped in the runs of its machine in `store`.
pub(super) fn of(store: &Store, run: &Run) -> Result<Past, CliError> {
    let machine = Machine::of(&run.host).id;
    let primitives = run.records.iter().map(|record| record.subject.primitive.as_str());
    let primitives: BTreeSet<&str> = primitives.collect();
    let mut runs = store.runs_of(&primitives)?;
    runs.retain(|other| other.machine_id.as_ref() == Some(&machine));
    let timeline = Timeline::of(runs);
    let mut series = store.series()?;
    series.retain(|series| run.records.iter().any(|record| series.is_of(record)));
    let clock = run.clock.as_ref().map(|clock| clock.name.as_str());
    let mut stretches = Vec::new();
    for series in &series {
        let all = timeline.stretches(series, store.history(series)?);
        // Of builds that existed side by side, those of this run.
        let is_of = |stretch: &HistorySegment<'_>, record: &Record| {
            series.is_of(record) && stretch.series.has(&record.subject.library)
        };
        stretches.extend(all.into_iter().filter(|stretch| {
            stretch.clock == clock && run.records.iter().any(|record| is_of(stretch, record))
        }));
    }
    let of = format!("{} of this machine", counted(timeline.runs().len(), "saved run"));
    Ok(past(&stretches, of))
}

/// Rows of equal work that stepped, with their largest step.
struct Group<'a> {
    rows: Vec<(&'a HistorySegment<'a>, Vec<Change<'a>>)>,
    largest: f64,
}

fn past(stretches: &[HistorySegment<'_>], of: String) -> Past {
    let mut groups: Vec<Group> = Vec::new();
    for stretch in stretches {
        let changes = stretch.changes();
        let sizes = changes.iter().map(|change| change.relative().abs());
        let Some(largest) = sizes.max_by(f64::total_cmp) else { continue };
        let same = |group: &&mut Group| do_the_same(&group.rows[0].0.series, &stretch.series);
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.rows.push((stretch, changes));
                group.largest = group.largest.max(largest);
            }
            None => groups.push(Group { rows: vec![(stretch, changes)], largest }),
        }
    }
    groups.sort_by(|a, b| b.largest.total_cmp(&a.largest));
    let left_out = groups.iter().skip(MOST_CHARTS).map(|group| group.rows.len()).sum();
    let charts = groups.into_iter().take(MOST_CHARTS).map(chart).collect();
    Past { charts, left_out, of }
}

fn do_the_same(a: &Series, b: &Series) -> bool {
    let work = |series: &Series| (series.workload.clone(), series.setup.clone());
    work(a) == work(b) && (&a.lengths, &a.unit) == (&b.lengths, &b.unit)
}

fn chart(group: Group<'_>) -> OverTime {
    let series = &group.rows[0].0.series;
    let title = format!("{}, {}", series.title(), series.lengths);
    let libraries = || group.rows.iter().map(|(stretch, _)| stretch.series.library.as_str());
    let looks = Colours::of(libraries()).looks(libraries());
    let rows = group.rows.iter().zip(looks);
    let lines = rows.map(|((stretch, changes), look)| line(stretch, changes, look));
    let mut lines: Vec<Timed> = lines.collect();
    // Steps are numbered by time, over all lines.
    let mut steps: Vec<&mut Step> = lines.iter_mut().flat_map(|line| &mut line.steps).collect();
    steps.sort_by(|a, b| a.at.0.total_cmp(&b.at.0));
    for (number, step) in (1..).zip(steps) {
        step.number = number;
    }
    OverTime { title, unit: series.unit.clone(), lines }
}

fn line(stretch: &HistorySegment<'_>, changes: &[Change<'_>], look: usize) -> Timed {
    let series = &stretch.series;
    let label = match series.backend.as_str() {
        "default" => series.library.clone(),
        backend => format!("{} {backend}", series.library),
    };
    let points = stretch.entries.iter();
    let points = points.map(|it| Point::at_time(it.run.started, it.reading.figure)).collect();
    let step = |change: &Change<'_>| {
        let after = Point::at_time(change.after.run.started, change.after.reading.figure);
        let (relative, run) = (change.relative() * 100.0, change.after.run.number);
        let relative = format!("{relative:+.2} %").replace('-', "−");
        let words = format!("{label} {relative}, run {run}, {}", change.describe());
        Step { number: 0, at: (after.x, after.y), words }
    };
    let steps = changes.iter().map(step).collect();
    Timed { series: Drawn { label: label.clone(), look, points }, steps }
}
