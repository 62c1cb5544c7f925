//! Records memory reads, from addresses computed with registers.

use super::architecture::{Instruction, Registers};
use std::collections::HashSet;
use std::ops::RangeInclusive;

const CACHE_LINE: u64 = 64;

/// The cache lines that were read.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Their numbers.
    pub(crate) all: HashSet<u64>,
    /// Whether there may be others: if the addresses that an instruction reads do not follow from
    /// general registers, or tracing of reads stopped.
    pub(crate) is_part: bool,
    stops: u32,
}

/// The most stops of a call to read registers, at some 20 µs each.
const MOST_STOPS: u32 = 50_000;

impl Lines {
    /// Counts a stop made for a read.
    pub(crate) fn stopped(&mut self) {
        self.stops += 1;
        self.is_part |= self.stops > MOST_STOPS;
    }

    /// Adds what `instruction` reads with these registers.
    pub(crate) fn add(&mut self, instruction: &Instruction, registers: &Registers) {
        for read in instruction.reads(registers) {
            match read {
                Some((address, bytes)) => self.all.extend(lines(address, bytes)),
                None => self.is_part = true,
            }
        }
    }
}

/// Returns the numbers of the lines of `bytes` bytes at `address`.
fn lines(address: u64, bytes: u64) -> RangeInclusive<u64> {
    address / CACHE_LINE..=address.saturating_add(bytes - 1) / CACHE_LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_across_lines_is_of_both() {
        assert_eq!(lines(0x1008, 8), 0x40..=0x40);
        assert_eq!(lines(0x1038, 8), 0x40..=0x40);
        assert_eq!(lines(0x103c, 8), 0x40..=0x41);
        assert_eq!(lines(0x1000, 129), 0x40..=0x42);
    }
}
