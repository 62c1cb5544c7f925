//! Writes OpenMetrics text, version 1.0 (<https://prometheus.io/docs/specs/om/open_metrics_spec/>),
//! which Prometheus reads, for example from a file of the node exporter.

use super::Format;
use super::series::{self, Per, Tracked};
use crate::Document;
use cpb_model::{Figure, Run};
use std::io::{self, Write};

pub(super) const OPENMETRICS: Format = Format {
    name: "openmetrics",
    about: "OpenMetrics text, for Prometheus",
    endings: &["prom"],
    suits: series::has_any,
    write: |document, _, output| Ok(write(document, output)?),
};

/// A metric of a figure: the suffix of its name, its description, and its value.
type Told = (&'static str, &'static str, fn(Figure) -> Option<f64>);

const TOLD: [Told; 3] = [
    ("", "Core cycles: the estimate.", |figure| Some(figure.estimate)),
    ("_low", "Core cycles: the lower end of the interval.", |figure| Some(figure.interval?.low)),
    ("_high", "Core cycles: the upper end of the interval.", |figure| Some(figure.interval?.high)),
];

fn write(document: &dyn Document, output: &mut dyn Write) -> io::Result<()> {
    let all = series::all(document);
    let Some(run) = all.first().map(|tracked| tracked.run) else { return Ok(()) };
    for (per, name) in [
        (Per::Byte, "cpb_cycles_per_byte"),
        (Per::Iteration, "cpb_cycles_per_iteration"),
        (Per::Call, "cpb_cycles_per_call"),
    ] {
        for (ending, about, of) in TOLD {
            let value = |it: &Tracked<'_>| (it.per == per).then(|| of(it.figure))?;
            family(output, &format!("{name}{ending}"), about, &all, value)?;
        }
    }
    let seconds = |it: &Tracked<'_>| it.point.map(|point| point.nanoseconds_per_call / 1e9);
    family(output, "cpb_call_seconds", "Time of a call.", &all, seconds)?;
    about_the_run(run, output)?;
    output.write_all(b"# EOF\n")
}

/// Writes a gauge of every figure that has the value; nothing if none has.
fn family(
    output: &mut dyn Write,
    name: &str,
    about: &str,
    all: &[Tracked<'_>],
    value: impl Fn(&Tracked<'_>) -> Option<f64>,
) -> io::Result<()> {
    let mut lines = all.iter().filter_map(|tracked| Some((tracked, value(tracked)?))).peekable();
    if lines.peek().is_some() {
        writeln!(output, "# TYPE {name} gauge\n# HELP {name} {about}")?;
    }
    for (tracked, value) in lines {
        writeln!(output, "{name}{{{}}} {value}", labels(tracked))?;
    }
    Ok(())
}

fn about_the_run(run: &Run, output: &mut dyn Write) -> io::Result<()> {
    let quiet = run.clock.as_ref().and_then(|clock| clock.quiet).filter(|quiet| !quiet.assumed);
    let failed = run.records.iter().filter(|record| record.failure.is_some()).count();
    let metrics = [
        ("cpb_run_start_seconds", "When the run began, since 1970.", Some(run.started as f64)),
        ("cpb_run_duration_seconds", "How long it took.", Some(run.seconds)),
        ("cpb_failed_rows", "Rows without a figure.", Some(failed as f64)),
        ("cpb_quiet_ratio", "Share of the time without neighbours.", quiet.map(|it| it.share)),
    ];
    for (name, about, value) in metrics {
        if let Some(value) = value {
            writeln!(output, "# TYPE {name} gauge\n# HELP {name} {about}\n{name} {value}")?;
        }
    }
    Ok(())
}

/// Returns labels that identify a figure.
fn labels(tracked: &Tracked<'_>) -> String {
    let record = tracked.record;
    let subject = &record.subject;
    let version = tracked.library().map_or("", |id| &id.version);
    let point = tracked.point.map(|point| point.parameters);
    let bytes = point.map(|parameters| parameters.message_bytes.to_string());
    let aad = point.map(|parameters| parameters.aad_bytes).filter(|&bytes| bytes != 0);
    let labels = [
        ("row", Some(tracked.name.clone())),
        ("workload", Some(record.workload.to_string())),
        ("primitive", Some(subject.primitive.clone())),
        ("operation", Some(subject.operation.name().to_owned())),
        ("library", Some(subject.library.clone())),
        ("version", Some(version.to_owned())),
        ("backend", Some(subject.backend.clone())),
        ("contract", Some(record.workload.contract.name().to_owned())),
        ("setup", (!record.setup.is_usual()).then(|| record.setup.modifiers().join(", "))),
        ("message_bytes", bytes),
        ("aad_bytes", aad.map(|bytes| bytes.to_string())),
    ];
    let label = |(name, value): (&str, Option<String>)| {
        value.map(|value| format!("{name}=\"{}\"", escaped(&value)))
    };
    labels.into_iter().filter_map(label).collect::<Vec<_>>().join(",")
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
