//! How safe code enters a backend that works on whole blocks: with its token.

/// Stamps `encode` and `decode` around two functions of the caller's scope with the
/// same target features: `encode_block(&[u8; BYTES], &mut [u8; TEXT])`, and
/// `decode_block(&[u8; TEXT], &mut [u8; BYTES]) -> wrong`, a vector that is gathered
/// by `either` and asked at the end with `is_wrong`.
///
/// What is left at the end goes through a buffer, as one more block.
macro_rules! entries {
    ($Token:ty, $features:literal, BYTES $bytes:literal, TEXT $text:literal) => {
        pub(super) fn encode(_: $Token, bytes: &[u8], out: &mut [u8]) {
            #[target_feature(enable = $features)]
            fn run(bytes: &[u8], out: &mut [u8]) {
                let (blocks, rest) = bytes.as_chunks::<$bytes>();
                let (texts, last) = out.as_chunks_mut::<$text>();
                for (block, text) in blocks.iter().zip(texts) {
                    encode_block(block, text);
                }
                if !rest.is_empty() {
                    let (mut block, mut text) = ([0; $bytes], [0; $text]);
                    block[..rest.len()].copy_from_slice(rest);
                    encode_block(&block, &mut text);
                    last.copy_from_slice(&text[..last.len()]);
                }
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(bytes, out) }
        }

        pub(super) fn decode(_: $Token, text: &[u8], out: &mut [u8]) -> bool {
            #[target_feature(enable = $features)]
            fn run(text: &[u8], out: &mut [u8]) -> bool {
                let (texts, rest) = text.as_chunks::<$text>();
                let (blocks, last) = out.as_chunks_mut::<$bytes>();
                let mut wrong = nothing_wrong();
                for (text, block) in texts.iter().zip(blocks) {
                    wrong = either(wrong, decode_block(text, block));
                }
                if !rest.is_empty() {
                    let (mut text, mut block) = ([b'0'; $text], [0; $bytes]);
                    text[..rest.len()].copy_from_slice(rest);
                    wrong = either(wrong, decode_block(&text, &mut block));
                    last.copy_from_slice(&block[..last.len()]);
                }
                !is_wrong(wrong)
            }
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(text, out) }
        }
    };
}

pub(super) use entries;
