//! Decides which columns a run has, and explains them.

use super::across;
use crate::Order;
use crate::labels::title;
use crate::number::{self, bytes};
use cpb_figures::{Group, Unit};
use cpb_model::{Axis, Caches, Run};

/// The quantities for which some row has a figure; others get no column.
#[derive(Default)]
pub(super) struct VisibleColumns<'a> {
    /// Message lengths, and whether they were requested.
    pub(super) sizes: &'a [usize],
    pub(super) asked: bool,
    /// The length by which rows are ranked, if any.
    pub(super) by: Option<usize>,
    /// Whether some rows cost by the byte, some by any length, and some by the call.
    pub(super) bytes: bool,
    pub(super) lengths: bool,
    pub(super) calls: bool,
    /// Whether caches were evicted before each call, so that costs per call are shown.
    pub(super) evicted: bool,
    /// Whether any author states if times depend on secrets.
    pub(super) security: bool,
    /// The length at which all primitives of an operation are ranked together, if any.
    pub(super) across: Option<usize>,
    /// The heading of the first column of figures.
    pub(super) first: String,
}

impl<'a> VisibleColumns<'a> {
    /// Returns the columns where all primitives of an operation are ranked together, at `length`.
    pub(super) fn across(groups: &[Group], length: usize) -> Self {
        let first = if groups.iter().any(across::is_by_bytes) { "c/B" } else { "cycles" };
        Self { across: Some(length), first: first.to_owned(), ..Self::default() }
    }

    /// Returns the columns of groups ranked by `order`, with rates at these `sizes`.
    pub(super) fn of(groups: &[Group], sizes: &'a [usize], asked: bool, order: Order) -> Self {
        let has =
            |axis: Axis| groups.iter().any(|group| group.workload.operation.row().axis == axis);
        let (bytes, calls) = (has(Axis::Bytes), has(Axis::Calls));
        let sizes = if bytes { sizes } else { &[] };
        let is_by = |&length: &usize| groups.iter().any(|it| it.unit == Unit::PerByteAt(length));
        let by = order.length().filter(is_by);
        let evicted = groups.iter().any(|group| group.workload.caches == Caches::Evicted);
        let lengths = !evicted && (bytes || !calls || has(Axis::Iterations));
        let mut rows = groups.iter().flat_map(|group| &group.rows);
        let security = rows.any(|row| row.record.subject.security.is_some());
        let first = match by {
            Some(length) => number::bytes(length),
            None if evicted || calls && !bytes => "cycles".to_owned(),
            None => "c/B".to_owned(),
        };
        Self { sizes, asked, by, bytes, lengths, calls, evicted, security, across: None, first }
    }

    /// Returns the lengths with columns of their own; the one that rows are ranked by is first.
    pub(super) fn others(&self) -> Vec<usize> {
        self.sizes.iter().copied().filter(|&size| Some(size) != self.by).collect()
    }

    /// Returns the unit by which a group is ranked that has no message of the length that others
    /// are ranked `by`.
    pub(super) fn other_unit(by: Option<usize>, unit: Unit) -> Option<String> {
        match (by?, unit) {
            (_, Unit::PerByte) => Some("c/B".to_owned()),
            (by, Unit::PerByteAt(length)) if length != by => Some(bytes(length)),
            _ => None,
        }
    }

    /// Returns the title of a group, with its unit if others are ranked by another.
    pub(super) fn title(&self, group: &Group) -> String {
        if let Some(length) = self.across {
            return across::title(group, length);
        }
        let other = Self::other_unit(self.by, group.unit);
        title(group) + &other.map(|unit| format!(", ranked by {unit}")).unwrap_or_default()
    }

    /// Explains the first column of figures, those at each length, and the factors.
    pub(super) fn words(&self, run: &Run) -> [String; 3] {
        if let Some(length) = self.across {
            return across::figures(&self.first, length);
        }
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
        let by = if self.calls { String::new() } else { format!(" by {}", self.first) };
        [first, lengths, format!("×: of the fastest{by}")]
    }
}
