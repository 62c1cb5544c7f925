//! Roles: what a buffer of an operation is.

use serde::{Deserialize, Serialize};

macro_rules! roles {
    ($($(#[$doc:meta])+ $role:ident = $number:literal, $name:literal;)+) => {
        /// What a buffer is. The numbers are those of `cpb_provider.h`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[repr(u32)]
        pub enum Role {
            $($(#[$doc])+ $role = $number,)+
        }

        impl Role {
            /// Every role.
            pub const ALL: [Role; [$($number),+].len()] = [$(Role::$role),+];

            /// The role in words: `associated data`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)+
                }
            }
        }
    };
}

roles! {
    /// What is hashed, encrypted, signed or encoded.
    Message = 1, "message";
    /// A secret key that both sides have.
    Key = 2, "key";
    /// What a derivation begins with: a password, or key material.
    Password = 3, "password";
    /// A nonce or initial value.
    Nonce = 4, "nonce";
    /// The salt of a derivation.
    Salt = 5, "salt";
    /// The info of a derivation.
    Info = 6, "info";
    /// What is authenticated and not encrypted.
    Aad = 7, "associated data";
    /// The half of a key pair that everybody may have.
    PublicKey = 8, "public key";
    /// The half of a key pair that nobody else has.
    SecretKey = 9, "secret key";
    /// What a secret key makes of a message, to be verified.
    Signature = 10, "signature";
    /// A message that was encrypted, or a secret that was encapsulated.
    Ciphertext = 11, "ciphertext";
    /// What two sides agree on.
    SharedSecret = 12, "shared secret";
    /// What tells a message from any other to who has the key.
    Tag = 13, "tag";
    /// The digest of a hash.
    Digest = 14, "digest";
    /// Bytes in characters.
    Text = 15, "text";
    /// Randomness from outside, so that an output can be foretold.
    Randomness = 16, "randomness";
    /// An output of any length: of an XOF, of a derivation.
    Output = 17, "output";
    /// An input of a fixed length that is none of these: of a core, to compare, to encode.
    Input = 18, "input";
}

impl Role {
    /// The role of this number.
    #[must_use]
    pub fn of_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|role| *role as u32 == number)
    }
}
