//! Runs dependent chains: instruction sequences that take a known number of core cycles, whatever
//! the clock frequency.
//!
//! Each link needs the result of the one before, so a chain advances one link per latency, and
//! nothing else on the core can speed it up. [`Chain::Logic`] takes one cycle per link on every
//! core known to us; the latency of [`Chain::Multiply`] is measured against it and must be a whole
//! number, so that each chain checks the other (see [`crate::Clock::calibrate`]). Plain
//! add-immediate is unsuitable, because recent cores eliminate it at rename.

#[cfg_attr(target_arch = "aarch64", path = "chain/aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "chain/x86_64.rs")]
mod arch;

/// Links in one block, the unit in which chains are run.
pub const LINKS_PER_BLOCK: u32 = 64;

cpb_model::named! {
    /// A kind of dependent chain, named as in `chain-multiply`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Chain {
        /// 32-bit multiplications by a constant: 3 cycles per link on x86-64, 2 to 4 on aarch64. It
        /// is the steadiest chain, because its latency is long compared with the core's width.
        Multiply = "multiply",
        /// One-cycle logic: a rotate on x86-64, an exclusive or on aarch64.
        Logic = "logic",
        /// CRC-32C instructions: 3 cycles per link on x86-64 cores, 2 or 3 on aarch64. Not used for
        /// calibration, so it can check it.
        Checksum = "checksum",
    }
}

impl Chain {
    /// Whether this CPU has the instruction.
    pub fn is_available(self) -> bool {
        self != Chain::Checksum || arch::has_checksum()
    }

    /// Runs `blocks` blocks of [`LINKS_PER_BLOCK`] links each, starting at `value`, and returns the
    /// chain's last value: `value` itself after zero blocks. A run that starts with another's
    /// result continues its chain; other runs may overlap.
    ///
    /// Does nothing if [`Chain::is_available`] is false.
    #[inline]
    pub fn run(self, value: u64, blocks: u32) -> u64 {
        if blocks == 0 || !self.is_available() {
            return value;
        }
        match self {
            Chain::Multiply => arch::multiply(value, blocks),
            Chain::Logic => arch::logic(value, blocks),
            Chain::Checksum => arch::checksum(value, blocks),
        }
    }

    /// Computes the value that [`Chain::run`] must return, in plain code.
    pub fn expected(self, value: u64, blocks: u32) -> u64 {
        if !self.is_available() {
            return value;
        }
        let links = u64::from(blocks) * u64::from(LINKS_PER_BLOCK);
        (0..links).fold(value, |value, _| match self {
            Chain::Multiply => u64::from((value as u32).wrapping_mul(arch::FACTOR)),
            Chain::Logic => arch::logic_link(value),
            Chain::Checksum => u64::from(crc32c(value as u32, value)),
        })
    }
}

/// Computes CRC-32C of eight bytes by the bitwise definition (RFC 3720 appendix B.4, without the
/// final complement).
fn crc32c(checksum: u32, data: u64) -> u32 {
    const REVERSED_POLYNOMIAL: u64 = 0x82f6_3b78;
    let mut remainder = u64::from(checksum) ^ data;
    for _ in 0..64 {
        let carry = if remainder & 1 == 1 { REVERSED_POLYNOMIAL } else { 0 };
        remainder = (remainder >> 1) ^ carry;
    }
    remainder as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_compute_what_they_claim() {
        for chain in Chain::ALL {
            assert!(chain.is_available(), "{} is not on this CPU", chain.name());
            for blocks in [0, 1, 2, 7] {
                assert_eq!(
                    chain.run(1, blocks),
                    chain.expected(1, blocks),
                    "{} {blocks}",
                    chain.name()
                );
            }
        }
    }

    #[test]
    fn crc32c_is_castagnolis() {
        // RFC 3720 appendix B.4: 32 bytes of zeros.
        let checksum = (0..4).fold(!0, |checksum, _| crc32c(checksum, 0));
        assert_eq!(!checksum, 0x8a91_36aa);
    }
}
