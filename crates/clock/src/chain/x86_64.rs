//! Implements the chains on x86-64.

/// The constant of the multiply chain; odd, so that no product becomes zero.
pub(super) const FACTOR: u32 = 0x0100_0193;

/// Computes one link of the logic chain.
pub(super) fn logic_link(value: u64) -> u64 {
    value.rotate_right(13)
}

pub(super) fn has_checksum() -> bool {
    std::arch::is_x86_feature_detected!("sse4.2")
}

loops! {
    /// `imul r32, r32, constant`: 3 cycles on every Intel and AMD core since 2008.
    multiply(value) {
        [".rept 64", "imul {value:e}, {value:e}, {factor}", ".endr"],
        value = inout(reg) value, factor = const FACTOR
    }
    /// `ror r64, 13`: 1 cycle.
    logic(value) { [".rept 64", "ror {value}, 13", ".endr"], value = inout(reg) value }
    /// `crc32 r64, r64` into itself: 3 cycles.
    checksum_block(value) { [".rept 64", "crc32 {value}, {value}", ".endr"], value = inout(reg) value }
    /// Four such blocks.
    checksum_blocks(value) { [".rept 256", "crc32 {value}, {value}", ".endr"], value = inout(reg) value }
}

/// Runs blocks of `crc32`; `Chain::run` checks for SSE 4.2. On Zen 1 a branch delays this chain by a
/// cycle, half a percent of a block, so four blocks have one.
#[inline]
pub(super) fn checksum(mut value: u64, blocks: u32) -> u64 {
    let [fours, rest] = [blocks / 4, blocks % 4];
    if fours != 0 {
        value = checksum_blocks(value, fours);
    }
    if rest != 0 { checksum_block(value, rest) } else { value }
}
