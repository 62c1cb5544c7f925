//! Chooses the figure that represents a row.

use cpb_model::{Axis, Caches, Figure, Method, Point, Record};

/// Names the unit of figures. Only figures of one unit are shown together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Cycles per byte of long messages: the slope.
    PerByte,
    /// Cycles per byte of messages of this length.
    PerByteAt(usize),
    /// Cycles per iteration: the slope.
    PerIteration,
    /// Cycles per call.
    PerCall,
}

impl Unit {
    /// Returns a unit in which all measured `records` have a figure: the slope, if all have one;
    /// the call, if its cost depends on no length (as with signatures) or caches are evicted before
    /// it; otherwise the longest common message; otherwise the call.
    #[must_use]
    pub fn common(records: &[&Record]) -> Self {
        let mut measured = records.iter().filter(|record| !record.points.is_empty()).peekable();
        let Some(&&first) = measured.peek() else { return Unit::PerByte };
        let has_lengths = first.points.iter().any(|point| point.parameters.message_bytes > 0);
        if measured.clone().all(|record| record.line.is_some() && record.method == Method::Slope) {
            return if has_lengths { Unit::PerByte } else { Unit::PerIteration };
        }
        let longest = |record: &Record| record.points.last().map(|it| it.parameters.message_bytes);
        let is_call = |record: &Record| {
            let is_alone = record.subject.axis() == Axis::Calls || is_evicted(record);
            is_alone && longest(record) == longest(first)
        };
        if measured.clone().all(|record| is_call(record)) {
            return Unit::PerCall;
        }
        let lengths = first.points.iter().map(|point| point.parameters.message_bytes);
        let is_common = |&length: &usize| {
            length > 0 && measured.clone().all(|record| at(record, length).is_some())
        };
        lengths.filter(is_common).max().map_or(Unit::PerCall, Unit::PerByteAt)
    }

    /// Returns the figure of `record` in this unit; `None` if it failed or has none.
    #[must_use]
    pub fn of(self, record: &Record) -> Option<Figure> {
        if record.failure.is_some() {
            return None;
        }
        match self {
            Unit::PerByte | Unit::PerIteration => Some(record.line.as_ref()?.cycles_per_byte),
            Unit::PerByteAt(length) => Some(per_byte(at(record, length)?)),
            Unit::PerCall => Some(record.points.last()?.cycles_per_call),
        }
    }
}

/// Returns the figure that represents a single row, with its unit: the slope, otherwise the longest
/// message, otherwise the call.
#[must_use]
pub fn headline_figure(record: &Record) -> Option<(Unit, Figure)> {
    let unit = Unit::common(&[record]);
    Some((unit, unit.of(record)?))
}

fn is_evicted(record: &Record) -> bool {
    record.points.iter().any(|point| point.parameters.caches == Caches::Evicted)
}

fn at(record: &Record, length: usize) -> Option<&Point> {
    record.points.iter().find(|point| point.parameters.message_bytes == length)
}

/// Returns the cost per byte of a point's message.
#[must_use]
pub fn per_byte(point: &Point) -> Figure {
    point.cycles_per_call.times(1.0 / point.parameters.message_bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{failed, record};
    use cpb_model::Operation;

    #[test]
    fn rows_meet_at_the_longest_message_that_all_have() {
        let trials = Record { line: None, method: Method::Trials, ..record("sha256", "b", 4.0) };
        let mut short = record("sha256", "c", 3.0);
        short.points.pop();
        let (slope, broken) = (record("sha256", "a", 5.0), failed("sha256", "d", "SIGILL"));
        assert_eq!(Unit::common(&[&slope, &short, &broken]), Unit::PerByte);
        let unit = Unit::common(&[&slope, &trials, &short, &broken]);
        assert_eq!(unit, Unit::PerByteAt(1024));
        assert!((unit.of(&short).unwrap().estimate - (3.0 + 300.0 / 1024.0)).abs() < 1e-12);
        assert_eq!(unit.of(&broken), None);
    }

    #[test]
    fn a_signature_costs_a_call_not_its_bytes() {
        let mut row = Record { line: None, method: Method::Trials, ..record("ed25519", "a", 4.0) };
        row.subject.operation = Operation::Sign;
        row.workload.operation = Operation::Sign;
        assert_eq!(Unit::common(&[&row, &row]), Unit::PerCall);
        let mut shorter = row.clone();
        shorter.points.pop();
        assert_eq!(Unit::common(&[&row, &shorter]), Unit::PerByteAt(1024));
    }

    #[test]
    fn a_call_after_which_caches_are_emptied_stands_alone() {
        let mut row = Record { line: None, method: Method::Trials, ..record("sha256", "a", 4.0) };
        row.points.iter_mut().for_each(|point| point.parameters.caches = Caches::Evicted);
        assert_eq!(Unit::common(&[&row, &row]), Unit::PerCall);
    }

    #[test]
    fn a_row_stands_for_itself_by_slope_message_or_call() {
        let mut row = record("sha256", "a", 5.0);
        assert_eq!(headline_figure(&row).map(|it| it.0), Some(Unit::PerByte));
        (row.line, row.method) = (None, Method::Trials);
        assert_eq!(headline_figure(&row).map(|it| it.0), Some(Unit::PerByteAt(16_384)));
        row.points.iter_mut().for_each(|point| point.parameters.message_bytes = 0);
        assert_eq!(headline_figure(&row), Some((Unit::PerCall, row.points[2].cycles_per_call)));
        assert_eq!(headline_figure(&failed("sha256", "a", "SIGILL")), None);
    }
}
