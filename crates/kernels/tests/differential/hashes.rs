//! SHA-1 and SHA-2, and HMAC, HKDF and PBKDF2 over them, against RustCrypto.

use std::num::NonZeroU64;

use cpb_kernels::Unavailable;
use cpb_kernels::hkdf::derive_with as hkdf_with;
use cpb_kernels::hmac::{Hmac, Key};
use cpb_kernels::pbkdf2::derive_with as pbkdf2_with;

use crate::oracle::Tested;
use crate::trial::Trial;

const LONGEST_MESSAGE: usize = 6000;

pub fn hash<H: Tested>(backend: &str, trial: &mut Trial) -> Result<(), Unavailable> {
    let backend = H::backend(backend)?;
    let length = trial.length(LONGEST_MESSAGE);
    let message = trial.input(length);
    let expected = H::other_hash(&message);
    trial.compare(H::hash(backend, &message).as_ref(), &expected, "the digest");
    let pieces = trial.pieces(&message);
    let pieces: Vec<&[u8]> = pieces.iter().map(|piece| &**piece).collect();
    let digest = H::hash_in_pieces(backend, &pieces);
    trial.compare(digest.as_ref(), &expected, &format!("the {} of pieces", H::NAME));
    Ok(())
}

pub fn hmac<H: Tested>(backend: &str, trial: &mut Trial) -> Result<(), Unavailable> {
    let backend = H::backend(backend)?;
    let (key_length, length) = (trial.length(300), trial.length(LONGEST_MESSAGE));
    let (key, message) = (trial.input(key_length), trial.input(length));
    let expected = H::other_hmac(&key, &message);
    let tag = Key::<H>::with_backend(backend, &key).tag(&message);
    trial.compare(tag.as_ref(), &expected, "the tag");
    let mut mac = Hmac::<H>::with_backend(backend, &key);
    for piece in trial.pieces(&message) {
        mac.update(&piece);
    }
    trial.compare(mac.finalize().as_ref(), &expected, "the tag of pieces");
    Ok(())
}

pub fn hkdf<H: Tested>(backend: &str, trial: &mut Trial) -> Result<(), Unavailable> {
    let backend = H::backend(backend)?;
    let lengths = [trial.length(300), trial.length(300), trial.length(300)];
    let [salt, input, info] = lengths.map(|length| trial.input(length));
    let length = trial.length(20 * H::OUTPUT_BYTES);
    let mut out = trial.output(length);
    hkdf_with::<H>(backend, &salt, &input, &info, &mut out).unwrap();
    trial.compare(&out, &H::other_hkdf(&salt, &input, &info, length), "the key");
    Ok(())
}

pub fn pbkdf2<H: Tested>(backend: &str, trial: &mut Trial) -> Result<(), Unavailable> {
    let backend = H::backend(backend)?;
    let lengths = [trial.length(300), trial.length(300)];
    let [password, salt] = lengths.map(|length| trial.input(length));
    let length = trial.length(20 * H::OUTPUT_BYTES);
    let iterations = trial.element(&[1_u32, 2, 3, 10]);
    let mut out = trial.output(length);
    let count = NonZeroU64::new(iterations.into()).unwrap();
    pbkdf2_with::<H>(backend, &password, &salt, count, &mut out).unwrap();
    trial.compare(&out, &H::other_pbkdf2(&password, &salt, iterations, length), "the key");
    Ok(())
}
