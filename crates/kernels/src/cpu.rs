//! Represents CPU features as tokens that prove their presence.
//!
//! A token such as [`Avx2`] exists only if the running CPU has the features it stands
//! for: its only constructor is the check. Code that needs the features takes the
//! token, so an unchecked call does not compile.

use std::sync::atomic::{AtomicBool, Ordering};

static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides every feature that a kernel needs from this process, so that it behaves the same on any
/// CPU of its architecture. What was detected before stays in use.
pub fn hide_features() {
    HIDDEN.store(true, Ordering::Relaxed);
}

/// Names one CPU feature that some kernel needs, and whether this CPU has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The feature in Rust's spelling, as in `target_feature(enable = "…")`.
    pub name: &'static str,
    /// Whether both the CPU and the operating system offer it.
    pub present: bool,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn is_shown() -> bool {
    !HIDDEN.load(Ordering::Relaxed)
}

/// Lists every feature that a kernel for this architecture needs, each once. The list
/// is empty on an architecture with portable kernels only.
pub fn features() -> Vec<Feature> {
    let mut all: Vec<Feature> = Vec::new();
    for feature in tokens::FEATURES_PER_TOKEN.iter().flat_map(|features| features()) {
        if !all.contains(&feature) {
            all.push(feature);
        }
    }
    all
}

/// Generates a token type from each `Token, "what it proves"` and its features, and a list of the
/// features of all; the caller's scope names the architecture's detection macro `detected`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! tokens {
    ($($Token:ident, $proves:literal, [$($feature:tt),+];)+) => {
        $(
            #[doc = concat!("Proof that this CPU has ", $proves, ".")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $Token(());

            impl $Token {
                /// Returns the token, or `None` if a feature is missing.
                pub fn detect() -> Option<Self> {
                    (is_shown() $(&& detected!($feature))+).then_some(Self(()))
                }

                /// Lists the features this token stands for, each with whether it is
                /// present.
                pub fn features() -> Vec<Feature> {
                    vec![$(Feature { name: $feature, present: is_shown() && detected!($feature) }),+]
                }
            }
        )+

        pub(super) const FEATURES_PER_TOKEN: &[fn() -> Vec<Feature>] = &[$($Token::features),+];

        #[test]
        fn a_token_exists_exactly_where_nothing_is_missing() {
            $(
                let is_whole = $Token::features().iter().all(|feature| feature.present);
                assert_eq!($Token::detect().is_some(), is_whole);
            )+
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod tokens {
    use super::{Feature, is_shown};
    use std::arch::is_x86_feature_detected as detected;

    tokens! {
        Bmi2, "BMI1 and BMI2: `andn`, and rotates that leave their source alone", ["bmi1", "bmi2"];
        Ssse3, "SSSE3: shuffles of the bytes of 128-bit vectors", ["ssse3"];
        Avx2, "AVX2: 256-bit integer vectors", ["avx2"];
        Avx512, "AVX-512 with its instructions on 128- and 256-bit registers and on bytes",
            ["avx512f", "avx512vl", "avx512bw"];
        Avx2Bmi2, "AVX2, and BMI1 and BMI2 beside it", ["avx2", "bmi1", "bmi2"];
        Avx512Bmi2, "AVX-512 with its byte instructions, and BMI1 and BMI2 beside it",
            ["avx512f", "avx512vl", "avx512bw", "bmi1", "bmi2"];
        Avx512Ifma, "AVX-512 with 52-bit integer multiply-add",
            ["avx512f", "avx512vl", "avx512bw", "avx512ifma"];
        Avx512Vbmi,
            "AVX-512 with its byte instructions: permutes, multishift, masks of bytes",
            ["avx512f", "avx512vl", "avx512bw", "avx512vbmi"];
        ShaNi,
            "the SHA extensions, the byte shuffles that go with them, and AVX, which cleans \
             the upper halves of vector registers for them",
            ["sha", "ssse3", "sse4.1", "avx"];
    }

    impl From<Avx512Ifma> for Avx512 {
        /// The features of the target are a subset of those just proven.
        fn from(_: Avx512Ifma) -> Self {
            Self(())
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod tokens {
    use super::{Feature, is_shown};
    use std::arch::is_aarch64_feature_detected as detected;

    tokens! {
        Neon, "NEON (Advanced SIMD): 128-bit vectors", ["neon"];
        Armv8Sha3, "the SHA-3 extension of Armv8.2: EOR3, RAX1, XAR, BCAX", ["neon", "sha3"];
        Armv8Sha2, "the SHA-1 and SHA-256 instructions of Armv8.0's cryptographic extension",
            ["neon", "sha2"];
        Armv8Sha512, "the SHA-512 instructions of Armv8.2, which Rust counts with SHA-3",
            ["neon", "sha3"];
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tokens {
    pub(super) const FEATURES_PER_TOKEN: &[fn() -> Vec<super::Feature>] = &[];
}

#[cfg(target_arch = "aarch64")]
pub use tokens::{Armv8Sha2, Armv8Sha3, Armv8Sha512, Neon};
#[cfg(target_arch = "x86_64")]
pub use tokens::{Avx2, Avx2Bmi2, Avx512, Avx512Bmi2, Avx512Ifma, Avx512Vbmi, Bmi2, ShaNi, Ssse3};

/// Says whose design the CPU's cores are, as far as a default depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// AMD's cores up to Zen 4, and Hygon's, which derive from them.
    Amd,
    /// AMD's cores from Zen 5 on, which process vectors of 512 bits in one piece and
    /// need two cycles for most operations on vectors of any width.
    Zen5,
    /// Intel's cores before Golden Cove.
    Intel,
    /// Intel's cores with AVX-512 from Golden Cove on, whose scalar code is wider.
    GoldenCove,
    /// Apple's cores, under macOS or Linux.
    Apple,
    Other,
}

impl Family {
    /// Detects the family of the running CPU. Every call asks the CPU again, which
    /// takes microseconds.
    pub fn detect() -> Self {
        detect_family()
    }

    /// Decides from `cpuid`: the vendor, the signature (`eax` of leaf 1), and whether
    /// there is AVX-512 with 16-bit floats, which Golden Cove introduced.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    fn of_x86(vendor: &[u8; 12], signature: u32, half_precision: bool) -> Self {
        // If the family field holds 15, its maximum, the extended family is added.
        let family = match signature >> 8 & 0xf {
            15 => 15 + (signature >> 20 & 0xff),
            family => family,
        };
        match vendor {
            b"AuthenticAMD" if family >= 26 => Self::Zen5,
            b"AuthenticAMD" | b"HygonGenuine" => Self::Amd,
            b"GenuineIntel" if half_precision => Self::GoldenCove,
            b"GenuineIntel" => Self::Intel,
            _ => Self::Other,
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn detect_family() -> Family {
    use std::arch::x86_64::__cpuid;
    // Miri runs no `cpuid`.
    if cfg!(miri) {
        return Family::Other;
    }
    let leaf = __cpuid(0);
    let mut vendor = [0; 12];
    vendor[..4].copy_from_slice(&leaf.ebx.to_le_bytes());
    vendor[4..8].copy_from_slice(&leaf.edx.to_le_bytes());
    vendor[8..].copy_from_slice(&leaf.ecx.to_le_bytes());
    let half_precision = std::arch::is_x86_feature_detected!("avx512fp16");
    Family::of_x86(&vendor, __cpuid(1).eax, half_precision)
}

#[cfg(target_arch = "aarch64")]
fn detect_family() -> Family {
    // Linux shows the main identification register, whose bits 24 to 31 name
    // the implementer; 0x61 is Apple (Arm ARM, MIDR_EL1).
    const IDENTIFICATION: &str = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
    if cfg!(target_vendor = "apple") {
        return Family::Apple;
    }
    let implementer = std::fs::read_to_string(IDENTIFICATION)
        .ok()
        .and_then(|text| u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok())
        .map(|identification| identification >> 24 & 0xff);
    match implementer {
        Some(0x61) => Family::Apple,
        _ => Family::Other,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn detect_family() -> Family {
    Family::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_named_once() {
        let mut names: Vec<_> = features().iter().map(|feature| feature.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// Checks signatures of real CPUs.
    #[test]
    fn families_are_told_apart() {
        let (amd, intel) = (b"AuthenticAMD", b"GenuineIntel");
        for (vendor, signature, half_precision, family) in [
            (amd, 0x0080_0f12, false, Family::Amd),  // Zen 1
            (amd, 0x00a1_0f11, false, Family::Amd),  // Zen 4, EPYC 9004
            (amd, 0x00b0_0f21, false, Family::Zen5), // Zen 5, EPYC 9005
            (b"HygonGenuine", 0x0090_0f01, false, Family::Amd),
            (intel, 0x0003_06f2, false, Family::Intel), // Haswell
            (intel, 0x0006_06a6, false, Family::Intel), // Ice Lake
            (intel, 0x0008_06f8, true, Family::GoldenCove), // Sapphire Rapids
            (b"CentaurHauls", 0x0006_fe00, false, Family::Other),
        ] {
            let told = Family::of_x86(vendor, signature, half_precision);
            assert_eq!(told, family, "{signature:#x} of {}", String::from_utf8_lossy(vendor));
        }
    }
}
