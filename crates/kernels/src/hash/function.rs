//! Generates a type for the compression function of a module's hashes.

/// Generates a type that implements [`Compression`](crate::hash::Compression) for
/// one type of word, by calling the functions of the same names that `Backend` has.
/// `Backend`, `State` and `DigestBlock` are in the caller's scope.
macro_rules! compression_function {
    ($(#[$meta:meta])* $Function:ident, $Word:ty) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $Function;

        impl $crate::hash::Compression for $Function {
            type Backend = Backend;
            type State = State;
            type Block = [u8; size_of::<[$Word; 16]>()];
            type DigestBlock = DigestBlock;
            const ZEROS: Self::Block = [0; size_of::<[$Word; 16]>()];
            // The length takes the last two words (FIPS 180-4 section 5.1).
            const LENGTH_BYTES: usize = size_of::<[$Word; 2]>();

            #[inline]
            fn compress(backend: Backend, state: &mut State, first: &[u8], last: &[u8]) {
                backend.compress(state, first, last);
            }

            #[inline]
            fn compress_digest(
                backend: Backend,
                state: &State,
                digest: &State,
                padding: &DigestBlock,
            ) -> State {
                backend.compress_digest(state, digest, padding)
            }

            #[inline]
            fn iterate(
                backend: Backend,
                key: &$crate::hash::Midstates<State>,
                padding: &DigestBlock,
                lanes: &mut [$crate::hash::Lane<State>],
                count: u64,
            ) {
                backend.iterate(key, padding, lanes, count);
            }
        }
    };
}
pub(crate) use compression_function;
