//! Generates safe entry functions for a backend; they require its token.

/// Generates `compress` and `compress_digest` around two functions of the caller's
/// scope, whose target features the token proves: `compress_blocks(&mut State, first:
/// &[u8], last: &[u8])`, and `compress_one_digest(&State, digest: &State,
/// &DigestBlock) -> State`.
///
/// If those features are given, it also generates `iterate`, which runs lane after
/// lane with `compress_one_digest`; with `entering each time`, through `compress_digest`; with
/// `two lanes at once`, by the caller's `iterate_lanes`.
macro_rules! entries {
    ($Token:ty) => {
        pub(super) fn compress(_: $Token, state: &mut State, first: &[u8], last: &[u8]) {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { compress_blocks(state, first, last) }
        }

        pub(super) fn compress_digest(
            _: $Token,
            state: &State,
            digest: &State,
            padding: &DigestBlock,
        ) -> State {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { compress_one_digest(state, digest, padding) }
        }
    };
    ($Token:ty, two lanes at once) => {
        $crate::hash::entries!($Token);

        pub(super) fn iterate(
            _: $Token,
            key: &$crate::hash::Midstates<State>,
            padding: &DigestBlock,
            lanes: &mut [$crate::hash::Lane<State>],
            count: u64,
        ) {
            let (pairs, rest) = lanes.as_chunks_mut::<2>();
            for pair in pairs {
                // SAFETY: the token proves that the CPU has the features.
                unsafe { iterate_lanes(key, padding, pair, count) }
            }
            for lane in rest.as_chunks_mut::<1>().0 {
                // SAFETY: the token proves that the CPU has the features.
                unsafe { iterate_lanes(key, padding, lane, count) }
            }
        }
    };
    ($Token:ty, entering each time) => {
        $crate::hash::entries!($Token);

        pub(super) fn iterate(
            token: $Token,
            key: &$crate::hash::Midstates<State>,
            padding: &DigestBlock,
            lanes: &mut [$crate::hash::Lane<State>],
            count: u64,
        ) {
            $crate::hash::iterate_one_by_one(lanes, count, |last| {
                let digest = compress_digest(token, &key.inner, last, padding);
                compress_digest(token, &key.outer, &digest, padding)
            });
        }
    };
    ($Token:ty, $features:literal) => {
        $crate::hash::entries!($Token);

        pub(super) fn iterate(
            _: $Token,
            key: &$crate::hash::Midstates<State>,
            padding: &DigestBlock,
            lanes: &mut [$crate::hash::Lane<State>],
            count: u64,
        ) {
            #[target_feature(enable = $features)]
            fn run(
                key: &$crate::hash::Midstates<State>,
                padding: &DigestBlock,
                lanes: &mut [$crate::hash::Lane<State>],
                count: u64,
            ) {
                $crate::hash::iterate_one_by_one(lanes, count, |last| {
                    let digest = compress_one_digest(&key.inner, last, padding);
                    compress_one_digest(&key.outer, &digest, padding)
                });
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(key, padding, lanes, count) }
        }
    };
}
pub(crate) use entries;

/// Generates the `Backend` of a hash by its compression functions, as
/// [`backends`](crate::backend::backends) does; dedicated instructions win wherever a CPU has them.
macro_rules! compressions {
    ($(#[$meta:meta])* Backend $variants:tt prefers $names:expr) => {
        $crate::backend::backends! {
            $(#[$meta])*
            Backend $variants

            /// Compresses two runs of whole blocks, one after the other.
            pub(super) fn compress(state: &mut State, first: &[u8], last: &[u8]);

            /// Compresses the block that `digest` makes.
            pub(super) fn compress_digest(
                state: &State,
                digest: &State,
                padding: &DigestBlock,
            ) -> State;

            /// Does PBKDF2's iterations.
            pub(super) fn iterate(
                key: &$crate::hash::Midstates<State>,
                padding: &DigestBlock,
                lanes: &mut [$crate::hash::Lane<State>],
                count: u64,
            );
        }

        fn preferences() -> &'static [&'static str] {
            $names
        }
    };
}
pub(crate) use compressions;
