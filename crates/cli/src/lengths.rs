//! Decides at which lengths a row is measured.

use cpb_engine::{Fit, Row};
use cpb_model::{Axis, Offer, Operation};

/// Lengths through which the slope of long messages is fitted.
const LINE_BYTES: [usize; 5] = [1024, 2048, 4096, 8192, 16_384];
const LINE_ITERATIONS: [usize; 5] = [8, 16, 32, 64, 128];

/// Returns the line of `cpb run`: whole blocks, so that steps in the cost cannot tilt it; or
/// iterations. `None` if the cost does not depend on a length.
pub(crate) fn line(offer: &Offer) -> Option<(Fit, Vec<usize>)> {
    // Sorting costs more per byte, the more there is to sort.
    if offer.operation == Operation::Sort {
        return None;
    }
    match offer.axis() {
        Axis::Bytes => {}
        Axis::Iterations => return Some((Fit::RobustOrLongest, LINE_ITERATIONS.to_vec())),
        Axis::Calls => return None,
    }
    let block = offer.lengths.block.unwrap_or(1).max(offer.lengths.granularity).max(1);
    let mut lengths: Vec<usize> =
        LINE_BYTES.iter().map(|length| (length / block).max(1) * block).collect();
    lengths.dedup();
    Some((Fit::RobustOrLongest, lengths))
}

/// Restricts `row` to these message lengths, if it has any of them; the others are only for its
/// line.
pub(crate) fn keep(row: &mut Row, sizes: &[usize]) {
    let is_kept = |length: &usize| sizes.contains(length);
    if row.subject.axis() == Axis::Bytes && row.lengths.iter().any(is_kept) {
        row.lengths.retain(is_kept);
        row.line = None;
    }
}

/// Whether `offer` accepts messages of this length.
pub(crate) fn fits(offer: &Offer, length: usize) -> bool {
    offer.axis() == Axis::Bytes && length.is_multiple_of(offer.lengths.granularity.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Lengths;

    #[test]
    fn lines_are_fitted_through_whole_blocks() {
        for (block, granularity) in [(Some(136), 1), (Some(64), 1), (None, 16), (None, 1)] {
            let lengths = Lengths { granularity, block, ..Lengths::default() };
            let offer = Offer::new("x", Operation::Hash, lengths);
            let (_, lengths) = line(&offer).unwrap();
            assert_eq!(lengths.len(), LINE_BYTES.len());
            assert!(lengths.iter().all(|l| l % block.unwrap_or(granularity) == 0));
            assert!(lengths.is_sorted() && *lengths.last().unwrap() <= 16_384);
            assert!(line(&Offer { operation: Operation::Sort, ..offer }).is_none());
        }
    }
}
