//! Computes the lengths of the texts of codecs.

use cpb_model::{CallSpec, LengthRange};

/// All other codecs are assumed to have texts as long as those of base64.
const BASE16: &str = "base16";

/// Returns the length of the text for `bytes` bytes.
pub fn encoded_len(primitive: &str, bytes: usize) -> usize {
    match primitive {
        BASE16 => 2 * bytes,
        _ => bytes.div_ceil(3) * 4,
    }
}

/// Returns the number of bytes in the text of a decoding: the workload's, or else that of a text
/// without padding.
pub fn decoded_len(workload: &CallSpec) -> usize {
    let most = decoded(&workload.primitive, workload.parameters.message_bytes).default_length();
    workload.parameters.output_bytes.map_or(most, |stated| stated.min(most))
}

/// Returns the numbers of bytes that a text of this length can contain: base64 padding reduces them
/// by up to two.
pub(crate) fn decoded(primitive: &str, text: usize) -> LengthRange {
    match primitive {
        BASE16 => LengthRange::fixed(text / 2),
        _ => {
            let most = text / 4 * 3;
            LengthRange::fixed(most).at_least(most.saturating_sub(2))
        }
    }
}
