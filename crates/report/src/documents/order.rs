//! Defines the order of a table's rows.

use cpb_figures::{Group, groups, groups_at};
use cpb_model::Record;

/// Names the quantity by which rows of equal work are ranked and ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// The slope; for work without a length, the call.
    #[default]
    Slope,
    /// The cost of a message of this many bytes.
    Length(usize),
    /// The slope, with primitives ordered by name.
    Name,
    /// The slope, with the rows of each primitive ordered by library and backend.
    Library,
}

impl Order {
    /// Returns the requested order; by default the longest requested length, about which the slope
    /// says nothing.
    pub fn of(asked: Option<Self>, lengths: &[usize]) -> Self {
        let longest = lengths.iter().max().map(|&length| Order::Length(length));
        asked.or(longest).unwrap_or_default()
    }

    /// Returns the message length by which rows are ranked.
    pub fn length(self) -> Option<usize> {
        match self {
            Order::Length(length) => Some(length),
            Order::Slope | Order::Name | Order::Library => None,
        }
    }

    /// Groups the rows of a run by work, ranked and in this order.
    pub fn groups(self, records: &[Record]) -> Vec<Group<'_>> {
        let mut groups = match self {
            Order::Length(length) => groups_at(records, length),
            Order::Slope | Order::Name | Order::Library => groups(records),
        };
        match self {
            Order::Name => groups.sort_by_key(|group| group.workload.primitive.as_str()),
            Order::Library => groups.iter_mut().for_each(|group| {
                group.rows.sort_by_key(|row| {
                    let subject = &row.record.subject;
                    (subject.library.as_str(), subject.backend.as_str())
                });
            }),
            Order::Slope | Order::Length(_) => {}
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::record;

    #[test]
    fn primitives_stand_by_name_and_rows_by_library() {
        let records =
            [record("sha256", "b", 4.0), record("sha256", "a", 5.0), record("md5", "a", 1.0)];
        let places = |order: Order| -> Vec<usize> {
            let groups = order.groups(&records);
            groups.iter().flat_map(|group| &group.rows).map(|row| row.index).collect()
        };
        assert_eq!(places(Order::Slope), [0, 1, 2]);
        assert_eq!(places(Order::Name), [2, 0, 1]);
        assert_eq!(places(Order::Library), [1, 0, 2]);
    }
}
