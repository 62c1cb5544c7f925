//! Writes SUPERCOP's database: a line per length, preceded by lines that say what was measured and
//! on what (<https://bench.cr.yp.to/supercop.html>). Its cycles are medians; ours are the run's
//! estimates, without each timing's distance from them. Upper bounds are left out, since no line
//! can express them.

use super::Format;
use crate::WriteError;
use crate::date::timestamp;
use cpb_model::{Figure, Operation, Point, Record, Run, Security};
use std::io::Write;

pub(super) const SUPERCOP: Format = Format {
    name: "supercop",
    about: "Lines of SUPERCOP's database",
    endings: &[],
    suits: |document| document.runs().iter().any(|source| source.run.records.iter().all(is_one)),
    write: |document, _, output| {
        document.runs().iter().try_for_each(|source| write(source.run, output))
    },
};

/// Whether calls were made by a single thread; no line can express other setups.
fn is_one(record: &Record) -> bool {
    record.concurrent.is_none()
}

/// SUPERCOP's name for the cycles of an operation, and what they belong to.
struct Row {
    operation: Operation,
    /// The SUPERCOP operation, as in `crypto_hash`; for key pairs, that of the primitive.
    of: &'static str,
    measured: &'static str,
    length: fn(&Record, &Point) -> Option<usize>,
}

const fn row(
    operation: Operation,
    of: &'static str,
    measured: &'static str,
    length: fn(&Record, &Point) -> Option<usize>,
) -> Row {
    Row { operation, of, measured, length }
}

const ROWS: [Row; 17] = [
    row(Operation::Hash, "hash", "cycles", message),
    row(Operation::Xof, "xof", "cycles", output_and_message),
    row(Operation::Mac, "auth", "cycles", message),
    row(Operation::Encrypt, "stream", "xor_cycles", message),
    row(Operation::Seal, "aead", "encrypt_cycles", aad_and_message),
    row(Operation::Open, "aead", "decrypt_cycles", aad_and_message),
    row(Operation::PublicKey, "scalarmult", "base_cycles", nothing),
    row(Operation::Agree, "dh", "cycles", nothing),
    row(Operation::Keygen, "dh", "keypair_cycles", nothing),
    row(Operation::Sign, "sign", "cycles", message),
    row(Operation::Verify, "sign", "open_cycles", message),
    row(Operation::Encapsulate, "kem", "enc_cycles", nothing),
    row(Operation::Decapsulate, "kem", "dec_cycles", nothing),
    row(Operation::Core, "core", "cycles", nothing),
    row(Operation::EncodeItems, "encode", "cycles", nothing),
    row(Operation::DecodeItems, "decode", "cycles", nothing),
    row(Operation::Rng, "rng", "cycles", nothing),
];

/// The factor with which SUPERCOP packs two lengths into one number.
const FIRST_OF_TWO: usize = 1_000_000;

fn message(_: &Record, point: &Point) -> Option<usize> {
    Some(point.parameters.message_bytes)
}

fn output_and_message(record: &Record, point: &Point) -> Option<usize> {
    Some(FIRST_OF_TWO * record.output_bytes().unwrap_or(0) + point.parameters.message_bytes)
}

fn aad_and_message(_: &Record, point: &Point) -> Option<usize> {
    Some(FIRST_OF_TWO * point.parameters.aad_bytes + point.parameters.message_bytes)
}

fn nothing(_: &Record, _: &Point) -> Option<usize> {
    None
}

fn write(run: &Run, output: &mut dyn Write) -> Result<(), WriteError> {
    for record in run.records.iter().filter(|record| record.failure.is_none()) {
        let Some(row) = ROWS.iter().find(|row| row.operation == record.subject.operation) else {
            continue;
        };
        let begin = beginning(run, record, row);
        about(run, record, &begin, output)?;
        for point in record.points.iter().filter(|point| !point.cycles_per_call.upper_bound) {
            let length = (row.length)(record, point);
            let length = length.map_or_else(|| "-".to_owned(), |length| length.to_string());
            let cycles = whole(point.cycles_per_call);
            writeln!(output, "{begin} {} {length} {cycles}", row.measured)?;
        }
    }
    Ok(())
}

/// Returns the beginning of every line of a record: version, machine (by its CPU), architecture,
/// day, operation, primitive. Only for source folders is it known whether the time depends on
/// secrets.
fn beginning(run: &Run, record: &Record, row: &Row) -> String {
    let subject = &record.subject;
    let (operation, primitive) = match subject.spelling.split_once('/') {
        Some((operation, primitive)) if operation.starts_with("crypto_") => {
            (operation.to_owned(), primitive)
        }
        _ => (format!("crypto_{}", of(run, record, row)), subject.primitive.as_str()),
    };
    let architecture = match run.host.architecture.as_str() {
        "x86_64" => "amd64",
        other => other,
    };
    let day: String = timestamp(run.started).chars().filter(char::is_ascii_digit).take(8).collect();
    let (version, host) = (&run.version, word(run.host.cpu.as_deref().unwrap_or_default()));
    let primitive = word(primitive);
    let security = subject.security.unwrap_or(Security::TimingLeaks).name();
    format!("cpb-{version} {host} {architecture} {day} {operation} {primitive}/{security}")
}

/// Returns the operation that a key pair is for, as the other rows of its primitive show.
fn of(run: &Run, record: &Record, row: &Row) -> &'static str {
    if row.operation != Operation::Keygen {
        return row.of;
    }
    let others = run.records.iter().filter(|it| it.subject.primitive == record.subject.primitive);
    let mut known = others.filter_map(|other| {
        ROWS.iter().find(|row| row.operation == other.subject.operation).map(|row| row.of)
    });
    known.find(|of| ["sign", "kem"].contains(of)).unwrap_or(row.of)
}

/// Describes what was measured, and with which clock.
fn about(
    run: &Run,
    record: &Record,
    begin: &str,
    output: &mut dyn Write,
) -> Result<(), WriteError> {
    let subject = &record.subject;
    let library = run.libraries.iter().find(|library| library.label == subject.library);
    let name = library.map_or(subject.library.as_str(), |library| library.name.as_str());
    let version = library.map_or("-", |library| library.version.as_str());
    let implementation = word(&format!("{name}/{}", subject.backend));
    writeln!(output, "{begin} implementation {implementation} {}", word(version))?;
    if let Some(clock) = &run.clock {
        let counter = word(&clock.name);
        writeln!(output, "{begin} cpucycles_implementation {counter}")?;
        writeln!(output, "{begin} cpucycles_persecond {:.0}", clock.core_hertz)?;
    }
    Ok(())
}

/// Removes spaces, which separate words.
fn word(text: &str) -> String {
    let word: String = text.split_whitespace().collect::<Vec<_>>().join("_");
    if word.is_empty() { "-".to_owned() } else { word }
}

/// Rounds to whole cycles, as SUPERCOP has them.
fn whole(figure: Figure) -> i64 {
    figure.estimate.round() as i64
}
