//! Authenticated encryption: sealing, opening, authenticating. The modes use
//! the library's generic functions, which take any cipher with blocks of 16
//! bytes.

mod messages;
mod offers;
mod steps;

pub(super) use offers::{chacha_poly1305, of_cipher};

use super::call::{Implementation, Places, Routine, ready};
use super::cipher::Cipher;
use super::symbols::{Crypt, SetKey};
use crate::sizes;
use crate::{Buffer, Prepared};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};

/// Length of every tag.
const TAG_BYTES: usize = 16;
/// Room for any context of a mode but GCM's key. The headers' largest is that
/// of ChaCha20-Poly1305, with 176 bytes.
const STATE_BYTES: usize = 512;

/// What a mode needs of its block cipher.
#[derive(Clone, Copy)]
struct Block {
    context_bytes: usize,
    set_encrypt_key: SetKey,
    set_decrypt_key: SetKey,
    encrypt: Crypt,
    decrypt: Crypt,
}

impl Block {
    fn of(cipher: &Cipher) -> Self {
        Self {
            context_bytes: cipher.context_bytes,
            set_encrypt_key: cipher.set_encrypt_key,
            set_decrypt_key: cipher.set_decrypt_key,
            encrypt: cipher.encrypt,
            decrypt: cipher.decrypt,
        }
    }
}

/// A mode with the contexts that it works on. What it reads and writes is in
/// the [`Places`]: `length` is that of the plaintext, and at the other end
/// there is room for the tag besides.
trait Aead: 'static {
    /// Whether the tag stands before the ciphertext, not behind it.
    const TAG_FIRST: bool = false;

    /// Sets the key.
    ///
    /// # Safety
    /// The key has the mode's length.
    unsafe fn key(&mut self, key: *const u8);

    /// Encrypts the source to ciphertext and tag.
    ///
    /// # Safety
    /// The key is set, and the places are as stated above.
    unsafe fn seal(&mut self, places: &Places);

    /// Decrypts a source of ciphertext and tag, and tells whether the tag is
    /// right.
    ///
    /// # Safety
    /// As of [`Aead::seal`].
    unsafe fn open(&mut self, places: &Places) -> bool;

    /// Decrypts and computes the tag, as bench-slopes does, which never looks
    /// at it. Where the library always compares, its verdict is ignored.
    ///
    /// # Safety
    /// As of [`Aead::seal`].
    unsafe fn decrypt(&mut self, places: &Places) {
        // SAFETY: by the caller's contract.
        unsafe { self.open(places) };
    }
}

/// What an offer of a mode says.
#[derive(Clone)]
struct Facts {
    primitive: String,
    /// The library's name for it.
    spelling: String,
    /// Algorithm and mode of its rows; absent where bench-slopes has none.
    row: Option<(String, &'static str)>,
    key_bytes: usize,
    nonce_bytes: usize,
    /// Length of the nonce in bench-slopes.
    compat_nonce_bytes: usize,
    /// What the longest plaintext is, where the library aborts on others.
    longest: Option<usize>,
}

/// The offers to seal, open and authenticate with a mode that `make` makes.
fn implementations<A: Aead>(
    facts: &Facts,
    make: impl Fn() -> A + Clone + 'static,
) -> Vec<Implementation> {
    [(Operation::Seal, "enc"), (Operation::Open, "dec"), (Operation::Auth, "auth")]
        .into_iter()
        .map(|(operation, suffix)| {
            let row = facts.row.as_ref().map(|(algorithm, mode)| RowName {
                group: "cipher".to_owned(),
                algorithm: algorithm.clone(),
                mode: format!("{mode} {suffix}"),
            });
            let lengths = Lengths {
                key: Length::fixed(facts.key_bytes),
                nonce: Length::fixed(facts.nonce_bytes),
                aad: sizes::aad(operation),
                tag: TAG_BYTES,
                granularity: 1,
                ..Lengths::default()
            };
            implementation(facts, operation, row, lengths, make.clone())
        })
        .collect()
}

/// The offer of a MAC that is the tag of an empty plaintext.
fn mac<A: Aead>(facts: &Facts, make: impl Fn() -> A + 'static) -> Implementation {
    let lengths = Lengths {
        key: Length::fixed(facts.key_bytes),
        nonce: Length::fixed(facts.nonce_bytes),
        granularity: 1,
        output: Some(Length::fixed(TAG_BYTES)),
        ..Lengths::default()
    };
    implementation(facts, Operation::Mac, None, lengths, make)
}

fn implementation<A: Aead>(
    facts: &Facts,
    operation: Operation,
    row: Option<RowName>,
    lengths: Lengths,
    make_aead: impl Fn() -> A + 'static,
) -> Implementation {
    let offer = Offer {
        primitive: facts.primitive.clone(),
        operation,
        spelling: facts.spelling.clone(),
        backend: "default".to_owned(),
        default_backend: true,
        row,
        lengths,
        unavailable: None,
    };
    let Facts { spelling, compat_nonce_bytes, longest, .. } = facts.clone();
    let make = move |places: Places, contract| {
        if let Some(longest) = longest.filter(|&longest| places.length > longest) {
            return Err(format!("nettle aborts on more than {longest} bytes under {spelling}"));
        }
        let compat = contract == Contract::Compat;
        // bench-slopes gives no associated data but under auth.
        let places = if compat {
            Places { nonce_bytes: compat_nonce_bytes, aad_bytes: 0, ..places }
        } else {
            places
        };
        let aead = make_aead();
        Ok(match operation {
            Operation::Seal if compat => {
                let (text, places) = sealed_text(places)?;
                ready(Seal { aead, places: places.in_place(), _text: text }, contract)
            }
            Operation::Seal => ready(Seal { aead, places, _text: None }, contract),
            Operation::Open => open(aead, places, contract)?,
            // The message is the associated data.
            _ => {
                let (aad, aad_bytes) = (places.source.cast_const(), places.length);
                let places = Places { aad, aad_bytes, length: 0, ..places };
                ready(Seal { aead, places, _text: None }, contract)
            }
        })
    };
    Implementation { offer, make: Box::new(make) }
}

/// A buffer for ciphertext and tag, holding the pattern, as the source.
fn sealed_text(places: Places) -> Result<(Option<Buffer>, Places), String> {
    let text = Buffer::with_pattern(places.length + TAG_BYTES, places.alignment);
    let mut text = text.map_err(|reason| reason.to_string())?;
    let source = text.bytes_mut().as_mut_ptr();
    Ok((Some(text), Places { source, ..places }))
}

fn open<A: Aead>(aead: A, places: Places, contract: Contract) -> Result<Box<dyn Prepared>, String> {
    let (text, sealed) = sealed_text(places)?;
    if contract == Contract::Compat {
        // It decrypts noise: the pattern, and from then on its own output.
        let places = sealed.in_place();
        return Ok(ready(Open::<A, false> { aead, places, failed: false, _text: text }, contract));
    }
    let text_at = if A::TAG_FIRST { places.tag_bytes } else { 0 };
    let tag_at = if A::TAG_FIRST { 0 } else { places.length };
    // SAFETY: message and tag have these lengths, and the new buffer, which is none of
    // them, has room for both.
    unsafe {
        sealed.source.add(text_at).copy_from(places.source, places.length);
        sealed.source.add(tag_at).copy_from(places.tag, places.tag_bytes);
    }
    Ok(ready(Open::<A, true> { aead, places: sealed, failed: false, _text: text }, contract))
}

/// Sealing, and authenticating: sealing nothing.
struct Seal<A> {
    aead: A,
    places: Places,
    /// What the source is part of, where it is not the message.
    _text: Option<Buffer>,
}

impl<A: Aead> Routine for Seal<A> {
    fn key(&mut self) {
        // SAFETY: the key has the length of the offer.
        unsafe { self.aead.key(self.places.key) };
    }

    fn call(&mut self) {
        // SAFETY: the key is set; the destination has room for the tag.
        unsafe { self.aead.seal(&self.places) };
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        let mut output = unsafe { self.places.written(self.places.length + TAG_BYTES) };
        if A::TAG_FIRST {
            output.rotate_left(TAG_BYTES);
        }
        Ok(output)
    }
}

/// Opening. `CHECKS`: a tag that is wrong is a failure.
struct Open<A, const CHECKS: bool> {
    aead: A,
    places: Places,
    failed: bool,
    _text: Option<Buffer>,
}

impl<A: Aead, const CHECKS: bool> Routine for Open<A, CHECKS> {
    fn key(&mut self) {
        // SAFETY: as in `Seal`.
        unsafe { self.aead.key(self.places.key) };
    }

    fn call(&mut self) {
        // SAFETY: the key is set; the source is ciphertext and tag, the
        // destination has room for the plaintext.
        unsafe {
            if CHECKS {
                self.failed |= !self.aead.open(&self.places);
            } else {
                self.aead.decrypt(&self.places);
            }
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        if self.failed {
            return Err("nettle rejects the tag".to_owned());
        }
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.length) })
    }
}

#[cfg(test)]
mod tests {
    use super::messages::{CcmMode, OcbMode, SivCmacMode, SivGcmMode};
    use super::steps::{ChachaPoly1305Mode, EaxMode, GcmMode, Stepwise};
    use super::*;
    use crate::Inputs;
    use crate::nettle::symbols::{Ccm, ChachaPoly1305, Compare, Eax, Gcm, Ocb, SivCmac, SivGcm};
    use crate::nettle::{cipher, file_for_tests};
    use cpb_model::Alignment;
    use cpb_provider::Case;

    const MESSAGE_BYTES: usize = 40;

    /// Seals a message and opens it, then with one bit wrong in ciphertext,
    /// tag and associated data.
    fn rejects_forgeries<A: Aead>(name: &str, mut aead: A, nonce_bytes: usize) {
        let case = Case {
            message: Buffer::with_pattern(MESSAGE_BYTES, Alignment::Page).unwrap(),
            key: (0..32).collect(),
            nonce: vec![9; nonce_bytes],
            aad: vec![7; 20],
            tag: Vec::new(),
        };
        let mut inputs = Inputs {
            cases: vec![case],
            alignment: Alignment::Page,
            destination: Buffer::zeroed(MESSAGE_BYTES + TAG_BYTES).unwrap(),
            iterations: 1,
            output_bytes: 0,
            result_bytes: 0,
            outputs: Vec::new(),
        };
        let mut sealed = Buffer::zeroed(MESSAGE_BYTES + TAG_BYTES).unwrap();
        let places = Places::of(&mut inputs);
        let source = sealed.bytes_mut().as_mut_ptr();
        // SAFETY: the key is the longest of any, both ends have room for
        // message and tag.
        unsafe {
            aead.key(places.key);
            aead.seal(&Places { destination: source, ..places });
        }
        let places = Places { source, ..places };
        let mut routine = Open::<A, true> { aead, places, failed: false, _text: Some(sealed) };
        routine.call();
        assert_eq!(routine.output(), Ok((0..MESSAGE_BYTES as u8).collect()), "{name}");
        let aad = places.aad.cast_mut();
        for wrong in [source, source.wrapping_add(MESSAGE_BYTES + TAG_BYTES - 1), aad] {
            // SAFETY: each is a byte of the sealed text or of the associated
            // data, which nothing borrows.
            unsafe { *wrong ^= 1 };
            routine.failed = false;
            routine.call();
            assert!(routine.output().is_err(), "{name}");
            // SAFETY: as above.
            unsafe { *wrong ^= 1 };
            routine.call();
            assert!(routine.output().is_err(), "{name}: a failure is not forgotten");
        }
        routine.failed = false;
        routine.call();
        assert!(routine.output().is_ok(), "{name}: all is as it was");
    }

    #[test]
    fn every_mode_rejects_forgeries() {
        let Some(file) = file_for_tests() else { return };
        let ciphers = cipher::all(&file).unwrap();
        let aes = ciphers.own.iter().find(|cipher| cipher.name == "aes128").unwrap();
        let (block, descriptor) = (Block::of(aes), aes.descriptor.unwrap());
        let compare = Compare::load(&file).unwrap();
        let gcm = GcmMode::new(Gcm::load(&file).unwrap(), block);
        rejects_forgeries("gcm", Stepwise::new(gcm, compare), 12);
        let eax = EaxMode::new(Eax::load(&file).unwrap(), block);
        rejects_forgeries("eax", Stepwise::new(eax, compare), 16);
        let chacha = ChachaPoly1305Mode::new(ChachaPoly1305::load(&file).unwrap());
        rejects_forgeries("chacha_poly1305", Stepwise::new(chacha, compare), 12);
        rejects_forgeries("ccm", CcmMode::new(Ccm::load(&file).unwrap(), block), 12);
        let siv = SivCmacMode::new(SivCmac::load(&file).unwrap(), block, descriptor);
        rejects_forgeries("siv_cmac", siv, 16);
        match (Ocb::load(&file), SivGcm::load(&file)) {
            (Ok(ocb), Ok(siv)) => {
                rejects_forgeries("ocb", OcbMode::new(ocb, block), 12);
                rejects_forgeries("siv_gcm", SivGcmMode::new(siv, block, descriptor), 12);
            }
            _ => println!("skipped: OCB and GCM-SIV came with Nettle 3.9"),
        }
    }
}
