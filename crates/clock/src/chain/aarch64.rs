//! Implements the chains on aarch64. Latencies are from Arm's software optimisation guides;
//! calibration checks the assumption of one cycle for `eor`.

/// The factor of the multiply chain; odd, so that no product becomes zero.
pub(super) const FACTOR: u32 = 0x0100_0193;
const MASK: u64 = 0x9e37_79b9_7f4a_7c15;

/// Computes one link of the logic chain.
pub(super) fn logic_link(value: u64) -> u64 {
    value ^ MASK
}

pub(super) fn has_checksum() -> bool {
    std::arch::is_aarch64_feature_detected!("crc")
}

loops! {
    /// `mul w, w, w`: 2 cycles on Neoverse and Cortex-A76 and later, 3 or 4 elsewhere.
    multiply(value) {
        [".rept 64", "mul {value:w}, {value:w}, {factor:w}", ".endr"],
        value = inout(reg) value, factor = in(reg) u64::from(FACTOR)
    }
    /// `eor x, x, x`: 1 cycle. (`ror` is an alias of `extr`, which some cores split.)
    logic(value) {
        [".rept 64", "eor {value}, {value}, {mask}", ".endr"],
        value = inout(reg) value, mask = in(reg) MASK
    }
    /// `crc32cx` into itself: 2 cycles on Arm's cores, 3 on Apple's. `Chain::run` checks for the
    /// CRC extension.
    checksum(value) {
        [".arch_extension crc", ".rept 64", "crc32cx {value:w}, {value:w}, {value}", ".endr"],
        value = inout(reg) value
    }
}
