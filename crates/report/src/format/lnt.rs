//! Writes LNT's report format, version 2 (<https://llvm.org/docs/lnt/importing_data.html>), for its
//! default test suite, as `lnt submit` takes it.

use super::Format;
use super::series::{self, Tracked};
use crate::Document;
use crate::date::timestamp;
use crate::number;
use crate::{WriteError, write_json};
use cpb_model::{Host, Run};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

pub(super) const LNT: Format = Format {
    name: "lnt",
    about: "A report for lnt submit",
    endings: &[],
    suits: series::has_any,
    write: |document, _, output| write(document, output),
};

/// Texts by which LNT distinguishes machines, runs and tests.
type Texts = BTreeMap<&'static str, String>;

#[derive(Serialize)]
struct Report {
    format_version: &'static str,
    machine: Texts,
    run: Texts,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct Test {
    name: String,
    /// Cycles, with the unit in the test's name: the only one of LNT's metrics for which lower is
    /// better and no reader assumes a unit. In seconds, a byte would show as nothing.
    execution_time: f64,
}

fn write(document: &dyn Document, output: &mut dyn Write) -> Result<(), WriteError> {
    let all = series::all(document);
    let Some(run) = all.first().map(|tracked| tracked.run) else { return Ok(()) };
    let test = |tracked: Tracked<'_>| Test {
        name: format!("{} ({})", tracked.name, tracked.per.name()),
        execution_time: tracked.figure.estimate,
    };
    let report = Report {
        format_version: "2",
        machine: machine(&run.host),
        run: described(run),
        tests: all.into_iter().map(test).collect(),
    };
    write_json(output, &report)
}

/// Returns the texts that identify a machine for LNT.
fn machine(host: &Host) -> Texts {
    let name = host.cpu.as_ref().unwrap_or(&host.architecture);
    let mut machine =
        Texts::from([("name", name.clone()), ("hardware", host.architecture.clone())]);
    machine.extend(host.cpu_id.clone().map(|it| ("cpu_id", it)));
    machine.extend(host.hypervisor.clone().map(|it| ("hypervisor", it)));
    machine
}

fn described(run: &Run) -> Texts {
    let ended = i128::from(run.started) + run.seconds.ceil() as i128;
    let mut described = Texts::from([
        ("start_time", time(i128::from(run.started))),
        ("end_time", time(ended)),
        // LNT orders runs by this number.
        ("llvm_project_revision", run.started.to_string()),
        ("cpb_version", run.version.clone()),
        ("command", run.command.join(" ")),
    ]);
    described.extend(run.host.kernel.clone().map(|it| ("kernel", it)));
    let clock = run.clock.as_ref();
    described.extend(clock.map(|clock| ("counter", clock.name.clone())));
    let quiet = clock.and_then(|clock| clock.quiet);
    described.extend(quiet.map(|it| ("neighbours", number::quiet(it))));
    let measured: BTreeSet<&str> = run.records.iter().map(|it| &*it.subject.library).collect();
    let libraries = run.libraries.iter().filter(|id| measured.contains(&*id.label));
    let libraries = libraries.map(|id| format!("{} {}", id.name, id.version));
    described.insert("libraries", libraries.collect::<Vec<_>>().join(", "));
    described
}

/// Formats a time, which LNT assumes to be in UTC.
fn time(seconds: i128) -> String {
    timestamp(seconds).trim_end_matches('Z').to_owned()
}
