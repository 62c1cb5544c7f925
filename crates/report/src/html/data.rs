//! Writes the data that the script draws, as JSON that favours size over readability.
//!
//! ```text
//! shapes, dashes     looks of lines, by number
//! libraries          labels; `colours`: the line colour of each
//! lengths            lists of message lengths or iterations that points share
//! parameters         what else points have in common, as in the JSON of a run
//! runs[]
//!   name, run        the run without its records, as in its JSON
//!   scaling[]        rows by numbers of threads: subject, contract, parameters, shares_keys,
//!                    beside, failure, verdict
//!     crowds[]       processes, threads, others, calls_per_second, efficiency
//!   libraries[]      label, version, path, code path, label in full
//!   groups[]         primitive, operation, aad, contract, evicted: 1 where caches are, setup,
//!                    and the same as `words`, unit,
//!                    per: byte | iteration | call
//!   records[]        group, rank and standing in it (absent: behind), library (number),
//!                    label, backend, …; states: remarks, absent if there are none
//!     figure         [estimate, low, high] in the unit of the group
//!     says           the same in words, and half its width
//!     times          its multiple of the group's best, in words; `factor`: as a number
//!     slope, fixed   the line: cycles per byte or iteration, where the figure is
//!                    another one, and its intercept, or why there is none (misfit)
//!     lengths        which list; `iterations` where it counts these
//!     points         columns, see `COLUMNS`, but for the last that are null; one value where
//!                    all are equal
//!     digits         how many each point's figure is shown with: `5545…`
//!     parameters     which of them, for each point, folded likewise
//!     raw            see `samples`
//! comparisons[]      of each later run to the first: notes, paired, precision, mean: a ratio,
//!                    counted, only[2]: names,
//!                    pairs[first, later, lengths[length, ratio], ratio, failure]
//!     ratio          [value, low, high, verdict, mark]
//! ```

use super::compared::{comparison, of_pairs};
use super::samples;
use super::scaled::scaled;
use crate::chart::{dash_patterns, shapes};
use crate::json::rounded;
use crate::{Colours, Libraries, labels, number};
use crate::{Paired, Source};
use cpb_figures::scaling::Scaled;
use cpb_figures::{CONFIDENCE, Group, RowFlag, Standing, Unit, groups};
use cpb_model::{
    Caches, Cost, EventCounts, Figure, Misfit, Parameters, Point, Record, SerialCalls,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::hash::Hash;

/// Digits of estimates; five are shown.
const DIGITS: usize = 7;
/// Values close to the estimate are stored as multiples of this share of it: ends of intervals, of
/// which five digits are kept; other figures; the spread of rounds.
const FINE_STEP: f64 = 1e-6;
const STEP: f64 = 1e-5;
const COARSE_STEP: f64 = 1e-4;

/// The columns over the points of a record.
const COLUMNS: [fn(&Point) -> Value; 19] = [
    |point| rounded(point.cycles_per_call.estimate, DIGITS),
    |point| {
        point.cycles_per_call.interval.map_or(Value::Null, |i| relative(point, i.low, FINE_STEP))
    },
    |point| {
        point.cycles_per_call.interval.map_or(Value::Null, |i| relative(point, i.high, FINE_STEP))
    },
    |point| rounded(point.nanoseconds_per_call, 5),
    |point| relative(point, point.low_quantile, STEP),
    |point| relative(point, point.minimum, STEP),
    |point| point.between_rounds.map_or(Value::Null, |it| json!((it / COARSE_STEP).round() as i64)),
    |point| json!(point.calls_per_sample),
    |point| json!(point.samples),
    |point| json!(point.rejected),
    |point| json!(point.rounds),
    |point| json!(point.long_calls),
    |point| json!(u8::from(point.cycles_per_call.upper_bound)),
    |point| cost(point, |it| &it.independent),
    |point| cost(point, |it| &it.dependent),
    |point| event(point, |it| Some(it.instructions)),
    |point| event(point, |it| Some(it.instructions_per_cycle())),
    |point| event(point, |it| it.branch_misses),
    |point| event(point, |it| it.l1_data_misses),
];

/// Wraps a cost in an object, since a list would be taken for a column.
fn cost(point: &Point, of: fn(&SerialCalls) -> &Cost) -> Value {
    let found = point.one_by_one.as_ref().map(|it| of(it).cycles_per_call);
    found.map_or(Value::Null, |figure| json!({ "of": bounds(figure) }))
}

fn event(point: &Point, of: fn(&EventCounts) -> Option<f64>) -> Value {
    point.events.as_ref().and_then(of).map_or(Value::Null, |count| rounded(count, 4))
}

/// The data of a page. Large parts are text already, which takes a tenth of the memory.
#[derive(Serialize)]
pub(super) struct Data {
    shapes: Value,
    dashes: Value,
    confidence: f64,
    libraries: Vec<String>,
    colours: Vec<usize>,
    lengths: Vec<Vec<u64>>,
    parameters: Vec<Parameters>,
    runs: Vec<RunData>,
    comparisons: Vec<Value>,
}

#[derive(Serialize)]
struct RunData {
    #[serde(flatten)]
    about: Map<String, Value>,
    records: Vec<Box<RawValue>>,
}

/// Makes the data of a page; for two runs measured next to each other, with their comparison.
pub(super) fn data(sources: &[Source], paired: Option<&Paired>) -> Data {
    let mut page = Page::default();
    let runs: Vec<RunData> = sources.iter().map(|source| page.run(source)).collect();
    let comparisons: Vec<Value> = match sources {
        [first, later] if let Some(paired) = paired => vec![of_pairs(first, later, paired)],
        [first, later @ ..] => later.iter().map(|later| comparison(first, later)).collect(),
        [] => Vec::new(),
    };
    let colours = Colours::of(page.libraries.list.iter().map(String::as_str));
    Data {
        shapes: json!(shapes()),
        dashes: json!(dash_patterns()),
        confidence: CONFIDENCE,
        colours: page.libraries.list.iter().map(|name| colours.of_library(name)).collect(),
        libraries: page.libraries.list,
        lengths: page.lengths.list,
        parameters: page.parameters.list,
        runs,
        comparisons,
    }
}

/// The values that the runs of a page share.
#[derive(Default)]
struct Page {
    libraries: Places<String>,
    lengths: Places<Vec<u64>>,
    parameters: Places<Parameters>,
}

impl Page {
    fn run(&mut self, source: &Source) -> RunData {
        let run = source.run;
        let names = Libraries::of(run);
        for library in names.short_names() {
            self.libraries.of(library);
        }
        let groups = groups(&run.records);
        let has_samples = |row: &&Record| row.points.iter().any(|point| !point.raw.is_empty());
        let share = samples::share(run.records.iter().filter(has_samples).count());
        let mut records = vec![RawValue::NULL.to_owned(); run.records.len()];
        for (place, group) in groups.iter().enumerate() {
            for (rank, (row, label)) in group.rows.iter().zip(labels(group, &names)).enumerate() {
                let mut value = self.record(source, row.record, group.unit, &names, share);
                value.insert("group".to_owned(), json!(place));
                value.insert("label".to_owned(), json!(label));
                value.insert("rank".to_owned(), json!(rank));
                if let (Some(factor), Some(figure)) = (group.factor(row), row.figure) {
                    let times = number::factor(factor, figure.upper_bound);
                    value.insert("times".to_owned(), json!(times));
                    value.insert("factor".to_owned(), rounded(factor, DIGITS));
                }
                if row.standing != Standing::Behind {
                    value.insert("standing".to_owned(), json!(row.standing.name()));
                }
                if let Some(figure) = row.figure {
                    value.insert("figure".to_owned(), bounds(figure));
                    let says = [number::estimate(figure), number::half_width(figure)];
                    value.insert("says".to_owned(), json!(says));
                }
                // Numbers and texts by name: all of that can be written.
                records[row.index] =
                    to_raw_value(&value).unwrap_or_else(|_| RawValue::NULL.to_owned());
            }
        }
        let about = json!({
            "name": source.name,
            "run": run.without_records(),
            "libraries": run.libraries.iter().map(|library| {
                json!([
                    names.short_name(&library.label),
                    library.version,
                    library.path,
                    library.code_path,
                    library.label,
                ])
            }).collect::<Vec<_>>(),
            "groups": groups.iter().map(described).collect::<Vec<_>>(),
            "scaling": Scaled::of(&run.records, &run.host).iter().map(scaled).collect::<Vec<_>>(),
        });
        let about = about.as_object().cloned().unwrap_or_default();
        RunData { about, records }
    }

    fn record(
        &mut self,
        source: &Source,
        record: &Record,
        unit: Unit,
        names: &Libraries,
        share: usize,
    ) -> Map<String, Value> {
        let subject = &record.subject;
        let mut value = Map::new();
        let mut put = |key: &str, part: Value| {
            if !part.is_null() {
                value.insert(key.to_owned(), part);
            }
        };
        put("library", json!(self.libraries.of(names.short_name(&subject.library))));
        put("backend", json!(subject.backend));
        put("default", json!(u8::from(subject.default_backend)));
        put("spelling", json!(subject.spelling));
        put("security", json!(subject.security));
        put("method", json!(record.method));
        put("output", json!(record.output_bytes()));
        put("no_dependence", json!(record.no_dependence));
        put("concurrent", json!(record.concurrent));
        put("precise", json!(record.precise.map(u8::from)));
        put("verified", json!(record.verification));
        put("failure", json!(record.failure));
        let states: Vec<&str> = RowFlag::of(record).into_iter().map(RowFlag::name).collect();
        put("states", if states.is_empty() { Value::Null } else { json!(states) });
        if let Some(line) = &record.line {
            if !matches!(unit, Unit::PerByte | Unit::PerIteration) {
                put("slope", bounds(line.cycles_per_byte));
            }
            put("fixed", line.cycles_per_call.map_or(Value::Null, bounds));
            put("misfit", json!(line.misfit.map(Misfit::describe)));
        }
        if record.points.is_empty() {
            put("asked", json!(record.lengths));
            return value;
        }
        let iterates = record.points.iter().all(|point| {
            point.parameters.message_bytes == 0 && point.parameters.iterations.is_some()
        });
        if iterates {
            put("iterations", json!(1));
        }
        let lengths = record.points.iter().map(|point| match iterates {
            true => point.parameters.iterations.unwrap_or(0),
            false => point.parameters.message_bytes as u64,
        });
        put("lengths", json!(self.lengths.of(lengths.collect())));
        let column = |column: &fn(&Point) -> Value| folded(record.points.iter().map(column));
        let mut columns: Vec<Value> = COLUMNS.iter().map(column).collect();
        columns.truncate(columns.iter().rposition(|it| !it.is_null()).map_or(0, |last| last + 1));
        put("points", columns.into());
        let digits = record.points.iter().map(|it| number::digits(it.cycles_per_call).to_string());
        put("digits", json!(digits.collect::<String>()));
        let parameters = record.points.iter().map(|point| {
            let iterations = point.parameters.iterations.filter(|_| !iterates);
            let shared = Parameters { message_bytes: 0, iterations, ..point.parameters };
            json!(self.parameters.of(shared))
        });
        put("parameters", folded(parameters));
        put("raw", samples::thinned(source, record, share));
        value
    }
}

/// Distinct values, in order of first occurrence.
#[derive(Default)]
struct Places<T> {
    list: Vec<T>,
    places: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Places<T> {
    /// Returns the index of `item`, adding it if it is new.
    fn of(&mut self, item: T) -> usize {
        *self.places.entry(item).or_insert_with_key(|item| {
            self.list.push(item.clone());
            self.list.len() - 1
        })
    }
}

fn described(group: &Group) -> Value {
    json!({
        "workload": group.workload,
        "primitive": group.workload.primitive,
        "operation": group.workload.operation.name(),
        "aad": group.workload.aad,
        "contract": group.workload.contract.name(),
        "evicted": (group.workload.caches == Caches::Evicted).then_some(1),
        "setup": group.setup,
        "words": group.setup.modifiers().join(", "),
        "unit": number::unit(group.unit),
        "per": match group.unit {
            Unit::PerByte | Unit::PerByteAt(_) => "byte",
            Unit::PerIteration => "iteration",
            Unit::PerCall => "call",
        },
    })
}

/// Returns a column, or its single value if all are equal.
fn folded(values: impl Iterator<Item = Value>) -> Value {
    let values: Vec<Value> = values.collect();
    match values.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => first.clone(),
        _ => Value::Array(values),
    }
}

fn bounds(figure: Figure) -> Value {
    let estimate = rounded(figure.estimate, DIGITS);
    match figure.interval {
        None if figure.upper_bound => json!([estimate, null, estimate]),
        None => json!([estimate]),
        Some(interval) => {
            json!([estimate, rounded(interval.low, DIGITS), rounded(interval.high, DIGITS)])
        }
    }
}

fn relative(point: &Point, value: f64, step: f64) -> Value {
    json!(((value / point.cycles_per_call.estimate - 1.0) / step).round() as i64)
}

/// Escapes `value` for the content of a script element, so that nothing in it ends the element.
pub(super) fn embedded(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    text.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{bounded, failed, figure, record, run};
    use cpb_model::Run;

    fn of(run: &Run) -> Value {
        let data = data(&[Source { name: "a", run }], None);
        serde_json::from_str(&serde_json::to_string(&data).unwrap()).unwrap()
    }

    #[test]
    fn nothing_ends_the_script_element() {
        let mut bad = record("</script><!--", "<script>", 5.0);
        bad.subject.spelling = "\u{2028}\"\\".to_owned();
        let run = run(vec![bad]);
        let text = embedded(&of(&run));
        assert!(!text.contains('<'));
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["runs"][0]["groups"][0]["primitive"], "</script><!--");
        assert_eq!(back["runs"][0]["records"][0]["spelling"], "\u{2028}\"\\");
    }

    #[test]
    fn figures_keep_their_digits_and_equal_columns_fold() {
        let run = run(vec![record("sha256", "a", 5.123_456_78), failed("sha256", "b", "SIGILL")]);
        let value = of(&run);
        let row = &value["runs"][0]["records"][0];
        assert_eq!(row["figure"][0], 5.123_457);
        assert_eq!(value["lengths"][0], json!([64, 1024, 16_384]));
        let figure = figure(5.123_456_78);
        assert_eq!(row["says"], json!([number::estimate(figure), number::half_width(figure)]));
        assert_eq!(row["points"][1], -10_000);
        assert_eq!(row["points"][2], 10_000);
        assert_eq!(row["points"][8], 100);
        assert_eq!(row["points"][0].as_array().unwrap().len(), 3);
        let other = &value["runs"][0]["records"][1];
        assert_eq!(other["failure"], json!({ "kind": "crashed", "reason": "SIGILL" }));
        assert!(other.get("points").is_none() && other.get("figure").is_none());
    }

    #[test]
    fn rows_are_so_many_times_the_best() {
        let bound = bounded("sha256", "c", 9.0);
        let (best, other) = (record("sha256", "a", 4.0), record("sha256", "b", 5.0));
        let value = of(&run(vec![other, best, bound, failed("sha256", "d", "SIGILL")]));
        let times = |index: usize| value["runs"][0]["records"][index]["times"].clone();
        assert_eq!([times(0), times(1), times(2)], ["1.25×", "1.00×", "≤ 2.25×"]);
        assert!(times(3).is_null());
        assert!(
            of(&run(vec![record("md5", "a", 4.0)]))["runs"][0]["records"][0]["times"].is_null()
        );
    }
}
