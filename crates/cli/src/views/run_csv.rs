//! `cpb run` as CSV: one line for each row and message length.

use crate::fault::Fault;
use cpb_model::{Figure, Record, Run};
use cpb_report::number::five_digits;
use cpb_report::{Libraries, WriteError, write_csv};
use std::io::Write;

const HEADER: [&str; 25] = [
    "primitive",
    "operation",
    "library",
    "version",
    "backend",
    "contract",
    "message_bytes",
    "iterations",
    "output_bytes",
    "cycles_per_byte",
    "cycles_per_call",
    "cycles_per_call_low",
    "cycles_per_call_high",
    "nanoseconds_per_call",
    "slope_cycles_per_byte",
    "intercept_cycles",
    "rounds",
    "samples",
    "counter",
    "verified",
    "state",
    "slope_state",
    "error",
    "nanoseconds_state",
    "intercept_state",
];

pub(crate) fn write(run: &Run) -> Result<(), Fault> {
    Ok(write_to(&mut std::io::stdout().lock(), run)?)
}

pub(crate) fn write_to(output: &mut dyn Write, run: &Run) -> Result<(), WriteError> {
    let header = HEADER.map(str::to_owned);
    let libraries = Libraries::of(run);
    let rows = run.records.iter().flat_map(|record| rows(run, &libraries, record));
    write_csv(output, &header, rows)
}

fn rows(run: &Run, libraries: &Libraries, record: &Record) -> Vec<Vec<String>> {
    let subject = &record.subject;
    let version = libraries.version(&subject.library);
    let common = vec![
        subject.primitive.clone(),
        subject.operation.name().to_owned(),
        subject.library.clone(),
        version.unwrap_or_default().to_owned(),
        subject.backend.clone(),
        record.contract.name().to_owned(),
    ];
    let counter = run.clock.as_ref().map(|clock| clock.name.clone()).unwrap_or_default();
    let verified = record.verification.as_ref().map_or("", |v| v.name()).to_owned();
    if let Some(failure) = &record.failure {
        let mut row = common;
        row.resize(HEADER.len() - 7, String::new());
        let failed = || "failed".to_owned();
        let reason = failure.reason.clone();
        row.extend([counter, verified, failed(), failed(), reason, failed(), failed()]);
        return vec![row];
    }
    let line = record.line.as_ref();
    let slope = line.map(|line| five_digits(line.cycles_per_byte.estimate)).unwrap_or_default();
    let intercept = line.map(|line| five_digits(line.cycles_per_call.estimate)).unwrap_or_default();
    record
        .points
        .iter()
        .map(|point| {
            let bytes = point.parameters.message_bytes;
            let Figure { estimate, interval, .. } = point.cycles_per_call;
            let bound = |value: Option<f64>| value.map(five_digits).unwrap_or_default();
            let mut row = common.clone();
            row.extend([
                bytes.to_string(),
                point.parameters.iterations.map(|count| count.to_string()).unwrap_or_default(),
                point.parameters.output_bytes.map(|b| b.to_string()).unwrap_or_default(),
                if bytes == 0 { String::new() } else { five_digits(estimate / bytes as f64) },
                five_digits(estimate),
                bound(interval.map(|interval| interval.low)),
                bound(interval.map(|interval| interval.high)),
                five_digits(point.nanoseconds_per_call),
                slope.clone(),
                intercept.clone(),
                point.rounds.to_string(),
                point.samples.to_string(),
                counter.clone(),
                verified.clone(),
                point.cycles_per_call.state().to_owned(),
                line.map(|line| line.cycles_per_byte.state()).unwrap_or_default().to_owned(),
                String::new(),
                point.cycles_per_call.state().to_owned(),
                line.map(|line| line.cycles_per_call.state()).unwrap_or_default().to_owned(),
            ]);
            row
        })
        .collect()
}
