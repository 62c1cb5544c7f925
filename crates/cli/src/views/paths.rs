//! Shows the code that calls ran.

use cpb_model::{CodeFunction, CodeModule, ObjectsUse, Record, Run, Spent, TracedCall};
use cpb_report::{Document, Fields, Libraries, Rows, Section, paths, resources};
use std::collections::BTreeMap;

/// The result of `cpb path`.
pub(crate) struct PathDocument<'a> {
    pub(crate) run: &'a Run,
    /// Whether to list functions, classes and calls.
    pub(crate) verbose: bool,
    /// Whether to show costs besides cycles.
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
        fields().rows(self.run.records.iter().flat_map(calls))
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }
}

fn calls_of(record: &Record) -> impl Iterator<Item = (&Record, &TracedCall)> {
    record.path.iter().flat_map(|path| &path.calls).map(move |call| (record, call))
}

fn fields<'a>() -> Fields<'a, (&'a Record, &'a TracedCall)> {
    /// Returns the function with the most instructions, and its file.
    fn function(call: &TracedCall) -> Option<&CodeFunction> {
        call.functions.first()
    }
    fn module(call: &TracedCall) -> Option<&CodeModule> {
        call.modules.get(function(call)?.module)
    }
    let first_use = |record: &Record| record.costs.as_ref()?.first_use.clone();
    let nanoseconds = |spent: Spent| whole(spent.nanoseconds.estimate);
    Fields::<(&Record, &TracedCall)>::new()
        .data_only("primitive", |(record, _)| record.subject.primitive.clone())
        .data_only("operation", |(record, _)| record.subject.operation.name())
        .data_only("library", |(record, _)| record.subject.library.clone())
        .data_only("backend", |(record, _)| record.subject.backend.clone())
        .data_only("contract", |(record, _)| record.workload.contract.name())
        .data_only("length", |(_, call)| call.length)
        .data_only("path", |(_, call)| call.words.clone())
        .data_only("instructions", |(_, call)| call.instructions)
        .data_only("is_cut", |(_, call)| call.is_cut)
        .data_only("function", |(_, call)| Some(function(call)?.name.clone()))
        .data_only("function_share", |(_, call)| {
            let own = function(call)?.instructions as f64;
            Some(format!("{:.4}", own / call.instructions.max(1) as f64))
        })
        .data_only("file", |(_, call)| Some(module(call)?.file.clone()))
        .data_only("build_id", |(_, call)| module(call)?.build_id.clone())
        .data_only("vector_bits", |(_, call)| call.vector_bits)
        .data_only("instruction_sets", |(_, call)| counted(&call.classes))
        .data_only("c_library_calls", |(_, call)| counted(&call.calls))
        .data_only("system_calls", |(_, call)| counted(&call.system_calls))
        .data_only("code_bytes", |(_, call)| call.code_bytes)
        .data_only("code_lines", |(_, call)| call.code_lines)
        .data_only("data_lines", |(_, call)| call.data_lines)
        .data_only("stack_bytes", |(_, call)| call.stack_bytes)
        .data_only("stack_written_bytes", |(record, call)| {
            let mut stacks = record.costs.iter().flat_map(|it| &it.stacks);
            stacks.find(|it| it.length == call.length).map(|it| it.bytes)
        })
        .data_only("heap_allocations", |(_, call)| Some(call.heap?.allocations))
        .data_only("heap_peak_bytes", |(_, call)| Some(call.heap?.peak_bytes))
        .data_only("objects_allocations", |(record, _)| Some(objects(record)?.allocations))
        .data_only("objects_peak_bytes", |(record, _)| Some(objects(record)?.peak_bytes))
        .data_only("objects_kept_bytes", |(record, _)| Some(objects(record)?.kept_bytes))
        .data_only("file_bytes", |(record, call)| {
            let of_record = || record.costs.as_ref()?.file_bytes;
            module(call).and_then(|it| it.bytes).or_else(of_record)
        })
        .data_only("first_use_nanoseconds", move |(record, _)| {
            Some(nanoseconds(first_use(record)?.total))
        })
        .data_only("first_use_half_width", move |(record, _)| {
            let interval = first_use(record)?.total.nanoseconds.interval?;
            Some(whole((interval.high - interval.low) / 2.0))
        })
        .data_only("first_use_on_cpu_nanoseconds", move |(record, _)| {
            Some(whole(first_use(record)?.total.on_cpu_nanoseconds.estimate))
        })
        .data_only("first_use_page_faults", move |(record, _)| {
            let total = first_use(record)?.total;
            Some(whole(total.minor_faults + total.major_faults))
        })
        .data_only("load_nanoseconds", move |(record, _)| first_use(record)?.load.map(nanoseconds))
        .data_only("find_nanoseconds", move |(record, _)| first_use(record)?.find.map(nanoseconds))
        .data_only("objects_nanoseconds", move |(record, _)| {
            Some(nanoseconds(first_use(record)?.objects))
        })
        .data_only("first_call_nanoseconds", move |(record, _)| {
            Some(nanoseconds(first_use(record)?.call))
        })
        .data_only("not_traced", |(_, call)| call.not_traced.clone())
}

fn objects(record: &Record) -> Option<ObjectsUse> {
    record.path.as_ref().and_then(|path| path.objects)
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

fn counted(counts: &BTreeMap<String, u64>) -> String {
    counts.iter().map(|(name, count)| format!("{name}:{count}")).collect::<Vec<_>>().join(" ")
}
