//! Defines the roles of an operation's buffers.

use serde::{Deserialize, Serialize};

macro_rules! roles {
    ($($(#[$doc:meta])+ $role:ident = $number:literal, $name:literal;)+) => {
        /// Names the role of a buffer. The numbers are those of `cpb_provider.h`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[repr(u32)]
        pub enum Role {
            $($(#[$doc])+ $role = $number,)+
        }

        impl Role {
            pub const ALL: [Role; [$($number),+].len()] = [$(Role::$role),+];

            /// Returns the role's name: `associated data`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)+
                }
            }
        }
    };
}

roles! {
    /// The bytes that are hashed, encrypted, signed or encoded.
    Message = 1, "message";
    /// A secret key shared by both sides.
    Key = 2, "key";
    /// The start of a derivation: a password, or key material.
    Password = 3, "password";
    /// A nonce or initial value.
    Nonce = 4, "nonce";
    /// The salt of a derivation.
    Salt = 5, "salt";
    /// The info of a derivation.
    Info = 6, "info";
    /// Data that is authenticated but not encrypted.
    Aad = 7, "associated data";
    /// The public half of a key pair.
    PublicKey = 8, "public key";
    /// The secret half of a key pair.
    SecretKey = 9, "secret key";
    /// The signature of a message by a secret key.
    Signature = 10, "signature";
    /// An encrypted message, or an encapsulated secret.
    Ciphertext = 11, "ciphertext";
    /// The secret on which two sides agree.
    SharedSecret = 12, "shared secret";
    /// The tag that authenticates a message.
    Tag = 13, "tag";
    /// The digest of a hash.
    Digest = 14, "digest";
    /// Bytes encoded as characters.
    Text = 15, "text";
    /// Randomness from the caller, which makes an output predictable.
    Randomness = 16, "randomness";
    /// An output of any length, from an XOF or a derivation.
    Output = 17, "output";
    /// An input of fixed length with no other role: of a core function, a comparison, an encoding.
    Input = 18, "input";
}

impl Role {
    /// Returns the role of this number.
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|role| *role as u32 == number)
    }
}
