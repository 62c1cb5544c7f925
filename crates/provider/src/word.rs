//! Defines the word of an output that is passed on to another call, and where it is written.

use cpb_model::Role;

/// The part of an output that is passed on: small enough that a load of it hits the store buffer,
/// however the library wrote it.
pub type Word = u32;

/// How many times one store writes the word, so that loads of the library of up to this size hit
/// the store buffer too.
const TIMES: usize = 4;
const FED_BYTES: usize = TIMES * size_of::<Word>();

/// Names where a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedTarget {
    /// Over the first bytes of this role; [`Role::Message`] means whatever the message's role is.
    Input(Role),
    /// Where no call reads.
    Beside,
}

/// The target that no call reads.
pub(crate) type Beside = [u8; FED_BYTES];

/// Returns the last word of `bytes`; `None` if they are shorter.
pub(crate) fn last_word(bytes: &[u8]) -> Option<Word> {
    bytes.last_chunk().map(|last| Word::from_ne_bytes(*last))
}

/// Writes a word repeatedly over the first of `bytes`; returns whether there are enough of them.
#[inline(always)]
pub(crate) fn put_first(bytes: &mut [u8], word: Word) -> bool {
    let Some(first) = bytes.first_chunk_mut::<FED_BYTES>() else { return false };
    let [a, b, c, d] = word.to_ne_bytes();
    *first = [a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d];
    true
}
