//! Reads curves from results that cpb saved as JSON.

use super::{Curve, Curves, CurvesError, Length, Name};
use crate::{Libraries, group_by};
use cpb_model::{Alignment, Caches, FromJson, Parameters, Point, Record, Run, SCHEMA, harmless};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Recognises results among other JSON, without keeping them.
#[derive(Deserialize)]
struct Shape {
    schema: Option<serde_json::Number>,
    records: Option<IgnoredAny>,
}

pub(super) fn parse(
    path: &Path,
    mut content: impl Read + Seek,
    start: u64,
) -> Result<Curves, CurvesError> {
    let broken = |error: serde_json::Error| CurvesError::Wrong {
        path: path.to_owned(),
        line: error.line().max(1),
        wrong: format!("this is not the JSON that cpb saves: {error}"),
    };
    let nothing =
        |reason: &str| CurvesError::Nothing { path: path.to_owned(), reason: reason.to_owned() };
    let shape: Shape = serde_json::from_reader(BufReader::new(&mut content)).map_err(broken)?;
    let Some(schema) = shape.schema.as_ref().and_then(serde_json::Number::as_u64) else {
        return Err(CurvesError::Wrong {
            path: path.to_owned(),
            line: 1,
            wrong: "this JSON has no \"schema\"; expected results that cpb saved, as with \
                    'cpb run --format json'"
                .to_owned(),
        });
    };
    if schema > u64::from(SCHEMA) {
        return Err(CurvesError::Newer { path: path.to_owned(), schema });
    }
    if shape.records.is_none() {
        return Err(nothing("cpb printed it, but it holds no results"));
    }
    content
        .seek(SeekFrom::Start(start))
        .map_err(|reason| CurvesError::Unreadable { path: path.to_owned(), reason })?;
    let run = Run::from_reader(&mut content).map_err(broken)?;
    let mut found = Curves::default();
    let libraries = Libraries::of(&run);
    for record in &run.records {
        read_record(path, &run, &libraries, record, &mut found);
    }
    if found.curves.is_empty() {
        let reason = match found.notes.first() {
            Some(first) => first.as_str(),
            None => "it holds no rows",
        };
        return Err(nothing(reason));
    }
    Ok(found)
}

/// Returns the curves of some of a run's records; empty if none has a figure over a message length.
pub fn of<'a>(run: &Run, records: impl IntoIterator<Item = &'a Record>) -> Vec<Curve> {
    let mut found = Curves::default();
    let libraries = Libraries::of(run);
    for record in records {
        read_record(Path::new(""), run, &libraries, record, &mut found);
    }
    found.curves
}

/// Reads the curves of a record: one per set of parameters, ignoring the message length.
fn read_record(path: &Path, run: &Run, libraries: &Libraries, record: &Record, found: &mut Curves) {
    let described = format!("{} {}", record.subject.library, record.subject.spelling);
    if let Some(failure) = &record.failure {
        found.notes.push(format!("{described} has no figures: {}", failure.reason));
    }
    let set_of = |point: &&Point| Parameters { message_bytes: 0, ..point.parameters };
    for points in group_by(&record.points, set_of) {
        let set = set_of(&points[0]);
        let mut lengths: Vec<Length> = points.into_iter().filter_map(length).collect();
        lengths.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
        if lengths.is_empty() {
            found.notes.push(format!("{described} has no figure for a message length"));
            continue;
        }
        found.curves.push(Curve { name: name(path, run, libraries, record, &set), lengths });
    }
}

/// Returns a point; `None` for a call without a message, such as key derivations.
fn length(point: &Point) -> Option<Length> {
    let cycles = point.cycles_per_call;
    (point.parameters.message_bytes > 0).then(|| Length {
        bytes: point.parameters.message_bytes as f64,
        cycles: cycles.estimate,
        interval: cycles.interval.map(|interval| (interval.low, interval.high)),
        nanoseconds: Some(point.nanoseconds_per_call),
        upper_bound: cycles.upper_bound,
    })
}

fn name(path: &Path, run: &Run, libraries: &Libraries, record: &Record, set: &Parameters) -> Name {
    let subject = &record.subject;
    let (algorithm, mode) = match &subject.row {
        Some(row) => (row.algorithm.clone(), row.mode.clone()),
        None => (subject.spelling.clone(), String::new()),
    };
    let mut details = vec![
        subject.operation.name().to_owned(),
        subject.spelling.clone(),
        subject.backend.clone(),
        record.workload.contract.name().to_owned(),
    ];
    let output = set.output_bytes.or(record.output_bytes());
    details.extend(output.map(|bytes| format!("{bytes} bytes out")));
    details.push(format!("aad {}", set.aad_bytes));
    details.extend(set.iterations.map(|count| format!("{count} iterations")));
    details.push(match set.alignment {
        Alignment::Page => "aligned".to_owned(),
        Alignment::Unaligned => "unaligned".to_owned(),
    });
    details.extend((set.caches == Caches::Evicted).then(|| "caches evicted".to_owned()));
    details.extend(record.setup.modifiers());
    details.extend(libraries.version(&subject.library).map(str::to_owned));
    Name {
        library: libraries.short_name(&subject.library),
        algorithm,
        mode,
        // A hash is hardly mistaken for anything else.
        workload: match subject.operation.row() {
            row if row.group == "hash" => subject.primitive.clone(),
            row => format!("{} {}", subject.primitive, row.name),
        },
        details,
        machine: run.host.cpu.clone().unwrap_or_default(),
        file: harmless(&path.to_string_lossy()).into_owned(),
    }
}
