//! What calls cost besides cycles, as far as a trace tells.

use crate::number::grouped;
use crate::paths::{by_workload, length};
use crate::{Cell, Column, Libraries, Section, Style, Table};
use cpb_model::{Record, Run, TracedCall};

/// A table of the rows whose calls were traced; `None` without any.
#[must_use]
pub fn section(run: &Run, libraries: &Libraries) -> Option<Section> {
    let mut table = Table::new(vec![
        Column::left("library"),
        Column::left("backend"),
        Column::right("message"),
        Column::right("stack"),
        Column::right("heap"),
        Column::right("allocations"),
        Column::right("code"),
        Column::right("lines").rank(2),
        Column::right("instructions").rank(1),
        Column::right("file").rank(3),
    ]);
    let groups = by_workload(run);
    for (workload, rows) in &groups {
        table.blank();
        table.title(format!("{} ({})", workload.primitive, workload.operation.name()));
        for (record, path) in rows {
            let traced = path.calls.iter().filter(|it| it.not_traced.is_none());
            traced.for_each(|call| table.row(cells(record, call, libraries)));
        }
    }
    let legend = "bytes of one call · stack, heap: the most at a time · code: of the instructions \
                  that ran, each once, and cache lines that it is in · file: on disk";
    (!groups.is_empty()).then(|| Section {
        heading: "What a call costs besides cycles".to_owned(),
        table,
        after: vec![Cell::new(legend, Style::Faint)],
        ..Section::default()
    })
}

fn cells(record: &Record, call: &TracedCall, libraries: &Libraries) -> Vec<Cell> {
    let subject = &record.subject;
    let backend = if subject.backend == "default" { "" } else { subject.backend.as_str() };
    // Of a call that was not followed to its end, more is not known.
    let at_least = if call.is_cut { "≥ " } else { "" };
    let number = |count: Option<u64>| match count {
        Some(count) => Cell::from(format!("{at_least}{}", grouped(count))),
        None => Cell::default(),
    };
    let file = call.functions.first().and_then(|it| call.modules.get(it.module));
    vec![
        libraries.short_name(&subject.library).into(),
        backend.into(),
        length(record, call).into(),
        number(call.stack_bytes),
        number(call.heap.map(|it| it.peak_bytes)),
        number(call.heap.map(|it| it.allocations)),
        number(Some(call.code_bytes)),
        number(Some(call.code_lines)),
        number(Some(call.instructions)),
        file.and_then(|it| it.bytes).map_or_else(Cell::default, |bytes| grouped(bytes).into()),
    ]
}
