//! Holds the 4 × 4 words from which a block is computed.

/// Holds the input of the block function (RFC 8439 section 2.3): four constants,
/// eight words of key, the block counter, three words of nonce; little-endian.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct State(pub(crate) [u32; 16]);

/// Index of the block counter.
pub(super) const COUNTER: usize = 12;

impl State {
    #[inline]
    pub(crate) fn new(key: &[u8; 32], nonce: &[u8; 12], counter: u32) -> Self {
        let mut words = [0; 16];
        for (index, constant) in b"expand 32-byte k".as_chunks::<4>().0.iter().enumerate() {
            words[index] = u32::from_le_bytes(*constant);
        }
        for (index, word) in key.as_chunks::<4>().0.iter().enumerate() {
            words[4 + index] = u32::from_le_bytes(*word);
        }
        words[COUNTER] = counter;
        for (index, word) in nonce.as_chunks::<4>().0.iter().enumerate() {
            words[13 + index] = u32::from_le_bytes(*word);
        }
        Self(words)
    }

    #[inline]
    pub(crate) fn counter(&self) -> u32 {
        self.0[COUNTER]
    }

    /// Returns the state `blocks` later. The counter wraps; callers make sure that
    /// it does not.
    #[inline]
    pub(crate) fn after(&self, blocks: u32) -> Self {
        let mut state = *self;
        state.0[COUNTER] = self.counter().wrapping_add(blocks);
        state
    }
}
