//! Defines the fields of a run's rows.

use super::visible_columns::VisibleColumns;
use crate::labels::backend;
use crate::number::{bytes, digits, estimate, factor, half_width, rate, significant};
use crate::{Cell, Fields, Libraries, Style, left, right};
use cpb_figures::{Group, Ranked, RowFlag, Standing, Unit, per_byte};
use cpb_model::{Axis, Caches, Figure, Line as Fit, Point, Record, Run, Security, Subject};

/// A row: over all lengths in tables, at a single length in data.
#[derive(Clone)]
pub(super) struct Line<'a> {
    pub(super) row: Ranked<'a>,
    /// Its ranks at the lengths that have columns.
    at: Vec<Standing>,
    run: &'a Run,
    library: String,
    version: &'a str,
    unit: Unit,
    factor: Option<f64>,
    /// The point; `None` if the row failed.
    point: Option<&'a Point>,
}

impl<'a> Line<'a> {
    pub(super) fn of(
        run: &'a Run,
        group: &Group<'a>,
        row: &Ranked<'a>,
        libraries: &Libraries<'a>,
    ) -> Self {
        let label = &row.record.subject.library;
        Self {
            row: *row,
            at: Vec::new(),
            run,
            library: libraries.short_name(label),
            version: libraries.version(label).unwrap_or_default(),
            unit: group.unit,
            factor: group.factor(row),
            point: None,
        }
    }

    pub(super) fn with_standings(self, at: Vec<Standing>) -> Self {
        Self { at, ..self }
    }

    /// Iterates over the row at each length, or once if it failed.
    pub(super) fn points(self) -> impl Iterator<Item = Self> {
        let record = self.row.record;
        let points = record.points.iter().filter(|_| record.failure.is_none()).map(Some);
        let failed = record.failure.as_ref().map(|_| None);
        failed.into_iter().chain(points).map(move |point| Self { point, ..self.clone() })
    }

    fn fit(&self) -> Option<&'a Fit> {
        self.point.and(self.row.record.line.as_ref())
    }

    fn state(&self) -> &'static str {
        self.point.map_or("failed", |point| point.cycles_per_call.state())
    }

    fn state_of_fit(&self, figure: fn(&Fit) -> Option<Figure>) -> &'static str {
        let of_fit = |fit| figure(fit).map_or("", Figure::state);
        self.point.map_or("failed", |_| self.fit().map_or("", of_fit))
    }

    /// Returns the mark of a figure that is less precise than requested.
    fn rough(&self, figure: Figure) -> &'static str {
        let width = figure.relative_half_width().unwrap_or(f64::INFINITY);
        let is_rough = self.run.precision.is_some_and(|asked| width > asked);
        if is_rough && !figure.upper_bound { "~" } else { "" }
    }
}

/// Returns the columns, with the order in which narrow tables drop them.
pub(super) fn fields<'a>(shown: &VisibleColumns<'a>) -> Fields<'a, Line<'a>> {
    let VisibleColumns { sizes, by, across, .. } = *shown;
    let (others, has_slope) = (shown.others(), across.is_none());
    let last = others.len().saturating_sub(1);
    let length = |place: usize, size: usize| match shown.asked {
        true => right(bytes(size)).asked(),
        false => right(bytes(size)).asked().rank(if [0, last].contains(&place) { 1 } else { 2 }),
    };
    let shortest = sizes.first().map_or_else(String::new, |&size| format!(" {}", bytes(size)));
    Fields::<Line>::new()
        .ordered(
            "primitive operation library version backend contract message_bytes iterations \
             output_bytes cycles_per_byte cycles_per_call cycles_per_call_low \
             cycles_per_call_high nanoseconds_per_call slope_cycles_per_byte intercept_cycles \
             rounds samples counter verified state slope_state error nanoseconds_state \
             intercept_state slope_low slope_high intercept_low intercept_high standing factor \
             row_state calls_per_second independent_cycles_per_call independent_low \
             independent_high dependent_cycles_per_call dependent_low dependent_high caches \
             no_dependence security workload setup",
        )
        .data_only("standing", |it| it.row.standing.name())
        .shown_as(left("").style(Style::Good), |it| it.row.standing.mark())
        .data_only("primitive", |it| it.row.record.subject.primitive.clone())
        .when(across.is_some(), |fields| {
            fields.shown_as(left("primitive"), |it| it.row.record.workload.primitive.clone())
        })
        .data_only("library", |it| it.row.record.subject.library.clone())
        .shown_as(left("library"), |it| it.library.clone())
        .data_only("backend", |it| it.row.record.subject.backend.clone())
        .shown_as(left("backend").rank(across.map_or(0, |_| 1)), |it| {
            backend_cell(&it.row.record.subject)
        })
        .naming()
        .table_only(right(shown.first.as_str()), move |it| headline(it, by))
        .table_only(right("±").style(Style::Faint), |it| it.row.figure.map(half_width))
        .data_only("factor", |it| Some(format!("{:.4}", it.factor?)))
        .shown_as(right("×"), |it| Some(factor(it.factor?, it.row.figure?.upper_bound)))
        .each(others.into_iter().enumerate(), |fields, (place, size)| {
            fields.table_only(length(place, size), move |it| at_length(it, size, it.at[place]))
        })
        .data_only("slope_cycles_per_byte slope_low slope_high", |it| {
            Some(it.fit()?.cycles_per_byte)
        })
        .when(by.is_some(), |fields| fields.shown_as(right("c/B").rank(2), slope))
        .data_only("cycles_per_call cycles_per_call_low cycles_per_call_high", |it| {
            Some(it.point?.cycles_per_call)
        })
        .when(shown.lengths, |fields| {
            let column = right(format!("c/call{shortest}")).rank(3);
            fields.shown_as(column, |it| short_call(it.row.record, sizes))
        })
        .data_only("intercept_cycles intercept_low intercept_high", |it| it.fit()?.cycles_per_call)
        .when(shown.lengths, |fields| {
            fields.shown_as(right("intercept").rank(6), |it| {
                let [value, half] = intercept(it.row.record.line.as_ref()?.cycles_per_call?)?;
                Some(format!("{value} ±{half}"))
            })
        })
        .when(shown.bytes, |fields| {
            fields.table_only(right("GB/s").rank(4), |it| rate_of_bytes(it.row.record, sizes))
        })
        .data_only("nanoseconds_per_call", |it| Some(it.point?.nanoseconds_per_call))
        .when(shown.calls, |fields| fields.shown_as(right("ns/call").rank(3), time_of_call))
        .data_only("calls_per_second", |it| it.point.map(calls_per_second))
        .when(shown.calls, |fields| fields.shown_as(right("calls/s").rank(4), rate_of_calls))
        .data_only("security", |it| it.row.record.subject.security.map(Security::name))
        .when(shown.security, |fields| {
            fields.shown_as(left("security").rank(7), |it| {
                it.row.record.subject.security.map(Security::name)
            })
        })
        .data_only("row_state", |it| RowFlag::describe(it.row.record))
        .shown_as(left("state"), move |it| state(it.row.record, has_slope))
        .data_only("operation", |it| it.row.record.subject.operation.name())
        .data_only("version", |it| it.version.to_owned())
        .data_only("contract", |it| it.row.record.workload.contract.name())
        .data_only("message_bytes", |it| Some(it.point?.parameters.message_bytes))
        .data_only("iterations", |it| it.point?.parameters.iterations)
        .data_only("output_bytes", |it| it.point?.parameters.output_bytes)
        .data_only("cycles_per_byte", |it| {
            let point = it.point.filter(|point| point.parameters.message_bytes != 0)?;
            let is_by_bytes = it.row.record.subject.axis() == Axis::Bytes;
            is_by_bytes.then(|| per_byte(point).estimate)
        })
        .data_only("rounds", |it| Some(it.point?.rounds))
        .data_only("samples", |it| Some(it.point?.samples))
        .data_only("counter", |it| Some(it.run.clock.as_ref()?.name.clone()))
        .data_only("verified", |it| Some(it.row.record.verification.as_ref()?.name()))
        .data_only("state", Line::state)
        .data_only("slope_state", |it| it.state_of_fit(|fit| Some(fit.cycles_per_byte)))
        .data_only("error", |it| Some(it.row.record.failure.as_ref()?.reason.clone()))
        .data_only("nanoseconds_state", Line::state)
        .data_only("intercept_state", |it| it.state_of_fit(|fit| fit.cycles_per_call))
        .data_only("independent_cycles_per_call independent_low independent_high", |it| {
            Some(it.point?.one_by_one.as_ref()?.independent.cycles_per_call)
        })
        .data_only("dependent_cycles_per_call dependent_low dependent_high", |it| {
            Some(it.point?.one_by_one.as_ref()?.dependent.cycles_per_call)
        })
        .data_only("caches", |it| Some(it.point?.parameters.caches.name()))
        .data_only("no_dependence", |it| it.row.record.no_dependence.clone())
        .data_only("workload", |it| it.row.record.workload.to_string())
        .data_only("setup", |it| it.row.record.setup.modifiers().join(", "))
}

/// Returns the backend's cell; in narrow tables, `*` marks the library's own choice.
fn backend_cell(subject: &Subject) -> Cell {
    let cell = Cell::from(backend(subject));
    match subject.default_backend && subject.backend != "default" {
        true => cell.or(format!("{}*", cpb_model::harmless(&subject.backend))),
        false => cell,
    }
}

/// Returns the row's headline figure, marked if it is less precise than requested; if others are
/// ranked `by` a length, a figure in another unit moves to that unit's column.
fn headline(line: &Line, by: Option<usize>) -> Option<Cell> {
    if VisibleColumns::other_unit(by, line.unit).is_some() {
        return Some("–".into());
    }
    let Ranked { figure, standing, record, .. } = line.row;
    let figure = figure?;
    let strong = if standing == Standing::Best { Style::Good } else { Style::Strong };
    let rough = if record.precise == Some(false) { line.rough(figure) } else { "" };
    Some(Cell::new(format!("{rough}{}", estimate(figure)), strong))
}

/// Returns the cost per byte of long messages, if rows are ranked by something else.
fn slope(line: &Line) -> Option<String> {
    let record = line.row.record;
    let fit = record.line.as_ref().filter(|_| record.subject.axis() == Axis::Bytes)?;
    Some(format!("{}{}", line.rough(fit.cycles_per_byte), estimate(fit.cycles_per_byte)))
}

/// Returns the cost per byte at a message length, or of the call if caches are evicted before it,
/// marked if it is less precise than requested.
fn at_length(line: &Line, size: usize, standing: Standing) -> Option<Cell> {
    let point = at(line.row.record, size)?;
    let is_alone = point.parameters.caches == Caches::Evicted;
    let figure = if is_alone { point.cycles_per_call } else { per_byte(point) };
    let text = format!("{}{}", line.rough(figure), estimate(figure));
    Some(match (standing, line.rough(figure)) {
        (Standing::Best, _) => Cell::new(format!("★{text}"), Style::Good),
        (_, "") => text.into(),
        _ => Cell::new(text, Style::Faint),
    })
}

/// Returns the point at a length; `None` if the cost does not depend on a length.
fn at(record: &Record, size: usize) -> Option<&Point> {
    let mut points = record.points.iter().filter(|_| record.subject.axis() == Axis::Bytes);
    points.find(|point| point.parameters.message_bytes == size)
}

/// Returns the cost of a short call.
fn short_call(record: &Record, sizes: &[usize]) -> Option<Figure> {
    let shortest = sizes.first().and_then(|&size| at(record, size));
    let only = record.points.first().filter(|_| record.points.len() == 1);
    shortest.or(only).map(|point| point.cycles_per_call)
}

/// Returns the rate of the longest message, in GB/s.
fn rate_of_bytes(record: &Record, sizes: &[usize]) -> Option<String> {
    let longest = at(record, *sizes.last()?)?;
    let gigabytes = longest.parameters.message_bytes as f64 / longest.nanoseconds_per_call;
    Some(rate(gigabytes, digits_of_rate(longest), longest.cycles_per_call.upper_bound))
}

/// Returns the time of a call, if calls are what is measured.
fn time_of_call(line: &Line) -> Option<String> {
    let point = of_calls(line.row.record)?;
    let time = significant(point.nanoseconds_per_call, digits_of_rate(point));
    Some(if point.cycles_per_call.upper_bound { format!("≤ {time}") } else { time })
}

/// Returns the calls per second, if calls are what is measured.
fn rate_of_calls(line: &Line) -> Option<String> {
    let point = of_calls(line.row.record)?;
    let is_bound = point.cycles_per_call.upper_bound;
    Some(rate(calls_per_second(point), digits_of_rate(point), is_bound))
}

fn of_calls(record: &Record) -> Option<&Point> {
    record.points.last().filter(|_| record.subject.axis() == Axis::Calls)
}

fn calls_per_second(point: &Point) -> f64 {
    1e9 / point.nanoseconds_per_call
}

/// Returns the digits of a rate: those of the cycles, but at most four, because the clock's rate is
/// not more precise.
fn digits_of_rate(point: &Point) -> usize {
    digits(point.cycles_per_call).min(4)
}

/// Returns the flags of a row. Imprecision is marked in its own column, which may be missing, and a
/// misfit does not matter if no figure is a slope.
pub(super) fn states(record: &Record, has_slope: bool) -> Vec<RowFlag> {
    let is_said =
        |it: &RowFlag| *it != RowFlag::NotPrecise && (has_slope || *it != RowFlag::NotLinear);
    RowFlag::of(record).into_iter().filter(is_said).collect()
}

/// Returns the flags as a cell. Unproven quiet applies to all rows, and is stated above the table.
fn state(record: &Record, has_slope: bool) -> Cell {
    match states(record, has_slope)[..] {
        [] => Cell::new("✓", Style::Good),
        [RowFlag::QuietUnproven] => Cell::new("✓?", Style::Caution),
        ref states => {
            let words: Vec<&str> = states.iter().map(|state| state.name()).collect();
            Cell::new(words.join("; "), Style::Caution)
        }
    }
}

/// Returns the intercept of the fitted line in cycles, and half its interval; `None` if the
/// interval contains 0, or there is none.
pub fn intercept(figure: Figure) -> Option<[String; 2]> {
    let interval = figure.interval.filter(|it| it.low > 0.0 || it.high < 0.0)?;
    let half = (interval.high - interval.low) / 2.0;
    Some([estimate(figure), significant(half, 2)])
}
