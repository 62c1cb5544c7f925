//! Which modes of authenticated encryption there are, and what they are called.

use super::messages::{CcmMode, OcbMode, SivCmacMode, SivGcmMode};
use super::steps::{ChachaPoly1305Mode, EaxMode, GcmMode, Stepwise};
use super::{Block, Facts, implementations, mac};
use crate::names;
use crate::nettle::call::Implementation;
use crate::nettle::cipher::{Cipher, canonical};
use crate::nettle::symbols::{Ccm, ChachaPoly1305, Compare, Eax, File, Gcm, Ocb, SivCmac, SivGcm};

/// CCM with a nonce of 12 bytes counts the message's in three.
const CCM_LONGEST: usize = (1 << 24) - 1;

/// The offers of all such modes for `cipher`, in the order of the rows.
pub(in crate::nettle) fn of_cipher(file: &File, cipher: &Cipher) -> Vec<Implementation> {
    if cipher.block_bytes != 16 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let facts = |mode: &str, prefix: &str, row: &'static str| Facts {
        primitive: names::with_mode(&cipher.canonical, mode),
        spelling: format!("{prefix}_{}", cipher.name),
        row: (cipher.has_rows && !row.is_empty()).then(|| (cipher.name.clone(), row)),
        key_bytes: cipher.key_bytes,
        nonce_bytes: 12,
        compat_nonce_bytes: 12,
        longest: None,
    };
    let (block, compare) = (Block::of(cipher), Compare::load(file).ok());
    if let (Ok(gcm), Some(compare)) = (Gcm::load(file), compare) {
        let make = move || Stepwise::new(GcmMode::new(gcm, block), compare);
        found.extend(implementations(&facts("gcm", "gcm", "GCM"), make));
        let facts = Facts {
            primitive: names::mac("gmac", &cipher.canonical),
            spelling: format!("gmac_{}", cipher.name),
            ..facts("", "", "")
        };
        found.push(mac(&facts, make));
    }
    if let (Ok(eax), Some(compare)) = (Eax::load(file), compare) {
        let facts = Facts { nonce_bytes: 16, ..facts("eax", "eax", "EAX") };
        found.extend(implementations(&facts, move || {
            Stepwise::new(EaxMode::new(eax, block), compare)
        }));
    }
    if let Ok(ocb) = Ocb::load(file) {
        let facts = facts("ocb", "ocb", "OCB");
        found.extend(implementations(&facts, move || OcbMode::new(ocb, block)));
    }
    if let (Ok(siv), Some(descriptor)) = (SivGcm::load(file), cipher.descriptor) {
        let facts = facts("gcm-siv", "siv_gcm", "GCM-SIV");
        found.extend(implementations(&facts, move || SivGcmMode::new(siv, block, descriptor)));
    }
    if let Ok(ccm) = Ccm::load(file) {
        let facts = Facts { longest: Some(CCM_LONGEST), ..facts("ccm", "ccm", "") };
        found.extend(implementations(&facts, move || CcmMode::new(ccm, block)));
    }
    if let (Ok(siv), Some(descriptor)) = (SivCmac::load(file), cipher.descriptor) {
        // Not the SIV of other libraries: a nonce is always hashed.
        let facts = Facts {
            key_bytes: 2 * cipher.key_bytes,
            nonce_bytes: 16,
            ..facts("siv-cmac", "siv_cmac", "")
        };
        found.extend(implementations(&facts, move || SivCmacMode::new(siv, block, descriptor)));
    }
    found
}

/// The offers of ChaCha20-Poly1305.
pub(in crate::nettle) fn chacha_poly1305(file: &File) -> Vec<Implementation> {
    let (Ok(functions), Ok(compare)) = (ChachaPoly1305::load(file), Compare::load(file)) else {
        return Vec::new();
    };
    let facts = Facts {
        primitive: names::with_mode(&canonical("chacha", 256), "poly1305"),
        spelling: "chacha_poly1305".to_owned(),
        row: Some(("chacha".to_owned(), "POLY1305")),
        key_bytes: 32,
        nonce_bytes: 12,
        compat_nonce_bytes: 12,
        longest: None,
    };
    implementations(&facts, move || Stepwise::new(ChachaPoly1305Mode::new(functions), compare))
}
