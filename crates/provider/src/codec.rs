//! The texts of codecs: how long they are.

use cpb_model::{CallSpec, LengthRange};

/// Every other codec is taken to have texts as long as base64's.
const BASE16: &str = "base16";

/// Length of the text for so many bytes.
#[must_use]
pub fn encoded_len(primitive: &str, bytes: usize) -> usize {
    match primitive {
        BASE16 => 2 * bytes,
        _ => bytes.div_ceil(3) * 4,
    }
}

/// Number of bytes that the text of a decoding stands for: what the workload
/// states, else as many as a text without padding.
#[must_use]
pub fn decoded_len(workload: &CallSpec) -> usize {
    let most = decoded(&workload.primitive, workload.parameters.message_bytes).default_length();
    workload.parameters.output_bytes.map_or(most, |stated| stated.min(most))
}

/// Numbers of bytes that a text of this length can stand for: padding of base64 takes up
/// to two away.
pub(crate) fn decoded(primitive: &str, text: usize) -> LengthRange {
    match primitive {
        BASE16 => LengthRange::fixed(text / 2),
        _ => {
            let most = text / 4 * 3;
            LengthRange::fixed(most).at_least(most.saturating_sub(2))
        }
    }
}
