//! Writes milo's JSON, with additional keys that its readers ignore.

use super::choice::Chosen;
use super::outcome::{Figures, Outcome, View};
use cpb_report::WriteError;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Returns the results.
pub fn document<'a>(view: &'a View<'a>) -> impl Serialize + 'a {
    BTreeMap::from([("benchmark", BTreeMap::from([("primitive", Entries(view))]))])
}

/// Returns the results with the command, the project, and the compiler that built it.
pub fn verbose<'a>(view: &'a View<'a>, compiler: Option<&'static str>) -> impl Serialize + 'a {
    let run = view.run;
    let args = run.command.get(1..).unwrap_or_default();
    Verbose {
        result: document(view),
        command: Command { dump: args.join(" "), args },
        project: Project { name: "cpb", version: &run.version, revision: run.revision.as_deref() },
        compiler: compiler.and_then(|text| {
            let (name, version) = text.split_once(' ')?;
            Some(Compiler { name, version })
        }),
    }
}

#[derive(Serialize)]
struct Verbose<'a, R> {
    result: R,
    command: Command<'a>,
    project: Project<'a>,
    compiler: Option<Compiler>,
}

/// The command line after the program's name.
#[derive(Serialize)]
struct Command<'a> {
    dump: String,
    args: &'a [String],
}

#[derive(Serialize)]
struct Compiler {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Project<'a> {
    name: &'static str,
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<&'a str>,
}

/// The results by name, in order.
struct Entries<'a>(&'a View<'a>);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = self.0;
        serializer.collect_map(
            view.results().map(|result| (result.chosen.name.name.clone(), view.entry(&result))),
        )
    }
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<Metrics<'a>>,
    config: Config<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backend: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct Metrics<'a> {
    cpu: Cpu<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    throughput: Option<Throughput>,
    duration: Duration,
}

#[derive(Serialize)]
struct Cpu<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles_per_byte: Option<SixDecimals>,
    cycles_per_call: SixDecimals,
    /// `stated` with `--cpu-clock`, else `measured`.
    clock: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_source: Option<&'a str>,
}

#[derive(Serialize)]
struct Throughput {
    megabytes_per_second: SixDecimals,
    gigabytes_per_second: SixDecimals,
}

#[derive(Serialize)]
struct Duration {
    nanoseconds_per_call: SixDecimals,
    median: Option<SixDecimals>,
    interval: Option<[SixDecimals; 2]>,
    /// Whether all of these are only upper bounds; absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    upper_bound: bool,
    spread: Option<SixDecimals>,
    calls: u64,
    processes: u32,
}

#[derive(Serialize)]
struct Config<'a> {
    input: Input<'a>,
    benchmark: Settings,
}

struct Input<'a>(&'a Chosen);

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.parameters.len()))?;
        for (parameter, value) in &self.0.parameters {
            map.serialize_entry(parameter.name(), value)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Settings {
    /// In Hz, if stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_clock: Option<u64>,
    repeats_time: u64,
    repeats_warm: u64,
}

impl<'a> View<'a> {
    fn entry(&'a self, result: &Outcome<'a>) -> Entry<'a> {
        let repeats = self.repeats;
        let (metrics, error) = match result.figures() {
            Ok(figures) => (Some(self.metrics(&figures)), None),
            Err(reason) => (None, Some(reason)),
        };
        Entry {
            config: Config {
                input: Input(result.chosen),
                benchmark: Settings {
                    cpu_clock: repeats.cpu_clock.map(|megahertz| (megahertz * 1e6).round() as u64),
                    repeats_time: repeats.repeats_time,
                    repeats_warm: repeats.repeats_warm,
                },
            },
            backend: result.record.map(|record| record.subject.backend.as_str()),
            counter: metrics.as_ref().and_then(|_| self.counter()),
            verified: result.verified(),
            metrics,
            error,
        }
    }

    fn metrics(&self, figures: &Figures) -> Metrics<'_> {
        let is_stated = self.repeats.cpu_clock.is_some();
        Metrics {
            cpu: Cpu {
                cycles_per_byte: figures.per_byte(figures.cycles).map(SixDecimals),
                cycles_per_call: SixDecimals(figures.cycles),
                clock: if is_stated { "stated" } else { "measured" },
                clock_source: self.run.clock.as_ref().map(|clock| clock.name.as_str()),
            },
            throughput: figures.megabytes_per_second().map(|rate| Throughput {
                megabytes_per_second: SixDecimals(rate),
                gigabytes_per_second: SixDecimals(rate / 1e3),
            }),
            duration: Duration {
                nanoseconds_per_call: SixDecimals(figures.nanoseconds),
                median: figures.median.map(SixDecimals),
                interval: figures.interval.map(|interval| interval.map(SixDecimals)),
                upper_bound: figures.upper_bound,
                spread: figures.spread.map(SixDecimals),
                calls: figures.calls,
                processes: figures.processes,
            },
        }
    }
}

/// A number in milo's format: `2.033197`.
#[derive(Clone, Copy)]
struct SixDecimals(f64);

impl Serialize for SixDecimals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = RawValue::from_string(format!("{:.6}", self.0)).map_err(S::Error::custom)?;
        text.serialize(serializer)
    }
}

/// Formats `document` on one line, or `indented` by four.
///
/// # Errors
/// If it cannot be expressed.
pub fn text(document: &impl Serialize, indented: bool) -> Result<String, WriteError> {
    let mut text = Vec::new();
    if indented {
        let indented = serde_json::ser::PrettyFormatter::with_indent(b"    ");
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, indented);
        document.serialize(&mut serializer)?;
    } else {
        document.serialize(&mut serde_json::Serializer::new(&mut text))?;
    }
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}
