//! Holds the 1600 bits of the state, and moves bytes into and out of it.

/// Holds the state: lane (x, y) is at index x + 5y (FIPS 202 section 3.1.2), and
/// the bytes of a lane count from its least significant (appendix B.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State(pub(super) [u64; 25]);

impl State {
    pub(super) const ZERO: Self = Self([0; 25]);

    /// Adds a block of whole lanes, its first byte at the state's first byte.
    #[inline(always)]
    pub(super) fn xor_block(&mut self, block: &[u8]) {
        let (lanes, _) = block.as_chunks::<8>();
        for (lane, bytes) in self.0.iter_mut().zip(lanes) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
    }

    /// Adds `bytes` from byte `offset` on; they must end within the state.
    #[inline(always)]
    pub(super) fn xor_bytes(&mut self, offset: usize, mut bytes: &[u8]) {
        let mut lane = offset / 8;
        let inside = offset % 8;
        if inside != 0 {
            let (head, rest) = bytes.split_at(bytes.len().min(8 - inside));
            self.0[lane] ^= partial_lane(head) << (8 * inside);
            lane += 1;
            bytes = rest;
        }
        let (whole, tail) = bytes.as_chunks::<8>();
        for bytes in whole {
            self.0[lane] ^= u64::from_le_bytes(*bytes);
            lane += 1;
        }
        if !tail.is_empty() {
            self.0[lane] ^= partial_lane(tail);
        }
    }

    /// Adds one byte at `offset`.
    #[inline(always)]
    pub(super) fn xor_byte(&mut self, offset: usize, byte: u8) {
        self.0[offset / 8] ^= u64::from(byte) << (8 * (offset % 8));
    }

    /// Copies the state's bytes from `offset` on; `out` must end within it.
    #[inline(always)]
    pub(super) fn copy_bytes(&self, offset: usize, mut out: &mut [u8]) {
        let mut lane = offset / 8;
        let inside = offset % 8;
        if inside != 0 {
            let bytes = self.0[lane].to_le_bytes();
            let (head, rest) = out.split_at_mut(out.len().min(8 - inside));
            head.copy_from_slice(&bytes[inside..][..head.len()]);
            lane += 1;
            out = rest;
        }
        let (whole, tail) = out.as_chunks_mut::<8>();
        for bytes in whole {
            *bytes = self.0[lane].to_le_bytes();
            lane += 1;
        }
        if !tail.is_empty() {
            tail.copy_from_slice(&self.0[lane].to_le_bytes()[..tail.len()]);
        }
    }
}

/// Loads up to seven bytes as a lane, in three steps of fixed size, because a copy
/// of variable length would be a call into the C library.
#[inline(always)]
fn partial_lane(mut bytes: &[u8]) -> u64 {
    let mut lane = 0;
    let mut filled = 0;
    if let Some((four, rest)) = bytes.split_first_chunk::<4>() {
        lane = u64::from(u32::from_le_bytes(*four));
        filled = 32;
        bytes = rest;
    }
    if let Some((two, rest)) = bytes.split_first_chunk::<2>() {
        lane |= u64::from(u16::from_le_bytes(*two)) << filled;
        filled += 16;
        bytes = rest;
    }
    if let Some(one) = bytes.first() {
        lane |= u64::from(*one) << filled;
    }
    lane
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_land_where_they_should() {
        let bytes: [u8; 40] = std::array::from_fn(|i| i as u8 + 1);
        for offset in 0..20 {
            for length in 0..=20 {
                let mut state = State::ZERO;
                state.xor_bytes(offset, &bytes[..length]);
                let mut expected = State::ZERO;
                for (i, byte) in bytes[..length].iter().enumerate() {
                    expected.xor_byte(offset + i, *byte);
                }
                assert_eq!(state, expected, "offset {offset}, length {length}");
                let mut out = [0; 40];
                state.copy_bytes(offset, &mut out[..length]);
                assert_eq!(out[..length], bytes[..length]);
            }
        }
    }
}
