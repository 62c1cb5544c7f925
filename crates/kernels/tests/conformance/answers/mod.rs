//! Checks known answers.

mod cavp;
mod chacha20_poly1305;
mod hkdf;
mod hmac;
mod pbkdf2;
mod records;
mod recursive_sha256;
