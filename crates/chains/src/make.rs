//! Makes a chain, which only one core can do.

use crate::reader::HEADING;
use crate::{Segment, Style};
use cpb_kernels::recursive_sha256::Cover;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// The iterations between checks of whether to stop.
const STRIDE: u64 = 1 << 18;

/// The error of writing a chain.
#[derive(Debug, thiserror::Error)]
#[error("cannot write on after {iterations} iterations: {reason}")]
pub struct MakeError {
    /// The iterations of the segments passed to the output, which may have buffered some of them.
    pub iterations: u64,
    /// The system's message.
    pub reason: std::io::Error,
}

/// Hashes `start` again and again, `length` times, and writes a segment every `every` iterations
/// (not zero); the last may be shorter. Returns the iterations of the written segments, which are
/// fewer than `length` after a `stop`. Reports finished iterations to `tell`.
///
/// # Errors
/// [`MakeError`], if writing fails.
pub fn make(
    start: [u8; 32],
    length: u64,
    every: u64,
    style: Style,
    output: &mut dyn Write,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(u64),
) -> Result<u64, MakeError> {
    let one_lane = Cover::new(1);
    let mut written = 0;
    let failed = |iterations| move |reason| MakeError { iterations, reason };
    if style == Style::Csv {
        writeln!(output, "{HEADING}").map_err(failed(0))?;
    }
    let mut from = start;
    while written < length {
        let iterations = every.min(length - written);
        let Some(end) = advance(&one_lane, from, written, iterations, stop, tell) else { break };
        let segment = Segment { line: 0, start: from, iterations, end };
        output.write_all(segment.text(style).as_bytes()).map_err(failed(written))?;
        written += iterations;
        from = end;
    }
    output.flush().map_err(failed(written))?;
    Ok(written)
}

fn advance(
    one_lane: &Cover,
    start: [u8; 32],
    before: u64,
    iterations: u64,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(u64),
) -> Option<[u8; 32]> {
    let mut value = [start];
    let mut done = 0;
    while done < iterations {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let now = STRIDE.min(iterations - done);
        one_lane.iterate(&mut value, now);
        done += now;
        tell(before + done);
    }
    Some(value[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use cpb_kernels::recursive_sha256;

    #[test]
    fn segments_join_into_the_chain() {
        let mut written = Vec::new();
        let go = AtomicBool::new(false);
        for style in [Style::Csv, Style::Json] {
            written.clear();
            let made = make([7; 32], 25, 10, style, &mut written, &go, &mut |_| {}).unwrap();
            assert_eq!(made, 25);
            let text = String::from_utf8(written.clone()).unwrap();
            let lines = text.lines().skip(usize::from(style == Style::Csv));
            let segments: Vec<Segment> = lines.map(|line| parse(1, line).unwrap()).collect();
            let lengths: Vec<u64> = segments.iter().map(|segment| segment.iterations).collect();
            assert_eq!(lengths, [10, 10, 5]);
            assert!(segments.windows(2).all(|pair| pair[0].end == pair[1].start));
            let mut whole = [[7; 32]];
            recursive_sha256::iterate(&mut whole, 25);
            assert_eq!(segments[2].end, whole[0]);
        }
    }

    #[test]
    fn told_to_stop_it_keeps_whole_segments() {
        let mut written = Vec::new();
        let stop = AtomicBool::new(false);
        let made = make([7; 32], u64::MAX, 10, Style::Csv, &mut written, &stop, &mut |done| {
            stop.store(done >= 30, Ordering::Relaxed);
        });
        assert_eq!(made.unwrap(), 30);
        assert_eq!(String::from_utf8(written).unwrap().lines().count(), 4);
    }
}
