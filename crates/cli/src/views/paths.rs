//! Which code calls ran.

use crate::document::Document;
use cpb_model::{FirstUse, ObjectsUse, Record, Run, Spent, TracedCall};
use cpb_report::{Libraries, Rows, Section, paths, resources};
use std::collections::BTreeMap;

/// What `cpb path` found.
pub(crate) struct PathDocument<'a> {
    pub(crate) run: &'a Run,
    /// Name functions, classes and calls one by one.
    pub(crate) verbose: bool,
    /// Say what calls cost besides cycles, too.
    pub(crate) resources: bool,
}

impl Document for PathDocument<'_> {
    fn command(&self) -> &'static str {
        "path"
    }

    fn sections(&self) -> Vec<Section> {
        let libraries = Libraries::of(self.run);
        let section = paths::section(self.run, &libraries, self.verbose);
        let section = section.map(|section| Section { heading: String::new(), ..section });
        let resources = || resources::section(self.run, &libraries);
        let resources = self.resources.then(resources).flatten();
        section.into_iter().chain(resources).collect()
    }

    fn rows(&self) -> Rows<'_> {
        let calls = |record| Some(record).into_iter().flat_map(calls_of);
        Rows::of(COLUMNS, self.run.records.iter().flat_map(calls))
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }
}

fn calls_of(record: &Record) -> impl Iterator<Item = (&Record, &TracedCall)> {
    record.path.iter().flat_map(|path| &path.calls).map(move |call| (record, call))
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&(&Record, &TracedCall)) -> String);

const COLUMNS: [Field; 37] = [
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
        call.functions
            .first()
            .map(|it| format!("{:.4}", share(it.instructions)))
            .unwrap_or_default()
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
    ("data_lines", |(_, call)| optional(call.data_lines)),
    ("stack_bytes", |(_, call)| optional(call.stack_bytes)),
    ("stack_written_bytes", |(record, call)| {
        let mut stacks = record.costs.iter().flat_map(|it| &it.stacks);
        optional(stacks.find(|it| it.length == call.length).map(|it| it.bytes))
    }),
    ("heap_allocations", |(_, call)| optional(call.heap.map(|it| it.allocations))),
    ("heap_peak_bytes", |(_, call)| optional(call.heap.map(|it| it.peak_bytes))),
    ("objects_allocations", |(record, _)| optional(objects(record).map(|it| it.allocations))),
    ("objects_peak_bytes", |(record, _)| optional(objects(record).map(|it| it.peak_bytes))),
    ("objects_kept_bytes", |(record, _)| optional(objects(record).map(|it| it.kept_bytes))),
    ("file_bytes", |(record, call)| {
        let module = call.functions.first().and_then(|it| call.modules.get(it.module));
        let of_record = || record.costs.as_ref().and_then(|it| it.file_bytes);
        optional(module.and_then(|it| it.bytes).or_else(of_record))
    }),
    ("first_use_nanoseconds", |(record, _)| first_use(record, |it| Some(it.total), nanoseconds)),
    ("first_use_half_width", |(record, _)| {
        first_use(
            record,
            |it| Some(it.total),
            |it| {
                let interval = it.nanoseconds.interval;
                interval.map(|it| figure((it.high - it.low) / 2.0)).unwrap_or_default()
            },
        )
    }),
    ("first_use_on_cpu_nanoseconds", |(record, _)| {
        first_use(record, |it| Some(it.total), |it| figure(it.on_cpu_nanoseconds.estimate))
    }),
    ("first_use_page_faults", |(record, _)| {
        first_use(record, |it| Some(it.total), |it| figure(it.minor_faults + it.major_faults))
    }),
    ("load_nanoseconds", |(record, _)| first_use(record, |it| it.load, nanoseconds)),
    ("find_nanoseconds", |(record, _)| first_use(record, |it| it.find, nanoseconds)),
    ("objects_nanoseconds", |(record, _)| first_use(record, |it| Some(it.objects), nanoseconds)),
    ("first_call_nanoseconds", |(record, _)| first_use(record, |it| Some(it.call), nanoseconds)),
    ("not_traced", |(_, call)| call.not_traced.clone().unwrap_or_default()),
];

fn objects(record: &Record) -> Option<ObjectsUse> {
    record.path.as_ref().and_then(|path| path.objects)
}

/// What is `told` of a `part` of the first use; nothing where there is none.
fn first_use(
    record: &Record,
    part: impl FnOnce(&FirstUse) -> Option<Spent>,
    told: impl FnOnce(Spent) -> String,
) -> String {
    let first_use = record.costs.as_ref().and_then(|costs| costs.first_use.as_ref());
    first_use.and_then(part).map(told).unwrap_or_default()
}

fn nanoseconds(spent: Spent) -> String {
    figure(spent.nanoseconds.estimate)
}

fn figure(value: f64) -> String {
    format!("{value:.0}")
}

fn optional(number: Option<u64>) -> String {
    number.map(|it| it.to_string()).unwrap_or_default()
}

fn counted(counts: &BTreeMap<String, u64>) -> String {
    counts.iter().map(|(name, count)| format!("{name}:{count}")).collect::<Vec<_>>().join(" ")
}
