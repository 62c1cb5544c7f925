//! Generates safe entry functions for a backend that works on whole blocks; they
//! require its token.

/// Generates `encode` and `decode` around two functions of the caller's scope with
/// the same target features.
///
/// - `encode_block(&[u8; READ], &mut [u8; TEXT])` makes `TEXT` characters of the
///   first `BYTES` bytes.
/// - `decode_block(&[u8; TEXT], &mut [u8; WRITE]) -> wrong` writes `BYTES` bytes at
///   the beginning, and may write anything behind them. It returns a vector of
///   errors; the vectors are combined by `either` and tested once at the end by
///   `is_wrong`.
///
/// The remainder goes through a buffer, as one more block.
macro_rules! entries {
    ($Token:ty, $features:literal, BYTES $bytes:literal, TEXT $text:literal, READ $read:literal, WRITE $write:literal) => {
        pub(super) fn encode(_: $Token, bytes: &[u8], out: &mut [u8]) {
            #[target_feature(enable = $features)]
            fn run(bytes: &[u8], out: &mut [u8]) {
                let mut done = 0;
                while let Some(block) = bytes[done * $bytes..].first_chunk::<$read>()
                    && let Some(text) = out[done * $text..].first_chunk_mut::<$text>()
                {
                    encode_block(block, text);
                    done += 1;
                }
                let (rest, last) = (&bytes[done * $bytes..], &mut out[done * $text..]);
                for (piece, out) in rest.chunks($bytes).zip(last.chunks_mut($text)) {
                    let (mut block, mut text) = ([0; $read], [0; $text]);
                    block[..piece.len()].copy_from_slice(piece);
                    encode_block(&block, &mut text);
                    text[$crate::base64::characters(piece.len())..out.len()]
                        .fill($crate::base64::PADDING);
                    out.copy_from_slice(&text[..out.len()]);
                }
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(bytes, out) }
        }

        pub(super) fn decode(_: $Token, text: &[u8], out: &mut [u8]) -> bool {
            #[target_feature(enable = $features)]
            fn run(text: &[u8], out: &mut [u8]) -> bool {
                let text = &text[..$crate::base64::characters(out.len())];
                let (mut wrong, mut done) = (nothing_wrong(), 0);
                while let Some(block) = text[done * $text..].first_chunk::<$text>()
                    && let Some(bytes) = out[done * $bytes..].first_chunk_mut::<$write>()
                {
                    wrong = either(wrong, decode_block(block, bytes));
                    done += 1;
                }
                let (rest, last) = (&text[done * $text..], &mut out[done * $bytes..]);
                let mut left_over = 0;
                for (piece, out) in rest.chunks($text).zip(last.chunks_mut($bytes)) {
                    let (mut block, mut bytes) = ([b'A'; $text], [0; $write]);
                    block[..piece.len()].copy_from_slice(piece);
                    wrong = either(wrong, decode_block(&block, &mut bytes));
                    out.copy_from_slice(&bytes[..out.len()]);
                    // The bits that padding leaves over are in the byte after the
                    // last.
                    if out.len() < $bytes {
                        left_over |= bytes[out.len()];
                    }
                }
                left_over == 0 && !is_wrong(wrong)
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(text, out) }
        }
    };
}

pub(super) use entries;
