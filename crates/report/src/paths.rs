//! Makes tables of the code that calls ran.

use crate::labels::name;
use crate::number::{bytes, grouped};
use crate::{Cell, Libraries, Section, Style, Table, left, right};
use cpb_model::{CodePath, Record, Run, TracedCall, Workload};
use std::collections::BTreeMap;

/// The columns before the text of a path.
const BEFORE: usize = 4;

/// Makes a table of the traced rows; `None` without any.
pub fn section(run: &Run, libraries: &Libraries, verbose: bool) -> Option<Section> {
    let mut table = Table::new(vec![
        left("library"),
        left("backend"),
        right("message"),
        right("instructions"),
        left("path"),
    ]);
    let groups = by_workload(run);
    for (workload, rows) in &groups {
        table.blank();
        table.title(format!("{} ({})", workload.primitive, workload.operation.name()));
        for (place, (record, path)) in rows.iter().enumerate() {
            let same = rows[..place].iter().find(|(_, other)| path.is_same_code(other));
            add(&mut table, record, path, libraries, verbose);
            let mut note = |text: String, style| {
                table.note(vec![Cell::default(); BEFORE], Cell::new(text, style));
            };
            if let Some((other, _)) = same {
                note(format!("same code as {}", name(other, libraries)), Style::Caution);
            }
            for unused in &path.unused {
                note(unused.clone(), Style::Caution);
            }
        }
    }
    let legend = "instructions: of one call, traced where nothing is timed · path: where most of \
                  them are, and which instruction sets with how many bits";
    let mut paths = groups.iter().flat_map(|(_, rows)| rows);
    let remembered = match paths.any(|(_, path)| path.is_remembered) {
        true => " · as an earlier trace of the same builds found it",
        false => "",
    };
    Section::with_legend("Which code ran", table, format!("{legend}{remembered}"))
}

/// Groups the traced rows by workload.
pub(crate) fn by_workload(run: &Run) -> Vec<(&Workload, Vec<(&Record, &CodePath)>)> {
    let mut groups: Vec<(&Workload, Vec<(&Record, &CodePath)>)> = Vec::new();
    for record in &run.records {
        let Some(path) = &record.path else { continue };
        match groups.iter_mut().find(|(workload, _)| **workload == record.workload) {
            Some((_, rows)) => rows.push((record, path)),
            None => groups.push((&record.workload, vec![(record, path)])),
        }
    }
    groups
}

/// Returns the cells of a row's library and backend.
pub(crate) fn named(record: &Record, libraries: &Libraries) -> [Cell; 2] {
    let subject = &record.subject;
    let backend = if subject.backend == "default" { "" } else { subject.backend.as_str() };
    [libraries.short_name(&subject.library).into(), backend.into()]
}

fn add(table: &mut Table, record: &Record, path: &CodePath, libraries: &Libraries, verbose: bool) {
    let named = named(record, libraries);
    let mut shown: Option<&TracedCall> = None;
    for (place, call) in path.calls.iter().enumerate() {
        // Lengths with the same path as the one before add nothing.
        let is_same = shown.is_some_and(|it| it.words == call.words && !call.is_changed());
        if is_same && place + 1 != path.calls.len() && call.not_traced.is_none() && !verbose {
            continue;
        }
        let named = if shown.is_none() { &named } else { &<[Cell; 2]>::default() };
        let mut cells = named.to_vec();
        shown = Some(call);
        cells.push(length(record, call).into());
        if let Some(reason) = &call.not_traced {
            cells.push(Cell::default());
            table.note(cells, Cell::new(format!("not traced: {reason}"), Style::Caution));
            continue;
        }
        cells.push(grouped(call.instructions).into());
        let words = match call.is_cut {
            true => format!("{} (the first instructions alone: the call is longer)", call.words),
            false => call.words.clone(),
        };
        table.note(cells, words.into());
        if call.is_changed() {
            let percent = 100.0 * call.new_code.unwrap_or(0.0);
            let before = path.calls[..place].iter().rfind(|it| it.not_traced.is_none());
            let before = before.map_or_else(String::new, |it| length(record, it));
            let words = format!("another path than at {before}: {percent:.0} % other code");
            table.note(vec![Cell::default(); BEFORE], Cell::new(words, Style::Caution));
        }
        if verbose {
            let details = details(call).into_iter();
            details.for_each(|it| table.note(vec![Cell::default()], Cell::new(it, Style::Faint)));
        }
    }
}

/// Formats the length of a message, if there is one.
pub(crate) fn length(record: &Record, call: &TracedCall) -> String {
    match record.subject.operation.takes_message() {
        true => bytes(call.length),
        false => String::new(),
    }
}

/// Describes everything known about a call, line by line.
fn details(call: &TracedCall) -> Vec<String> {
    let percent =
        |count: u64| format!("{:.1} %", 100.0 * count as f64 / call.instructions.max(1) as f64);
    let file = |module: usize| call.modules.get(module).map_or("", |it| it.file.as_str());
    let mut lines: Vec<String> = (call.functions.iter())
        .map(|it| {
            let file = file(it.module).rsplit('/').next().unwrap_or_default();
            let after = it.after.as_ref().map_or_else(String::new, |it| format!(", after {it}"));
            format!("{} {} ({file} {:#x}{after})", percent(it.instructions), it.name, it.address)
        })
        .collect();
    let counts = |counts: &BTreeMap<String, u64>| {
        let words = counts.iter().map(|(name, count)| format!("{name} {}", grouped(*count)));
        words.collect::<Vec<_>>().join(", ")
    };
    let bits = match call.vector_bits {
        0 => "no vectors".to_owned(),
        bits => format!("vectors of {bits} bits"),
    };
    lines.push(format!("hottest loop: {bits}"));
    for (what, of) in [
        ("instruction sets", &call.classes),
        ("C library", &call.calls),
        ("system", &call.system_calls),
    ] {
        if !of.is_empty() {
            lines.push(format!("{what}: {}", counts(of)));
        }
    }
    let (code, caches) = (grouped(call.code_bytes), grouped(call.code_lines));
    lines.push(format!("code: {code} bytes in {caches} cache lines"));
    lines.extend(call.modules.iter().map(|it| {
        let build = it.build_id.as_ref().map_or_else(String::new, |id| format!(", build {id}"));
        format!("{}{build}", it.file)
    }));
    lines
}
