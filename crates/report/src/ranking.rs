//! Rows that can be compared, fastest first.

use crate::{Libraries, apart};
use cpb_model::{Figure, Method, Operation, Parameters, Point, Record, Run};

/// Where a figure stands among others that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Certainly the lowest: its interval lies below those of all others.
    Best,
    /// It may be the lowest, and so may another.
    Tied,
    /// Another is lower.
    Behind,
}

/// Where each of `figures` stands, of which all count the same and less is
/// better. An upper bound may be as low as anything, and so may a figure
/// without an interval; what failed has no figure and is behind.
#[must_use]
pub fn standings(figures: &[Option<Figure>]) -> Vec<Standing> {
    let ends = |figure: &Figure| match (figure.upper_bound, figure.interval) {
        (true, _) => (f64::NEG_INFINITY, figure.estimate),
        (false, Some(interval)) => (interval.low, interval.high),
        (false, None) => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let ends: Vec<Option<(f64, f64)>> =
        figures.iter().map(|figure| figure.as_ref().map(ends)).collect();
    let least = ends.iter().flatten().map(|(_, high)| *high).fold(f64::INFINITY, f64::min);
    let may_be_best = |ends: &Option<(f64, f64)>| ends.is_some_and(|(low, _)| low <= least);
    let candidates = ends.iter().filter(|ends| may_be_best(ends)).count();
    let standing = |(ends, figure): (&Option<(f64, f64)>, &Option<Figure>)| {
        let is_bound = figure.is_some_and(|figure| figure.upper_bound);
        match (may_be_best(ends), candidates) {
            (true, 1) if !is_bound => Standing::Best,
            (true, _) => Standing::Tied,
            (false, _) => Standing::Behind,
        }
    };
    ends.iter().zip(figures).map(standing).collect()
}

/// What a group's figures count. Only one kind of figure stands in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Cycles per byte of long messages, by slope.
    PerByte,
    /// Cycles per byte of messages of so many bytes.
    PerByteAt(usize),
    /// Cycles per iteration, by slope.
    PerIteration,
    /// Cycles per call.
    PerCall,
}

impl Unit {
    /// The unit in words: `cycles per byte at 16 KiB`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Unit::PerByte => "cycles per byte".to_owned(),
            Unit::PerByteAt(length) => {
                format!("cycles per byte at {}", crate::number::bytes(length))
            }
            Unit::PerIteration => "cycles per iteration".to_owned(),
            Unit::PerCall => "cycles per call".to_owned(),
        }
    }
}

/// A primitive, what is done with it, and who does it.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<'a> {
    /// The primitive's canonical name.
    pub primitive: &'a str,
    /// What is done with it.
    pub operation: Operation,
    /// What the figures count.
    pub unit: Unit,
    /// Fastest first; what has no figure stands last.
    pub rows: Vec<Ranked<'a>>,
}

/// A row with what it is ranked by.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked<'a> {
    /// Its place in the run's records.
    pub index: usize,
    /// The row.
    pub record: &'a Record,
    /// What tells it apart in its group: `native avx512`.
    pub label: String,
    /// In the group's unit; absent where it failed or lacks the length.
    pub figure: Option<Figure>,
    /// Among the rows of its group.
    pub standing: Standing,
}

/// The rows of `run` by primitive and operation, in the order in which these
/// first occur.
#[must_use]
pub fn groups(run: &Run) -> Vec<Group<'_>> {
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (index, record) in run.records.iter().enumerate() {
        let key = (record.subject.primitive.as_str(), record.subject.operation);
        let place = *places.entry(key).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[place].push(index);
    }
    let libraries = Libraries::of(run);
    members.iter().filter_map(|members| group(run, &libraries, members)).collect()
}

fn group<'a>(run: &'a Run, libraries: &Libraries, members: &[usize]) -> Option<Group<'a>> {
    let records: Vec<&Record> = members.iter().map(|&index| &run.records[index]).collect();
    let subject = &records.first()?.subject;
    let unit = unit(&records);
    let labels = labels(&records, libraries);
    let mut rows: Vec<Ranked> = members
        .iter()
        .zip(records.iter().zip(labels))
        .map(|(&index, (&record, label))| Ranked {
            index,
            record,
            label,
            figure: figure(record, unit),
            standing: Standing::Behind,
        })
        .collect();
    let figures: Vec<Option<Figure>> = rows.iter().map(|row| row.figure).collect();
    for (row, standing) in rows.iter_mut().zip(standings(&figures)) {
        row.standing = standing;
    }
    let cost = |row: &Ranked| row.figure.map_or(f64::INFINITY, |figure| figure.estimate);
    rows.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    Some(Group { primitive: &subject.primitive, operation: subject.operation, unit, rows })
}

/// The slope where all have one; else the longest message that all have; else
/// the call.
pub(crate) fn unit(records: &[&Record]) -> Unit {
    let mut measured = records.iter().filter(|record| !record.points.is_empty()).peekable();
    let Some(&&first) = measured.peek() else { return Unit::PerByte };
    let has_lengths = first.points.iter().any(|point| point.parameters.message_bytes > 0);
    if measured.clone().all(|record| record.line.is_some() && record.method == Method::Slope) {
        return if has_lengths { Unit::PerByte } else { Unit::PerIteration };
    }
    let lengths = first.points.iter().map(|point| point.parameters.message_bytes);
    let common = lengths
        .filter(|&length| length > 0 && measured.clone().all(|record| at(record, length).is_some()))
        .max();
    common.map_or(Unit::PerCall, Unit::PerByteAt)
}

pub(crate) fn figure(record: &Record, unit: Unit) -> Option<Figure> {
    if record.failure.is_some() {
        return None;
    }
    match unit {
        Unit::PerByte | Unit::PerIteration => Some(record.line.as_ref()?.cycles_per_byte),
        Unit::PerByteAt(length) => Some(per_byte(at(record, length)?)),
        Unit::PerCall => Some(record.points.last()?.cycles_per_call),
    }
}

fn at(record: &Record, length: usize) -> Option<&Point> {
    record.points.iter().find(|point| point.parameters.message_bytes == length)
}

fn per_byte(point: &Point) -> Figure {
    point.cycles_per_call.times(1.0 / point.parameters.message_bytes as f64)
}

/// Library and backend, and more only where these do not tell rows apart.
fn labels(records: &[&Record], libraries: &Libraries) -> Vec<String> {
    let mut labels: Vec<String> = records
        .iter()
        .map(|record| match record.subject.backend.as_str() {
            "default" => libraries.short_name(&record.subject.library),
            backend => format!("{} {backend}", libraries.short_name(&record.subject.library)),
        })
        .collect();
    let more: [fn(&Record) -> String; 4] = [
        |record| record.subject.spelling.clone(),
        |record| record.contract.name().to_owned(),
        |record| record.output_bytes.map_or_else(String::new, |bytes| format!("{bytes} bytes out")),
        |record| record.points.first().map_or_else(String::new, |point| placed(&point.parameters)),
    ];
    for word in more {
        let said: Vec<String> = records.iter().map(|record| word(record)).collect();
        let before = labels.clone();
        let ambiguous = apart::ambiguous(&before, &said);
        for (label, own) in labels.iter_mut().zip(&said) {
            if ambiguous.contains(label.as_str()) && !own.is_empty() {
                *label = format!("{label} {own}");
            }
        }
    }
    apart::number(&mut labels);
    labels
}

fn placed(parameters: &Parameters) -> String {
    let alignment = match parameters.alignment {
        cpb_model::Alignment::Page => "aligned",
        cpb_model::Alignment::Unaligned => "unaligned",
    };
    format!("{alignment}, aad {}", parameters.aad_bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cpb_model::{
        Contract, Failure, FailureKind, Host, Interval, Line, RawRounds, Run, SCHEMA, Subject,
        Verification,
    };

    /// A run of `records` and nothing else.
    pub(crate) fn run(records: Vec<Record>) -> Run {
        Run {
            id: String::new(),
            seed: 0,
            throughput: Vec::new(),
            schema: SCHEMA,
            version: "0.1.0".to_owned(),
            revision: None,
            command: vec!["cpb".to_owned(), "run".to_owned()],
            started: 1_790_000_000,
            seconds: 1.5,
            host: Host { cpu: Some("a CPU".to_owned()), ..Host::default() },
            cpu: Some(1),
            cpus: Vec::new(),
            steal: None,
            clock: None,
            libraries: Vec::new(),
            records,
            warnings: Vec::new(),
        }
    }

    /// A hash of `slope` cycles per byte, ±1 %.
    pub(crate) fn record(primitive: &str, library: &str, slope: f64) -> Record {
        let figure = |estimate: f64| {
            let (low, high) = (estimate * 0.99, estimate * 1.01);
            Figure::new(estimate, Some(Interval { low, high, confidence: 0.95 }))
        };
        let point = |message_bytes: usize| Point {
            parameters: Parameters {
                message_bytes,
                aad_bytes: 0,
                key_bytes: None,
                nonce_bytes: None,
                iterations: None,
                output_bytes: None,
                alignment: cpb_model::Alignment::Page,
            },
            cycles_per_call: figure(300.0 + slope * message_bytes as f64),
            nanoseconds_per_call: (300.0 + slope * message_bytes as f64) / 4.0,
            between_rounds: Some(0.002),
            median: None,
            low_quantile: 299.0 + slope * message_bytes as f64,
            minimum: 298.0 + slope * message_bytes as f64,
            long_calls: None,
            calls_per_sample: 10,
            samples: 100,
            rejected: 1,
            rounds: 5,
            raw: RawRounds::default(),
        };
        Record {
            subject: Subject {
                primitive: primitive.to_owned(),
                operation: Operation::Hash,
                library: library.to_owned(),
                spelling: primitive.to_uppercase(),
                backend: "default".to_owned(),
                default_backend: true,
                row: None,
            },
            output_bytes: None,
            contract: Contract::Keyed,
            method: Method::Slope,
            verification: Some(Verification::KnownAnswer),
            points: [64, 1024, 16_384].map(point).to_vec(),
            line: Some(Line {
                cycles_per_byte: figure(slope),
                cycles_per_call: figure(300.0),
                fitted: None,
            }),
            precise: Some(true),
            failure: None,
        }
    }

    /// The same, failed.
    pub(crate) fn failed(primitive: &str, library: &str, reason: &str) -> Record {
        Record {
            points: Vec::new(),
            line: None,
            failure: Some(Failure { kind: FailureKind::Crashed, reason: reason.to_owned() }),
            ..record(primitive, library, 1.0)
        }
    }

    #[test]
    fn groups_keep_their_order_and_rank_the_fastest_first() {
        let run = run(vec![
            record("sha256", "a", 5.0),
            record("md5", "a", 1.0),
            failed("sha256", "b", "SIGSEGV"),
            record("sha256", "c", 4.0),
        ]);
        let groups = groups(&run);
        let names: Vec<&str> = groups.iter().map(|group| group.primitive).collect();
        assert_eq!(names, ["sha256", "md5"]);
        let order: Vec<usize> = groups[0].rows.iter().map(|row| row.index).collect();
        assert_eq!(order, [3, 0, 2]);
        assert_eq!(groups[0].unit, Unit::PerByte);
        assert_eq!(groups[0].rows[2].figure, None);
    }

    #[test]
    fn only_what_is_certainly_fastest_is_best() {
        use Standing::{Behind, Best, Tied};
        let sure = |low: f64, high: f64| {
            Some(Figure::new((low + high) / 2.0, Some(Interval { low, high, confidence: 0.95 })))
        };
        let bound = |high: f64| Some(Figure::at_most(high));
        assert_eq!(standings(&[sure(2.0, 2.1), sure(2.2, 2.3)]), [Best, Behind]);
        assert_eq!(
            standings(&[sure(2.0, 2.3), sure(2.2, 2.5), sure(3.0, 4.0)]),
            [Tied, Tied, Behind]
        );
        assert_eq!(standings(&[sure(2.0, 2.1), bound(9.0)]), [Tied, Tied]);
        assert_eq!(standings(&[sure(2.0, 2.1), bound(1.0)]), [Behind, Tied]);
        assert_eq!(standings(&[None, bound(1.0)]), [Behind, Tied]);
        assert_eq!(standings(&[sure(2.0, 2.1), Some(Figure::new(5.0, None))]), [Tied, Tied]);
        assert_eq!(standings(&[None, sure(2.0, 2.1)]), [Behind, Best]);
        assert_eq!(standings(&[]), []);
    }

    #[test]
    fn a_group_has_one_unit() {
        let trials = Record { line: None, method: Method::Trials, ..record("sha256", "b", 4.0) };
        let mut short = record("sha256", "c", 3.0);
        short.points.pop();
        let run = run(vec![record("sha256", "a", 5.0), trials, short]);
        let groups = groups(&run);
        assert_eq!(groups[0].unit, Unit::PerByteAt(1024));
        let fastest = groups[0].rows[0].figure.unwrap();
        assert!((fastest.estimate - (3.0 + 300.0 / 1024.0)).abs() < 1e-12);
        assert_eq!(groups[0].unit.words(), "cycles per byte at 1 KiB");
    }

    #[test]
    fn labels_say_what_tells_rows_apart_and_no_more() {
        let mut avx2 = record("sha256", "native", 5.0);
        avx2.subject.backend = "avx2".to_owned();
        let mut oneshot = record("sha256", "b", 5.0);
        oneshot.contract = Contract::Oneshot;
        let mut spelled = record("sha256", "c", 5.0);
        spelled.subject.spelling = "SHA2-256".to_owned();
        let rows = [
            avx2,
            record("sha256", "b", 4.0),
            oneshot,
            record("sha256", "c", 4.0),
            spelled,
            record("sha256", "d", 4.0),
            record("sha256", "d", 4.0),
        ];
        assert_eq!(
            labels(&rows.iter().collect::<Vec<_>>(), &Libraries::default()),
            ["native avx2", "b keyed", "b oneshot", "c SHA256", "c SHA2-256", "d", "d #2"]
        );
    }
}
