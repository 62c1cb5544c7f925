//! What is refused, as large as can be, or small enough to go through all of it.

mod aead;
mod chacha20;
mod codec;
mod codec_errors;
mod codec_small;
pub mod lanes;
mod poly1305;
mod secrets;
