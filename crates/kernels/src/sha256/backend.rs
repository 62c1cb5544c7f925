//! The implementations of the compression function, by name.

use super::State;
#[cfg(target_arch = "aarch64")]
use super::armv8_sha2;
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::shani;
use crate::backend::backends;
use crate::hash::{DigestBlock, Lane, Midstates};

backends! {
    /// An implementation of the compression of SHA-256 that this CPU can run.
    Backend {
        ShaNi(ShaNi) "shani" on "x86_64",
        Armv8Sha2(Armv8Sha2) "armv8-sha2" on "aarch64",
    }
}

/// Stamps an inherent function that hands its arguments to the module of the
/// same name as the backend.
macro_rules! dispatch {
    ($(#[$meta:meta])* fn $name:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)?) => {
        $(#[$meta])*
        #[inline]
        pub(super) fn $name(self, $($argument: $Type),*) $(-> $Result)? {
            match self.0 {
                Kind::Portable => portable::$name($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::ShaNi(token) => shani::$name(token, $($argument),*),
                #[cfg(target_arch = "aarch64")]
                Kind::Armv8Sha2(token) => armv8_sha2::$name(token, $($argument),*),
            }
        }
    };
}

impl Backend {
    dispatch! {
        /// The compression over whole blocks.
        fn compress(state: &mut State, blocks: &[u8])
    }
    dispatch! {
        /// One compression, with the block that `digest` makes.
        fn compress_digest(
            state: &State, digest: &State, padding: &DigestBlock<u32, 8>
        ) -> State
    }
    dispatch! {
        /// PBKDF2's iterations.
        fn iterate(
            key: &Midstates<State>,
            padding: &DigestBlock<u32, 8>,
            lanes: &mut [Lane<State>],
            count: u64
        )
    }
}

fn preferences() -> &'static [&'static str] {
    // Instructions for the algorithm win wherever a CPU has them.
    &["shani", "armv8-sha2"]
}
