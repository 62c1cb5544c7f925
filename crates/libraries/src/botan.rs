//! Botan 2 or 3, through the shim `shims/botan.cpp`.

use crate::shim::{self, Shim};
use crate::{Library, OpenError};
use std::path::Path;

const SHIM: Shim = Shim {
    name: "botan",
    title: "Botan",
    built: shim::BOTAN,
    sonames: &["libbotan-"],
    // Botan::version_cstr().
    symbol: "_ZN5Botan12version_cstrEv",
    headers: "libbotan-2-dev (or libbotan-3-dev)",
};

pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    shim::open(&SHIM, path)
}
