//! Describes both codecs by one type, with the results of other implementations.

use cpb_kernels::base16::{DecodeError, NoRoom};
use cpb_kernels::{base16, base64};
use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};

use crate::on_every_backend;

/// A codec, by one of its backends.
#[derive(Clone, Copy, Debug)]
pub enum Codec {
    Base16(base16::Backend),
    Base64(base64::Backend),
}

impl Codec {
    pub fn is_base64(self) -> bool {
        matches!(self, Codec::Base64(_))
    }

    /// Returns what another implementation encodes the bytes to.
    pub fn expected(self, bytes: &[u8]) -> Vec<u8> {
        let encoding = if self.is_base64() { &BASE64 } else { &HEXLOWER };
        encoding.encode(bytes).into_bytes()
    }

    /// Returns what another implementation decodes the text to, or `None` if it rejects
    /// it.
    pub fn expected_bytes(self, text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Codec::Base16(_) => HEXLOWER_PERMISSIVE.decode(text).ok(),
            // The crate accepts several padded texts in a row; we accept only the one text
            // that the bytes are encoded to.
            Codec::Base64(_) => {
                BASE64.decode(text).ok().filter(|bytes| self.expected(bytes) == text)
            }
        }
    }

    pub fn is_character(self, byte: u8) -> bool {
        match self {
            Codec::Base16(_) => byte.is_ascii_hexdigit(),
            Codec::Base64(_) => byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/',
        }
    }

    pub fn encode_to_slice(self, bytes: &[u8], out: &mut [u8]) -> Result<usize, NoRoom> {
        match self {
            Codec::Base16(backend) => base16::encode_to_slice(backend, bytes, out),
            Codec::Base64(backend) => base64::encode_to_slice(backend, bytes, out),
        }
    }

    pub fn decode_to_slice(self, text: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
        match self {
            Codec::Base16(backend) => base16::decode_to_slice(backend, text, out),
            Codec::Base64(backend) => base64::decode_to_slice(backend, text, out),
        }
    }

    pub fn encode(self, bytes: &[u8]) -> Vec<u8> {
        let length = match self {
            Codec::Base16(_) => base16::encoded_len(bytes.len()),
            Codec::Base64(_) => base64::encoded_len(bytes.len()),
        };
        let mut out = vec![0; length];
        assert_eq!(self.encode_to_slice(bytes, &mut out), Ok(length));
        out
    }

    pub fn decode(self, text: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut out = vec![0; text.len()];
        let length = self.decode_to_slice(text, &mut out)?;
        out.truncate(length);
        Ok(out)
    }
}

/// Runs a test on every backend of both codecs that this CPU has.
pub fn on_every_codec(test: &str, mut run: impl FnMut(Codec)) {
    on_every_backend(&format!("Base16 {test}"), |it| run(Codec::Base16(it)));
    on_every_backend(&format!("Base64 {test}"), |it| run(Codec::Base64(it)));
}
