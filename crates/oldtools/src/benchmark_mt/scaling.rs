//! Implements `cpb recursive --scaling`: throughput over threads.

use crate::benchmark_mt::rates::{RateOptions, cycles_of, efficiency, rate_of};
use cpb_model::{Record, Run};
use cpb_report::chart::{self, Axis, Chart, Marks, Point, Scale, Series};
use cpb_report::number::{counted, five_digits, half_width, percent};
use cpb_report::{Cell, Fields, Style, Table, failure, right};

/// Makes the table, with a title above the rows of each backend and number of lanes.
pub fn table(run: &Run, shown: &RateOptions) -> Table {
    let number = |heading: String| right(heading).format(five_digits).missing("–");
    let fields = Fields::<(&[Record], &Record)>::new()
        .table_only(right("threads"), |(_, it)| it.setup.threads)
        .naming()
        .table_only(number(shown.rate_unit().to_owned()).style(Style::Strong), |(_, it)| {
            rate_of(it).map(|rate| shown.rate(rate))
        })
        .table_only(right("efficiency").missing("–"), |(group, it)| {
            efficiency(group, it).map(percent_of)
        })
        .table_only(right("c/hash").missing("–"), |(_, it)| cycles_of(it))
        .table_only(right("±").style(Style::Faint).missing("–"), |(_, it)| {
            cycles_of(it).map(half_width)
        })
        .each(shown.cycles_headings().into_iter().enumerate(), |fields, (place, heading)| {
            fields.table_only(number(heading), move |(_, it)| shown.cycles_besides(it)[place])
        });
    let mut table = fields.table();
    for group in run.records.chunk_by(same_loops) {
        table.blank();
        table.title(name(&group[0]));
        for row in group {
            fields.add(&mut table, &(group, row), failure(row));
        }
    }
    table
}

/// Explains the columns, and names the `best` setting.
pub fn legend(shown: &RateOptions, best: &str) -> Vec<Cell> {
    let legend = format!(
        "{}: all threads, by the wall clock · efficiency: against as many times one thread · \
         c/hash: core cycles of one core",
        shown.rate_unit()
    );
    let best = Some(best).filter(|best| !best.is_empty()).map(Cell::from);
    [Cell::new(legend, Style::Faint)].into_iter().chain(best).collect()
}

/// Describes the setting with the highest throughput, with its backend if backends were requested.
pub fn best(run: &Run, names_backend: bool) -> Option<String> {
    let rows = run.records.iter().filter_map(|row| Some((rate_of(row)?, row)));
    let (rate, row) = rows.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let backend = &row.subject.backend;
    let backend = if names_backend { format!(" --backend {backend}") } else { String::new() };
    Some(format!(
        "best here: {} × {} on {}, {} MH/s (--threads {} --lanes {}{})",
        counted(row.setup.threads, "thread"),
        counted(row.setup.lanes, "lane"),
        row.subject.backend,
        five_digits(rate / 1e6),
        row.setup.threads,
        row.setup.lanes,
        backend,
    ))
}

/// Draws throughput over threads as SVG, with a line per loop.
pub fn chart(run: &Run) -> String {
    let point = |row: &Record| {
        let figure = row.concurrent.as_ref()?.calls_per_second?;
        Some(Point {
            x: row.setup.threads as f64,
            y: figure.estimate / 1e6,
            interval: figure.interval.map(|interval| (interval.low / 1e6, interval.high / 1e6)),
            is_bound: figure.upper_bound,
        })
    };
    let series = |(look, group): (usize, &[Record])| Series {
        label: name(&group[0]),
        look,
        points: group.iter().filter_map(point).collect(),
    };
    let axis = |label: &str, scale, marks| Axis { label: label.to_owned(), scale, marks };
    let chart = Chart {
        title: "Recursive SHA-256: throughput over threads".to_owned(),
        subtitle: run.host.cpu.clone().unwrap_or_default(),
        x: axis("threads", Scale::Linear, Marks::Counts),
        y: axis("MH/s", Scale::FromZero, Marks::Numbers),
        series: run.records.chunk_by(same_loops).enumerate().map(series).collect(),
        note: String::new(),
    };
    chart::to_svg(&chart, &chart::Style::default())
}

fn same_loops(a: &Record, b: &Record) -> bool {
    a.subject.backend == b.subject.backend && a.setup.lanes == b.setup.lanes
}

fn name(row: &Record) -> String {
    format!("{}, {}", row.subject.backend, counted(row.setup.lanes, "lane"))
}

/// Formats an efficiency, which needs more digits than a spread.
fn percent_of(share: f64) -> String {
    if share < 0.1 { percent(share) } else { format!("{:.1} %", share * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::percent_of;

    #[test]
    fn an_efficiency_has_a_decimal() {
        assert_eq!(percent_of(0.98), "98.0 %");
    }
}
