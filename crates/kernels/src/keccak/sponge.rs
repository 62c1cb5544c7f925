//! Implements the sponge construction (FIPS 202 section 4): absorbs bytes at one
//! rate, pads, and squeezes bytes at the same rate.
//!
//! Input is added to the state as it arrives, so no block buffer is needed, and
//! padding is two more bytes added in place.

use std::marker::PhantomData;

use super::Backend;
use super::state::State;

/// Distinguishes the functions of FIPS 202.
pub(super) trait Parameters {
    /// The number of bytes per permutation: whole lanes, fewer than the state has.
    const RATE: usize;
    /// Holds the bits appended to the message to separate the functions, then the
    /// first bit of padding, least significant bit first.
    const SUFFIX: u8;
}

/// A sponge that absorbs.
#[derive(Clone, Debug)]
pub(super) struct Sponge<P> {
    state: State,
    /// The bytes added since the last permutation, always fewer than the rate.
    filled: usize,
    backend: Backend,
    parameters: PhantomData<P>,
}

impl<P: Parameters> Sponge<P> {
    #[inline]
    pub(super) fn new(backend: Backend) -> Self {
        const { assert!(P::RATE.is_multiple_of(8) && 0 < P::RATE && P::RATE < 200) };
        Self { state: State::ZERO, filled: 0, backend, parameters: PhantomData }
    }

    #[inline]
    pub(super) fn absorb(&mut self, mut bytes: &[u8]) {
        if self.filled != 0 {
            let room = P::RATE - self.filled;
            if bytes.len() < room {
                self.state.xor_bytes(self.filled, bytes);
                self.filled += bytes.len();
                return;
            }
            let (head, rest) = bytes.split_at(room);
            self.state.xor_bytes(self.filled, head);
            self.backend.permute(&mut self.state);
            bytes = rest;
        }
        let (blocks, tail) = bytes.split_at(bytes.len() - bytes.len() % P::RATE);
        if !blocks.is_empty() {
            self.backend.absorb_blocks(&mut self.state, P::RATE, blocks);
        }
        self.state.xor_bytes(0, tail);
        self.filled = tail.len();
    }

    /// Ends the message with the suffix and the last bit of pad10*1 (FIPS 202
    /// section 5.1); the first bytes of output are then in the state.
    #[inline]
    fn finish(&mut self) {
        self.state.xor_byte(self.filled, P::SUFFIX);
        self.state.xor_byte(P::RATE - 1, 0x80);
        self.backend.permute(&mut self.state);
    }

    /// Ends the message and returns the first bytes of output, no more than the
    /// rate.
    #[inline]
    pub(super) fn finish_into<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        const { assert!(BYTES <= P::RATE) };
        self.finish();
        let mut out = [0; BYTES];
        self.state.copy_bytes(0, &mut out);
        out
    }

    /// Ends the message and returns the sponge that gives output.
    #[inline]
    pub(super) fn into_squeezing(mut self) -> Squeezing<P> {
        self.finish();
        self.filled = 0;
        Squeezing(self)
    }
}

/// A sponge that squeezes: `filled` counts the bytes returned since the last
/// permutation, at most the rate.
#[derive(Clone, Debug)]
pub(super) struct Squeezing<P>(Sponge<P>);

impl<P: Parameters> Squeezing<P> {
    #[inline]
    pub(super) fn squeeze(&mut self, out: &mut [u8]) {
        let Self(Sponge { state, filled: taken, backend, .. }) = self;
        let ready = out.len().min(P::RATE - *taken);
        let (head, rest) = out.split_at_mut(ready);
        state.copy_bytes(*taken, head);
        *taken += ready;
        if rest.is_empty() {
            return;
        }
        let (blocks, tail) = rest.split_at_mut(rest.len() - rest.len() % P::RATE);
        if !blocks.is_empty() {
            backend.squeeze_blocks(state, P::RATE, blocks);
        }
        if !tail.is_empty() {
            backend.permute(state);
            state.copy_bytes(0, tail);
            *taken = tail.len();
        }
    }
}
