//! What the rows of a table are ordered by.

use crate::arguments;
use crate::cli_error::CliError;
use crate::suite::Suite;
use cpb_figures::{Group, groups, groups_at};
use cpb_model::{Caches, Record};
use std::collections::BTreeSet;

/// What rows that do the same are ranked by, and stand in the order of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// What each further byte of a long message costs; of what has no length, the call.
    #[default]
    Slope,
    /// What a message of so many bytes costs.
    Length(usize),
    /// Ranked by the slope, with primitives by name.
    Name,
    /// Ranked by the slope, with the rows of each primitive by library and backend.
    Library,
}

/// An order on the command line: `slope`, `1350`, `name` or `library`.
pub(crate) fn order(text: &str) -> Result<Order, String> {
    match text {
        "slope" => Ok(Order::Slope),
        "name" => Ok(Order::Name),
        "library" => Ok(Order::Library),
        length => arguments::length(length).map(Order::Length).map_err(|_| {
            format!(
                "rows are sorted by slope, name, library or a length, as 1350 or 16K, not '{text}'"
            )
        }),
    }
}

impl Order {
    /// The order asked for; without one, the longest of the lengths that were asked for, since the
    /// slope says nothing of these.
    pub(crate) fn of(asked: Option<Self>, lengths: &[usize]) -> Self {
        let longest = lengths.iter().max().map(|&length| Order::Length(length));
        asked.or(longest).unwrap_or_default()
    }

    /// The length of message that rows are ranked by.
    pub(crate) fn length(self) -> Option<usize> {
        match self {
            Order::Length(length) => Some(length),
            Order::Slope | Order::Name | Order::Library => None,
        }
    }

    /// Refuses a length where caches are emptied before each call: such calls are ranked by the
    /// longest alone.
    pub(crate) fn check(self, caches: Caches) -> Result<(), CliError> {
        match (self, caches) {
            (Order::Length(_), Caches::Evicted) => Err(CliError::Usage(
                "--sort LENGTH ranks calls with warm caches; with --caches evicted, give that \
                 length alone as --sizes"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a length that the suite does not measure.
    pub(crate) fn check_suite(self, suite: &Suite) -> Result<(), CliError> {
        let sizes = suite.sizes().into_iter().collect::<BTreeSet<usize>>();
        let Some(length) = self.length().filter(|length| !sizes.contains(length)) else {
            return Ok(());
        };
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let sizes = sizes.join(", ");
        Err(CliError::Usage(format!("--sort {length}: the suite has messages of {sizes} bytes")))
    }

    /// The rows of a run by what they do, ranked and in this order.
    pub(crate) fn groups(self, records: &[Record]) -> Vec<Group<'_>> {
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
    fn an_order_is_a_word_or_a_length() {
        assert_eq!((order("slope"), order("16K")), (Ok(Order::Slope), Ok(Order::Length(16_384))));
        for wrong in ["", "0", "speed", "-1"] {
            assert!(order(wrong).unwrap_err().contains("slope, name, library or a length"));
        }
        let asked = [64, 1350, 576];
        assert_eq!(Order::of(None, &asked), Order::Length(1350));
        assert_eq!(Order::of(Some(Order::Name), &asked), Order::Name);
        assert_eq!(Order::of(None, &[]), Order::Slope);
    }

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
