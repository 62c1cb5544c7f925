//! What a library offers: every digest and cipher that was found in it, and what is made of
//! them.

use super::aead::Restart;
use super::found::{FoundCipher, ciphers, digests};
use super::functions::Functions;
use super::keys::{self, Keys};
use super::made_of::{derivations, macs};
use super::sources::Sources;
use super::wanted::Wanted;
use super::{Recipe, aead, cipher, random, variants};
use crate::catalogue::modes::Mode;
use crate::catalogue::{lengths, names};
use crate::runtime::{Entry, offer, row};
use crate::sizes;
use cpb_model::{Length, Lengths, Operation};

/// Every implementation, those with a row first and in the order of the rows.
pub(super) fn entries(
    functions: &Functions,
    keys: Option<&Keys>,
    sources: &Sources,
    wanted: Wanted<'_>,
) -> Vec<Entry<Recipe>> {
    let digests = digests(functions, sources);
    let ciphers = ciphers(functions, sources);
    let mut entries: Vec<_> = digests.iter().map(|found| found.entry.clone()).collect();
    entries.extend(ciphers.iter().flat_map(FoundCipher::entries));
    if wanted.does(|it| it == Operation::Mac) {
        entries.extend(macs(functions, &digests, &ciphers, wanted));
    }
    if wanted.0.is_none_or(|offer| offer.is_variant) {
        entries.extend(variants::entries(functions, &entries));
    }
    if wanted.does(|it| it == Operation::Derive) {
        entries.extend(derivations(functions, &digests, wanted));
    }
    if wanted.does(|it| it == Operation::Random) {
        entries.extend(random::entry(functions));
    }
    if let Some(keys) = keys.filter(|_| wanted.does(Operation::is_public_key)) {
        entries.extend(keys::entries(functions, keys, &digests, wanted));
    }
    // The sort is stable: rows keep their order, and so does the rest.
    entries.sort_by_key(|entry| entry.offer.row.is_none());
    entries
}

impl FoundCipher {
    fn entries(&self) -> Vec<Entry<Recipe>> {
        let operations: &[(Operation, &str)] = match self.mode {
            // libcrypto makes no tag where there is no message.
            Mode::Siv | Mode::GcmSiv => &[(Operation::Seal, "enc"), (Operation::Open, "dec")],
            mode if mode.has_tag() => {
                &[(Operation::Seal, "enc"), (Operation::Open, "dec"), (Operation::Auth, "auth")]
            }
            _ => &[(Operation::Encrypt, "enc"), (Operation::Decrypt, "dec")],
        };
        operations.iter().map(|(operation, label)| self.entry(*operation, label)).collect()
    }

    fn entry(&self, operation: Operation, label: &str) -> Entry<Recipe> {
        let mode = self.mode;
        let lengths = Lengths {
            key: Length::fixed(self.key_bytes),
            nonce: Length::fixed(self.nonce_bytes),
            aad: sizes::aad(operation),
            tag: if mode.has_tag() { lengths::AEAD_TAG } else { 0 },
            granularity: mode.granularity(self.block_bytes),
            ..Lengths::default()
        };
        let primitive = names::with_mode(&self.primitive, mode.name());
        let mut offer = offer(primitive, operation, self.spelling.clone(), lengths);
        let label = format!("{} {label}", mode.name());
        offer.row = self.row.map(|algorithm| row("cipher", algorithm, &label));
        offer.unavailable.clone_from(&self.unavailable);
        Entry { offer, recipe: self.recipe(operation) }
    }

    fn recipe(&self, operation: Operation) -> Recipe {
        let (cipher, mode) = (self.cipher, self.mode);
        if mode.has_tag() {
            let restart = match mode {
                Mode::Siv => Restart::Key,
                Mode::GcmSiv => Restart::Cipher,
                _ => Restart::Nonce,
            };
            let declares_lengths = mode == Mode::Ccm;
            return Recipe::Aead(aead::Recipe { cipher, operation, declares_lengths, restart });
        }
        Recipe::Cipher(cipher::Recipe {
            cipher,
            decrypt: operation == Operation::Decrypt,
            counter_bytes: if self.primitive == "chacha20" { 4 } else { 0 },
            starts_by_key: mode == Mode::Stream && self.nonce_bytes == 0,
        })
    }
}
