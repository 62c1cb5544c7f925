//! LNT's report format, version 2 (<https://llvm.org/docs/lnt/importing_data.html>), for its
//! default test suite: what `lnt submit` takes.

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

/// LNT tells machines, runs and tests apart by texts.
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
    /// Cycles, as the name says by what: the one of LNT's own metrics that is better where it is
    /// lower and whose unit no reader takes for granted. In seconds a byte would show as nothing.
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

/// Where any of these changes, LNT sees another machine.
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
        // LNT's runs stand in the order of this number.
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

/// LNT's times are in UTC without saying so.
fn time(seconds: i128) -> String {
    timestamp(seconds).trim_end_matches('Z').to_owned()
}
