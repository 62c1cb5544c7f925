//! Fills the queue from the file.

use super::work::{HANDFUL, Work};
use crate::Segment;
use crate::reader::{BadLine, ReadError, Reader};
use std::io::BufRead;
use std::sync::mpsc::SyncSender;

/// Reads `input`, of `bytes` bytes if known, into the queue.
pub(super) fn fill(
    input: impl BufRead,
    bytes: Option<u64>,
    work: &Work<'_>,
    bad_lines: &SyncSender<BadLine>,
) -> Result<(), ReadError> {
    let mut reader = Reader::new(input);
    let mut segments = Vec::with_capacity(HANDFUL);
    let mut read = 0_u64;
    let hand_over = |segments: &mut Vec<Segment>, read: u64, so_far: u64| {
        let whole = bytes
            .filter(|&bytes| bytes > so_far)
            .map_or(1.0, |bytes| bytes as f64 / so_far.max(1) as f64);
        work.tally.expect_iterations((read as f64 * whole) as u64);
        work.queue.add(segments)
    };
    while !work.is_stopped() {
        match reader.next() {
            Ok(Some(Ok(segment))) => {
                read = read.saturating_add(segment.iterations);
                segments.push(segment);
                if segments.len() == HANDFUL && !hand_over(&mut segments, read, reader.bytes()) {
                    break;
                }
            }
            // If there is no receiver any more, it is not needed.
            Ok(Some(Err(bad))) => drop(bad_lines.send(bad)),
            Ok(None) => break,
            // A stopped input fails to read.
            Err(_) if work.is_stopped() => break,
            Err(error) => {
                hand_over(&mut segments, read, u64::MAX);
                return Err(error);
            }
        }
    }
    hand_over(&mut segments, read, u64::MAX);
    Ok(())
}
