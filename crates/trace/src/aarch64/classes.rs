//! Names instruction sets.

use super::accesses::is_of_any_length;
use super::instruction::Instruction;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Fewer instructions of a class than this may be data among the code.
const LEAST: usize = 4;

/// The bytes of SVE's vectors, which the kernel chose for all processes.
const SVE_BYTES: &str = "/proc/sys/abi/sve_default_vector_length";

/// The classes named in a path, the most specific first, and whether the width of its vectors is
/// added.
pub(crate) const TOLD: &[(&str, bool)] = &[
    ("AES", false),
    ("SHA-512", false),
    ("SHA-256", false),
    ("SHA-1", false),
    ("SHA-3", false),
    ("SM3", false),
    ("SM4", false),
    ("PMULL", false),
    ("SVE2", true),
    ("SVE", true),
    ("NEON", false),
    ("CRC32", false),
];

/// The number of entries of [`TOLD`] that are for cryptography; several of these may be named.
pub(crate) const OF_CRYPTOGRAPHY: usize = 8;

/// Instruction sets for wider vectors, each with the one that it replaces in a path.
pub(crate) const WIDENED: &[(&str, &str)] = &[];

impl Instruction {
    /// Returns the instruction sets that it needs.
    pub(crate) fn classes(&self) -> BTreeSet<&'static str> {
        classes(self.word).iter().copied().collect()
    }

    /// Returns the bits of the widest vector that it uses; 0 if there is none.
    pub(crate) fn vector_bits(&self) -> u32 {
        vector_bits(self.word)
    }
}

/// Returns the instruction sets that a CPU needs for an instruction, named after the
/// architecture's features (`FEAT_SHA256`); none for what every aarch64 has, except vectors.
fn classes(word: u32) -> &'static [&'static str] {
    match word >> 25 & 0b1111 {
        0b0000 if word >> 31 == 1 => &["SME"],
        0b0010 => scalable(word),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => of_access(word),
        0b0111 | 0b1111 => of_vectors(word),
        0b0101 | 0b1101 if word & 0x7fe0_e000 == 0x1ac0_4000 => &["CRC32"],
        // The system registers RNDR and RNDRRS.
        _ if word & 0xffff_ffc0 == 0xd53b_2400 => &["RNDR"],
        _ => &[],
    }
}

fn of_vectors(word: u32) -> &'static [&'static str] {
    match word {
        _ if word & 0xffff_cc00 == 0x4e28_4800 => &["AES"],
        _ if word & 0xbfe0_fc00 == 0x0ee0_e000 => &["PMULL"],
        // Three registers; two.
        _ if word & 0xffe0_8c00 == 0x5e00_0000 => match word >> 12 & 0b111 {
            0..=3 => &["SHA-1"],
            _ => &["SHA-256"],
        },
        _ if word & 0xffff_fc00 == 0x5e28_2800 => &["SHA-256"],
        _ if word & 0xffff_ec00 == 0x5e28_0800 => &["SHA-1"],
        // Four registers: EOR3 and BCAX, then SM3SS1. XAR; SM3TT1A and the like.
        _ if word & 0xff80_8000 == 0xce00_0000 => match word >> 21 & 0b11 {
            0b10 => &["SM3"],
            _ => &["SHA-3"],
        },
        _ if word & 0xffe0_0000 == 0xce80_0000 => &["SHA-3"],
        _ if word & 0xffe0_c000 == 0xce40_8000 => &["SM3"],
        // SHA512H, SHA512H2, SHA512SU1 and RAX1; SM3PARTW1, SM3PARTW2 and SM4EKEY.
        _ if word & 0xffe0_f000 == 0xce60_8000 => match word >> 10 & 0b11 {
            0b11 => &["SHA-3"],
            _ => &["SHA-512"],
        },
        _ if word & 0xffe0_f000 == 0xce60_c000 => match word >> 10 & 0b11 {
            0b10 => &["SM4"],
            _ => &["SM3"],
        },
        _ if word & 0xffff_fc00 == 0xcec0_8000 => &["SHA-512"],
        _ if word & 0xffff_fc00 == 0xcec0_8400 => &["SM4"],
        // Arithmetic of one floating-point number.
        _ if word & 0x5000_0000 == 0x1000_0000 => &["FP"],
        _ => &["NEON"],
    }
}

fn of_access(word: u32) -> &'static [&'static str] {
    let is_swap = word & 0x3f20_0000 == 0x0820_0000 && word & 0x8080_0000 != 0x8000_0000;
    // One half of the group, and SWP of the other.
    let is_atomic = word & 0x3f20_0c00 == 0x3820_0000 && word & 0xf000 <= 0x8000;
    match word {
        _ if is_of_any_length(word) => &["MOPS"],
        _ if is_swap || is_atomic => &["LSE"],
        _ if word & 1 << 26 == 0 => &[],
        _ if vector_bits(word) != 0 => &["NEON"],
        _ => &["FP"],
    }
}

/// Returns the classes of SVE. Of what SVE2 added, gathers, shifts with a predicate and
/// floating-point arithmetic are not distinguished from SVE.
fn scalable(word: u32) -> &'static [&'static str] {
    match word {
        // AESMC and AESIMC; AESE, AESD and SM4E; SM4EKEY and RAX1; PMULLB and PMULLT of 64 bits.
        _ if word & 0xffff_fbe0 == 0x4520_e000 || word & 0xffff_f800 == 0x4522_e000 => {
            &["AES", "SVE2"]
        }
        _ if word & 0xffff_fc00 == 0x4523_e000 || word & 0xffe0_fc00 == 0x4520_f000 => {
            &["SM4", "SVE2"]
        }
        _ if word & 0xffe0_fc00 == 0x4520_f400 => &["SHA-3", "SVE2"],
        _ if word & 0xffe0_f800 == 0x4500_6800 => &["PMULL", "SVE2"],
        // Dot products and products of matrices are older.
        _ if word & 0xff00_f800 == 0x4400_0000 || word & 0xff20_fc00 == 0x4400_7800 => &["SVE"],
        _ if word & 0xff20_f000 == 0x4420_1000 && word & 0x800 != 0 => &["SVE"],
        _ if word & 0xff20_fc00 == 0x4500_9800 => &["SVE"],
        _ if word >> 25 == 0x22 || SVE2.iter().any(|(mask, bits)| word & mask == *bits) => {
            &["SVE2"]
        }
        _ => &["SVE"],
    }
}

/// Masks and bits of what SVE2 added to the groups of SVE.
const SVE2: [(u32, u32); 7] = [
    // MUL, UMULH and the like without a predicate; EOR3, BCAX, BSL and the like; XAR.
    (0xff20_e000, 0x0420_6000),
    (0xff20_f800, 0x0420_3800),
    (0xff20_fc00, 0x0420_3400),
    // TBL of two tables, TBX; EXT of two vectors.
    (0xff20_f800, 0x0520_2800),
    (0xffe0_e000, 0x0560_0000),
    // WHILEGE, WHILEGT, WHILEHI and WHILEHS; WHILERW and WHILEWR.
    (0xff20_e400, 0x2520_0000),
    (0xff20_fc00, 0x2520_3000),
];

/// Returns the bits of the widest vector that an instruction uses; 0 if there is none.
fn vector_bits(word: u32) -> u32 {
    static SCALABLE: LazyLock<u32> = LazyLock::new(|| {
        let bytes = std::fs::read_to_string(SVE_BYTES).unwrap_or_default();
        bytes.trim().parse::<u32>().map_or(128, |bytes| bytes * 8)
    });
    let is_whole = word >> 30 & 1 == 1;
    match word >> 25 & 0b1111 {
        0b0010 => *SCALABLE,
        // Structures; other registers of 128 bits.
        0b0110 if word & 0xbe00_0000 == 0x0c00_0000 => {
            if is_whole {
                128
            } else {
                64
            }
        }
        0b0110 | 0b1110 => {
            let access = Instruction::decode(&word.to_le_bytes(), 0).and_then(|it| it.access());
            if access.is_some_and(|it| it.register_bytes == 16) { 128 } else { 0 }
        }
        // One number; the others of one element have the bit for whole vectors set.
        0b0111 | 0b1111 if word & 0x5000_0000 == 0x1000_0000 => 0,
        // Except three registers of different widths, one of which is whole.
        0b0111 if !is_whole && word & 0x9f20_0c00 != 0x0e20_0000 => 64,
        0b0111 | 0b1111 => 128,
        _ => 0,
    }
}

/// Whether code at `address` has instructions of this class.
pub(crate) fn has_class(_address: u64, code: &[u8], wanted: &str) -> bool {
    let words = code.chunks_exact(4).filter_map(|it| Some(u32::from_le_bytes(*it.first_chunk()?)));
    words.filter(|word| classes(*word).contains(&wanted)).nth(LEAST - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_the_assembler() {
        for (word, class, bits) in [
            // aese, aesmc; pmull of 64 bits, pmull of bytes
            (0x4e28_4820, "AES", 128),
            (0x4e28_6820, "AES", 128),
            (0x0ee2_e020, "PMULL", 128),
            (0x0e22_e020, "NEON", 128),
            // sha1c, sha1h, sha256h, sha256su0, sha512h, sha512su0
            (0x5e02_0020, "SHA-1", 128),
            (0x5e28_0820, "SHA-1", 128),
            (0x5e02_4020, "SHA-256", 128),
            (0x5e28_2820, "SHA-256", 128),
            (0xce62_8020, "SHA-512", 128),
            (0xcec0_8020, "SHA-512", 128),
            // eor3, rax1, xar; sm3ss1, sm3tt1a; sm4e, sm4ekey
            (0xce02_0c20, "SHA-3", 128),
            (0xce62_8c20, "SHA-3", 128),
            (0xce82_0c20, "SHA-3", 128),
            (0xce42_0c20, "SM3", 128),
            (0xce42_9020, "SM3", 128),
            (0xcec0_8420, "SM4", 128),
            (0xce62_c820, "SM4", 128),
            // add of 4 words, add of 2, umlal; ldr q0, ld1 of four
            (0x4ea2_8420, "NEON", 128),
            (0x0ea2_8420, "NEON", 64),
            (0x2ea2_8020, "NEON", 128),
            (0x3dc0_0420, "NEON", 128),
            (0x4cdf_2020, "NEON", 128),
            // fadd of doubles, ldr d0; crc32cx; ldadd, swp, casp; mrs of rndr; cpyp
            (0x1e62_2820, "FP", 0),
            (0xfd40_0020, "FP", 0),
            (0x9ac2_5c20, "CRC32", 0),
            (0xf820_0041, "LSE", 0),
            (0xf820_8041, "LSE", 0),
            (0x4820_7c82, "LSE", 0),
            (0xd53b_2400, "RNDR", 0),
            (0x1d04_0440, "MOPS", 0),
            // add, ldr, ldapr, ldaxr, mrs of tpidr_el0
            (0x8b02_0020, "", 0),
            (0xf940_0020, "", 0),
            (0xf8bf_c020, "", 0),
            (0x885f_fc20, "", 0),
            (0xd53b_d040, "", 0),
        ] {
            assert_eq!(
                (classes(word).join(" ").as_str(), vector_bits(word)),
                (class, bits),
                "{word:#x}"
            );
        }
        // add, aese and mul of vectors of any width
        let all = [0x04a2_0020, 0x4522_e020, 0x04a2_6020].map(classes);
        assert_eq!(all, [&["SVE"][..], &["AES", "SVE2"], &["SVE2"]]);
    }

    #[test]
    fn a_class_is_found_in_code_and_a_few_words_of_data_are_not() {
        let code = |times: usize| 0x4e28_4820_u32.to_le_bytes().repeat(times);
        assert!(has_class(0, &code(LEAST), "AES"));
        assert!(!has_class(0, &code(LEAST), "SHA-256"));
        assert!(!has_class(0, &code(LEAST - 1), "AES"));
    }
}
