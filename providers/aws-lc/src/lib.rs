//! Offers AWS-LC as a provider, through its C functions.

#![allow(unsafe_code, reason = "calls into C")]

use aws_lc_sys as c;
use cpb_provider::{Table, provider};

mod ciphers;
mod curves;
mod digests;
mod lattices;
mod rsa;
mod sha3;

provider!(
    c"aws-lc",
    c"aws-lc-sys 0.47.0",
    Table::new(&[
        digests::IMPLEMENTATIONS,
        sha3::IMPLEMENTATIONS,
        ciphers::CHACHA20,
        ciphers::IMPLEMENTATIONS,
        curves::BYTES,
        curves::IMPLEMENTATIONS,
        rsa::IMPLEMENTATIONS,
        lattices::IMPLEMENTATIONS,
    ])
);
