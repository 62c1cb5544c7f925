//! Offers BoringSSL as a provider, through its C functions. The functions that AWS-LC
//! inherited are called by the same code.

#![allow(unsafe_code, reason = "calls into C")]

use boring_sys as c;
use cpb_provider::{Table, provider};

#[path = "../../aws-lc/src/ciphers.rs"]
mod ciphers;
#[path = "../../aws-lc/src/curves.rs"]
mod curves;
#[path = "../../aws-lc/src/digests.rs"]
mod digests;
mod lattices;
#[path = "../../aws-lc/src/rsa.rs"]
mod rsa;

provider!(
    c"boringssl",
    c"boring-sys 5.4.0",
    Table::new(&[
        digests::IMPLEMENTATIONS,
        ciphers::CHACHA20,
        ciphers::IMPLEMENTATIONS,
        curves::BYTES,
        curves::IMPLEMENTATIONS,
        rsa::IMPLEMENTATIONS,
        lattices::IMPLEMENTATIONS,
    ])
);
