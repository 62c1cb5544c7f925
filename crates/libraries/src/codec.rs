//! The texts of codecs: how long they are, and one to decode.

use crate::buffer::{NoMemory, zeros};
use cpb_kernels::{base16, base64};
use cpb_model::{Length, Workload};

/// Every other codec is taken to have texts as long as base64's.
const BASE16: &str = "base16";

/// Length of the text for so many bytes.
#[must_use]
pub fn encoded_len(primitive: &str, bytes: usize) -> usize {
    match primitive {
        BASE16 => base16::encoded_len(bytes),
        _ => base64::encoded_len(bytes),
    }
}

/// Number of bytes that the text of a decoding stands for: what the workload
/// states, else as many as a text without padding.
#[must_use]
pub fn decoded_len(workload: &Workload) -> usize {
    let most = decoded(&workload.primitive, workload.parameters.message_bytes).usual();
    workload.parameters.output_bytes.map_or(most, |stated| stated.min(most))
}

/// Numbers of bytes that a text of this length can stand for: padding of base64 takes up
/// to two away.
pub(crate) fn decoded(primitive: &str, text: usize) -> Length {
    match primitive {
        BASE16 => Length::fixed(text / 2),
        _ => {
            let most = text / 4 * 3;
            Length::fixed(most).at_least(most.saturating_sub(2))
        }
    }
}

/// Fills `text` with the text of `bytes` bytes `i mod 251`. Where the two lengths do
/// not belong together it is no text, and decoding will say so.
pub(crate) fn write_text(primitive: &str, bytes: usize, text: &mut [u8]) -> Result<(), NoMemory> {
    let mut decoded = zeros(bytes)?;
    for (index, byte) in decoded.iter_mut().enumerate() {
        *byte = (index % 251) as u8;
    }
    let written = match primitive {
        BASE16 => base16::encode_to_slice(base16::Backend::fastest(), &decoded, text),
        _ => base64::encode_to_slice(base64::Backend::fastest(), &decoded, text),
    };
    let written = written.unwrap_or(0);
    text[written..].fill(0);
    Ok(())
}
