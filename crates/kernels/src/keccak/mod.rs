//! Implements Keccak-f\[1600\] and the hash functions of FIPS 202 on top of it.
//!
//! [`Backend`] names the implementations of the permutation; [`sha3`] holds
//! SHA3-224 to SHA3-512, SHAKE128 and SHAKE256. The portable code explains the
//! algorithm and is the reference for the other backends.

mod backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod entries;
mod portable;
pub mod sha3;
mod sponge;
mod state;

#[cfg(target_arch = "aarch64")]
mod armv8_sha3;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bmi2;
#[cfg(target_arch = "aarch64")]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;

pub use backend::Backend;

/// Holds RC\[i\] for i = 0 to 23, the constants of iota (FIPS 202 section 3.2.5).
static ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

#[cfg(test)]
mod tests {
    use super::ROUND_CONSTANTS;

    /// Computes the linear feedback shift register that defines the constants (FIPS
    /// 202 section 3.2.5, algorithm 5).
    #[test]
    fn round_constants_follow_their_definition() {
        let mut register = 1_u8;
        let mut next_bit = || {
            let bit = register & 1;
            let carry = register >> 7;
            register = (register << 1) ^ (carry * 0b0111_0001);
            u64::from(bit)
        };
        for constant in ROUND_CONSTANTS {
            let expected = (0..7).fold(0, |sum, j| sum | next_bit() << ((1 << j) - 1));
            assert_eq!(constant, expected);
        }
    }
}
