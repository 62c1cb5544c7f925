//! Shows the sums of a run over several rows, per library.

use crate::number::{estimate, factor, half_width, significant};
use crate::{Cell, Fields, Libraries, Section, Style, left, right};
use cpb_model::{Figure, Part, Record, Run, Sum};
use std::collections::HashSet;

/// Makes a table of all sums for every library that has a part of one; `None` if there are none.
pub(crate) fn section(run: &Run, libraries: &Libraries) -> Option<Section> {
    let fields = fields();
    let mut table = fields.table();
    for sum in &run.sums {
        let costs = costs(run, sum);
        if costs.is_empty() {
            continue;
        }
        table.blank();
        table.title(format!("{}: {}", sum.side, sum.name));
        let mut figures = costs.iter().filter_map(|(_, cost)| Some(cost.as_ref().ok()?.figure));
        // A single sum has nothing to be compared with.
        let least = figures.next().filter(|_| figures.next().is_some());
        for (label, cost) in costs {
            let failure = cost.as_ref().err();
            let failure = failure.map(|reason| Cell::new(reason.as_str(), Style::Faint));
            let row = Row { library: libraries.short_name(label), cost: cost.ok(), least };
            fields.add(&mut table, &row, failure);
        }
    }
    let legend =
        "Sums of the rows above, each with the library's default backend; ± is the sum of theirs.";
    Section::with_legend("What it costs together", table, legend)
}

/// The total cost of a library's parts.
struct Cost {
    figure: Figure,
    nanoseconds: f64,
    parts: Vec<String>,
}

struct Row {
    library: String,
    cost: Option<Cost>,
    /// The smallest total.
    least: Option<Figure>,
}

fn fields<'a>() -> Fields<'a, Row> {
    let figure = |it: &Row| it.cost.as_ref().map(|cost| cost.figure);
    Fields::<Row>::new()
        .table_only(left("library"), |it| it.library.clone())
        .naming()
        .table_only(right("cycles").style(Style::Strong), figure)
        .table_only(right("±").style(Style::Faint), move |it| figure(it).map(half_width))
        .table_only(right("×"), move |it| {
            let (own, least) = (figure(it)?, it.least.filter(|least| !least.upper_bound)?);
            Some(factor(own.estimate / least.estimate, own.upper_bound))
        })
        .table_only(right("µs"), move |it| {
            let microseconds = significant(it.cost.as_ref()?.nanoseconds / 1e3, 4);
            let bound = if figure(it)?.upper_bound { "≤ " } else { "" };
            Some(format!("{bound}{microseconds}"))
        })
        .table_only(left("of these").rank(1), |it| Some(it.cost.as_ref()?.parts.join(" + ")))
}

/// Returns the totals by library, cheapest first; or what a library lacks that has some of the
/// parts.
fn costs<'a>(run: &'a Run, sum: &Sum) -> Vec<(&'a str, Result<Cost, String>)> {
    let parts = run.records.iter().filter(|it| sum.parts.iter().any(|part| is_of(it, part)));
    let mut seen = HashSet::new();
    let labels = parts.map(|it| it.subject.library.as_str()).filter(|it| seen.insert(*it));
    let mut costs: Vec<_> = labels.map(|label| (label, cost(run, label, sum))).collect();
    let cycles = |cost: &Result<Cost, String>| match cost {
        Ok(cost) => cost.figure.estimate,
        Err(_) => f64::INFINITY,
    };
    costs.sort_by(|(_, one), (_, other)| cycles(one).total_cmp(&cycles(other)));
    costs
}

fn cost(run: &Run, label: &str, sum: &Sum) -> Result<Cost, String> {
    let mut whole: Option<Cost> = None;
    for part in &sum.parts {
        let own = |record: &&Record| record.subject.library == label && is_of(record, part);
        let (primitive, operation) = (&part.primitive, part.operation.name());
        let lacks = || format!("has no {primitive} {operation}");
        let record = run.records.iter().find(own).ok_or_else(lacks)?;
        let point = record.points.last().filter(|_| record.failure.is_none());
        let point = point.ok_or_else(|| format!("{primitive} {operation} failed"))?;
        let times = f64::from(part.times);
        let figure = point.cycles_per_call.times(times);
        let nanoseconds = point.nanoseconds_per_call * times;
        let words = format!("{part} {}", estimate(figure));
        match &mut whole {
            None => whole = Some(Cost { figure, nanoseconds, parts: vec![words] }),
            Some(whole) => {
                whole.figure = whole.figure.plus(figure);
                whole.nanoseconds += nanoseconds;
                whole.parts.push(words);
            }
        }
    }
    whole.ok_or_else(|| "has no parts".to_owned())
}

fn is_of(record: &Record, part: &Part) -> bool {
    let subject = &record.subject;
    subject.default_backend
        && subject.primitive == part.primitive
        && subject.operation == part.operation
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{failed, record, run};
    use cpb_model::{Interval, Operation};

    /// Creates a record whose last point has this many cycles.
    fn costing(primitive: &str, library: &str, cycles: f64) -> Record {
        let mut record = record(primitive, library, 1.0);
        record.subject.operation = Operation::Agree;
        record.workload.operation = Operation::Agree;
        let point = record.points.last_mut().unwrap();
        let interval = Interval { low: cycles - 1.0, high: cycles + 1.0, confidence: 0.95 };
        point.cycles_per_call = Figure::new(cycles, Some(interval));
        point.nanoseconds_per_call = cycles / 2.0;
        record
    }

    fn sum(parts: &[&str]) -> Sum {
        let mut sum = Sum { name: "n".to_owned(), side: "server".to_owned(), parts: Vec::new() };
        parts.iter().for_each(|primitive| sum.add(primitive, Operation::Agree));
        sum
    }

    #[test]
    fn parts_add_up_and_the_cheapest_stands_first() {
        let mut broken = failed("b", "third", "SIGILL");
        broken.subject.operation = Operation::Agree;
        broken.workload.operation = Operation::Agree;
        let run = run(vec![
            costing("a", "first", 100.0),
            costing("a", "second", 50.0),
            costing("b", "first", 10.0),
            costing("b", "second", 20.0),
            costing("a", "third", 1.0),
            broken,
            costing("b", "fourth", 1.0),
            costing("c", "fifth", 1.0),
        ]);
        let costs = costs(&run, &sum(&["a", "b", "b"]));
        let labels: Vec<&str> = costs.iter().map(|(label, _)| *label).collect();
        assert_eq!(labels, ["second", "first", "third", "fourth"]);
        let second = costs[0].1.as_ref().ok().unwrap();
        assert_eq!((second.figure.estimate, second.nanoseconds), (90.0, 45.0));
        let interval = second.figure.interval.unwrap();
        assert_eq!((interval.low, interval.high), (87.0, 93.0));
        assert_eq!(second.parts, ["a agree 50", "2 × b agree 40"]);
        let reason = |place: usize| costs[place].1.as_ref().err().unwrap().as_str();
        assert_eq!((reason(2), reason(3)), ("b agree failed", "has no a agree"));
    }

    #[test]
    fn there_is_no_table_of_nothing() {
        let mut run = run(vec![costing("a", "first", 1.0)]);
        assert!(section(&run, &Libraries::of(&run)).is_none());
        run.sums = vec![sum(&["z"])];
        assert!(section(&run, &Libraries::of(&run)).is_none());
        run.sums = vec![sum(&["a"])];
        let section = section(&run, &Libraries::of(&run)).unwrap();
        assert!(section.table.render(None).contains("server: n"));
    }
}
