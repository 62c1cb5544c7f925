//! A run: implementations ranked under each primitive.

mod across;
mod csv;
mod shown;

use self::shown::{Shown, columns};
use crate::document::Document;
use crate::order::Order;
use crate::views::{header, layout, one_by_one, sums};
use cpb_figures::{Group, Ranked, Standing, State, across, per_byte};
use cpb_model::{Axis, Caches, Figure, Point, Record, Run, Security, Subject, Workload};
use cpb_report::number::{digits, estimate, factor, half_width, rate, significant};
use cpb_report::{Cell, Libraries, Rows, Section, Style, Table, paths, resources};

pub(crate) use csv::rows;

/// A run, as what `command` found.
pub(crate) struct RunDocument<'a> {
    pub(crate) command: &'static str,
    pub(crate) run: &'a Run,
    /// Message lengths for which a rate is shown.
    pub(crate) sizes: &'a [usize],
    /// Whether somebody asked for these lengths: then none of them is left out.
    pub(crate) asked: bool,
    /// What rows are ranked by, and stand in the order of.
    pub(crate) order: Order,
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
        let mut groups = match self.across {
            Some(length) => across(records, length),
            None => self.order.groups(records),
        };
        let is_short = self.across.is_some() && !self.verbose;
        let left_out = is_short.then(|| across::keep_first(&mut groups)).flatten();
        let shown = groups.iter().flat_map(|group| &group.rows).map(|row| row.record);
        let (table, what) = match self.across {
            Some(length) => (
                across::table(self.run, &groups, length, &libraries),
                across::figures(&groups, length),
            ),
            None => {
                let shown = Shown::of(&groups, self);
                (self.table(&groups, &shown, &libraries), shown.words(self.run))
            }
        };
        let rows = Section {
            before: self.title.iter().cloned().chain(header::lines(self.run)).collect(),
            table,
            after: left_out
                .into_iter()
                .chain(layout::line(shown))
                .chain(legend(&groups, what, self.across.is_none()))
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
        rows(self.run, self.order)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }
}

impl RunDocument<'_> {
    fn table(&self, groups: &[Group], shown: &Shown, libraries: &Libraries) -> Table {
        let run = self.run;
        let sizes = shown.sizes;
        let others = shown.others();
        let mut table = Table::new(columns(shown));
        for group in groups {
            table.blank();
            let other_unit = shown.other_unit(group);
            table.title(title(group) + &other_unit);
            let best: Vec<Vec<Standing>> =
                others.iter().map(|&it| group.standings_at(it)).collect();
            for (place, row) in group.rows.iter().enumerate() {
                let library = libraries.short_name(&row.record.subject.library);
                let mark = Cell::new(row.standing.mark(), Style::Good);
                let name = vec![mark, library.into(), backend_cell(&row.record.subject)];
                if let Some(failure) = &row.record.failure {
                    table.note(name, Cell::new(failure.reason.as_str(), Style::Bad));
                    continue;
                }
                let at_sizes = others.iter().zip(&best);
                let at_sizes = at_sizes.map(|(&size, best)| at_length(run, row, size, best[place]));
                let mut costs = costs(run, group, row);
                if !other_unit.is_empty() {
                    // Its figure stands in the column of its own unit.
                    costs[0] = "–".into();
                }
                let mut cells = [name, costs, at_sizes.collect()].concat();
                cells.extend(shown.by.map(|_| slope(run, row)));
                cells.extend(shown.lengths.then(|| short_call(row, sizes)).into_iter().flatten());
                cells.extend(shown.bytes.then(|| rate_of_bytes(row, sizes)));
                cells.extend(shown.calls.then(|| rate_of_calls(row)).into_iter().flatten());
                cells.extend(shown.security.then(|| security(row.record)));
                cells.push(state(row.record, true));
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
    let beside: String = group.beside().iter().map(|it| format!(", {it}")).collect();
    format!("{primitive} ({}{unit}{beside})", operation.name())
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

/// The cost of a byte of a long message, where rows are ranked by another.
fn slope(run: &Run, row: &Ranked) -> Cell {
    let line = row.record.line.as_ref().filter(|_| row.record.subject.axis() == Axis::Bytes);
    let figure = line.map(|line| line.cycles_per_byte);
    let text =
        |figure| format!("{}{}", if is_rough(run, figure) { "~" } else { "" }, estimate(figure));
    figure.map(text).unwrap_or_default().into()
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

/// What there is to say of a row: what is not precise is marked in its own column, which may not be
/// there, and that a cost is not linear is of no matter where no figure is a slope.
fn states(record: &Record, has_slope: bool) -> Vec<State> {
    let is_said = |it: &State| *it != State::NotPrecise && (has_slope || *it != State::NotLinear);
    State::of(record).into_iter().filter(is_said).collect()
}

/// The same in a cell. That quiet is not proven holds for all rows, and stands over the table in words.
fn state(record: &Record, has_slope: bool) -> Cell {
    match states(record, has_slope)[..] {
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

/// What the columns are, and what those marks mean that are there.
fn legend(
    groups: &[Group],
    [figure, by_length, factor]: [String; 3],
    has_slope: bool,
) -> Vec<Cell> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let has_factor = groups.iter().any(|group| group.rows.len() > 1);
    let columns = [
        (true, figure.as_str()),
        (!by_length.is_empty(), by_length.as_str()),
        (rows().any(|row| row.figure.is_some()), "±: 95 % interval"),
        (has_factor, factor.as_str()),
    ];
    let columns = columns.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words);
    let parts: Vec<&str> = columns.chain(marks(groups, has_slope)).collect();
    vec![Cell::new(parts.join(" · "), Style::Faint)]
}

fn marks(groups: &[Group], has_slope: bool) -> Vec<&'static str> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let any = |is_so: &dyn Fn(&Record) -> bool| rows().any(|row| is_so(row.record));
    let stands = |standing| rows().any(|row| row.standing == standing);
    let has = |state| any(&|record| State::of(record).contains(&state));
    let is_open = |figure: Figure| figure.interval.is_none() && !figure.upper_bound;
    let all = [
        (stands(Standing::Best), "★ fastest"),
        (stands(Standing::Tied), "≈ tied"),
        (stands(Standing::Unknown), "? cannot be ranked"),
        (any(&|record| states(record, has_slope).is_empty()), "✓ verified"),
        (has(State::QuietUnproven), "✓? verified, quiet not proven"),
        (
            has_slope && has(State::NotLinear),
            "not linear: c/B of the two longest lengths, no intercept",
        ),
        (has(State::NotPrecise), "~ less precise than asked"),
        (any(&Record::is_bound), "≤ upper bound: the core was not quiet"),
        (rows().any(|it| it.figure.is_some_and(is_open)), "– too few processes for an interval"),
    ];
    all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, words)| words).collect()
}
