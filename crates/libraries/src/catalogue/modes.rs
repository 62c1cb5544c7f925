//! Defines modes of operation by name.

/// Defines the modes by their names in libcrypto, libgcrypt and bench-slopes; a name that ends in
/// another comes first.
macro_rules! modes {
    ($($Mode:ident $name:literal,)+) => {
        /// A mode, or the use as a stream cipher.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Mode {
            $($Mode,)+
            Stream,
        }

        impl Mode {
            /// All modes except the stream, which is written as none.
            pub(super) const NAMED: &[Mode] = &[$(Mode::$Mode),+];

            /// Returns the name.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Mode::$Mode => $name,)+
                    Mode::Stream => "STREAM",
                }
            }
        }
    };
}

modes! {
    Ecb "ECB", Cbc "CBC", Cfb "CFB", Cfb8 "CFB8", Ofb "OFB", Ctr "CTR", Xts "XTS", XtsGb "XTS-GB",
    Gcm "GCM", Ccm "CCM", Eax "EAX", Ocb "OCB", Poly1305 "POLY1305", GcmSiv "GCM-SIV", Siv "SIV",
}

impl Mode {
    /// Splits a cipher's name into the part without its mode, and the mode; `None` if it ends in no
    /// mode, as for stream ciphers.
    pub(crate) fn split(name: &str) -> Option<(&str, Mode)> {
        Self::NAMED.iter().find_map(|&mode| {
            let at = name.len().checked_sub(mode.name().len() + 1)?;
            let (cipher, suffix) = (name.get(..at)?, name.get(at..)?);
            let is_mode = suffix[1..].eq_ignore_ascii_case(mode.name());
            (suffix.starts_with('-') && is_mode).then_some((cipher, mode))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_their_mode() {
        for (name, cipher, mode) in [
            ("AES-128-GCM", "AES-128", Mode::Gcm),
            ("AES-256-GCM-SIV", "AES-256", Mode::GcmSiv),
            ("AES-256-SIV", "AES-256", Mode::Siv),
            ("camellia-192-cfb8", "camellia-192", Mode::Cfb8),
            ("DES-EDE3-CFB", "DES-EDE3", Mode::Cfb),
            ("ChaCha20-Poly1305", "ChaCha20", Mode::Poly1305),
        ] {
            assert_eq!(Mode::split(name), Some((cipher, mode)), "{name}");
        }
        for name in ["RC4", "ChaCha20", "AES-128-CBC-CTS", "AES-128-CFB1", "AES-128-WRAP", "CBC"] {
            assert_eq!(Mode::split(name), None, "{name}");
        }
    }
}
