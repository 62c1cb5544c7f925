//! The implementations of the permutation, by name.

use super::state::State;
use crate::backend::backends;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu;

backends! {
    /// An implementation of Keccak-f\[1600\] that this CPU can run.
    Backend {
        Bmi2(Bmi2) "bmi2" on "x86_64" in bmi2,
        Avx2(Avx2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512) "avx512" on "x86_64" in avx512,
        Neon(Neon) "neon" on "aarch64" in neon,
        Armv8Sha3(Armv8Sha3) "armv8-sha3" on "aarch64" in armv8_sha3,
    }

    /// Keccak-f\[1600\] in place.
    pub(super) fn permute(state: &mut State);

    /// For each block of `rate` bytes (whole lanes): add it, permute.
    pub(super) fn absorb_blocks(state: &mut State, rate: usize, blocks: &[u8]);

    /// For each block of `rate` bytes (whole lanes): permute, copy it out.
    pub(super) fn squeeze_blocks(state: &mut State, rate: usize, out: &mut [u8]);
}

#[cfg(target_arch = "x86_64")]
fn preferences() -> &'static [&'static str] {
    match cpu::Family::detect() {
        // Zen 5: 698 cycles per permutation against 827. Zen 4 was not measured.
        cpu::Family::Amd => &["avx512", "bmi2"],
        // A Xeon with AMX: equal at 16 KiB, at 64 bytes 2 to 5 % fewer cycles.
        cpu::Family::Intel => &["bmi2", "avx512"],
        // Nothing is known; scalar code is never far behind.
        cpu::Family::Apple | cpu::Family::Other => &["bmi2"],
    }
}

#[cfg(target_arch = "aarch64")]
fn preferences() -> &'static [&'static str] {
    match cpu::Family::detect() {
        // Apple runs EOR3, RAX1, XAR and BCAX on all four vector pipes.
        cpu::Family::Apple => &["armv8-sha3"],
        // Neoverse and Cortex have them on one pipe; scalar code wins.
        _ => &["portable"],
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn preferences() -> &'static [&'static str] {
    &["portable"]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unavailable;

    #[test]
    fn scalar_is_portable() {
        assert_eq!(Backend::by_name("scalar"), Backend::by_name("portable"));
    }

    #[test]
    fn reasons_are_the_right_ones() {
        assert!(matches!(Backend::by_name("bmi"), Err(Unavailable::Unknown { .. })));
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        assert!(matches!(Backend::by_name(foreign), Err(Unavailable::OtherArchitecture { .. })));
    }
}
