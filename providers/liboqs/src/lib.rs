//! Offers liboqs as a provider, with all KEMs and signatures that it was built with.

#![allow(unsafe_code, reason = "calls into C")]

use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation, Role};
use cpb_provider::{
    Identity, Implementation, Inputs, Library, PrepareError, PrepareResult, call, provider,
};
use oqs_sys::common::OQS_STATUS;
use oqs_sys::{kem, sig};
use std::ffi::{CStr, CString, c_char};

mod chance;

provider!(c"liboqs", c"0.13.0", Oqs { offers: offers() });

/// The names of submissions before they changed and became standards. cpb uses these names
/// for other primitives by now.
const SUPERSEDED: [&str; 3] = ["Kyber", "Dilithium", "SPHINCS+"];
/// Their signatures vary in length.
const OF_MANY_LENGTHS: [&str; 2] = ["Falcon-512", "Falcon-1024"];
/// The length of randomness for a ciphertext of ML-KEM, a key pair of ML-DSA and, as zeros,
/// a signature of it.
const SEED: usize = 32;
const ZEROS: [u8; SEED] = [0; SEED];

struct Oqs {
    offers: Vec<Offer>,
}

impl Library for Oqs {
    fn identity(&self) -> Identity {
        Identity::default()
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        if contract == Contract::Compat {
            return Err(PrepareError::Unavailable("bench-slopes has no such row".to_owned()));
        }
        let missing = || PrepareError::Unavailable(format!("there is no {}", offer.spelling));
        let name = CString::new(offer.spelling.as_str()).map_err(|_| missing())?;
        // Keys are bytes, so calls keep nothing.
        if let Some(kem) = Kem::new(&name) {
            return Ok(of_kem(kem, offer.operation, inputs));
        }
        let signature = Signature::new(&name).ok_or_else(missing)?;
        Ok(of_signature(signature, offer.operation, inputs))
    }
}

fn of_kem(it: Kem, operation: Operation, inputs: Inputs) -> Box<dyn cpb_provider::Prepared> {
    let lengths = it.lengths();
    match operation {
        Operation::Keygen => call(inputs, move |case, out| {
            let (public, secret) = out.split_at_mut(lengths.public_key.default_length());
            let [public, secret] = [public, secret].map(<[u8]>::as_mut_ptr);
            let seed = case.bytes(Role::Randomness);
            // SAFETY: both have room for a key, and a seed is as long as the offer says.
            done(unsafe {
                match seed.is_empty() {
                    true => kem::OQS_KEM_keypair(it.raw(), public, secret),
                    false => kem::OQS_KEM_keypair_derand(it.raw(), public, secret, seed.as_ptr()),
                }
            })
        }),
        Operation::Encapsulate => call(inputs, move |case, out| {
            let (text, shared) = out.split_at_mut(lengths.ciphertext.default_length());
            let key = case.bytes(Role::PublicKey).as_ptr();
            let encapsulate = || {
                // SAFETY: all are as long as the scheme says.
                done(unsafe {
                    kem::OQS_KEM_encaps(it.raw(), text.as_mut_ptr(), shared.as_mut_ptr(), key)
                })
            };
            chance::with(case.bytes(Role::Randomness), encapsulate)
        }),
        _ => call(inputs, move |case, out| {
            let [text, key] = [Role::Ciphertext, Role::SecretKey].map(|it| case.bytes(it).as_ptr());
            // SAFETY: all are as long as the scheme says.
            done(unsafe { kem::OQS_KEM_decaps(it.raw(), out.as_mut_ptr(), text, key) })
        }),
    }
}

fn of_signature(
    it: Signature,
    operation: Operation,
    inputs: Inputs,
) -> Box<dyn cpb_provider::Prepared> {
    let lengths = it.lengths();
    match operation {
        Operation::Keygen => call(inputs, move |case, out| {
            let (public, secret) = out.split_at_mut(lengths.public_key.default_length());
            let make = || {
                // SAFETY: both have room for a key.
                done(unsafe {
                    sig::OQS_SIG_keypair(it.raw(), public.as_mut_ptr(), secret.as_mut_ptr())
                })
            };
            chance::with(case.bytes(Role::Randomness), make)
        }),
        Operation::Sign => call(inputs, move |case, out| {
            let (message, key) = (case.message.bytes(), case.bytes(Role::SecretKey).as_ptr());
            let (signature, from) = (out.as_mut_ptr(), message.as_ptr());
            let mut length = out.len();
            let mut sign = || {
                // SAFETY: the key and the room are as long as the scheme says.
                done(unsafe {
                    sig::OQS_SIG_sign(it.raw(), signature, &mut length, from, message.len(), key)
                })
            };
            match it.is_ml_dsa() {
                true => chance::with(&ZEROS, sign),
                false => sign(),
            }?;
            match length == out.len() {
                true => Ok(()),
                false => Err(format!("the signature has {length} bytes, not {}", out.len())),
            }
        }),
        _ => call(inputs, move |case, _| {
            let [signature, key] = [Role::Signature, Role::PublicKey].map(|it| case.bytes(it));
            let (message, key) = (case.message.bytes(), key.as_ptr());
            let (from, bytes) = (signature.as_ptr(), signature.len());
            // SAFETY: the key is as long as the scheme says, the rest is passed with its length.
            done(unsafe {
                sig::OQS_SIG_verify(it.raw(), message.as_ptr(), message.len(), from, bytes, key)
            })
        }),
    }
}

fn done(status: OQS_STATUS) -> Result<(), String> {
    match status {
        OQS_STATUS::OQS_SUCCESS => Ok(()),
        status => Err(format!("liboqs answers {}", status as i32)),
    }
}

/// An object of the library, freed when dropped.
struct Owned<T> {
    raw: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

type Kem = Owned<kem::OQS_KEM>;
type Signature = Owned<sig::OQS_SIG>;

impl<T> Owned<T> {
    /// Returns `None` if the pointer is null.
    fn of(raw: *mut T, free: unsafe extern "C" fn(*mut T)) -> Option<Self> {
        (!raw.is_null()).then_some(Self { raw, free })
    }

    /// Returns the pointer. Using this function makes a closure capture the whole object,
    /// not only its pointer.
    fn raw(&self) -> *mut T {
        self.raw
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made by what this frees, and not freed before.
        unsafe { (self.free)(self.raw) };
    }
}

impl Kem {
    fn new(name: &CStr) -> Option<Self> {
        // SAFETY: the name ends in a zero; what is not there is null.
        Self::of(unsafe { kem::OQS_KEM_new(name.as_ptr()) }, kem::OQS_KEM_free)
    }

    fn lengths(&self) -> Lengths {
        // SAFETY: it is live.
        let it = unsafe { &*self.raw };
        Lengths {
            public_key: LengthRange::fixed(it.length_public_key),
            secret_key: LengthRange::fixed(it.length_secret_key),
            ciphertext: LengthRange::fixed(it.length_ciphertext),
            shared_secret: LengthRange::fixed(it.length_shared_secret),
            randomness: LengthRange::fixed(it.length_keypair_seed),
            ..Implementation::NONE
        }
    }
}

impl Signature {
    fn new(name: &CStr) -> Option<Self> {
        // SAFETY: the name ends in a zero; what is not there is null.
        Self::of(unsafe { sig::OQS_SIG_new(name.as_ptr()) }, sig::OQS_SIG_free)
    }

    fn lengths(&self) -> Lengths {
        // SAFETY: it is live.
        let it = unsafe { &*self.raw };
        Lengths {
            public_key: LengthRange::fixed(it.length_public_key),
            secret_key: LengthRange::fixed(it.length_secret_key),
            signature: LengthRange::fixed(it.length_signature),
            ..Implementation::NONE
        }
    }

    /// Whether it signs deterministically if its randomness is zeros (FIPS 204 section
    /// 3.4).
    fn is_ml_dsa(&self) -> bool {
        // SAFETY: it is live, and its name text that ends in a zero.
        let name = unsafe { CStr::from_ptr((*self.raw).method_name) };
        name.to_bytes().starts_with(b"ML-DSA")
    }
}

fn offers() -> Vec<Offer> {
    // SAFETY: the functions take nothing, or an index below the count, and return text that
    // stays; chance is ours before anything is called.
    let (kems, signatures) = unsafe {
        oqs_sys::common::OQS_init();
        chance::begin();
        let kems = 0..kem::OQS_KEM_alg_count();
        let signatures = 0..sig::OQS_SIG_alg_count();
        let kems: Vec<_> = kems.map(|it| text(kem::OQS_KEM_alg_identifier(it as _))).collect();
        let signatures: Vec<_> =
            signatures.map(|it| text(sig::OQS_SIG_alg_identifier(it as _))).collect();
        (kems, signatures)
    };
    let is_offered = |name: &&CStr| {
        let name = name.to_string_lossy();
        !SUPERSEDED.iter().any(|it| name.starts_with(it)) && !OF_MANY_LENGTHS.contains(&&*name)
    };
    let of_kems = kems.into_iter().filter(is_offered).filter_map(|name| {
        let kem = Kem::new(name)?;
        Some(offers_of(name, kem.lengths(), &KEM))
    });
    let of_signatures = signatures.into_iter().filter(is_offered).filter_map(|name| {
        let signature = Signature::new(name)?;
        let seeded =
            if signature.is_ml_dsa() { LengthRange::fixed(SEED) } else { LengthRange::NONE };
        Some(offers_of(name, Lengths { randomness: seeded, ..signature.lengths() }, &SIGNATURE))
    });
    of_kems.chain(of_signatures).flatten().collect()
}

const KEM: [Operation; 3] = [Operation::Keygen, Operation::Encapsulate, Operation::Decapsulate];
const SIGNATURE: [Operation; 3] = [Operation::Keygen, Operation::Sign, Operation::Verify];

/// # Safety
/// It points to text that ends in a zero and stays.
unsafe fn text(name: *const c_char) -> &'static CStr {
    // SAFETY: as this function asks.
    unsafe { CStr::from_ptr(name) }
}

/// Returns the offers of a scheme with these lengths, where randomness is for a key pair.
fn offers_of(name: &CStr, all: Lengths, operations: &[Operation]) -> Vec<Offer> {
    let spelling = name.to_string_lossy().into_owned();
    let primitive =
        spelling.to_ascii_lowercase().replace("classic-mceliece-", "mceliece").replace('_', "-");
    let one = |&operation: &Operation| {
        let row = operation.row();
        let of = |role: Role, length: LengthRange| {
            let has = row.takes.contains(&role) || row.gives.contains(&role);
            if has { length } else { LengthRange::NONE }
        };
        let randomness = match operation {
            Operation::Keygen => all.randomness,
            Operation::Encapsulate if spelling.starts_with("ML-KEM") => LengthRange::fixed(SEED),
            _ => LengthRange::NONE,
        };
        let lengths = Lengths {
            public_key: of(Role::PublicKey, all.public_key),
            secret_key: of(Role::SecretKey, all.secret_key),
            signature: of(Role::Signature, all.signature),
            ciphertext: of(Role::Ciphertext, all.ciphertext),
            shared_secret: of(Role::SharedSecret, all.shared_secret),
            randomness,
            ..Implementation::NONE
        };
        Offer { spelling: spelling.clone(), ..Offer::new(&primitive, operation, lengths) }
    };
    operations.iter().map(one).collect()
}
