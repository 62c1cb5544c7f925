//! Implements the compression function as FIPS 180-4 section 6.2.2 specifies it.

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::hash::{portable, sha2_compression};

portable!(u32);

// These are the functions of FIPS 180-4 section 4.1.2.
sha2_compression! {
    u32,
    Sum0: ROTR 2 ^ ROTR 13 ^ ROTR 22,
    Sum1: ROTR 6 ^ ROTR 11 ^ ROTR 25,
    sigma0: ROTR 7 ^ ROTR 18 ^ SHR 3,
    sigma1: ROTR 17 ^ ROTR 19 ^ SHR 10,
}
