//! Generates what portable implementations have in common: everything but a single
//! compression.

/// Generates `compress`, `compress_digest` and `iterate` for one type of word,
/// around `compress_words(&mut State, [word; 16])`, which is in the caller's scope
/// with `State` and `DigestBlock`.
macro_rules! portable {
    ($Word:ty) => {
        pub(super) fn compress(state: &mut State, first: &[u8], last: &[u8]) {
            for part in [first, last] {
                for block in part.as_chunks::<{ size_of::<[$Word; 16]>() }>().0 {
                    let mut words = [0; 16];
                    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
                        *word = <$Word>::from_be_bytes(*bytes);
                    }
                    compress_words(state, words);
                }
            }
        }

        pub(super) fn compress_digest(
            state: &State,
            digest: &State,
            padding: &DigestBlock,
        ) -> State {
            let mut state = *state;
            compress_words(&mut state, padding.with(digest));
            state
        }

        pub(super) fn iterate(
            key: &$crate::hash::Midstates<State>,
            padding: &DigestBlock,
            lanes: &mut [$crate::hash::Lane<State>],
            count: u64,
        ) {
            $crate::hash::iterate_one_by_one(lanes, count, |last| {
                compress_digest(&key.outer, &compress_digest(&key.inner, last, padding), padding)
            });
        }
    };
}
pub(crate) use portable;
