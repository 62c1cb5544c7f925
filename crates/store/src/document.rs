//! Converts runs to and from compressed bytes.

use crate::database::{Database, Pieces};
use crate::from_json;
use cpb_model::{FromJson, RawRounds, Record, Run};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{self, BufReader, BufWriter, Read, Write};
use tempfile::{SpooledTempFile, spooled_tempfile};

/// Higher levels save two percent, and take three times as long.
const LEVEL: Compression = Compression::new(6);

/// Bytes of JSON compressed at a time.
const MOST_AT_ONCE: usize = 32 << 10;

/// Larger packed records are written to disk.
const MOST_IN_MEMORY: usize = 1 << 20;

/// The limit of packed raw samples of a run, and of one of its points. Those of an hour are a
/// fraction of this; larger claims of a file are rejected before they fill the memory.
pub(crate) const MOST_SAMPLES: u64 = 128 << 20;
const MOST_SAMPLES_OF_A_POINT: u64 = 8 << 20;

/// Returns `run` as compressed JSON.
pub(crate) fn pack(run: &Run) -> io::Result<Vec<u8>> {
    let mut encoder = buffered(Vec::new());
    run.write_json(&mut encoder)?;
    encoder.into_inner()?.finish()
}

/// Reads what [`pack`] and [`pack_records`] wrote.
fn unpack<T: FromJson>(packed: impl Read) -> io::Result<T> {
    Ok(from_json(ZlibDecoder::new(packed))?)
}

/// Finds a piece of a run's description, or of its records.
pub(crate) const DESCRIPTION: &str =
    "SELECT substr(description, $2, $3) FROM documents WHERE run = $1";
pub(crate) const RECORDS: &str = "SELECT substr(records, $2, $3) FROM documents WHERE run = $1";

/// Joins a run's description and its records; those that earlier versions stored in the
/// description come last.
pub(crate) fn whole(mut described: Run, mut records: Vec<Record>) -> Run {
    records.append(&mut described.records);
    Run { records, ..described }
}

/// Reads what `query` finds of a run, piece by piece. The error includes faults of the database.
pub(crate) fn unpack_of<T: FromJson>(
    database: &dyn Database,
    query: &'static str,
    run: i64,
) -> io::Result<T> {
    unpack(BufReader::new(Pieces::of(database, query, run)))
}

/// Packs `records` without their raw samples, one by one, into a file, because those of a long run
/// are too large for memory, as text and even compressed.
pub(crate) fn pack_records(records: &[Record]) -> io::Result<SpooledTempFile> {
    let mut encoder = buffered(spooled_tempfile(MOST_IN_MEMORY));
    let mut before = b'[';
    for record in records {
        encoder.write_all(&[before])?;
        without_raw(record).write_json(&mut encoder)?;
        before = b',';
    }
    encoder.write_all(if records.is_empty() { b"[]" } else { b"]" })?;
    encoder.into_inner()?.finish()
}

/// Wraps an encoder in a buffer, because it clears a large buffer at every write, and JSON is
/// written a few bytes at a time.
fn buffered<W: Write>(output: W) -> BufWriter<ZlibEncoder<W>> {
    BufWriter::with_capacity(MOST_AT_ONCE, ZlibEncoder::new(output, LEVEL))
}

/// Copies `record` without its raw samples. One record at a time is copied, since those of a whole
/// run are too large.
pub(crate) fn without_raw(record: &Record) -> Record {
    let mut bare = record.clone();
    bare.forget_raw();
    bare
}

/// Packs the raw samples of a record's points; `None` if none were kept.
pub(crate) fn pack_samples(samples: &[RawRounds]) -> io::Result<Option<Vec<u8>>> {
    if samples.iter().all(RawRounds::is_empty) {
        return Ok(None);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), LEVEL);
    for rounds in samples {
        let packed = rounds.packed();
        let length = u32::try_from(packed.len()).map_err(io::Error::other)?;
        encoder.write_all(&length.to_le_bytes())?;
        encoder.write_all(packed)?;
    }
    encoder.finish().map(Some)
}

/// Gives `record` the raw samples that [`pack_samples`] packed, and subtracts their size from
/// `left`.
pub(crate) fn unpack_samples(
    packed: impl Read,
    record: &mut Record,
    left: &mut u64,
) -> io::Result<()> {
    let mut decoder = ZlibDecoder::new(packed);
    let mut all = Vec::new();
    for _ in record.raw() {
        let mut length = [0; 4];
        decoder.read_exact(&mut length)?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > MOST_SAMPLES_OF_A_POINT.min(*left) {
            return Err(io::Error::other("it has more raw samples than any run"));
        }
        *left -= length;
        let mut rounds = Vec::new();
        decoder.by_ref().take(length).read_to_end(&mut rounds)?;
        if rounds.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        all.push(RawRounds::from_packed(rounds).map_err(io::Error::other)?);
    }
    record.put_raw(all);
    Ok(())
}
