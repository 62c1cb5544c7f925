//! What is looked for in a library: everything, or what one offer needs.

use super::keys;
use cpb_model::{Offer, Operation};

/// The offer that is wanted; all where there is none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted<'a>(pub(super) Option<&'a Offer>);

impl Wanted<'_> {
    pub(super) fn is_all(self) -> bool {
        self.0.is_none()
    }

    /// Whether offers of these operations are.
    pub(super) fn does(self, is_one: impl Fn(Operation) -> bool) -> bool {
        self.0.is_none_or(|offer| is_one(offer.operation))
    }

    /// Whether one whose spelling begins so is.
    pub(super) fn begins(self, spelling: &str) -> bool {
        self.0.is_none_or(|offer| offer.spelling.starts_with(spelling))
    }

    /// Whether this primitive is.
    pub(super) fn is(self, primitive: &str) -> bool {
        self.0.is_none_or(|offer| offer.primitive == primitive)
    }

    /// Whether the wanted offer needs the digest or cipher of this name.
    pub(super) fn needs(self, name: &str) -> bool {
        let Some(offer) = self.0 else { return true };
        let spelling = offer.spelling.as_str();
        let made_of = |construction: &str| spelling.strip_prefix(construction);
        let is_cipher_of = |construction, mode| {
            let cipher = name.strip_suffix(mode);
            cipher.is_some_and(|cipher| made_of(construction) == Some(cipher))
        };
        match offer.operation {
            Operation::Mac => {
                made_of("HMAC-") == Some(name)
                    || is_cipher_of("CMAC-", "-CBC")
                    || is_cipher_of("GMAC-", "-GCM")
            }
            Operation::Derive => {
                ["PBKDF2-HMAC-", "HKDF-"].into_iter().any(|it| made_of(it) == Some(name))
            }
            operation if operation.is_public_key() => {
                let digest = keys::digest(&offer.primitive);
                digest.is_some_and(|digest| digest.eq_ignore_ascii_case(name))
            }
            _ => spelling == name,
        }
    }
}
