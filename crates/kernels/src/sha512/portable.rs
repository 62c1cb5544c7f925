//! Implements the compression function as FIPS 180-4 section 6.4.2 specifies it.

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::hash::{portable, sha2_compression};

portable!(u64);

// These are the functions of FIPS 180-4 section 4.1.3.
sha2_compression! {
    u64,
    Sum0: ROTR 28 ^ ROTR 34 ^ ROTR 39,
    Sum1: ROTR 14 ^ ROTR 18 ^ ROTR 41,
    sigma0: ROTR 1 ^ ROTR 8 ^ SHR 7,
    sigma1: ROTR 19 ^ ROTR 61 ^ SHR 6,
}
