//! Tests both codecs through one type, against other implementations.

use cpb_kernels::base16::{DecodeError, NoRoom};
use cpb_kernels::{base16, base64};
use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};

use crate::on_every_backend;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    Base16,
    Base64,
}

/// One codec's backend.
#[derive(Clone, Copy, Debug)]
pub enum Backend {
    Base16(base16::Backend),
    Base64(base64::Backend),
}

impl Codec {
    /// Returns what another implementation encodes the bytes to.
    pub fn expected(self, bytes: &[u8]) -> Vec<u8> {
        let text = match self {
            Codec::Base16 => HEXLOWER.encode(bytes),
            Codec::Base64 => BASE64.encode(bytes),
        };
        text.into_bytes()
    }

    /// Returns what another implementation decodes the text to, or `None` if it rejects
    /// it.
    pub fn expected_bytes(self, text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Codec::Base16 => HEXLOWER_PERMISSIVE.decode(text).ok(),
            // The crate accepts several padded texts in a row; we accept only the one text
            // that the bytes are encoded to.
            Codec::Base64 => BASE64.decode(text).ok().filter(|bytes| self.expected(bytes) == text),
        }
    }

    pub fn is_character(self, byte: u8) -> bool {
        match self {
            Codec::Base16 => byte.is_ascii_hexdigit(),
            Codec::Base64 => byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/',
        }
    }
}

impl Backend {
    pub fn encode_to_slice(self, bytes: &[u8], out: &mut [u8]) -> Result<usize, NoRoom> {
        match self {
            Backend::Base16(backend) => base16::encode_to_slice(backend, bytes, out),
            Backend::Base64(backend) => base64::encode_to_slice(backend, bytes, out),
        }
    }

    pub fn decode_to_slice(self, text: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
        match self {
            Backend::Base16(backend) => base16::decode_to_slice(backend, text, out),
            Backend::Base64(backend) => base64::decode_to_slice(backend, text, out),
        }
    }

    pub fn encoded_len(self, bytes: usize) -> usize {
        match self {
            Backend::Base16(_) => base16::encoded_len(bytes),
            Backend::Base64(_) => base64::encoded_len(bytes),
        }
    }

    pub fn encode(self, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![0; self.encoded_len(bytes.len())];
        assert_eq!(self.encode_to_slice(bytes, &mut out), Ok(out.len()));
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
pub fn on_every_codec(test: &str, mut run: impl FnMut(Codec, Backend)) {
    on_every_backend(&format!("Base16 {test}"), |it| run(Codec::Base16, Backend::Base16(it)));
    on_every_backend(&format!("Base64 {test}"), |it| run(Codec::Base64, Backend::Base64(it)));
}
