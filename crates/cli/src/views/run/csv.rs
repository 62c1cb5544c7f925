//! The rows of a run as CSV: one for each row and message length.

use super::calls_per_second;
use crate::order::Order;
use cpb_figures::{Standing, State, per_byte};
use cpb_model::{Axis, Cost, Figure, Line, Point, Record, Run, Security, SerialCalls};
use cpb_report::number::five_digits;
use cpb_report::{Libraries, Rows};

/// A message length of a row, or one that failed.
struct Measured<'a> {
    run: &'a Run,
    version: &'a str,
    standing: Standing,
    factor: Option<f64>,
    record: &'a Record,
    point: Option<&'a Point>,
}

/// In the run's own order, with standings and factors by `order`.
pub(crate) fn rows(run: &Run, order: Order) -> Rows<'_> {
    let libraries = Libraries::of(run);
    let mut ranks = vec![(Standing::Alone, None); run.records.len()];
    for group in order.groups(&run.records) {
        for row in &group.rows {
            ranks[row.index] = (row.standing, group.factor(row));
        }
    }
    let records = run.records.iter().zip(ranks);
    let lines = records.flat_map(move |(record, (standing, factor))| {
        let version = libraries.version(&record.subject.library).unwrap_or_default();
        let failed = record.failure.is_some().then_some(None);
        let points = record.points.iter().map(Some).filter(move |_| failed.is_none());
        let of = move |point| Measured { run, version, standing, factor, record, point };
        failed.into_iter().chain(points).map(of)
    });
    Rows::of(COLUMNS, lines)
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&Measured<'_>) -> String);

const COLUMNS: [Field; 44] = [
    ("primitive", |it| it.record.subject.primitive.clone()),
    ("operation", |it| it.record.subject.operation.name().to_owned()),
    ("library", |it| it.record.subject.library.clone()),
    ("version", |it| it.version.to_owned()),
    ("backend", |it| it.record.subject.backend.clone()),
    ("contract", |it| it.record.workload.contract.name().to_owned()),
    ("message_bytes", |it| it.text(|point| Some(point.parameters.message_bytes))),
    ("iterations", |it| it.text(|point| point.parameters.iterations)),
    ("output_bytes", |it| it.text(|point| point.parameters.output_bytes)),
    ("cycles_per_byte", |it| match it.record.subject.axis() {
        Axis::Bytes => it.digits(|point| {
            (point.parameters.message_bytes != 0).then(|| per_byte(point).estimate)
        }),
        Axis::Iterations | Axis::Calls => String::new(),
    }),
    ("cycles_per_call", |it| it.digits(|point| Some(point.cycles_per_call.estimate))),
    ("cycles_per_call_low", |it| it.digits(|point| Some(point.cycles_per_call.interval?.low))),
    ("cycles_per_call_high", |it| it.digits(|point| Some(point.cycles_per_call.interval?.high))),
    ("nanoseconds_per_call", |it| it.digits(|point| Some(point.nanoseconds_per_call))),
    ("slope_cycles_per_byte", |it| it.of_line(|line| Some(line.cycles_per_byte.estimate))),
    ("intercept_cycles", |it| it.of_line(|line| Some(line.cycles_per_call?.estimate))),
    ("rounds", |it| it.text(|point| Some(point.rounds))),
    ("samples", |it| it.text(|point| Some(point.samples))),
    ("counter", |it| it.run.clock.as_ref().map(|clock| clock.name.clone()).unwrap_or_default()),
    ("verified", |it| it.record.verification.as_ref().map_or("", |how| how.name()).to_owned()),
    ("state", |it| it.state()),
    ("slope_state", |it| it.state_of_line(|line| Some(line.cycles_per_byte))),
    ("error", |it| {
        it.record.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default()
    }),
    ("nanoseconds_state", |it| it.state()),
    ("intercept_state", |it| it.state_of_line(|line| line.cycles_per_call)),
    ("slope_low", |it| it.of_line(|line| Some(line.cycles_per_byte.interval?.low))),
    ("slope_high", |it| it.of_line(|line| Some(line.cycles_per_byte.interval?.high))),
    ("intercept_low", |it| it.of_line(|line| Some(line.cycles_per_call?.interval?.low))),
    ("intercept_high", |it| it.of_line(|line| Some(line.cycles_per_call?.interval?.high))),
    ("standing", |it| it.standing.name().to_owned()),
    ("factor", |it| it.factor.map(|factor| format!("{factor:.4}")).unwrap_or_default()),
    ("row_state", |it| State::words(it.record)),
    ("calls_per_second", |it| it.digits(|point| Some(calls_per_second(point)))),
    ("independent_cycles_per_call", |it| it.of_cost(|it| &it.independent, middle)),
    ("independent_low", |it| it.of_cost(|it| &it.independent, low)),
    ("independent_high", |it| it.of_cost(|it| &it.independent, high)),
    ("dependent_cycles_per_call", |it| it.of_cost(|it| &it.dependent, middle)),
    ("dependent_low", |it| it.of_cost(|it| &it.dependent, low)),
    ("dependent_high", |it| it.of_cost(|it| &it.dependent, high)),
    ("caches", |it| it.text(|point| Some(point.parameters.caches.name()))),
    ("no_dependence", |it| it.record.no_dependence.clone().unwrap_or_default()),
    ("security", |it| it.record.subject.security.map_or("", Security::name).to_owned()),
    ("workload", |it| it.record.workload.to_string()),
    ("setup", |it| it.record.setup.words().join(", ")),
];

impl Measured<'_> {
    fn text<T: ToString>(&self, value: fn(&Point) -> Option<T>) -> String {
        self.point.and_then(value).map(|value| value.to_string()).unwrap_or_default()
    }

    fn digits(&self, value: fn(&Point) -> Option<f64>) -> String {
        self.point.and_then(value).map(five_digits).unwrap_or_default()
    }

    fn of_cost(&self, cost: fn(&SerialCalls) -> &Cost, end: fn(Figure) -> Option<f64>) -> String {
        let found = self.point.and_then(|point| point.one_by_one.as_ref());
        found.and_then(|it| end(cost(it).cycles_per_call)).map(five_digits).unwrap_or_default()
    }

    fn of_line(&self, value: fn(&Line) -> Option<f64>) -> String {
        let line = self.point.and(self.record.line.as_ref());
        line.and_then(value).map(five_digits).unwrap_or_default()
    }

    fn state(&self) -> String {
        self.point.map_or("failed", |point| point.cycles_per_call.state()).to_owned()
    }

    fn state_of_line(&self, figure: fn(&Line) -> Option<Figure>) -> String {
        match (self.point, &self.record.line) {
            (None, _) => "failed",
            (Some(_), Some(line)) => figure(line).map_or("", Figure::state),
            (Some(_), None) => "",
        }
        .to_owned()
    }
}

fn middle(figure: Figure) -> Option<f64> {
    Some(figure.estimate)
}

fn low(figure: Figure) -> Option<f64> {
    Some(figure.interval?.low)
}

fn high(figure: Figure) -> Option<f64> {
    Some(figure.interval?.high)
}
