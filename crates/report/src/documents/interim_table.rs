//! Makes the table shown during a run: the fastest rows of each primitive, as far as there is room.

use crate::labels::{backend, title};
use crate::number::half_width;
use crate::{Fields, Style, Table, left, right};
use cpb_figures::{Group, Ranked, Unit, groups};
use cpb_model::Record;

/// Makes the table of `records`, with at most `rows` rows.
pub fn table(records: &[Record], rows: usize) -> Table {
    let groups: Vec<Group> = groups(records);
    let measured: Vec<(&Group, Vec<&Ranked>)> = groups
        .iter()
        .map(|group| (group, group.rows.iter().filter(|row| row.figure.is_some()).collect()))
        .filter(|(_, rows): &(_, Vec<_>)| !rows.is_empty())
        .collect();
    let lengths: Vec<usize> = measured.iter().map(|(_, rows)| rows.len()).collect();
    let of_each = of_each(&lengths, rows);
    let fields = Fields::<(&Group, usize, &Ranked)>::new()
        .table_only(left("so far"), |(group, place, _)| (*place == 0).then(|| title(group)))
        .table_only(left("library"), |(.., row)| row.record.subject.library.clone())
        .table_only(left("backend").rank(1), |(.., row)| backend(&row.record.subject))
        .table_only(right("").style(Style::Strong), |(.., row)| row.figure)
        .table_only(left("").rank(2).style(Style::Faint), |(group, ..)| unit(group.unit))
        .table_only(right("±").rank(3).style(Style::Faint), |(.., row)| {
            row.figure.map(half_width)
        });
    let mut table = fields.table();
    for (group, rows) in measured.into_iter().take(rows) {
        for (place, row) in rows.into_iter().take(of_each).enumerate() {
            table.row(fields.cells(&(group, place, row)));
        }
    }
    table
}

/// Returns how many rows of each group fit; at least one of each, as long as groups fit.
fn of_each(lengths: &[usize], rows: usize) -> usize {
    let needed = |of_each: usize| lengths.iter().map(|&it| it.min(of_each)).sum::<usize>();
    let most = lengths.iter().copied().max().unwrap_or(0);
    (1..=most).rev().find(|&of_each| needed(of_each) <= rows).unwrap_or(1)
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::PerByte | Unit::PerByteAt(_) => "c/B",
        Unit::PerIteration => "c/iteration",
        Unit::PerCall => "cycles",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_has_its_fastest_and_more_where_there_is_room() {
        assert_eq!(of_each(&[18], 20), 18);
        assert_eq!(of_each(&[18], 7), 7);
        assert_eq!(of_each(&[4, 2, 9], 9), 3);
        assert_eq!(of_each(&[4, 2, 9], 2), 1);
        assert_eq!(of_each(&[], 5), 1);
    }
}
