//! Crypto++ 8, through the shim `shims/cryptopp.cpp`.

use crate::shim::{self, Shim};
use crate::{Library, OpenError};
use std::path::Path;

const SHIM: Shim = Shim {
    name: "cryptopp",
    title: "Crypto++",
    built: shim::CRYPTOPP,
    // Debian's name, and that of its authors.
    sonames: &["libcrypto++.", "libcryptopp."],
    // CryptoPP::g_nullNameValuePairs.
    symbol: "_ZN8CryptoPP20g_nullNameValuePairsE",
    headers: "libcrypto++-dev",
};

pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    shim::open(&SHIM, path)
}
