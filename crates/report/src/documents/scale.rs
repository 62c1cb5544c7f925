//! Makes the document of `cpb scale`: throughput of concurrent calls, and what limits it.

mod words;

use super::header;
use crate::failure;
use crate::number::{bytes, counted, five_digits, grouped, half_width, significant};
use crate::{Case, Document, Outcome};
use crate::{Cell, Fields, Libraries, Rows, Section, Style, Table, left, right};
use cpb_figures::scaling::Scaled;
use cpb_model::{Axis, Concurrent, Figure, Parameters, Record, Run, Setup, TimeShares};
use std::rc::Rc;
use words::percent;

/// Concurrent calls, as the result of `command`.
pub struct ScaleDocument<'a> {
    /// The command that measured or loaded them.
    pub command: &'static str,
    pub run: &'a Run,
    /// The heading above it.
    pub title: Option<Cell>,
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
        let rows = scaled(self.run).into_iter();
        let rows = rows.flat_map(|row| row.records.iter().map(move |it| (Rc::clone(&row), it)));
        fields(false).rows(rows)
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

fn scaled(run: &Run) -> Vec<Rc<Scaled<'_>>> {
    Scaled::of(&run.records, &run.host).into_iter().map(Rc::new).collect()
}

fn table(run: &Run, libraries: &Libraries) -> Table {
    let rows = scaled(run);
    let fields = fields(rows.iter().any(|row| costs_by_byte(row.first())));
    let mut table = fields.table();
    for row in &rows {
        table.blank();
        let subject = &row.first().subject;
        let library = libraries.short_name(&subject.library);
        table.title(format!("{} · {library} {}", title(row), subject.backend));
        if let Some(failure) = row.failure() {
            table.note(Vec::new(), Cell::new(failure.reason.as_str(), Style::Bad));
            continue;
        }
        for record in row.records {
            let is_known = record.concurrent.is_some();
            let failure = failure(record).or_else(|| (!is_known).then(Cell::default));
            fields.add(&mut table, &(Rc::clone(row), record), failure);
        }
        table.note(Vec::new(), Cell::new(words::of(row), words::style(row)));
    }
    table
}

fn costs_by_byte(record: &Record) -> bool {
    record.subject.axis() == Axis::Bytes
}

/// Returns the fields of a row: a number of threads or processes.
fn fields<'a>(has_bytes: bool) -> Fields<'a, (Rc<Scaled<'a>>, &'a Record)> {
    fn found<'a>(record: &&'a Record) -> Option<&'a Concurrent> {
        record.concurrent.as_ref()
    }
    fn time(record: &Record) -> Option<TimeShares> {
        record.concurrent.as_ref()?.time
    }
    let of_many = |it: &Record, figure: fn(&Concurrent) -> Option<Figure>| {
        figure(it.concurrent.as_ref()?).filter(|_| it.setup.all() > 1)
    };
    let number = |heading: &str, rank| right(heading).rank(rank).missing("–");
    Fields::<(Rc<Scaled>, &Record)>::new()
        .ordered(
            "primitive operation library backend contract message_bytes shares_keys processes \
             threads calls_per_second calls_per_second_low calls_per_second_high \
             bytes_per_second efficiency efficiency_low efficiency_high cycles_per_call core_ghz \
             slowest user kernel waiting blocked probe_cycles rounds stops_at causes others beside \
             verified error slowdown slowdown_low slowdown_high quiet_rounds told_by workload",
        )
        .table_only(left("at once"), |(_, it)| at_once(&it.setup))
        .naming()
        .field(
            "calls_per_second calls_per_second_low calls_per_second_high",
            number("calls/s", 0).style(Style::Strong).format(rate),
            |(_, it)| found(it)?.calls_per_second,
        )
        .data_only("bytes_per_second", |(_, it)| bytes_per_second(it))
        .when(has_bytes, |fields| {
            fields.table_only(number("MB/s", 3), |(_, it)| Some(bytes_per_second(it)? / 1e6))
        })
        .field(
            "efficiency efficiency_low efficiency_high",
            number("efficiency", 0).style(Style::Strong).format(percent),
            |(_, it)| found(it)?.efficiency,
        )
        .table_only(number("±", 1).style(Style::Faint), move |(_, it)| {
            of_many(it, |it| it.efficiency).map(half_width)
        })
        .data_only("cycles_per_call", |(_, it)| Some(cycles(it)?.estimate))
        .shown_as(number("c/call", 0), |(_, it)| cycles(it))
        .data_only("slowdown slowdown_low slowdown_high", |(_, it)| found(it)?.slowdown)
        .shown_as(number("×", 0).format(|it| format!("{it:.2}")), move |(_, it)| {
            of_many(it, |it| it.slowdown)
        })
        .field("core_ghz", number("GHz", 4).format(|it| significant(it, 4)), |(_, it)| {
            Some(found(it)?.core_hertz? / 1e9)
        })
        .field("slowest", number("slowest", 5).format(percent), |(_, it)| found(it)?.slowest)
        .data_only("quiet_rounds", |(_, it)| Some(found(it)?.quiet_rounds))
        .shown_as(number("quiet", 3), |(_, it)| {
            Some(format!("{}/{}", found(it)?.quiet_rounds, found(it)?.rounds.len()))
        })
        .field("kernel", number("kernel", 0).format(percent), |(_, it)| Some(time(it)?.kernel))
        .field("blocked", number("blocked", 0).format(percent), |(_, it)| time(it)?.blocked)
        .field("waiting", number("waiting", 2).format(percent), |(_, it)| time(it)?.waiting)
        .data_only("user", |(_, it)| Some(time(it)?.user))
        .data_only("primitive", |(_, it)| it.subject.primitive.clone())
        .data_only("operation", |(_, it)| it.subject.operation.name())
        .data_only("library", |(_, it)| it.subject.library.clone())
        .data_only("backend", |(_, it)| it.subject.backend.clone())
        .data_only("contract", |(_, it)| it.workload.contract.name())
        .data_only("message_bytes", |(_, it)| it.parameters().message_bytes)
        .data_only("shares_keys", |(_, it)| it.setup.shares_keys)
        .data_only("processes", |(_, it)| it.setup.processes)
        .data_only("threads", |(_, it)| it.setup.threads)
        .data_only("probe_cycles", |(_, it)| found(it)?.probe_cycles)
        .data_only("rounds", |(_, it)| Some(found(it)?.rounds.len()))
        .data_only("stops_at", |(row, _)| row.verdict.as_ref()?.stops_at)
        .data_only("causes", |(row, _)| words::causes(row))
        .data_only("others", |(_, it)| it.setup.others)
        .data_only("beside", |(row, _)| row.beside().map(str::to_owned))
        .data_only("verified", |(_, it)| Some(it.verification.as_ref()?.name()))
        .data_only("error", |(_, it)| Some(it.failure.as_ref()?.reason.clone()))
        .data_only("told_by", |(row, _)| Some(row.verdict.as_ref()?.told_by.name()))
        .data_only("workload", |(_, it)| it.workload.to_string())
}

/// Returns the cost of a call.
fn cycles(record: &Record) -> Option<Figure> {
    record.points.first().map(|point| point.cycles_per_call)
}

/// Formats `2 threads` or `2 processes`.
fn at_once(setup: &Setup) -> String {
    match setup.processes {
        1 if setup.others != 0 => format!("1 beside {}", setup.others),
        1 => counted(setup.threads, "thread"),
        many => format!("{many} processes"),
    }
}

/// Describes the work, with its length.
fn title(row: &Scaled) -> String {
    let Record { workload, setup, .. } = row.first();
    let length = match row.first().parameters() {
        Parameters { iterations: Some(iterations), .. } => format!(", {iterations} iterations"),
        Parameters { message_bytes: 0, .. } => String::new(),
        Parameters { message_bytes, .. } => format!(", {}", bytes(message_bytes)),
    };
    let words: String = workload.modifiers().iter().map(|it| format!(", {it}")).collect();
    let keys = if setup.shares_keys { ", shared keys" } else { "" };
    let beside = row.beside().map(|what| format!(", beside {what}")).unwrap_or_default();
    format!("{} ({}{length}{words}{keys}{beside})", workload.primitive, workload.operation.name())
}

/// Formats a rate, in whole calls if it is large.
fn rate(calls: f64) -> String {
    const MANY: f64 = 10_000.0;
    if calls >= MANY { grouped(calls.round() as u64) } else { five_digits(calls) }
}

fn bytes_per_second(record: &Record) -> Option<f64> {
    let rate = record.concurrent.as_ref()?.calls_per_second.filter(|_| costs_by_byte(record))?;
    Some(rate.estimate * record.parameters().message_bytes as f64)
}

/// Formats a share with one decimal, since differences between large shares matter.
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
