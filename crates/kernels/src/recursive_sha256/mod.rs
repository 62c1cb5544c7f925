//! Implements recursive SHA-256: the hash of 32 bytes, the hash of that hash, and so
//! on, over many independent lanes. Verifiers of delay functions compute it.
//!
//! **Who should use it:** programs that compute one long chain, or check many chains on
//! all lanes that a core has. A chain cannot be made parallel, so one lane is limited
//! by the latency of its instructions; a core reaches its throughput with many lanes.
//!
//! [`iterate`] splits any number of lanes over what is fastest on this CPU; a [`Cover`]
//! keeps that choice for many calls. A [`Form`] names one possibility: a [`Backend`]
//! and a width. The portable code explains the algorithm and is the reference for the
//! other backends.
//!
//! The one block of a 32-byte message is half padding. Everything that depends on
//! padding alone is computed beforehand, and words are in the CPU's own byte order from
//! the first iteration to the last.
//!
//! ```
//! let mut lanes = [[0; 32], [1; 32], [2; 32]];
//! cpb_kernels::recursive_sha256::iterate(&mut lanes, 1000);
//! ```

mod backend;
mod constants;
mod cover;
mod form;
mod portable;
mod words;

#[cfg(target_arch = "aarch64")]
mod armv8_sha2;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod lockstep;
#[cfg(target_arch = "x86_64")]
mod shani;

pub use backend::Backend;
pub use cover::Cover;
pub use form::Form;

/// Replaces each lane by its own SHA-256 hash (FIPS 180-4), `count` times, with the
/// [`Cover`] that is best on this CPU. Each call chooses the cover again.
pub fn iterate(lanes: &mut [[u8; 32]], count: u64) {
    Cover::new(lanes.len()).iterate(lanes, count);
}

/// Does the same as [`iterate`] with one backend.
pub fn iterate_with(backend: Backend, lanes: &mut [[u8; 32]], count: u64) {
    Cover::of(backend, lanes.len()).iterate(lanes, count);
}
