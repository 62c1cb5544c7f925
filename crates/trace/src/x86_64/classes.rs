//! Names instruction sets.

use iced_x86::{CpuidFeature, Decoder, DecoderOptions, Instruction, OpKind, Register};

/// Returns the instruction set that a CPU needs for an instruction; `None` for what every x86-64
/// has, except vectors.
pub(super) fn class(feature: CpuidFeature) -> Option<&'static str> {
    use CpuidFeature as F;
    Some(match feature {
        F::FPU | F::FPU287 | F::FPU387 => "x87",
        F::MMX => "MMX",
        F::SSE | F::SSE2 => "SSE2",
        F::SSE3 => "SSE3",
        F::SSSE3 => "SSSE3",
        F::SSE4_1 | F::SSE4_2 => "SSE4",
        F::AVX => "AVX",
        F::AVX2 => "AVX2",
        F::FMA => "FMA",
        F::AVX512F => "AVX-512F",
        F::AVX512VL => "AVX-512VL",
        F::AVX512BW => "AVX-512BW",
        F::AVX512DQ => "AVX-512DQ",
        F::AVX512CD => "AVX-512CD",
        F::AVX512_IFMA => "AVX-512IFMA",
        F::AVX_IFMA => "AVX-IFMA",
        F::AVX512_VBMI => "AVX-512VBMI",
        F::AVX512_VBMI2 => "AVX-512VBMI2",
        F::AES => "AES-NI",
        F::VAES => "VAES",
        F::PCLMULQDQ => "PCLMULQDQ",
        F::VPCLMULQDQ => "VPCLMULQDQ",
        F::SHA => "SHA-NI",
        F::SHA512 => "SHA-512",
        F::SM3 => "SM3",
        F::SM4 => "SM4",
        F::GFNI => "GFNI",
        F::BMI1 => "BMI1",
        F::BMI2 => "BMI2",
        F::ADX => "ADX",
        F::MOVBE => "MOVBE",
        F::RDRAND => "RDRAND",
        F::RDSEED => "RDSEED",
        _ => return None,
    })
}

/// The classes named in a path, the most specific first, and whether the width of its vectors is
/// added.
pub(crate) const TOLD: &[(&str, bool)] = &[
    ("VAES", true),
    ("AES-NI", false),
    ("SHA-512", false),
    ("SHA-NI", false),
    ("SM3", false),
    ("SM4", false),
    ("AVX-512IFMA", true),
    ("AVX-IFMA", true),
    ("GFNI", true),
    ("VPCLMULQDQ", true),
    ("PCLMULQDQ", false),
    ("AVX-512VBMI", true),
    ("AVX-512F", true),
    ("AVX2", false),
    ("AVX", false),
    ("SSE4", false),
    ("SSSE3", false),
    ("ADX", false),
    ("BMI2", false),
    ("SSE2", false),
    ("MMX", false),
];

/// The number of entries of [`TOLD`] that are for cryptography; several of these may be named.
pub(crate) const OF_CRYPTOGRAPHY: usize = 11;

/// Instruction sets for wider vectors, each with the one that it replaces in a path.
pub(crate) const WIDENED: &[(&str, &str)] = &[("VAES", "AES-NI"), ("VPCLMULQDQ", "PCLMULQDQ")];

/// Whether code at `address` has an instruction of this class.
pub(crate) fn has_class(address: u64, code: &[u8], wanted: &str) -> bool {
    let decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    decoder.into_iter().any(|it| {
        !it.is_invalid()
            && it.cpuid_features().iter().any(|&feature| class(feature) == Some(wanted))
    })
}

/// Returns the bits of the widest vector that an instruction uses; 0 if there is none.
pub(super) fn vector_bits(instruction: &Instruction) -> u32 {
    let of = |register: Register| {
        if register.is_zmm() {
            512
        } else if register.is_ymm() {
            256
        } else if register.is_xmm() {
            128
        } else {
            0
        }
    };
    let operands = 0..instruction.op_count();
    let registers = operands.filter(|&it| instruction.op_kind(it) == OpKind::Register);
    registers.map(|it| of(instruction.op_register(it))).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_in_code() {
        // sha256rnds2 xmm1, xmm2
        assert!(has_class(0, b"\x90\x0f\x38\xcb\xca", "SHA-NI"));
        assert!(!has_class(0, b"\x90\x0f\x38\xcb\xca", "AES-NI"));
    }
}
