//! Defines a compression function as the constructions on top of it use it.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr};

/// A compression function, which turns a chaining value and a block into a chaining
/// value.
pub trait Compression: Clone + Debug {
    /// Selects one of its implementations.
    type Backend: crate::Backend;
    /// A chaining value, in words.
    type State: Copy + Debug;
    /// A block of bytes.
    type Block: Copy + Debug + AsRef<[u8]> + AsMut<[u8]>;
    /// The padding of a digest to a block.
    type DigestBlock;
    /// A block of zeros.
    const ZEROS: Self::Block;
    /// The size in bytes of the field at the end of a padded message that holds its
    /// length: 8 or 16.
    const LENGTH_BYTES: usize;

    /// Compresses two parts of a message, whole blocks each, one after the other.
    /// Buffered bytes and bytes that need no copy go through one call, which keeps the
    /// chaining value in registers.
    fn compress(backend: Self::Backend, state: &mut Self::State, first: &[u8], last: &[u8]);

    /// Compresses the block that `digest` makes, the last step of HMAC.
    fn compress_digest(
        backend: Self::Backend,
        state: &Self::State,
        digest: &Self::State,
        padding: &Self::DigestBlock,
    ) -> Self::State;

    /// Does PBKDF2's iterations: `count` times in every lane, replaces `last` by its
    /// HMAC and adds it to `sum`.
    fn iterate(
        backend: Self::Backend,
        key: &Midstates<Self::State>,
        padding: &Self::DigestBlock,
        lanes: &mut [Lane<Self::State>],
        count: u64,
    );
}

/// Holds an HMAC key after its two blocks have been compressed (RFC 2104 section 4).
#[derive(Clone, Copy)]
pub struct Midstates<State> {
    /// The state from which the message's hash continues.
    pub inner: State,
    /// The state from which the hash of that digest continues.
    pub outer: State,
}

/// Holds one of PBKDF2's output blocks during the iterations (RFC 8018 section 5.2), as
/// chaining values.
#[derive(Clone, Copy)]
pub struct Lane<State> {
    /// The latest U.
    pub last: State,
    /// The exclusive or of all U so far.
    pub sum: State,
}

/// Holds the block that a digest makes when it is all that follows one earlier block:
/// the digest, a one bit, zeros, the length (FIPS 180-4 section 5.1). Digests are
/// chaining values of `WORDS` words here; a truncated hash keeps the first of them.
pub struct DigestBlock<Word, const WORDS: usize> {
    /// Masks the bits of the block that belong to the digest.
    pub keep: [Word; WORDS],
    /// Holds the rest of the block.
    pub padding: [Word; 16],
}

impl<Word, const WORDS: usize> DigestBlock<Word, WORDS>
where
    Word: Copy + BitAnd<Output = Word> + BitOr<Output = Word>,
{
    /// Returns the words of the block that `digest` makes.
    #[inline(always)]
    pub fn with(&self, digest: &[Word; WORDS]) -> [Word; 16] {
        let mut words = self.padding;
        for i in 0..WORDS {
            words[i] = digest[i] & self.keep[i] | self.padding[i];
        }
        words
    }
}

/// Generates the constructor for one type of word.
macro_rules! digest_block {
    ($Word:ty) => {
        impl<const WORDS: usize> DigestBlock<$Word, WORDS> {
            /// Makes the block of a hash with digests of `output_bytes` bytes.
            pub const fn new(output_bytes: usize) -> Self {
                const BYTES: usize = <$Word>::BITS as usize / 8;
                let mut keep = [0; WORDS];
                let mut padding = [0; 16];
                let mut byte = 0;
                while byte < output_bytes {
                    keep[byte / BYTES] |= 0xff << (8 * (BYTES - 1 - byte % BYTES));
                    byte += 1;
                }
                padding[byte / BYTES] |= 0x80 << (8 * (BYTES - 1 - byte % BYTES));
                padding[15] = 8 * (16 * BYTES + output_bytes) as $Word;
                Self { keep, padding }
            }
        }
    };
}

digest_block!(u32);
digest_block!(u64);

/// Implements [`Compression::iterate`] lane after lane, where `hmac` returns the HMAC of
/// a digest.
#[inline(always)]
pub fn iterate_one_by_one<Word, const WORDS: usize>(
    lanes: &mut [Lane<[Word; WORDS]>],
    count: u64,
    hmac: impl Fn(&[Word; WORDS]) -> [Word; WORDS],
) where
    Word: Copy + std::ops::BitXorAssign,
{
    for lane in lanes {
        for _ in 0..count {
            lane.last = hmac(&lane.last);
            for (sum, word) in lane.sum.iter_mut().zip(lane.last) {
                *sum ^= word;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: [u8; 64] = *b"a digest, of which a truncated hash only keeps a first part ....";

    /// Pads the first bytes of `DIGEST` as the end of a message that has a block before.
    fn padded(output_bytes: usize, block_bytes: usize) -> Vec<u8> {
        let mut block = DIGEST[..output_bytes].to_vec();
        block.push(0x80);
        block.resize(block_bytes - 8, 0);
        block.extend((8 * (block_bytes + output_bytes) as u64).to_be_bytes());
        block
    }

    #[test]
    fn a_digest_is_padded_as_a_message_would_be() {
        for output_bytes in [28, 32] {
            let words = std::array::from_fn(|i| u32::from_be_bytes(DIGEST.as_chunks().0[i]));
            let block = DigestBlock::<u32, 8>::new(output_bytes).with(&words);
            assert_eq!(block.map(u32::to_be_bytes).as_flattened(), padded(output_bytes, 64));
        }
        for output_bytes in [28, 32, 48, 64] {
            let words = std::array::from_fn(|i| u64::from_be_bytes(DIGEST.as_chunks().0[i]));
            let block = DigestBlock::<u64, 8>::new(output_bytes).with(&words);
            assert_eq!(block.map(u64::to_be_bytes).as_flattened(), padded(output_bytes, 128));
        }
    }
}
