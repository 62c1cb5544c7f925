//! Results that cpb saved as JSON.

use super::{Curve, Curves, CurvesError, Length, Name};
use crate::Libraries;
use cpb_model::{Alignment, Operation, Parameters, Point, Record, Run, SCHEMA};
use serde_json::Value;
use std::path::Path;

pub(super) fn parse(path: &Path, text: &str) -> Result<Curves, CurvesError> {
    let broken = |error: serde_json::Error| CurvesError::Wrong {
        path: path.to_owned(),
        line: error.line().max(1),
        wrong: format!("this is not the JSON that cpb saves: {error}"),
    };
    let nothing =
        |reason: &str| CurvesError::Nothing { path: path.to_owned(), reason: reason.to_owned() };
    let document: Value = serde_json::from_str(text).map_err(broken)?;
    let Some(schema) = document.get("schema").and_then(Value::as_u64) else {
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
    if document.get("records").is_none() {
        return Err(nothing("cpb printed it, but it holds no results"));
    }
    // From the text, so that errors know their line.
    let run: Run = serde_json::from_str(text).map_err(broken)?;
    let mut found = Curves::default();
    for record in &run.records {
        read_record(path, &run, record, &mut found);
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

/// The curves of some of a run's records; empty where none has a figure over a
/// message length.
#[must_use]
pub fn of<'a>(run: &Run, records: impl IntoIterator<Item = &'a Record>) -> Vec<Curve> {
    let mut found = Curves::default();
    for record in records {
        read_record(Path::new(""), run, record, &mut found);
    }
    found.curves
}

/// The curves of a record: one for each set of parameters but the message's
/// length.
fn read_record(path: &Path, run: &Run, record: &Record, found: &mut Curves) {
    let described = format!("{} {}", record.subject.library, record.subject.spelling);
    if let Some(failure) = &record.failure {
        found.notes.push(format!("{described} has no figures: {}", failure.reason));
    }
    let apart = |point: &Point| Parameters { message_bytes: 0, ..point.parameters };
    let mut sets: Vec<Parameters> = Vec::new();
    for point in &record.points {
        if !sets.contains(&apart(point)) {
            sets.push(apart(point));
        }
    }
    for set in sets {
        let of_set = record.points.iter().filter(|point| apart(point) == set);
        let mut lengths: Vec<Length> = of_set.filter_map(length).collect();
        lengths.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
        if lengths.is_empty() {
            found.notes.push(format!("{described} has no figure for a message length"));
            continue;
        }
        found.curves.push(Curve { name: name(path, run, record, &set), lengths });
    }
}

/// Absent for a call without a message, as key derivations are.
fn length(point: &Point) -> Option<Length> {
    let cycles = point.cycles_per_call;
    (point.parameters.message_bytes > 0).then(|| Length {
        bytes: point.parameters.message_bytes as f64,
        cycles: cycles.estimate,
        interval: cycles.interval.map(|interval| (interval.low, interval.high)),
        nanoseconds: Some(point.nanoseconds_per_call),
    })
}

fn name(path: &Path, run: &Run, record: &Record, set: &Parameters) -> Name {
    let subject = &record.subject;
    let (algorithm, mode) = match &subject.row {
        Some(row) => (row.algorithm.clone(), row.mode.clone()),
        None => (subject.spelling.clone(), String::new()),
    };
    let mut details = vec![
        subject.operation.name().to_owned(),
        subject.spelling.clone(),
        subject.backend.clone(),
        record.contract.name().to_owned(),
    ];
    let output = set.output_bytes.or(record.output_bytes);
    details.extend(output.map(|bytes| format!("{bytes} bytes out")));
    details.push(format!("aad {}", set.aad_bytes));
    details.extend(set.iterations.map(|count| format!("{count} iterations")));
    details.push(match set.alignment {
        Alignment::Page => "aligned".to_owned(),
        Alignment::Unaligned => "unaligned".to_owned(),
    });
    let version = run.libraries.iter().find(|library| library.label == subject.library);
    details.extend(version.map(|library| library.version.clone()));
    Name {
        library: Libraries::of(run).short_name(&subject.library),
        algorithm,
        mode,
        workload: match subject.operation {
            Operation::Hash | Operation::Xof => subject.primitive.clone(),
            operation => format!("{} {}", subject.primitive, operation.name()),
        },
        details,
        machine: run.host.cpu.clone().unwrap_or_default(),
        file: path.to_string_lossy().into_owned(),
    }
}
