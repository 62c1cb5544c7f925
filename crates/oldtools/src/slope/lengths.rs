//! Defines the lengths at which bench-slopes measures.

/// Message lengths: 16, 80 … 4112 bytes.
const SHORTEST: usize = 16;
const LONGEST: usize = 4112;
const STEP: usize = 64;
/// Iterations of a derivation: 2, 4 … 64.
const MOST_ITERATIONS: usize = 64;
/// Message lengths of raw mode: 16, 32 … 2 MiB.
const RAW_POWERS: std::ops::RangeInclusive<u32> = 4..=21;

/// Returns the message lengths, in bytes, as multiples of `granularity`.
pub fn messages(granularity: usize) -> Vec<usize> {
    let step = STEP.next_multiple_of(granularity);
    (SHORTEST.next_multiple_of(granularity)..=LONGEST).step_by(step).collect()
}

/// Returns the iterations of a derivation.
pub fn iterations() -> Vec<usize> {
    (2..=MOST_ITERATIONS).step_by(2).collect()
}

/// Returns the message lengths of raw mode, in bytes.
pub fn raw() -> Vec<usize> {
    RAW_POWERS.map(|power| 1 << power).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_bench_slopes() {
        let messages = messages(1);
        assert_eq!((messages.len(), messages[1], messages.last()), (65, 80, Some(&4112)));
        assert_eq!((iterations().first(), iterations().last()), (Some(&2), Some(&64)));
        assert_eq!((raw().len(), raw().last()), (18, Some(&(2 << 20))));
    }
}
