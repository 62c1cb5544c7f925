//! Shows the cost of serial calls, independent and dependent.

use crate::labels::{backend, title};
use crate::number::{bytes, half_width};
use crate::{Cell, Fields, Libraries, Section, Style, left, right};
use cpb_figures::{Ranked, groups};
use cpb_model::{Axis, Figure, Point, Record, Run, SerialCalls};

/// Makes a table of rows with serial calls at the requested lengths, and of those for which they
/// were impossible; `None` if there are none.
pub(crate) fn section(run: &Run, sizes: &[usize], libraries: &Libraries) -> Option<Section> {
    let fields = fields();
    let mut table = fields.table();
    let has_any = |record: &Record| record.has_one_by_one() || record.no_dependence.is_some();
    for group in groups(&run.records) {
        let rows: Vec<&Ranked> = group.rows.iter().filter(|row| has_any(row.record)).collect();
        if rows.is_empty() {
            continue;
        }
        table.blank();
        table.title(title(&group));
        for Ranked { record, .. } in rows {
            let library = libraries.short_name(&record.subject.library);
            let row = |cost| Row { library: library.clone(), record, cost };
            let is_shown = |point: &&Point| {
                let length = point.parameters.message_bytes;
                record.subject.axis() != Axis::Bytes || sizes.contains(&length)
            };
            let shown = record.points.iter().filter(is_shown);
            let costs: Vec<_> =
                shown.filter_map(|point| Some((point, point.one_by_one.as_ref()?))).collect();
            costs.iter().for_each(|&cost| fields.add(&mut table, &row(Some(cost)), None));
            if let Some(reason) = record.no_dependence.as_ref().filter(|_| costs.is_empty()) {
                let reason = Cell::new(reason.as_str(), Style::Faint);
                fields.add(&mut table, &row(None), Some(reason));
            }
        }
    }
    let legend = "Cycles of a call: independent calls may overlap, as above; a dependent one takes output of the one before, and waits for it.";
    Section::with_legend("Calls made one by one", table, legend)
}

struct Row<'a> {
    library: String,
    record: &'a Record,
    cost: Option<(&'a Point, &'a SerialCalls)>,
}

fn fields<'a>() -> Fields<'a, Row<'a>> {
    let independent = |it: &Row<'_>| Some(it.cost?.1.independent.cycles_per_call);
    let dependent = |it: &Row<'_>| Some(it.cost?.1.dependent.cycles_per_call);
    let (strong, faint) = (Style::Strong, Style::Faint);
    Fields::<Row>::new()
        .table_only(left("library"), |it| it.library.clone())
        .table_only(left("backend").rank(1), |it| backend(&it.record.subject))
        .naming()
        .table_only(right("message"), |it| {
            Some(it.cost?.0.parameters.message_bytes).filter(|it| *it != 0).map(bytes)
        })
        .table_only(right("independent").style(strong), independent)
        .table_only(right("±").style(faint), move |it| independent(it).map(half_width))
        .table_only(right("dependent").style(strong), dependent)
        .table_only(right("±").style(faint), move |it| dependent(it).map(half_width))
        .table_only(right("waits for").format(|cycles| format!("{cycles:.0}")), move |it| {
            waits(independent(it)?, dependent(it)?)
        })
}

/// Returns how much more a dependent call costs, if that is known.
fn waits(independent: Figure, dependent: Figure) -> Option<f64> {
    let (short, long) = (independent.interval?, dependent.interval?);
    (short.high < long.low).then_some(dependent.estimate - independent.estimate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{figure, record, run};
    use cpb_model::{Cost, RawRounds};

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
