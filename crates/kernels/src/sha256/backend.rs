//! Chooses the implementations of the compression function by name.

use super::{DigestBlock, State};
use crate::hash::compressions;

compressions! {
    /// An implementation of the compression of SHA-256 that this CPU can run.
    Backend {
        ShaNi(ShaNi) "shani" on "x86_64" in shani,
        Armv8Sha2(Armv8Sha2) "armv8-sha2" on "aarch64" in armv8_sha2,
    }
    prefers &["shani", "armv8-sha2"]
}
