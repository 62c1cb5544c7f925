//! A run: implementations ranked under each primitive.

mod across;
mod csv;

use crate::document::Document;
use crate::views::{header, layout, one_by_one, sums};
use cpb_figures::{Group, Ranked, Standing, State, across, groups, per_byte};
use cpb_model::{Axis, Caches, Figure, Point, Record, Run, Security, Subject, Workload};
use cpb_report::html::Source;
use cpb_report::number::{bytes, digits, estimate, factor, half_width, rate, significant};
use cpb_report::{
    Cell, Column, Libraries, Rows, Section, Style, Table, WriteError, paths, resources, write_json,
};
use std::io::Write;

pub(crate) use csv::rows;

/// A run, as what `command` found.
pub(crate) struct RunDocument<'a> {
    pub(crate) command: &'static str,
    pub(crate) run: &'a Run,
    /// Message lengths for which a rate is shown.
    pub(crate) sizes: &'a [usize],
    /// Whether somebody asked for these lengths: then none of them is left out.
    pub(crate) asked: bool,
    /// What stands above it.
    pub(crate) title: Option<Cell>,
    /// Rank all primitives of an operation together, by messages of so many bytes.
    pub(crate) across: Option<usize>,
    /// Say of each library what it says of itself, and its file.
    pub(crate) verbose: bool,
    /// Say what calls cost besides cycles, where that is known.
    pub(crate) resources: bool,
}

impl Document for RunDocument<'_> {
    fn command(&self) -> &'static str {
        self.command
    }

    fn sections(&self) -> Vec<Section> {
        let libraries = Libraries::of(self.run);
        let records = &self.run.records;
        let groups = self.across.map_or_else(|| groups(records), |length| across(records, length));
        let (table, what) = match self.across {
            Some(length) => (
                across::table(self.run, &groups, length, &libraries),
                across::figures(&groups, length),
            ),
            None => (self.table(&groups, &libraries), figures(self.run, &groups)),
        };
        let rows = Section {
            before: self.title.iter().cloned().chain(header::lines(self.run)).collect(),
            table,
            after: (layout::line(&self.run.records).into_iter())
                .chain(legend(&groups, what))
                .chain(libraries.lines(self.verbose))
                .collect(),
            ..Section::default()
        };
        let sums = sums::section(self.run, &libraries);
        let one_by_one = one_by_one::section(self.run, self.sizes, &libraries);
        let paths = paths::section(self.run, &libraries, self.verbose);
        let resources = || resources::section(self.run, &libraries);
        let resources = self.resources.then(resources).flatten();
        [Some(rows), one_by_one, paths, resources, sums].into_iter().flatten().collect()
    }

    fn rows(&self) -> Rows<'_> {
        rows(self.run)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        write_json(output, self.run)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: self.command, run: self.run }]
    }
}

impl RunDocument<'_> {
    fn table(&self, groups: &[Group], libraries: &Libraries) -> Table {
        let run = self.run;
        let shown = Shown::of(groups, self.sizes, self.asked);
        let sizes = shown.sizes;
        let mut table = Table::new(columns(&shown));
        for group in groups {
            table.blank();
            table.title(title(group));
            let best: Vec<Vec<Standing>> = sizes.iter().map(|&it| group.standings_at(it)).collect();
            for (place, row) in group.rows.iter().enumerate() {
                let library = libraries.short_name(&row.record.subject.library);
                let mark = Cell::new(row.standing.mark(), Style::Good);
                let name = vec![mark, library.into(), backend_cell(&row.record.subject)];
                if let Some(failure) = &row.record.failure {
                    table.note(name, Cell::new(failure.reason.as_str(), Style::Bad));
                    continue;
                }
                let at_sizes = sizes.iter().zip(&best);
                let at_sizes = at_sizes.map(|(&size, best)| at_length(run, row, size, best[place]));
                let mut cells = [name, costs(run, group, row), at_sizes.collect()].concat();
                cells.extend(shown.lengths.then(|| short_call(row, sizes)).into_iter().flatten());
                cells.extend(shown.bytes.then(|| rate_of_bytes(row, sizes)));
                cells.extend(shown.calls.then(|| rate_of_calls(row)).into_iter().flatten());
                cells.extend(shown.security.then(|| security(row.record)));
                cells.push(state(row.record));
                table.row(cells);
            }
        }
        table
    }
}

/// What is done, in which unit.
pub(super) fn title(group: &Group) -> String {
    let per_iteration = group.rows.iter().any(|row| row.record.line.is_some());
    let Workload { primitive, operation, caches, .. } = group.workload;
    let unit = match (operation.row().axis, per_iteration) {
        (Axis::Bytes, _) if *caches == Caches::Warm => "",
        (Axis::Iterations, true) => ", per iteration",
        _ => ", per call",
    };
    let beside: String = group.workload.beside().iter().map(|it| format!(", {it}")).collect();
    format!("{primitive} ({}{unit}{beside})", operation.name())
}

/// What rows have figures for: what none has one for has no column.
struct Shown<'a> {
    /// Message lengths, and whether somebody asked for these.
    sizes: &'a [usize],
    asked: bool,
    /// Whether some cost by the byte, some by length at all, and some by the call.
    bytes: bool,
    lengths: bool,
    calls: bool,
    /// Whether caches were emptied before each call, so that calls are what is told.
    evicted: bool,
    /// Whether anybody says if times depend on secrets.
    security: bool,
}

impl<'a> Shown<'a> {
    fn of(groups: &[Group], sizes: &'a [usize], asked: bool) -> Self {
        let has =
            |axis: Axis| groups.iter().any(|group| group.workload.operation.row().axis == axis);
        let (bytes, calls) = (has(Axis::Bytes), has(Axis::Calls));
        let sizes = if bytes { sizes } else { &[] };
        let evicted = groups.iter().any(|group| group.workload.caches == Caches::Evicted);
        let lengths = !evicted && (bytes || !calls || has(Axis::Iterations));
        let mut rows = groups.iter().flat_map(|group| &group.rows);
        let security = rows.any(|row| row.record.subject.security.is_some());
        Self { sizes, asked, bytes, lengths, calls, evicted, security }
    }
}

/// Where lines are narrow, what can be done without is left out first.
fn columns(shown: &Shown) -> Vec<Column> {
    let sizes = shown.sizes;
    let mut columns = vec![
        Column::left(""),
        Column::left("library"),
        Column::left("backend"),
        Column::right(if shown.evicted || shown.calls && !shown.bytes { "cycles" } else { "c/B" }),
        Column::right("±"),
        Column::right("×"),
    ];
    let last = sizes.len().saturating_sub(1);
    columns.extend(sizes.iter().enumerate().map(|(place, &size)| {
        let column = Column::right(bytes(size));
        match shown.asked {
            true => column.asked(),
            false => column.asked().rank(if place == 0 || place == last { 1 } else { 2 }),
        }
    }));
    let shortest = sizes.first().map_or_else(String::new, |&size| format!(" {}", bytes(size)));
    if shown.lengths {
        columns.push(Column::right(format!("c/call{shortest}")).rank(3));
        columns.push(Column::right("intercept").rank(6));
    }
    columns.extend(shown.bytes.then(|| Column::right("GB/s").rank(4)));
    if shown.calls {
        columns.push(Column::right("ns/call").rank(3));
        columns.push(Column::right("calls/s").rank(4));
    }
    columns.extend(shown.security.then(|| Column::left("security").rank(7)));
    columns.push(Column::left("state"));
    columns
}

pub(super) fn backend(subject: &Subject) -> String {
    match (subject.backend.as_str(), subject.default_backend) {
        ("default", _) => String::new(),
        (name, true) => format!("{name} (default)"),
        (name, false) => name.to_owned(),
    }
}

/// The same, with `*` for the library's own choice where there is little room.
fn backend_cell(subject: &Subject) -> Cell {
    let cell = Cell::from(backend(subject));
    match subject.default_backend && subject.backend != "default" {
        true => cell.or(format!("{}*", cpb_model::harmless(&subject.backend))),
        false => cell,
    }
}

/// The figure that stands for the row, marked where it is rougher than was asked, how well it is
/// known, and against the best.
fn costs(run: &Run, group: &Group, row: &Ranked) -> Vec<Cell> {
    let strong = if row.standing == Standing::Best { Style::Good } else { Style::Strong };
    let Some(figure) = row.figure else { return vec![Cell::default(); 3] };
    let factor = group.factor(row).map(|it| factor(it, figure.upper_bound));
    let rough = if row.record.precise == Some(false) && is_rough(run, figure) { "~" } else { "" };
    vec![
        Cell::new(format!("{rough}{}", estimate(figure)), strong),
        Cell::new(half_width(figure), Style::Faint),
        factor.unwrap_or_default().into(),
    ]
}

/// The cost of a byte at a message length, or, where caches are emptied before it, of the
/// call; one known less well than was asked is marked.
fn at_length(run: &Run, row: &Ranked, size: usize, standing: Standing) -> Cell {
    let Some(point) = at(row.record, size) else { return Cell::default() };
    let is_alone = point.parameters.caches == Caches::Evicted;
    let figure = if is_alone { point.cycles_per_call } else { per_byte(point) };
    let text = estimate(figure);
    match (standing, is_rough(run, figure)) {
        (Standing::Best, false) => Cell::new(format!("★{text}"), Style::Good),
        (Standing::Best, true) => Cell::new(format!("★~{text}"), Style::Good),
        (_, true) => Cell::new(format!("~{text}"), Style::Faint),
        (_, false) => text.into(),
    }
}

/// Whether it is known less well than was asked.
fn is_rough(run: &Run, figure: Figure) -> bool {
    let width = figure.relative_half_width().unwrap_or(f64::INFINITY);
    run.precision.is_some_and(|asked| width > asked) && !figure.upper_bound
}

/// Nothing where the cost is no function of a length.
fn at(record: &Record, size: usize) -> Option<&Point> {
    let mut points = record.points.iter().filter(|_| record.subject.axis() == Axis::Bytes);
    points.find(|point| point.parameters.message_bytes == size)
}

/// A short call, and the intercept.
fn short_call(row: &Ranked, sizes: &[usize]) -> [Cell; 2] {
    let record = row.record;
    let shortest = sizes.first().and_then(|&size| at(record, size));
    let only = record.points.first().filter(|_| record.points.len() == 1);
    let call = shortest.or(only).map(|point| estimate(point.cycles_per_call));
    let intercept = record.line.as_ref().and_then(|line| intercept(line.cycles_per_call?));
    let intercept = intercept.map(|[value, half]| format!("{value} ±{half}"));
    [call.unwrap_or_default().into(), intercept.unwrap_or_default().into()]
}

/// Of the longest message, in GB/s.
fn rate_of_bytes(row: &Ranked, sizes: &[usize]) -> Cell {
    let longest = sizes.last().and_then(|&size| at(row.record, size));
    let rate = longest.map(|point| {
        let gigabytes = point.parameters.message_bytes as f64 / point.nanoseconds_per_call;
        rate(gigabytes, digits_of_rate(point), point.cycles_per_call.upper_bound)
    });
    rate.unwrap_or_default().into()
}

/// How long a call takes, and how many a second has, where that is what is measured.
fn rate_of_calls(row: &Ranked) -> [Cell; 2] {
    let record = row.record;
    let point = record.points.last().filter(|_| record.subject.axis() == Axis::Calls);
    let Some(point) = point else { return [Cell::default(), Cell::default()] };
    let (digits, is_bound) = (digits_of_rate(point), point.cycles_per_call.upper_bound);
    let time = significant(point.nanoseconds_per_call, digits);
    let time = if is_bound { format!("≤ {time}") } else { time };
    [time.into(), rate(calls_per_second(point), digits, is_bound).into()]
}

fn calls_per_second(point: &Point) -> f64 {
    1e9 / point.nanoseconds_per_call
}

/// As many as the cycles have; the clock's rate is known to no more than four.
fn digits_of_rate(point: &Point) -> usize {
    digits(point.cycles_per_call).min(4)
}

fn security(record: &Record) -> Cell {
    record.subject.security.map_or("", Security::name).into()
}

/// What there is to say of a row. That quiet is not proven holds for all of them, and stands over the
/// table in words; what is not precise is marked in its own column, which may not be there.
fn state(record: &Record) -> Cell {
    let all = State::of(record).into_iter().filter(|state| *state != State::NotPrecise);
    match all.collect::<Vec<State>>()[..] {
        [] => Cell::new("✓", Style::Good),
        [State::QuietUnproven] => Cell::new("✓?", Style::Caution),
        ref states => {
            let words: Vec<&str> = states.iter().map(|state| state.name()).collect();
            Cell::new(words.join("; "), Style::Caution)
        }
    }
}

/// Cycles at length 0 by the fitted line, and half their interval; nothing where that
/// holds 0, or where there is none.
pub(crate) fn intercept(figure: Figure) -> Option<[String; 2]> {
    let interval = figure.interval.filter(|it| it.low > 0.0 || it.high < 0.0)?;
    let half = (interval.high - interval.low) / 2.0;
    Some([estimate(figure), significant(half, 2)])
}

/// What the first column of figures is, and those at each length.
fn figures(run: &Run, groups: &[Group]) -> [String; 2] {
    let has_axis = |axis: Axis| run.records.iter().any(|record| record.subject.axis() == axis);
    let by_calls = has_axis(Axis::Calls) && !has_axis(Axis::Bytes) && !has_axis(Axis::Iterations);
    let evicted = groups.iter().any(|group| group.workload.caches == Caches::Evicted);
    let words = match (by_calls, evicted) {
        (true, false) => ["cycles: of one call", ""],
        (_, true) => {
            ["cycles: of a call with the longest message, caches emptied", "lengths: the same"]
        }
        (false, false) => {
            ["c/B: cycles per byte of long messages", "at a length: of the whole call"]
        }
    };
    words.map(str::to_owned)
}

/// What the columns are, and what those marks mean that are there.
fn legend(groups: &[Group], [figure, by_length]: [String; 2]) -> Vec<Cell> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let has_factor = groups.iter().any(|group| group.rows.len() > 1);
    let columns = [
        (true, figure.as_str()),
        (!by_length.is_empty(), by_length.as_str()),
        (rows().any(|row| row.figure.is_some()), "±: 95 % interval"),
        (has_factor, "×: of the fastest"),
    ];
    let columns = columns.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words);
    let parts: Vec<&str> = columns.chain(marks(groups)).collect();
    vec![Cell::new(parts.join(" · "), Style::Faint)]
}

/// Whether all is well, but for how precise it is, which columns say.
fn is_fine(record: &Record) -> bool {
    State::of(record).iter().all(|state| *state == State::NotPrecise)
}

fn marks(groups: &[Group]) -> Vec<&'static str> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let any = |is_so: &dyn Fn(&Record) -> bool| rows().any(|row| is_so(row.record));
    let stands = |standing| rows().any(|row| row.standing == standing);
    let has = |state| any(&|record| State::of(record).contains(&state));
    let is_open = |figure: Figure| figure.interval.is_none() && !figure.upper_bound;
    let all = [
        (stands(Standing::Best), "★ fastest"),
        (stands(Standing::Tied), "≈ tied"),
        (stands(Standing::Unknown), "? cannot be ranked"),
        (any(&is_fine), "✓ verified"),
        (has(State::QuietUnproven), "✓? verified, quiet not proven"),
        (has(State::NotLinear), "not linear: c/B of the two longest lengths, no intercept"),
        (has(State::NotPrecise), "~ less precise than asked"),
        (any(&Record::is_bound), "≤ upper bound: the core was not quiet"),
        (rows().any(|it| it.figure.is_some_and(is_open)), "– too few processes for an interval"),
    ];
    all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words).collect()
}
