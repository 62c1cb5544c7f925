//! Tries base16 and base64 against the crate data-encoding.

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};

use crate::trial::Trial;

const LONGEST: usize = 3000;

/// Generates the trial of a codec from the reference results for bytes and for a text
/// with one byte changed, which is `None` if it is rejected, and from a function that
/// writes a character in another valid way.
macro_rules! codec {
    ($name:ident, $encoded:expr, $decoded:expr, $spelling:expr) => {
        pub fn $name(backend: cpb_kernels::$name::Backend, trial: &mut Trial) {
            use cpb_kernels::$name::{decode_to_slice, encode_to_slice};
            let length = trial.length(LONGEST);
            let bytes = trial.input(length);
            let expected: Vec<u8> = $encoded(&bytes);
            let mut text = trial.output(expected.len());
            assert_eq!(encode_to_slice(backend, &bytes, &mut text), Ok(expected.len()));
            trial.compare(&text, &expected, "the text");

            let mut out = trial.output(length);
            assert_eq!(decode_to_slice(backend, &text, &mut out), Ok(length));
            trial.compare(&out, &bytes, "what the text is decoded to");
            if !text.is_empty() {
                let spelling: fn(&mut u8) = $spelling;
                text.iter_mut().step_by(3).for_each(spelling);
                let at = trial.number(0..=text.len() - 1);
                text[at] = trial.number(0..=255) as u8;
                let expected: Option<Vec<u8>> = $decoded(&text);
                // Replacing padding by a character makes the output one byte longer.
                let mut out = trial.output(length + 2);
                let decoded = decode_to_slice(backend, &text, &mut out);
                let decoded = decoded.ok().map(|length| out[..length].to_vec());
                assert_eq!(decoded, expected, "byte {at} of {} is {:#x}", text.len(), text[at]);
            }
        }
    };
}

codec!(
    base16,
    |bytes: &[u8]| HEXLOWER.encode(bytes).into_bytes(),
    |text: &[u8]| HEXLOWER_PERMISSIVE.decode(text).ok(),
    u8::make_ascii_uppercase
);
codec!(
    base64,
    |bytes: &[u8]| BASE64.encode(bytes).into_bytes(),
    // The crate accepts several padded texts in a row; we accept only the one text that
    // the bytes are encoded to.
    |text: &[u8]| {
        let bytes = BASE64.decode(text).ok();
        bytes.filter(|bytes| BASE64.encode(bytes).as_bytes() == text)
    },
    |_| {}
);
