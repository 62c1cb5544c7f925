//! What is known while a run goes on: the fastest of each primitive, as many of them as
//! there is room for.

use crate::views::run::{backend, title};
use cpb_figures::{Group, Ranked, Unit, groups};
use cpb_model::Record;
use cpb_report::number::{estimate, half_width};
use cpb_report::{Cell, Style, Table, left, right};

/// The table of `records`, with so many rows at most.
pub(crate) fn table(records: &[Record], rows: usize) -> Table {
    let groups: Vec<Group> = groups(records);
    let measured: Vec<(&Group, Vec<&Ranked>)> = groups
        .iter()
        .map(|group| (group, group.rows.iter().filter(|row| row.figure.is_some()).collect()))
        .filter(|(_, rows): &(_, Vec<_>)| !rows.is_empty())
        .collect();
    let lengths: Vec<usize> = measured.iter().map(|(_, rows)| rows.len()).collect();
    let of_each = of_each(&lengths, rows);
    let mut table = Table::new(vec![
        left("so far"),
        left("library"),
        left("backend").rank(1),
        right(""),
        left("").rank(2),
        right("±").rank(3),
    ]);
    for (group, rows) in measured.into_iter().take(rows) {
        for (place, row) in rows.into_iter().take(of_each).enumerate() {
            let title = if place == 0 { title(group) } else { String::new() };
            let subject = &row.record.subject;
            let mut cells =
                vec![title.into(), subject.library.as_str().into(), backend(subject).into()];
            cells.extend(row.figure.map(|it| Cell::new(estimate(it), Style::Strong)));
            cells.push(Cell::new(unit(group.unit), Style::Faint));
            cells.extend(row.figure.map(|it| Cell::new(half_width(it), Style::Faint)));
            table.row(cells);
        }
    }
    table
}

/// How many rows of each group there is room for: one in any case, as far as groups go.
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
