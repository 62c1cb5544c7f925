//! Which figures can be compared from run to run.

use cpb_figures::{Unit, stands_for};
use cpb_model::{
    Alignment, Axis, Caches, Contract, Figure, Fit, Line, Method, Operation, Parameters, Point,
    Record,
};

/// What figures of one kind are of: they differ in when, and by which
/// versions, they were measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Its number in the store.
    pub number: i64,
    /// The primitive's canonical name.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// The library's label.
    pub library: String,
    /// The library's own name for it.
    pub spelling: String,
    /// Which of the library's implementations.
    pub backend: String,
    /// What one timed call does, by name.
    pub contract: String,
    /// The lengths that the figure is of, in words: `1024 to 16384 B`.
    pub workload: String,
    /// The figure's unit, such as `c/B`.
    pub unit: String,
}

impl Series {
    /// Whether the figure of `record` belongs to it.
    #[must_use]
    pub fn is_of(&self, record: &Record) -> bool {
        let subject = &record.subject;
        let is_of_subject = self.primitive == subject.primitive
            && self.operation == subject.operation
            && self.library == subject.library
            && self.spelling == subject.spelling
            && self.backend == subject.backend
            && self.contract == record.workload.contract.name();
        is_of_subject
            && figure(record).is_some_and(|(workload, unit, _)| {
                (workload, unit) == (self.workload.clone(), &self.unit)
            })
    }
}

/// What the figure that stands for a record is of, its unit, and the figure. `None`
/// for a record without figures.
pub(crate) fn figure(record: &Record) -> Option<(String, &'static str, Figure)> {
    let (unit, figure) = stands_for(record)?;
    let last = &record.points.last()?.parameters;
    let (of, unit) = match (unit, &record.line) {
        (Unit::PerByte, Some(line)) => (of_line(line, &record.points), Axis::Bytes.unit()),
        (Unit::PerIteration, Some(line)) => {
            (of_line(line, &record.points), Axis::Iterations.unit())
        }
        (Unit::PerByteAt(bytes), _) => (format!("{bytes} B"), Axis::Bytes.unit()),
        _ => (at(last), Axis::Calls.unit()),
    };
    Some((of + &beside_length(last), unit, figure))
}

/// What a contract is called in the table of series. Oneshot keeps the name under which
/// the first stores know it, so that their series go on.
pub(crate) fn contract_key(contract: Contract) -> &'static str {
    match contract {
        Contract::Oneshot => "cold",
        other => other.name(),
    }
}

pub(crate) fn method_name(method: Method) -> &'static str {
    match method {
        Method::Trials => "trials",
        Method::Slope => "slope",
        Method::Throughput => "throughput",
        Method::Calls => "calls",
    }
}

fn of_line(line: &Line, points: &[Point]) -> String {
    let all: Vec<usize> = points.iter().map(|point| point.parameters.length()).collect();
    let lengths = line.fitted.as_ref().map_or(&all, |fitted| &fitted.lengths);
    let (first, last) = (lengths.first().copied(), lengths.last().copied());
    let unit = if points.iter().any(|point| point.parameters.iterations.is_some()) {
        "iterations"
    } else {
        "B"
    };
    let by = match line.fitted.as_ref().map(|fitted| fitted.fit) {
        Some(Fit::LeastSquares) => ", least squares",
        Some(Fit::Robust) | None => "",
    };
    format!("{} to {} {unit}{by}", first.unwrap_or(0), last.unwrap_or(0))
}

fn at(parameters: &Parameters) -> String {
    match parameters.iterations {
        Some(iterations) => format!("{iterations} iterations"),
        None => format!("{} B", parameters.message_bytes),
    }
}

fn beside_length(parameters: &Parameters) -> String {
    let mut text = String::new();
    if parameters.aad_bytes != 0 {
        text.push_str(&format!(", {} B aad", parameters.aad_bytes));
    }
    if let Some(bytes) = parameters.key_bytes {
        text.push_str(&format!(", {bytes} B key"));
    }
    if let Some(bytes) = parameters.nonce_bytes {
        text.push_str(&format!(", {bytes} B nonce"));
    }
    if let Some(bytes) = parameters.output_bytes {
        text.push_str(&format!(", {bytes} B out"));
    }
    if parameters.alignment == Alignment::Unaligned {
        text.push_str(", unaligned");
    }
    if parameters.caches == Caches::Evicted {
        text.push_str(", caches evicted");
    }
    text
}
