//! Hashes the segments of the queue.
//!
//! Segments differ in length, but a loop runs all its lanes equally long. So each thread steps its
//! lanes by the smallest remainder, takes out finished segments, and replaces them by the next.

use super::work::Work;
use crate::{Lanes, Segment};

/// The iterations between checks of whether to stop.
const STRIDE: u64 = 1 << 16;

/// Hashes the queue's segments until it is empty and closed.
pub(super) fn hash(lanes: Lanes, work: &Work<'_>) {
    let covers = lanes.covers();
    let width = covers.len() - 1;
    let mut ahead: Vec<Segment> = Vec::with_capacity(width);
    let mut values: Vec<[u8; 32]> = Vec::with_capacity(width);
    // The segment of each value, and its remaining iterations.
    let mut running: Vec<(Segment, u64)> = Vec::with_capacity(width);
    while !work.is_stopped() {
        while running.len() < width {
            if ahead.is_empty() {
                work.queue.take(width, running.is_empty(), &mut ahead);
            }
            let Some(segment) = ahead.pop() else { break };
            values.push(segment.start);
            let left = segment.iterations;
            running.push((segment, left));
        }
        let Some(least) = running.iter().map(|(_, left)| *left).min() else { return };
        let step = least.min(STRIDE);
        covers[values.len()].iterate(&mut values, step);
        work.tally.add_iterations(step * running.len() as u64);
        running.iter_mut().for_each(|(_, left)| *left -= step);
        let mut finished = 0;
        for index in (0..running.len()).rev() {
            if running[index].1 == 0 {
                let (segment, _) = running.swap_remove(index);
                let end = values.swap_remove(index);
                finished += 1;
                if end != segment.end {
                    work.tally.note_wrong(segment, end);
                }
            }
        }
        work.tally.add_segments(finished);
    }
}
