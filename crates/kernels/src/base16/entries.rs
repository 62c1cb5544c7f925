//! Generates safe entry functions for a backend that works on whole blocks; they
//! require its token.

/// Generates `encode` and `decode` around two functions of the caller's scope with the
/// same target features: `encode_block(&[u8; BYTES], &mut [u8; TEXT])`, and
/// `decode_block(&[u8; TEXT], &mut [u8; BYTES]) -> wrong`. `wrong` is a vector of
/// errors; the vectors are combined by `either` and tested once at the end by
/// `is_wrong`.
///
/// The last block is aligned to the end of the input and repeats the part it shares
/// with the block before; an input shorter than a block goes through a buffer.
macro_rules! entries {
    ($Token:ty, $features:literal, BYTES $bytes:literal, TEXT $text:literal) => {
        pub(super) fn encode(_: $Token, bytes: &[u8], out: &mut [u8]) {
            #[target_feature(enable = $features)]
            fn run(bytes: &[u8], out: &mut [u8]) {
                let last = (bytes.last_chunk::<$bytes>(), out.last_chunk_mut::<$text>());
                if let (Some(block), Some(text)) = last {
                    encode_block(block, text);
                    // One byte is left out, so that an input of whole blocks does not
                    // process its last block twice.
                    let (blocks, _) = bytes[..bytes.len() - 1].as_chunks::<$bytes>();
                    for (block, text) in blocks.iter().zip(out.as_chunks_mut::<$text>().0) {
                        encode_block(block, text);
                    }
                } else {
                    let (mut block, mut text) = ([0; $bytes], [0; $text]);
                    block[..bytes.len()].copy_from_slice(bytes);
                    encode_block(&block, &mut text);
                    out.copy_from_slice(&text[..out.len()]);
                }
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(bytes, out) }
        }

        pub(super) fn decode(_: $Token, text: &[u8], out: &mut [u8]) -> bool {
            #[target_feature(enable = $features)]
            fn run(text: &[u8], out: &mut [u8]) -> bool {
                let mut wrong;
                let last = (text.last_chunk::<$text>(), out.last_chunk_mut::<$bytes>());
                if let (Some(last), Some(block)) = last {
                    wrong = decode_block(last, block);
                    let (texts, _) = text[..text.len() - 1].as_chunks::<$text>();
                    for (text, block) in texts.iter().zip(out.as_chunks_mut::<$bytes>().0) {
                        wrong = either(wrong, decode_block(text, block));
                    }
                } else {
                    let (mut digits, mut block) = ([b'0'; $text], [0; $bytes]);
                    digits[..text.len()].copy_from_slice(text);
                    wrong = decode_block(&digits, &mut block);
                    out.copy_from_slice(&block[..out.len()]);
                }
                !is_wrong(wrong)
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(text, out) }
        }
    };
}

pub(super) use entries;
