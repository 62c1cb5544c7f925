//! Chooses the implementations of the permutation by name.

use super::state::State;
use crate::backend::backends;
use crate::cpu::Family;

backends! {
    /// An implementation of Keccak-f\[1600\] that this CPU can run.
    Backend {
        Bmi2(Bmi2) "bmi2" on "x86_64" in bmi2,
        Avx2(Avx2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512) "avx512" on "x86_64" in avx512,
        Neon(Neon) "neon" on "aarch64" in neon,
        Armv8Sha3(Armv8Sha3) "armv8-sha3" on "aarch64" in armv8_sha3,
    }

    /// Permutes the state in place by Keccak-f\[1600\].
    pub(super) fn permute(state: &mut State);

    /// Adds each block of `rate` bytes (whole lanes) to the state and permutes it.
    pub(super) fn absorb_blocks(state: &mut State, rate: usize, blocks: &[u8]);

    /// Permutes the state and copies a block of `rate` bytes (whole lanes) out, for each block
    /// of `out`.
    pub(super) fn squeeze_blocks(state: &mut State, rate: usize, out: &mut [u8]);
}

fn preferences() -> &'static [&'static str] {
    preferences_of(std::env::consts::ARCH, Family::detect())
}

/// Returns the backends that measured fastest in `cpb compare native:bmi2 native:avx512`, over
/// the six functions of FIPS 202 at 64, 1024 and 16384 bytes.
fn preferences_of(architecture: &str, family: Family) -> &'static [&'static str] {
    match (architecture, family) {
        // Zen 4: 0.71 to 0.76 of the cycles of `bmi2`. Zen 5: 698 per permutation against 827.
        // Ice Lake: 0.81 to 0.87.
        // Golden Cove and later: as Ice Lake, until they are measured on a quiet core
        // (1.00 to 1.05 beside busy neighbours, which is not conclusive).
        ("x86_64", Family::Amd | Family::Zen5 | Family::Intel | Family::GoldenCove) => {
            &["avx512", "bmi2"]
        }
        // There are no measurements; scalar code is never far behind.
        ("x86_64", _) => &["bmi2"],
        // Apple's cores execute EOR3, RAX1, XAR and BCAX on all four vector pipes.
        ("aarch64", Family::Apple) => &["armv8-sha3"],
        // Neoverse and Cortex execute them on one pipe, so scalar code wins.
        _ => &["portable"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend as _, Unavailable};

    #[test]
    fn the_first_choice_is_what_measured_fastest() {
        for (architecture, family, first) in [
            ("x86_64", Family::Amd, "avx512"),
            ("x86_64", Family::Zen5, "avx512"),
            ("x86_64", Family::Intel, "avx512"),
            ("x86_64", Family::GoldenCove, "avx512"),
            ("x86_64", Family::Other, "bmi2"),
            ("aarch64", Family::Apple, "armv8-sha3"),
            ("aarch64", Family::Other, "portable"),
            ("riscv64", Family::Other, "portable"),
        ] {
            let preferences = preferences_of(architecture, family);
            assert_eq!(preferences[0], first, "{architecture}, {family:?}");
        }
    }

    /// Without AVX-512, the scalar assembly comes next, not the portable code.
    #[test]
    fn x86_falls_back_to_bmi2() {
        use Family::{Amd, GoldenCove, Intel, Other, Zen5};
        for family in [Amd, Zen5, Intel, GoldenCove, Other] {
            assert!(preferences_of("x86_64", family).contains(&"bmi2"), "{family:?}");
        }
    }

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
