//! Tests inputs that are refused, inputs at the upper limits, and small inputs
//! exhaustively.

mod aead;
mod chacha20;
pub mod codec;
mod codec_errors;
mod codec_small;
pub mod lanes;
mod poly1305;
mod secrets;
