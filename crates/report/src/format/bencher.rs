//! Writes Bencher Metric Format for `bencher run --adapter json`
//! (<https://bencher.dev/docs/reference/bencher-metric-format>).

use super::Format;
use super::series::{self, Per};
use crate::Document;
use crate::{WriteError, write_json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

pub(super) const BENCHER: Format = Format {
    name: "bencher",
    about: "Bencher Metric Format, for bencher run --adapter json",
    endings: &[],
    suits: series::has_any,
    write: |document, _, output| write(document, output),
};

#[derive(Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// Metrics by benchmark and measure: `latency`, in nanoseconds, exists in every project.
type Benchmarks = BTreeMap<String, BTreeMap<&'static str, Metric>>;

fn write(document: &dyn Document, output: &mut dyn Write) -> Result<(), WriteError> {
    let mut benchmarks = Benchmarks::new();
    for tracked in series::all(document) {
        let cycles = tracked.figure;
        let metric = |per_cycle: f64| Metric {
            value: cycles.estimate * per_cycle,
            lower_value: cycles.interval.map(|interval| interval.low * per_cycle),
            upper_value: cycles.interval.map(|interval| interval.high * per_cycle),
        };
        let measure = match tracked.per {
            Per::Byte => "cycles-per-byte",
            Per::Iteration => "cycles-per-iteration",
            Per::Call => "cycles-per-call",
        };
        let mut measures = BTreeMap::from([(measure, metric(1.0))]);
        if let Some(point) = tracked.point {
            measures.insert("latency", metric(point.nanoseconds_per_call / cycles.estimate));
        }
        benchmarks.insert(tracked.name, measures);
    }
    write_json(output, &benchmarks)
}
