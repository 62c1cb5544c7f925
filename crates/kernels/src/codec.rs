//! Generates what the codecs have in common.

/// Generates a codec's `Backend`, and the functions that encode and decode, with the documentation
/// given for the last two. Modules of the backends, `encoded_len`, `decoded_len` and `first_error`
/// are in the caller's scope.
macro_rules! codec {
    ($(#[$encode:meta])* encode $(#[$decode:meta])* decode) => {
        mod backend {
            use crate::backend::backends;

            backends! {
                /// An implementation of this codec that this CPU can run.
                Backend {
                    Avx2(Avx2) "avx2" on "x86_64" in avx2,
                    Avx512(Avx512Vbmi) "avx512" on "x86_64" in avx512,
                    Neon(Neon) "neon" on "aarch64" in neon,
                }

                /// Fills `out`, which has [`encoded_len`](super::encoded_len) bytes.
                pub(super) fn encode(bytes: &[u8], out: &mut [u8]);

                /// Fills `out`, which has [`decoded_len`](super::decoded_len) bytes, and
                /// returns whether the text is valid.
                pub(super) fn decode(text: &[u8], out: &mut [u8]) -> bool;
            }

            fn preferences() -> &'static [&'static str] {
                &["avx512", "avx2", "neon"]
            }
        }

        pub use backend::Backend;

        /// Encodes into the beginning of `out` and returns the length of the text.
        ///
        /// # Errors
        /// Returns [`NoRoom`] if `out` is shorter than [`encoded_len`]; nothing is written.
        #[inline]
        pub fn encode_to_slice(
            backend: Backend,
            bytes: &[u8],
            out: &mut [u8],
        ) -> Result<usize, NoRoom> {
            let (needed, room) = (encoded_len(bytes.len()), out.len());
            let out = out.get_mut(..needed).ok_or(NoRoom { needed, room })?;
            backend.encode(bytes, out);
            Ok(needed)
        }

        /// Decodes into the beginning of `out` and returns the number of bytes.
        ///
        /// # Errors
        /// Returns a [`DecodeError`] that says what is wrong with the text and where. `out` is
        /// then unspecified up to [`decoded_len`].
        #[inline]
        pub fn decode_to_slice(
            backend: Backend,
            text: &[u8],
            out: &mut [u8],
        ) -> Result<usize, DecodeError> {
            let (needed, room) = (decoded_len(text)?, out.len());
            let out = out.get_mut(..needed).ok_or(NoRoom { needed, room })?;
            if backend.decode(text, out) { Ok(needed) } else { Err(first_error(text, needed)) }
        }

        $(#[$encode])*
        pub fn encode(bytes: &[u8]) -> String {
            let mut text = vec![0; encoded_len(bytes.len())];
            <Backend as $crate::Backend>::fastest().encode(bytes, &mut text);
            // SAFETY: the characters and the padding are ASCII, and nothing else was written.
            unsafe { String::from_utf8_unchecked(text) }
        }

        $(#[$decode])*
        ///
        /// # Errors
        /// Returns the errors of [`decode_to_slice`].
        pub fn decode(text: impl AsRef<[u8]>) -> Result<Vec<u8>, DecodeError> {
            let text = text.as_ref();
            let mut bytes = vec![0; decoded_len(text)?];
            decode_to_slice(<Backend as $crate::Backend>::fastest(), text, &mut bytes)?;
            Ok(bytes)
        }
    };
}
pub(crate) use codec;
