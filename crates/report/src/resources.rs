//! Shows costs of calls besides cycles.

use crate::number::{counted, grouped, significant};
use crate::paths::{by_workload, length, named};
use crate::{Cell, Libraries, Section, Style, Table, left, right};
use cpb_model::{CodePath, FirstUse, HeapUse, ObjectsUse, Record, Run, TracedCall};

/// The columns before the text about first use and objects.
const BEFORE: usize = 2;
/// The digits of times: eight processes do not support more.
const DIGITS: usize = 2;
/// Smaller times, in the unit of the total, have fewer digits.
const SMALLEST: f64 = 0.01;
const NANOSECONDS_PER_MICROSECOND: f64 = 1e3;
const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

/// Makes a table of rows that were traced, or have other known costs; `None` without any.
pub fn section(run: &Run, libraries: &Libraries) -> Option<Section> {
    let mut table = Table::new(vec![
        left("library"),
        left("backend"),
        right("message"),
        right("stack"),
        right("heap"),
        right("allocations"),
        right("code"),
        right("data").rank(1),
        right("lines").rank(3),
        right("instructions").rank(2),
        right("file").rank(4),
    ]);
    let groups = by_workload(run);
    let mut is_empty = true;
    for (workload, rows) in &groups {
        table.blank();
        table.title(format!("{} ({})", workload.primitive, workload.operation.name()));
        for (record, path) in rows {
            is_empty &= !add(&mut table, record, path, libraries);
        }
    }
    let legend = "bytes of one call · stack, heap: the most at a time · code: of the instructions \
                  that ran, each once · data: cache lines of constants and tables that it reads · \
                  lines: cache lines of its code · file: on disk · first use: from loading the \
                  library to a first result, in a process that did nothing else · objects: what is \
                  kept for calls";
    Section::with_legend("What a call costs besides cycles", table, legend).filter(|_| !is_empty)
}

/// Adds the known costs of a row; returns whether there are any.
fn add(table: &mut Table, record: &Record, path: &CodePath, libraries: &Libraries) -> bool {
    let mut is_known = false;
    for call in &path.calls {
        let cells = cells(record, call, libraries);
        if call.not_traced.is_none() || written(record, call).is_some() {
            table.row(cells);
            is_known = true;
        }
    }
    let costs = record.costs.as_ref();
    let first_use = costs.and_then(|it| it.first_use.as_ref()).map(self::first_use);
    let no_first_use = costs.and_then(|it| it.no_first_use.as_ref());
    let no_first_use = no_first_use.map(|reason| format!("first use not measured: {reason}"));
    let said = [
        (path.objects.map(objects), Style::Faint),
        (first_use, Style::Faint),
        (no_first_use, Style::Caution),
    ];
    for (words, style) in said {
        let Some(words) = words else { continue };
        let named = match is_known {
            true => vec![Cell::default(); BEFORE],
            false => named(record, libraries).to_vec(),
        };
        table.note(named, Cell::new(words, style));
        is_known = true;
    }
    is_known
}

/// Returns the bytes of stack that a call wrote to, if no trace contains its stack.
fn written(record: &Record, call: &TracedCall) -> Option<u64> {
    let stacks = record.costs.iter().flat_map(|it| &it.stacks);
    stacks.filter(|it| it.length == call.length).map(|it| it.bytes).max()
}

fn cells(record: &Record, call: &TracedCall, libraries: &Libraries) -> Vec<Cell> {
    // Of an incomplete trace, no more is known.
    let is_traced = call.not_traced.is_none();
    let count = |is_whole: bool, count: u64| {
        let at_least = if is_whole { "" } else { "≥ " };
        Cell::from(format!("{at_least}{}", grouped(count)))
    };
    let number = |it: Option<u64>| {
        it.filter(|_| is_traced).map_or_else(Cell::default, |it| count(!call.is_cut, it))
    };
    let heap = |part: fn(&HeapUse) -> u64| {
        call.heap.as_ref().map_or_else(Cell::default, |it| count(true, part(it)))
    };
    let stack = match written(record, call) {
        Some(written) => count(false, written.max(call.stack_bytes.unwrap_or(0))),
        None => number(call.stack_bytes),
    };
    let file = call.functions.first().and_then(|it| call.modules.get(it.module));
    let file = file.and_then(|it| it.bytes);
    let file = file.or_else(|| record.costs.as_ref().and_then(|it| it.file_bytes));
    let mut cells = named(record, libraries).to_vec();
    cells.extend([
        length(record, call).into(),
        stack,
        heap(|it| it.peak_bytes),
        heap(|it| it.allocations),
        number(Some(call.code_bytes)),
        number(call.data_lines),
        number(Some(call.code_lines)),
        number(Some(call.instructions)),
        file.map_or_else(Cell::default, |bytes| grouped(bytes).into()),
    ]);
    cells
}

/// Describes the memory kept for calls.
fn objects(objects: ObjectsUse) -> String {
    let ObjectsUse { allocations, peak_bytes, kept_bytes } = objects;
    let most = if peak_bytes > kept_bytes {
        format!(", {} at most while made", grouped(peak_bytes))
    } else {
        String::new()
    };
    let allocations = counted(allocations as usize, "allocation");
    format!("objects {} bytes, by {allocations}{most}", grouped(kept_bytes))
}

/// Describes the cost of the first use, with all times in one unit.
fn first_use(first_use: &FirstUse) -> String {
    let total = first_use.total.nanoseconds;
    let (unit, per_unit) = match total.estimate {
        it if it >= NANOSECONDS_PER_MILLISECOND => ("ms", NANOSECONDS_PER_MILLISECOND),
        _ => ("µs", NANOSECONDS_PER_MICROSECOND),
    };
    let time = |nanoseconds: f64| match nanoseconds / per_unit {
        // Negligible beside the rest.
        it if it < SMALLEST => format!("{it:.3}"),
        it => significant(it, DIGITS),
    };
    let half = total.interval.map_or_else(String::new, |it| {
        format!(" ±{}", significant((it.high - it.low) / 2.0 / per_unit, 1))
    });
    let parts = first_use
        .parts()
        .map(|(name, spent)| format!("{name} {}", time(spent.nanoseconds.estimate)));
    let faults = first_use.total.minor_faults + first_use.total.major_faults;
    let faults = counted(faults.round() as usize, "page fault");
    format!(
        "first use {}{half} {unit}: {}; {faults}",
        time(total.estimate),
        parts.collect::<Vec<_>>().join(", ")
    )
}
