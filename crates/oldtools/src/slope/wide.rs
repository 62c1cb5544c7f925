//! Implements `cpb slope --wide`, which adds intercepts and intervals to bench-slopes.

use crate::slope::rows::{Figures, algorithm, group_name, is_of_key_pairs, mode};
use cpb_model::{Record, Run, Verification};
use cpb_report::number::{five_digits, half_width};
use cpb_report::{
    Cell, Document, Fields, Order, Rows, Section, Style, Table, failure, header, intercept, left,
    right, rows_of_run,
};

/// The slopes of a run.
pub struct Slopes<'a>(pub &'a Run);

impl Document for Slopes<'_> {
    fn command(&self) -> &'static str {
        "slope"
    }

    fn sections(&self) -> Vec<Section> {
        let (by_call, by_length): (Vec<&Record>, _) =
            self.0.records.iter().partition(|record| is_of_key_pairs(record));
        let mut sections = Vec::new();
        if !by_length.is_empty() || by_call.is_empty() {
            sections.push(Section::from(table(&by_length)));
        }
        if !by_call.is_empty() {
            sections.push(Section::from(calls(&by_call)));
        }
        sections[0].before = header(self.0);
        sections
    }

    fn rows(&self) -> Rows<'_> {
        rows_of_run(self.0, Order::Slope)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.0)
    }
}

fn table(records: &[&Record]) -> Table {
    let slope = |it: &Record| Some(it.line.as_ref()?.cycles_per_byte);
    let intercept = |it: &Record| it.line.as_ref()?.cycles_per_call.and_then(intercept);
    let faint = |rank| right("±").rank(rank).style(Style::Faint);
    let fields = named(3)
        .table_only(right("c/B").style(Style::Strong), move |it| slope(it))
        .table_only(faint(0), move |it| slope(it).map(half_width))
        .table_only(right("intercept").missing("–"), move |it| {
            intercept(it).map(|[value, _]| value)
        })
        .table_only(faint(4).missing("–"), move |it| intercept(it).map(|[_, half]| half))
        .table_only(right("ns/B").rank(2), |it| {
            Figures::of(it).map(|it| it.at_most(five_digits(it.nanoseconds)))
        })
        .table_only(right("MiB/s").rank(1), |it| {
            Figures::of(it).map(|it| it.at_least(five_digits(it.mebibytes_per_second)))
        })
        .table_only(left("verified"), |it| verified(it));
    filled(fields, records, |it| it.line.is_some(), "no slope")
}

/// Makes the table of operations with key pairs, which cost by the call.
fn calls(records: &[&Record]) -> Table {
    let cycles = |it: &Record| it.points.last().map(|point| point.cycles_per_call);
    let fields = named(2)
        .table_only(right("c/call").style(Style::Strong), move |it| cycles(it))
        .table_only(right("±").style(Style::Faint), move |it| cycles(it).map(half_width))
        .table_only(right("ns/call").rank(1), |it| {
            Figures::of(it).map(|it| it.at_most(five_digits(it.nanoseconds)))
        })
        .table_only(left("verified"), |it| verified(it));
    filled(fields, records, |it| !it.points.is_empty(), "no figure")
}

/// Returns a row for each of `records`, with the reason if it has no figures.
fn filled<'a>(
    fields: Fields<'a, &'a Record>,
    records: &[&'a Record],
    is_known: impl Fn(&Record) -> bool,
    lacks: &str,
) -> Table {
    fields.table_with_notes(records.iter().copied(), |record| {
        let is_known = Figures::of(record).is_some() && is_known(record);
        let reason = || failure(record).unwrap_or_else(|| Cell::new(lacks, Style::Bad));
        (!is_known).then(reason)
    })
}

/// Returns the fields with bench-slopes' names; narrow tables drop the group first.
fn named<'a>(rank: u8) -> Fields<'a, &'a Record> {
    Fields::<&Record>::new()
        .table_only(left("library"), |it| it.subject.library.clone())
        .table_only(left("group").rank(rank), |it| group_name(it).to_owned())
        .table_only(left("algorithm").style(Style::Strong), |it| algorithm(it).to_owned())
        .table_only(left("mode"), |it| mode(it).to_owned())
        .naming()
}

fn verified(record: &Record) -> Cell {
    match &record.verification {
        Some(Verification::Unverified { .. }) | None => Cell::new("unverified", Style::Caution),
        Some(verification) => verification.name().into(),
    }
}
