//! Generates safe entry functions for a backend. They require its token, and each enters
//! once for a whole run of blocks.

/// Generates `permute`, `absorb_blocks` and `squeeze_blocks` around a `permute_lanes(&mut
/// State)` with the same target features; both are in the caller's scope.
macro_rules! entries {
    ($Token:ty, $features:literal) => {
        pub(super) fn permute(_: $Token, state: &mut State) {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { permute_lanes(state) }
        }

        pub(super) fn absorb_blocks(_: $Token, state: &mut State, rate: usize, blocks: &[u8]) {
            #[target_feature(enable = $features)]
            fn run(state: &mut State, rate: usize, blocks: &[u8]) {
                for block in blocks.chunks_exact(rate) {
                    state.xor_block(block);
                    permute_lanes(state);
                }
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(state, rate, blocks) }
        }

        pub(super) fn squeeze_blocks(_: $Token, state: &mut State, rate: usize, out: &mut [u8]) {
            #[target_feature(enable = $features)]
            fn run(state: &mut State, rate: usize, out: &mut [u8]) {
                for block in out.chunks_exact_mut(rate) {
                    permute_lanes(state);
                    state.copy_bytes(0, block);
                }
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(state, rate, out) }
        }
    };
}

pub(super) use entries;
