//! `cpb scale`: what many did at once, and what keeps them from more.

mod words;

use crate::document::{Case, Document, Outcome};
use crate::views::header;
use cpb_model::{Axis, Crowd, Figure, Parameters, Run, Scaling};
use cpb_report::number::{bytes, counted, estimate, five_digits, grouped, half_width, significant};
use cpb_report::{Cell, Column, Libraries, Rows, Section, Style, Table, WriteError, write_json};
use std::io::Write;

/// What many did at once, as what `command` found.
pub(crate) struct ScaleDocument<'a> {
    pub(crate) command: &'static str,
    pub(crate) run: &'a Run,
    /// What stands above it.
    pub(crate) title: Option<Cell>,
}

impl Document for ScaleDocument<'_> {
    fn command(&self) -> &'static str {
        self.command
    }

    fn sections(&self) -> Vec<Section> {
        let libraries = Libraries::of(self.run);
        let before = self.title.iter().cloned().chain(header::lines(self.run)).collect();
        let table = table(self.run, &libraries);
        let after = legend().into_iter().chain(libraries.lines(false)).collect();
        vec![Section { before, table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        let heading = COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
        let rows = self.run.scaling.iter().flat_map(|row| {
            let none = row.crowds.is_empty().then_some((row, None));
            row.crowds.iter().map(move |crowd| (row, Some(crowd))).chain(none)
        });
        Rows::new(heading, rows.map(|row| COLUMNS.iter().map(|(_, cell)| cell(row)).collect()))
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        write_json(output, self.run)
    }

    fn cases(&self) -> Vec<Case> {
        let case = |row: &Scaling| {
            let of_crowd = row.crowds.iter().find_map(|crowd| crowd.failure.as_ref());
            let failure = row.failure.as_ref().or(of_crowd).map(|failure| failure.reason.clone());
            Case {
                name: format!("{}, {}", title(row), row.subject.library),
                outcome: if failure.is_some() { Outcome::Unknown } else { Outcome::Passed },
                words: failure.unwrap_or_else(|| words::of(row)),
            }
        };
        self.run.scaling.iter().map(case).collect()
    }
}

fn table(run: &Run, libraries: &Libraries) -> Table {
    let costs_by_byte = |row: &Scaling| row.subject.axis() == Axis::Bytes;
    let has_bytes = run.scaling.iter().any(costs_by_byte);
    let mut table = Table::new(columns(has_bytes));
    for row in &run.scaling {
        table.blank();
        let library = libraries.short_name(&row.subject.library);
        table.title(format!("{} · {library} {}", title(row), row.subject.backend));
        if let Some(failure) = &row.failure {
            table.note(Vec::new(), Cell::new(failure.reason.as_str(), Style::Bad));
            continue;
        }
        row.crowds.iter().for_each(|crowd| add(&mut table, row, crowd, has_bytes));
        table.note(Vec::new(), Cell::new(words::of(row), words::style(row)));
    }
    table
}

fn columns(has_bytes: bool) -> Vec<Column> {
    let right = |heading: &str, rank| Column::right(heading).rank(rank);
    let mut columns = vec![Column::left("at once"), right("calls/s", 0)];
    columns.extend(has_bytes.then(|| right("MB/s", 3)));
    columns.extend([
        right("efficiency", 0),
        right("±", 1),
        right("c/call", 0),
        right("×", 0),
        right("GHz", 4),
        right("slowest", 5),
        right("quiet", 3),
        right("kernel", 0),
        right("blocked", 0),
        right("waiting", 2),
    ]);
    columns
}

fn add(table: &mut Table, row: &Scaling, crowd: &Crowd, has_bytes: bool) {
    let name = Cell::from(at_once(crowd));
    if let Some(failure) = &crowd.failure {
        table.note(vec![name], Cell::new(failure.reason.as_str(), Style::Bad));
        return;
    }
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let time = crowd.time;
    let against_one = crowd.efficiency.filter(|_| crowd.all() > 1);
    let slower = crowd.slowdown.filter(|_| crowd.all() > 1);
    let share = |share: Option<f64>| Cell::from(or_dash(share.map(percent)));
    let mut cells = vec![name, Cell::new(or_dash(crowd.calls_per_second.map(rate)), Style::Strong)];
    let megabytes = || bytes_per_second(row, crowd).map(|rate| five_digits(rate / 1e6));
    cells.extend(has_bytes.then(|| Cell::from(or_dash(megabytes()))));
    cells.extend([
        Cell::new(or_dash(crowd.efficiency.map(|it| percent(it.estimate))), Style::Strong),
        Cell::new(or_dash(against_one.map(half_width)), Style::Faint),
        or_dash(crowd.cycles_per_call.map(estimate)).into(),
        or_dash(slower.map(|it| format!("{:.2}", it.estimate))).into(),
        or_dash(crowd.core_hertz.map(|hertz| significant(hertz / 1e9, 4))).into(),
        share(crowd.slowest),
        format!("{}/{}", crowd.quiet_rounds, crowd.rounds.len()).into(),
        share(time.map(|time| time.kernel)),
        share(time.and_then(|time| time.blocked)),
        share(time.and_then(|time| time.waiting)),
    ]);
    table.row(cells);
}

/// `2 threads`, `2 processes`.
fn at_once(crowd: &Crowd) -> String {
    match crowd.processes {
        1 if crowd.others != 0 => format!("1 beside {}", crowd.others),
        1 => counted(crowd.threads, "thread"),
        many => format!("{many} processes"),
    }
}

/// What is done, at which length.
fn title(row: &Scaling) -> String {
    let length = match row.parameters {
        Parameters { iterations: Some(iterations), .. } => format!(", {iterations} iterations"),
        Parameters { message_bytes: 0, .. } => String::new(),
        Parameters { message_bytes, .. } => format!(", {}", bytes(message_bytes)),
    };
    let workload = row.workload();
    let words: String = workload.beside().iter().map(|it| format!(", {it}")).collect();
    let keys = if row.shares_keys { ", shared keys" } else { "" };
    let beside = row.beside.as_ref().map(|what| format!(", beside {what}")).unwrap_or_default();
    format!("{} ({}{length}{words}{keys}{beside})", workload.primitive, workload.operation.name())
}

/// A rate in whole calls where it has many.
fn rate(figure: Figure) -> String {
    const MANY: f64 = 10_000.0;
    match figure.estimate {
        many if many >= MANY => grouped(many.round() as u64),
        few => five_digits(few),
    }
}

fn bytes_per_second(row: &Scaling, crowd: &Crowd) -> Option<f64> {
    let costs_by_byte = row.subject.axis() == Axis::Bytes;
    let rate = crowd.calls_per_second.filter(|_| costs_by_byte)?;
    Some(rate.estimate * row.parameters.message_bytes as f64)
}

/// A share with one decimal: differences between large ones are what counts.
fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn legend() -> Vec<Cell> {
    let text = "calls/s: of all together · efficiency: against one thread alone on each CPU that \
                they can have, ± its 95 % interval\nc/call: core cycles that pass during a call, \
                waiting in it included; ×: against one thread \
                alone · slowest: its calls against the mean of all threads\nquiet: rounds beside no \
                neighbour, of which figures are where they are four or more\n\
                kernel, blocked, waiting: share of the threads' time in the kernel, asleep, and \
                ready without a CPU";
    text.lines().map(|line| Cell::new(line, Style::Faint)).collect()
}

type Cells<'a> = (&'a Scaling, Option<&'a Crowd>);
/// A column's name, and what of a row stands in it.
type Named = (&'static str, fn(Cells<'_>) -> String);

/// The columns of the CSV.
const COLUMNS: [Named; 37] = [
    ("primitive", |(row, _)| row.subject.primitive.clone()),
    ("operation", |(row, _)| row.subject.operation.name().to_owned()),
    ("library", |(row, _)| row.subject.library.clone()),
    ("backend", |(row, _)| row.subject.backend.clone()),
    ("contract", |(row, _)| row.contract.name().to_owned()),
    ("message_bytes", |(row, _)| row.parameters.message_bytes.to_string()),
    ("shares_keys", |(row, _)| row.shares_keys.to_string()),
    ("processes", |(_, crowd)| text(crowd, |it| Some(it.processes.to_string()))),
    ("threads", |(_, crowd)| text(crowd, |it| Some(it.threads.to_string()))),
    ("calls_per_second", |(_, crowd)| number(crowd, |it| middle(it.calls_per_second))),
    ("calls_per_second_low", |(_, crowd)| number(crowd, |it| low(it.calls_per_second))),
    ("calls_per_second_high", |(_, crowd)| number(crowd, |it| high(it.calls_per_second))),
    ("bytes_per_second", |(row, crowd)| {
        digits(crowd.and_then(|crowd| bytes_per_second(row, crowd)))
    }),
    ("efficiency", |(_, crowd)| number(crowd, |it| middle(it.efficiency))),
    ("efficiency_low", |(_, crowd)| number(crowd, |it| low(it.efficiency))),
    ("efficiency_high", |(_, crowd)| number(crowd, |it| high(it.efficiency))),
    ("cycles_per_call", |(_, crowd)| number(crowd, |it| middle(it.cycles_per_call))),
    ("core_ghz", |(_, crowd)| number(crowd, |it| it.core_hertz.map(|hertz| hertz / 1e9))),
    ("slowest", |(_, crowd)| number(crowd, |it| it.slowest)),
    ("user", |(_, crowd)| number(crowd, |it| it.time.map(|time| time.user))),
    ("kernel", |(_, crowd)| number(crowd, |it| it.time.map(|time| time.kernel))),
    ("waiting", |(_, crowd)| number(crowd, |it| it.time?.waiting)),
    ("blocked", |(_, crowd)| number(crowd, |it| it.time?.blocked)),
    ("probe_cycles", |(_, crowd)| number(crowd, |it| it.probe_cycles)),
    ("rounds", |(_, crowd)| text(crowd, |it| Some(it.rounds.len().to_string()))),
    ("stops_at", |(row, _)| {
        let stops_at = row.verdict.as_ref().and_then(|verdict| verdict.stops_at);
        stops_at.map(|count| count.to_string()).unwrap_or_default()
    }),
    ("causes", |(row, _)| words::causes(row)),
    ("others", |(_, crowd)| text(crowd, |it| Some(it.others.to_string()))),
    ("beside", |(row, _)| row.beside.clone().unwrap_or_default()),
    ("verified", |(row, _)| {
        row.verification.as_ref().map(|how| how.name().to_owned()).unwrap_or_default()
    }),
    ("error", |(row, crowd)| {
        let failure = row.failure.as_ref().or_else(|| crowd?.failure.as_ref());
        failure.map(|failure| failure.reason.clone()).unwrap_or_default()
    }),
    ("slowdown", |(_, crowd)| number(crowd, |it| middle(it.slowdown))),
    ("slowdown_low", |(_, crowd)| number(crowd, |it| low(it.slowdown))),
    ("slowdown_high", |(_, crowd)| number(crowd, |it| high(it.slowdown))),
    ("quiet_rounds", |(_, crowd)| text(crowd, |it| Some(it.quiet_rounds.to_string()))),
    ("told_by", |(row, _)| {
        row.verdict.as_ref().map(|verdict| verdict.told_by.name().to_owned()).unwrap_or_default()
    }),
    ("workload", |(row, _)| row.workload().to_string()),
];

fn text(crowd: Option<&Crowd>, of: fn(&Crowd) -> Option<String>) -> String {
    crowd.and_then(of).unwrap_or_default()
}

fn number(crowd: Option<&Crowd>, of: fn(&Crowd) -> Option<f64>) -> String {
    digits(crowd.and_then(of))
}

fn digits(value: Option<f64>) -> String {
    value.map(five_digits).unwrap_or_default()
}

fn middle(figure: Option<Figure>) -> Option<f64> {
    figure.map(|figure| figure.estimate)
}

fn low(figure: Option<Figure>) -> Option<f64> {
    Some(figure?.interval?.low)
}

fn high(figure: Option<Figure>) -> Option<f64> {
    Some(figure?.interval?.high)
}
