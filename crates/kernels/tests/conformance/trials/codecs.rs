//! Tries base16 and base64 against the crate data-encoding.

use cpb_kernels::{base16, base64};

use crate::limits::codec::Codec;
use crate::trial::Trial;

const LONGEST: usize = 3000;

pub fn base16(backend: base16::Backend, trial: &mut Trial) {
    // A character may also be written in upper case.
    codec(Codec::Base16(backend), trial, u8::make_ascii_uppercase);
}

pub fn base64(backend: base64::Backend, trial: &mut Trial) {
    codec(Codec::Base64(backend), trial, |_| {});
}

/// Tries a codec, whose characters `spelling` writes in another valid way; also with a text of which
/// one byte is changed.
fn codec(codec: Codec, trial: &mut Trial, spelling: fn(&mut u8)) {
    let length = trial.length(LONGEST);
    let bytes = trial.input(length);
    let expected = codec.expected(&bytes);
    let mut text = trial.output(expected.len());
    assert_eq!(codec.encode_to_slice(&bytes, &mut text), Ok(expected.len()));
    trial.compare(&text, &expected, "the text");

    let mut out = trial.output(length);
    assert_eq!(codec.decode_to_slice(&text, &mut out), Ok(length));
    trial.compare(&out, &bytes, "what the text is decoded to");
    if !text.is_empty() {
        text.iter_mut().step_by(3).for_each(spelling);
        let at = trial.number(0..=text.len() - 1);
        text[at] = trial.number(0..=255) as u8;
        // Replacing padding by a character makes the output one byte longer.
        let mut out = trial.output(length + 2);
        let decoded = codec.decode_to_slice(&text, &mut out);
        let decoded = decoded.ok().map(|length| out[..length].to_vec());
        let expected = codec.expected_bytes(&text);
        assert_eq!(decoded, expected, "byte {at} of {} is {:#x}", text.len(), text[at]);
    }
}
