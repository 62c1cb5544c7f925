//! Writes the `customSmallerIsBetter` format of github-action-benchmark
//! (<https://github.com/benchmark-action/github-action-benchmark>).

use super::Format;
use super::series::{self, Tracked};
use crate::Document;
use crate::number::{self, percent};
use crate::{WriteError, write_json};
use serde::Serialize;
use std::io::Write;

pub(super) const GITHUB_BENCHMARK: Format = Format {
    name: "github-benchmark",
    about: "JSON for github-action-benchmark, as customSmallerIsBetter",
    endings: &[],
    suits: series::has_any,
    write: |document, _, output| write(document, output),
};

#[derive(Serialize)]
struct Benchmark {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    /// The tooltip.
    extra: String,
}

fn write(document: &dyn Document, output: &mut dyn Write) -> Result<(), WriteError> {
    let benchmark = |tracked: Tracked<'_>| Benchmark {
        unit: tracked.per.name(),
        value: tracked.figure.estimate,
        range: tracked.figure.relative_half_width().map(|it| format!("± {}", percent(it))),
        extra: circumstances(&tracked),
        name: tracked.name,
    };
    let benchmarks: Vec<Benchmark> = series::all(document).into_iter().map(benchmark).collect();
    write_json(output, &benchmarks)
}

/// Describes library version, processor, and how quiet it was.
fn circumstances(tracked: &Tracked<'_>) -> String {
    let run = tracked.run;
    let library = tracked.library().map(|id| format!("{} {}", id.name, id.version));
    let quiet = run.clock.as_ref().and_then(|clock| clock.quiet).map(number::quiet);
    [library, run.host.cpu.clone(), quiet].into_iter().flatten().collect::<Vec<_>>().join("\n")
}
