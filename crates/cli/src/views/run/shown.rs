//! Which columns a run has, and what stands in them.

use super::RunDocument;
use cpb_figures::{Group, Unit};
use cpb_model::{Axis, Caches, Run};
use cpb_report::number::bytes;
use cpb_report::{Column, left, right};

/// What rows have figures for: what none has one for has no column.
pub(super) struct Shown<'a> {
    /// Message lengths, and whether somebody asked for these.
    pub(super) sizes: &'a [usize],
    pub(super) asked: bool,
    /// The length that rows are ranked by, where they are by one.
    pub(super) by: Option<usize>,
    /// Whether some cost by the byte, some by length at all, and some by the call.
    pub(super) bytes: bool,
    pub(super) lengths: bool,
    pub(super) calls: bool,
    /// Whether caches were emptied before each call, so that calls are what is told.
    pub(super) evicted: bool,
    /// Whether anybody says if times depend on secrets.
    pub(super) security: bool,
}

impl<'a> Shown<'a> {
    pub(super) fn of(groups: &[Group], document: &RunDocument<'a>) -> Self {
        let has =
            |axis: Axis| groups.iter().any(|group| group.workload.operation.row().axis == axis);
        let (bytes, calls) = (has(Axis::Bytes), has(Axis::Calls));
        let (sizes, asked) = (if bytes { document.sizes } else { &[] }, document.asked);
        let is_by = |&length: &usize| groups.iter().any(|it| it.unit == Unit::PerByteAt(length));
        let by = document.order.length().filter(is_by);
        let evicted = groups.iter().any(|group| group.workload.caches == Caches::Evicted);
        let lengths = !evicted && (bytes || !calls || has(Axis::Iterations));
        let mut rows = groups.iter().flat_map(|group| &group.rows);
        let security = rows.any(|row| row.record.subject.security.is_some());
        Self { sizes, asked, by, bytes, lengths, calls, evicted, security }
    }

    /// The lengths that have a column of their own: that which rows are ranked by stands first.
    pub(super) fn others(&self) -> Vec<usize> {
        self.sizes.iter().copied().filter(|&size| Some(size) != self.by).collect()
    }

    /// The first column of figures.
    pub(super) fn first(&self) -> String {
        match self.by {
            Some(length) => bytes(length),
            None if self.evicted || self.calls && !self.bytes => "cycles".to_owned(),
            None => "c/B".to_owned(),
        }
    }

    /// What a group is ranked by that has no message of the length that others are ranked by.
    pub(super) fn other_unit(&self, group: &Group) -> String {
        match (self.by, group.unit) {
            (Some(_), Unit::PerByte) => ", ranked by c/B".to_owned(),
            (Some(by), Unit::PerByteAt(length)) if length != by => {
                format!(", ranked by {}", bytes(length))
            }
            _ => String::new(),
        }
    }

    /// What the first column of figures is, and those at each length; and what factors are of.
    pub(super) fn words(&self, run: &Run) -> [String; 3] {
        let has_axis = |axis: Axis| run.records.iter().any(|it| it.subject.axis() == axis);
        let by_calls =
            has_axis(Axis::Calls) && !has_axis(Axis::Bytes) && !has_axis(Axis::Iterations);
        let words = match (by_calls, self.evicted, self.by) {
            (true, false, _) => ["cycles: of one call", ""],
            (_, true, _) => {
                ["cycles: of a call with the longest message, caches emptied", "lengths: the same"]
            }
            (false, false, None) => {
                ["c/B: cycles per byte of long messages", "at a length: of the whole call"]
            }
            (false, false, Some(_)) => {
                ["at a length: cycles per byte of the whole call", "c/B: of long messages"]
            }
        };
        let [first, lengths] = words.map(str::to_owned);
        let by = if self.calls { String::new() } else { format!(" by {}", self.first()) };
        [first, lengths, format!("×: of the fastest{by}")]
    }
}

/// Where lines are narrow, what can be done without is left out first.
pub(super) fn columns(shown: &Shown) -> Vec<Column> {
    let sizes = shown.sizes;
    let mut columns = vec![
        left(""),
        left("library"),
        left("backend"),
        right(shown.first()),
        right("±"),
        right("×"),
    ];
    let others = shown.others();
    let last = others.len().saturating_sub(1);
    columns.extend(others.iter().enumerate().map(|(place, &size)| {
        let column = right(bytes(size));
        match shown.asked {
            true => column.asked(),
            false => column.asked().rank(if place == 0 || place == last { 1 } else { 2 }),
        }
    }));
    columns.extend(shown.by.map(|_| right("c/B").rank(2)));
    let shortest = sizes.first().map_or_else(String::new, |&size| format!(" {}", bytes(size)));
    if shown.lengths {
        columns.push(right(format!("c/call{shortest}")).rank(3));
        columns.push(right("intercept").rank(6));
    }
    columns.extend(shown.bytes.then(|| right("GB/s").rank(4)));
    if shown.calls {
        columns.push(right("ns/call").rank(3));
        columns.push(right("calls/s").rank(4));
    }
    columns.extend(shown.security.then(|| left("security").rank(7)));
    columns.push(left("state"));
    columns
}
