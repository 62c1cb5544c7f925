//! The texts of codecs: how long they are, and one to decode.

use cpb_kernels::{base16, base64};
use cpb_model::Workload;

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
    let text = workload.parameters.message_bytes;
    let most = match workload.primitive.as_str() {
        BASE16 => text / 2,
        _ => text / 4 * 3,
    };
    workload.parameters.output_bytes.map_or(most, |stated| stated.min(most))
}

/// Fills `text` with the text of `bytes` bytes `i mod 251`. Where the two lengths do
/// not belong together it is no text, and decoding will say so.
pub(crate) fn write_text(primitive: &str, bytes: usize, text: &mut [u8]) {
    let bytes: Vec<u8> = (0..bytes).map(|index| (index % 251) as u8).collect();
    let written = match primitive {
        BASE16 => base16::encode_to_slice(base16::Backend::fastest(), &bytes, text),
        _ => base64::encode_to_slice(base64::Backend::fastest(), &bytes, text),
    };
    let written = written.unwrap_or(0);
    text[written..].fill(0);
}
