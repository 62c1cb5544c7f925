//! `cpb scale`: what many did at once, and what keeps them from more.

mod words;

use crate::document::{Case, Document, Outcome};
use crate::views::header;
use cpb_figures::scaling::Scaled;
use cpb_model::{Axis, Concurrent, Figure, Parameters, Record, Run, Setup};
use cpb_report::number::{bytes, counted, estimate, five_digits, grouped, half_width, significant};
use cpb_report::{Cell, Column, Libraries, Rows, Section, Style, Table, left, right};

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
        let rows = Scaled::of(&self.run.records, &self.run.host).into_iter().flat_map(|row| {
            let cells = |record| COLUMNS.iter().map(|(_, cell)| cell((&row, record))).collect();
            row.records.iter().map(cells).collect::<Vec<Vec<String>>>()
        });
        Rows::new(heading, rows)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }

    fn cases(&self) -> Vec<Case> {
        let case = |row: &Scaled| {
            let failure = row.records.iter().find_map(|record| record.failure.as_ref());
            let failure = failure.map(|failure| failure.reason.clone());
            Case {
                name: format!("{}, {}", title(row), row.first().subject.library),
                outcome: if failure.is_some() { Outcome::Unknown } else { Outcome::Passed },
                words: failure.unwrap_or_else(|| words::of(row)),
            }
        };
        Scaled::of(&self.run.records, &self.run.host).iter().map(case).collect()
    }
}

fn table(run: &Run, libraries: &Libraries) -> Table {
    let rows = Scaled::of(&run.records, &run.host);
    let has_bytes = rows.iter().any(|row| costs_by_byte(row.first()));
    let mut table = Table::new(columns(has_bytes));
    for row in &rows {
        table.blank();
        let subject = &row.first().subject;
        let library = libraries.short_name(&subject.library);
        table.title(format!("{} · {library} {}", title(row), subject.backend));
        if let Some(failure) = row.failure() {
            table.note(Vec::new(), Cell::new(failure.reason.as_str(), Style::Bad));
            continue;
        }
        row.records.iter().for_each(|record| add(&mut table, record, has_bytes));
        table.note(Vec::new(), Cell::new(words::of(row), words::style(row)));
    }
    table
}

fn costs_by_byte(record: &Record) -> bool {
    record.subject.axis() == Axis::Bytes
}

fn columns(has_bytes: bool) -> Vec<Column> {
    let right = |heading: &str, rank| right(heading).rank(rank);
    let mut columns = vec![left("at once"), right("calls/s", 0)];
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

fn add(table: &mut Table, record: &Record, has_bytes: bool) {
    let setup = &record.setup;
    let name = Cell::from(at_once(setup));
    let (found, failure) = (record.concurrent.as_ref(), record.failure.as_ref());
    let found = match (failure, found) {
        (None, Some(found)) => found,
        _ => {
            let reason = failure.map(|failure| failure.reason.as_str()).unwrap_or_default();
            table.note(vec![name], Cell::new(reason, Style::Bad));
            return;
        }
    };
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let time = found.time;
    let against_one = found.efficiency.filter(|_| setup.all() > 1);
    let slower = found.slowdown.filter(|_| setup.all() > 1);
    let share = |share: Option<f64>| Cell::from(or_dash(share.map(percent)));
    let mut cells = vec![name, Cell::new(or_dash(found.calls_per_second.map(rate)), Style::Strong)];
    let megabytes = || bytes_per_second(record).map(|rate| five_digits(rate / 1e6));
    cells.extend(has_bytes.then(|| Cell::from(or_dash(megabytes()))));
    cells.extend([
        Cell::new(or_dash(found.efficiency.map(|it| percent(it.estimate))), Style::Strong),
        Cell::new(or_dash(against_one.map(half_width)), Style::Faint),
        or_dash(cycles(record).map(estimate)).into(),
        or_dash(slower.map(|it| format!("{:.2}", it.estimate))).into(),
        or_dash(found.core_hertz.map(|hertz| significant(hertz / 1e9, 4))).into(),
        share(found.slowest),
        format!("{}/{}", found.quiet_rounds, found.rounds.len()).into(),
        share(time.map(|time| time.kernel)),
        share(time.and_then(|time| time.blocked)),
        share(time.and_then(|time| time.waiting)),
    ]);
    table.row(cells);
}

/// What a call costs.
fn cycles(record: &Record) -> Option<Figure> {
    record.points.first().map(|point| point.cycles_per_call)
}

/// `2 threads`, `2 processes`.
fn at_once(setup: &Setup) -> String {
    match setup.processes {
        1 if setup.others != 0 => format!("1 beside {}", setup.others),
        1 => counted(setup.threads, "thread"),
        many => format!("{many} processes"),
    }
}

/// What is done, at which length.
fn title(row: &Scaled) -> String {
    let Record { workload, setup, .. } = row.first();
    let length = match row.first().parameters() {
        Parameters { iterations: Some(iterations), .. } => format!(", {iterations} iterations"),
        Parameters { message_bytes: 0, .. } => String::new(),
        Parameters { message_bytes, .. } => format!(", {}", bytes(message_bytes)),
    };
    let words: String = workload.beside().iter().map(|it| format!(", {it}")).collect();
    let keys = if setup.shares_keys { ", shared keys" } else { "" };
    let beside = row.beside().map(|what| format!(", beside {what}")).unwrap_or_default();
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

fn bytes_per_second(record: &Record) -> Option<f64> {
    let rate = record.concurrent.as_ref()?.calls_per_second.filter(|_| costs_by_byte(record))?;
    Some(rate.estimate * record.parameters().message_bytes as f64)
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

type Cells<'a> = (&'a Scaled<'a>, &'a Record);
/// A column's name, and what of a row stands in it.
type Named = (&'static str, fn(Cells<'_>) -> String);

/// The columns of the CSV.
const COLUMNS: [Named; 37] = [
    ("primitive", |(_, it)| it.subject.primitive.clone()),
    ("operation", |(_, it)| it.subject.operation.name().to_owned()),
    ("library", |(_, it)| it.subject.library.clone()),
    ("backend", |(_, it)| it.subject.backend.clone()),
    ("contract", |(_, it)| it.workload.contract.name().to_owned()),
    ("message_bytes", |(_, it)| it.parameters().message_bytes.to_string()),
    ("shares_keys", |(_, it)| it.setup.shares_keys.to_string()),
    ("processes", |(_, it)| it.setup.processes.to_string()),
    ("threads", |(_, it)| it.setup.threads.to_string()),
    ("calls_per_second", |(_, it)| number(it, |it| middle(it.calls_per_second))),
    ("calls_per_second_low", |(_, it)| number(it, |it| low(it.calls_per_second))),
    ("calls_per_second_high", |(_, it)| number(it, |it| high(it.calls_per_second))),
    ("bytes_per_second", |(_, it)| digits(bytes_per_second(it))),
    ("efficiency", |(_, it)| number(it, |it| middle(it.efficiency))),
    ("efficiency_low", |(_, it)| number(it, |it| low(it.efficiency))),
    ("efficiency_high", |(_, it)| number(it, |it| high(it.efficiency))),
    ("cycles_per_call", |(_, it)| digits(middle(cycles(it)))),
    ("core_ghz", |(_, it)| number(it, |it| it.core_hertz.map(|hertz| hertz / 1e9))),
    ("slowest", |(_, it)| number(it, |it| it.slowest)),
    ("user", |(_, it)| number(it, |it| it.time.map(|time| time.user))),
    ("kernel", |(_, it)| number(it, |it| it.time.map(|time| time.kernel))),
    ("waiting", |(_, it)| number(it, |it| it.time?.waiting)),
    ("blocked", |(_, it)| number(it, |it| it.time?.blocked)),
    ("probe_cycles", |(_, it)| number(it, |it| it.probe_cycles)),
    ("rounds", |(_, it)| text(it, |it| it.rounds.len())),
    ("stops_at", |(row, _)| {
        let stops_at = row.verdict.as_ref().and_then(|verdict| verdict.stops_at);
        stops_at.map(|count| count.to_string()).unwrap_or_default()
    }),
    ("causes", |(row, _)| words::causes(row)),
    ("others", |(_, it)| it.setup.others.to_string()),
    ("beside", |(row, _)| row.beside().unwrap_or_default().to_owned()),
    ("verified", |(_, it)| {
        it.verification.as_ref().map(|how| how.name().to_owned()).unwrap_or_default()
    }),
    ("error", |(_, it)| {
        it.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default()
    }),
    ("slowdown", |(_, it)| number(it, |it| middle(it.slowdown))),
    ("slowdown_low", |(_, it)| number(it, |it| low(it.slowdown))),
    ("slowdown_high", |(_, it)| number(it, |it| high(it.slowdown))),
    ("quiet_rounds", |(_, it)| text(it, |it| it.quiet_rounds)),
    ("told_by", |(row, _)| {
        row.verdict.as_ref().map(|verdict| verdict.told_by.name().to_owned()).unwrap_or_default()
    }),
    ("workload", |(_, it)| it.workload.to_string()),
];

fn text(record: &Record, of: fn(&Concurrent) -> usize) -> String {
    record.concurrent.as_ref().map(|it| of(it).to_string()).unwrap_or_default()
}

fn number(record: &Record, of: fn(&Concurrent) -> Option<f64>) -> String {
    digits(record.concurrent.as_ref().and_then(of))
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
