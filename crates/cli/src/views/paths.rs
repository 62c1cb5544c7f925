//! Which code calls ran.

use crate::document::Document;
use cpb_model::{CodePath, Operation, Record, Run, TracedCall, Workload};
use cpb_report::html::Source;
use cpb_report::number::{bytes, grouped};
use cpb_report::{Cell, Column, Libraries, Rows, Section, Style, Table, WriteError, write_json};
use std::collections::BTreeMap;
use std::io::Write;

/// Columns before the words of a path.
const BEFORE: usize = 4;

/// What `cpb path` found.
pub(crate) struct PathDocument<'a> {
    pub(crate) run: &'a Run,
    /// Name functions, classes and calls one by one.
    pub(crate) verbose: bool,
}

impl Document for PathDocument<'_> {
    fn command(&self) -> &'static str {
        "path"
    }

    fn sections(&self) -> Vec<Section> {
        let libraries = Libraries::of(self.run);
        let section = section(self.run, &libraries, self.verbose);
        let section = section.map(|section| Section { heading: String::new(), ..section });
        section.into_iter().collect()
    }

    fn rows(&self) -> Rows<'_> {
        let calls = |record| Some(record).into_iter().flat_map(calls_of);
        Rows::of(COLUMNS, self.run.records.iter().flat_map(calls))
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        write_json(output, self.run)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: self.command(), run: self.run }]
    }
}

fn calls_of(record: &Record) -> impl Iterator<Item = (&Record, &TracedCall)> {
    record.path.iter().flat_map(|path| &path.calls).map(move |call| (record, call))
}

/// A table of the rows whose calls were traced; `None` without any.
pub(crate) fn section(run: &Run, libraries: &Libraries, verbose: bool) -> Option<Section> {
    let mut table = Table::new(vec![
        Column::left("library"),
        Column::left("backend"),
        Column::right("message"),
        Column::right("instructions"),
        Column::left("path"),
    ]);
    let mut groups: Vec<(&Workload, Vec<(&Record, &CodePath)>)> = Vec::new();
    for record in &run.records {
        let Some(path) = &record.path else { continue };
        match groups.iter_mut().find(|(workload, _)| **workload == record.workload) {
            Some((_, rows)) => rows.push((record, path)),
            None => groups.push((&record.workload, vec![(record, path)])),
        }
    }
    for (workload, rows) in &groups {
        table.blank();
        table.title(format!("{} ({})", workload.primitive, workload.operation.name()));
        for (place, (record, path)) in rows.iter().enumerate() {
            let same = rows[..place].iter().find(|(_, other)| path.is_same_code(other));
            let name = |record: &Record| name(record, libraries);
            add(&mut table, record, path, libraries, verbose);
            let mut note = |text: String, style| {
                table.note(vec![Cell::default(); BEFORE], Cell::new(text, style));
            };
            if let Some((other, _)) = same {
                note(format!("same code as {}", name(other)), Style::Caution);
            }
            for unused in &path.unused {
                note(unused.clone(), Style::Caution);
            }
        }
    }
    let legend = "instructions: of one call, traced where nothing is timed · path: where most of \
                  them are, and which instruction sets with how many bits";
    (!groups.is_empty()).then(|| Section {
        heading: "Which code ran".to_owned(),
        table,
        after: vec![Cell::new(legend, Style::Faint)],
        ..Section::default()
    })
}

/// A row as it is called where others are compared with it.
fn name(record: &Record, libraries: &Libraries) -> String {
    let library = libraries.short_name(&record.subject.library);
    match record.subject.backend.as_str() {
        "default" => library,
        backend => format!("{library} {backend}"),
    }
}

fn add(table: &mut Table, record: &Record, path: &CodePath, libraries: &Libraries, verbose: bool) {
    let subject = &record.subject;
    let backend = if subject.backend == "default" { "" } else { subject.backend.as_str() };
    let named = [Cell::from(libraries.short_name(&subject.library)), backend.into()];
    for (place, call) in path.calls.iter().enumerate() {
        let mut cells = if place == 0 { named.to_vec() } else { vec![Cell::default(); named.len()] };
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

/// How long the message is, where it has a length.
fn length(record: &Record, call: &TracedCall) -> String {
    let operation: Operation = record.subject.operation;
    match operation.takes_message() {
        true => bytes(call.length),
        false => String::new(),
    }
}

/// All there is to say of a call, line by line.
fn details(call: &TracedCall) -> Vec<String> {
    let percent = |count: u64| format!("{:.1} %", 100.0 * count as f64 / call.instructions.max(1) as f64);
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

/// A column's name, and its cell.
type Field = (&'static str, fn(&(&Record, &TracedCall)) -> String);

const COLUMNS: [Field; 20] = [
    ("primitive", |(record, _)| record.subject.primitive.clone()),
    ("operation", |(record, _)| record.subject.operation.name().to_owned()),
    ("library", |(record, _)| record.subject.library.clone()),
    ("backend", |(record, _)| record.subject.backend.clone()),
    ("contract", |(record, _)| record.workload.contract.name().to_owned()),
    ("length", |(_, call)| call.length.to_string()),
    ("path", |(_, call)| call.words.clone()),
    ("instructions", |(_, call)| call.instructions.to_string()),
    ("is_cut", |(_, call)| call.is_cut.to_string()),
    ("function", |(_, call)| call.functions.first().map(|it| it.name.clone()).unwrap_or_default()),
    ("function_share", |(_, call)| {
        let share = |it: u64| it as f64 / call.instructions.max(1) as f64;
        call.functions.first().map(|it| format!("{:.4}", share(it.instructions))).unwrap_or_default()
    }),
    ("file", |(_, call)| {
        let module = call.functions.first().and_then(|it| call.modules.get(it.module));
        module.map(|it| it.file.clone()).unwrap_or_default()
    }),
    ("build_id", |(_, call)| {
        let module = call.functions.first().and_then(|it| call.modules.get(it.module));
        module.and_then(|it| it.build_id.clone()).unwrap_or_default()
    }),
    ("vector_bits", |(_, call)| call.vector_bits.to_string()),
    ("instruction_sets", |(_, call)| counted(&call.classes)),
    ("c_library_calls", |(_, call)| counted(&call.calls)),
    ("system_calls", |(_, call)| counted(&call.system_calls)),
    ("code_bytes", |(_, call)| call.code_bytes.to_string()),
    ("code_lines", |(_, call)| call.code_lines.to_string()),
    ("not_traced", |(_, call)| call.not_traced.clone().unwrap_or_default()),
];

fn counted(counts: &BTreeMap<String, u64>) -> String {
    counts.iter().map(|(name, count)| format!("{name}:{count}")).collect::<Vec<_>>().join(" ")
}
