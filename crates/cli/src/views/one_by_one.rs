//! What calls cost that are made one by one: independent of each other, and dependent.

use super::run::{backend, title};
use cpb_figures::{Ranked, groups};
use cpb_model::{Axis, Cost, Figure, Point, Record, Run, SerialCalls};
use cpb_report::number::{bytes, estimate, half_width};
use cpb_report::{Cell, Libraries, Section, Style, Table, left, right};

/// A table of the rows whose calls were made one by one, too, at the lengths asked for, and
/// of those whose could not; `None` without any.
pub(crate) fn section(run: &Run, sizes: &[usize], libraries: &Libraries) -> Option<Section> {
    let mut table = Table::new(vec![
        left("library"),
        left("backend").rank(1),
        right("message"),
        right("independent"),
        right("±"),
        right("dependent"),
        right("±"),
        right("waits for"),
    ]);
    let has_any = |record: &Record| record.has_one_by_one() || record.no_dependence.is_some();
    let mut is_empty = true;
    for group in groups(&run.records) {
        let rows: Vec<&Ranked> = group.rows.iter().filter(|row| has_any(row.record)).collect();
        if rows.is_empty() {
            continue;
        }
        is_empty = false;
        table.blank();
        table.title(title(&group));
        for Ranked { record, .. } in rows {
            add(&mut table, record, sizes, libraries.short_name(&record.subject.library));
        }
    }
    let legend = "Cycles of a call: independent calls may overlap, as above; a dependent one takes output of the one before, and waits for it.";
    (!is_empty).then(|| Section {
        heading: "Calls made one by one".to_owned(),
        table,
        after: vec![Cell::new(legend, Style::Faint)],
        ..Section::default()
    })
}

fn add(table: &mut Table, record: &Record, sizes: &[usize], library: String) {
    let name = vec![library.into(), Cell::from(backend(&record.subject))];
    let is_shown = |point: &Point| {
        record.subject.axis() != Axis::Bytes || sizes.contains(&point.parameters.message_bytes)
    };
    let shown = record.points.iter().filter(|point| is_shown(point));
    let costs: Vec<_> =
        shown.filter_map(|point| Some((point, point.one_by_one.as_ref()?))).collect();
    for (point, SerialCalls { independent, dependent }) in &costs {
        let length = match point.parameters.message_bytes {
            0 => Cell::default(),
            length => bytes(length).into(),
        };
        let waits = waits(independent.cycles_per_call, dependent.cycles_per_call);
        let waits = waits.map_or_else(Cell::default, |cycles| format!("{cycles:.0}").into());
        let cells = [name.clone(), vec![length], cost(independent), cost(dependent), vec![waits]];
        table.row(cells.concat());
    }
    if let Some(reason) = record.no_dependence.as_ref().filter(|_| costs.is_empty()) {
        table.note(name, Cell::new(reason.as_str(), Style::Faint));
    }
}

/// How much more a dependent call costs, where that can be told.
fn waits(independent: Figure, dependent: Figure) -> Option<f64> {
    let (short, long) = (independent.interval?, dependent.interval?);
    (short.high < long.low).then_some(dependent.estimate - independent.estimate)
}

fn cost(cost: &Cost) -> Vec<Cell> {
    let figure = cost.cycles_per_call;
    vec![Cell::new(estimate(figure), Style::Strong), Cell::new(half_width(figure), Style::Faint)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{figure, record, run};
    use cpb_model::RawRounds;

    #[test]
    fn rows_say_what_they_cost_or_why_not() {
        let cost = |cycles| Cost { cycles_per_call: figure(cycles), raw: RawRounds::default() };
        let mut chained = record("sha256", "a", 5.0);
        for point in &mut chained.points {
            let (independent, dependent) = (cost(100.0), cost(130.0));
            point.one_by_one = Some(SerialCalls { independent, dependent });
        }
        let mut other = record("sha256", "b", 6.0);
        other.no_dependence = Some("it keeps a copy".to_owned());
        let run = run(vec![chained, other, record("md5", "a", 4.0)]);
        let section = section(&run, &[64, 7], &Libraries::of(&run)).unwrap();
        let text = section.table.render(None);
        assert!(
            text.contains("64 B") && !text.contains("1 KiB") && !text.contains("md5"),
            "{text}"
        );
        assert!(text.contains("130") && text.contains("30") && text.contains("keeps a copy"));
    }

    #[test]
    fn there_is_no_table_where_nobody_asked() {
        let run = run(vec![record("sha256", "a", 5.0)]);
        assert!(section(&run, &[64], &Libraries::of(&run)).is_none());
    }
}
