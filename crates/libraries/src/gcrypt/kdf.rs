//! Derivations of keys from passwords and from other keys.

use super::Item;
use super::calls::{Call, Memory, repeat};
use super::functions::{Failure, Functions, Handle, Kind, check};
use super::{hash, mac};
use crate::sizes::{FREE_OUTPUT, SECRET, info};
use crate::{Buffer, Inputs, PrepareError, Prepared, inputs, names};
use cpb_model::{Contract, Lengths, Offer, Operation, Parameters, RowName, Workload};
use cpb_provider::Case;
use std::ffi::{c_int, c_ulong};

const PBKDF2: c_int = 34;
const SCRYPT: c_int = 48;
const ARGON2: c_int = 64;
const HKDF: c_int = 98;

/// bench-slopes' password, salt and output.
const COMPAT_PASSWORD_BYTES: usize = 6;
const COMPAT_SALT_BYTES: usize = 8;
const COMPAT_OUTPUT_BYTES: usize = 16;

/// scrypt's N and p, the usual ones for logging in; the library fixes r at 8.
const SCRYPT_COST: c_int = 16_384;
const SCRYPT_LANES: c_ulong = 1;
/// Enough to learn whether it is there.
const SCRYPT_LEAST_COST: c_int = 2;
/// Argon2's memory; one lane, and the iterations are its passes.
const ARGON2_KIBIBYTES: c_ulong = 1024;
const ARGON2_VARIANTS: [(&str, c_int); 3] = [("ARGON2D", 0), ("ARGON2I", 1), ("ARGON2ID", 2)];

/// A derivation by its number, and the number of what it is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipe {
    algorithm: c_int,
    made_of: c_int,
}

/// What bench-slopes has rows for, and what it has none for.
pub(super) fn items(functions: &Functions) -> (Vec<Item>, Vec<Item>) {
    let rows = hash::NUMBERS.filter_map(|digest| pbkdf2(functions, digest)).collect();
    let hkdf = mac::NUMBERS.filter_map(|hmac| hkdf(functions, hmac));
    let scrypt = extra(
        "SCRYPT",
        format!("scrypt-{SCRYPT_COST}-8-{SCRYPT_LANES}"),
        Recipe { algorithm: SCRYPT, made_of: SCRYPT_COST },
    );
    let argon2 = ARGON2_VARIANTS.map(|(spelling, made_of)| {
        let primitive = format!("{}-m{ARGON2_KIBIBYTES}-p1", spelling.to_ascii_lowercase());
        extra(spelling, primitive, Recipe { algorithm: ARGON2, made_of })
    });
    let extras = hkdf
        .chain([scrypt])
        .chain(argon2)
        .filter(|item| item.offer.unavailable.is_some() || runs(functions, item))
        .collect();
    (rows, extras)
}

fn pbkdf2(functions: &Functions, digest: c_int) -> Option<Item> {
    let hash = functions.name(Kind::Digest, digest)?;
    // bench-slopes leaves them out, as it does what has no digest.
    if hash.starts_with("CRC") || hash == "MD4" {
        return None;
    }
    hash::digest_bytes(functions, digest)?;
    let spelling = format!("PBKDF2-HMAC-{hash}");
    let primitive = names::mac("pbkdf2", &names::mac("hmac", &names::hash(&hash)));
    let mut item = extra(&spelling, primitive, Recipe { algorithm: PBKDF2, made_of: digest });
    item.offer.row =
        Some(RowName { group: "kdf".to_owned(), algorithm: spelling, mode: String::new() });
    item.offer.unavailable = functions.refusal(Kind::Digest, digest);
    Some(item)
}

fn hkdf(functions: &Functions, hmac: c_int) -> Option<Item> {
    functions.kdf_open?;
    let name = functions.name(Kind::Mac, hmac)?;
    let hash = name.strip_prefix("HMAC_")?;
    let primitive = names::mac("hkdf", &names::hash(hash));
    let recipe = Recipe { algorithm: HKDF, made_of: hmac };
    Some(extra(&format!("HKDF-{name}"), primitive, recipe))
}

fn extra(spelling: &str, primitive: String, recipe: Recipe) -> Item {
    let offer = Offer {
        lengths: Lengths {
            key: SECRET,
            nonce: SECRET,
            aad: info(&primitive),
            granularity: 1,
            output: Some(FREE_OUTPUT),
            ..Lengths::default()
        },
        primitive,
        operation: Operation::Derive,
        spelling: spelling.to_owned(),
        backend: "default".to_owned(),
        default_backend: true,
        row: None,
        unavailable: None,
    };
    Item { offer, recipe: super::Recipe::Derive(recipe) }
}

/// Whether the library has it: it can only be asked by doing it.
fn runs(functions: &Functions, item: &Item) -> bool {
    let super::Recipe::Derive(mut recipe) = item.recipe else { return false };
    if recipe.algorithm == SCRYPT {
        recipe.made_of = SCRYPT_LEAST_COST;
    }
    let workload = Workload {
        primitive: item.offer.primitive.clone(),
        operation: Operation::Derive,
        contract: Contract::Keyed,
        parameters: Parameters::default(),
    };
    Inputs::new(&item.offer, &workload).is_ok_and(|inputs| {
        Derivation::new(functions, recipe, inputs).once(std::ptr::null_mut()).is_ok()
    })
}

pub(super) fn prepare(
    functions: &Functions,
    recipe: Recipe,
    contract: Contract,
    mut inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    if contract == Contract::Compat {
        inputs.key = inputs::key(COMPAT_PASSWORD_BYTES)?;
        inputs.nonce = inputs::nonce(COMPAT_SALT_BYTES)?;
        inputs.output_bytes = COMPAT_OUTPUT_BYTES;
        inputs.destination = Buffer::zeroed(COMPAT_OUTPUT_BYTES)?;
    }
    repeat(functions, Derivation::new(functions, recipe, inputs), contract)
}

/// A derivation keeps no context between calls, so the contracts differ in
/// nothing.
struct Derivation {
    functions: Functions,
    recipe: Recipe,
    iterations: c_ulong,
    output_bytes: usize,
    memory: Memory,
}

impl Derivation {
    fn new(functions: &Functions, recipe: Recipe, inputs: Inputs) -> Self {
        Self {
            functions: *functions,
            recipe,
            // More would take years.
            iterations: c_ulong::try_from(inputs.iterations).unwrap_or(c_ulong::MAX),
            output_bytes: inputs.output_bytes,
            memory: Memory::new(inputs),
        }
    }

    /// PBKDF2, and scrypt, for which the iterations are its lanes.
    fn derive(&self, iterations: c_ulong) -> Result<(), Failure> {
        let Memory { key, key_bytes, nonce, nonce_bytes, destination, .. } = self.memory;
        // SAFETY: password and salt have these lengths, and the destination
        // room for the output.
        check(unsafe {
            (self.functions.kdf_derive)(
                key,
                key_bytes,
                self.recipe.algorithm,
                self.recipe.made_of,
                nonce,
                nonce_bytes,
                iterations,
                self.output_bytes,
                destination,
            )
        })
    }

    fn argon2(&self) -> Result<(), Failure> {
        let parameters = [self.output_bytes as c_ulong, self.iterations, ARGON2_KIBIBYTES, 1];
        self.derive_in_steps(&parameters, &self.memory.inputs.nonce, &[], &[])
    }

    fn hkdf(&self) -> Result<(), Failure> {
        // HKDF's salt is what it keys its first HMAC with.
        let Case { nonce: salt, aad: info, .. } = &**self.memory.inputs;
        self.derive_in_steps(&[self.output_bytes as c_ulong], &[], salt, info)
    }

    fn derive_in_steps(
        &self,
        parameters: &[c_ulong],
        salt: &[u8],
        key: &[u8],
        info: &[u8],
    ) -> Result<(), Failure> {
        let Functions { kdf_open, kdf_compute, kdf_final, kdf_close, .. } = self.functions;
        let (Some(open), Some(compute), Some(finish), Some(close)) =
            (kdf_open, kdf_compute, kdf_final, kdf_close)
        else {
            return Err(Failure::UNEXPLAINED);
        };
        let Memory { key: password, key_bytes: password_bytes, destination, .. } = self.memory;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the handle is room for a handle, which is closed once;
        // everything has the length stated beside it.
        unsafe {
            check(open(
                &raw mut handle,
                self.recipe.algorithm,
                self.recipe.made_of,
                parameters.as_ptr(),
                parameters.len() as u32,
                password,
                password_bytes,
                salt.as_ptr(),
                salt.len(),
                key.as_ptr(),
                key.len(),
                info.as_ptr(),
                info.len(),
            ))?;
            let outcome = check(compute(handle, std::ptr::null()))
                .and_then(|()| check(finish(handle, self.output_bytes, destination)));
            close(handle);
            outcome
        }
    }
}

impl Call for Derivation {
    fn open(&self) -> Result<Handle, Failure> {
        Ok(std::ptr::null_mut())
    }

    fn restart(&self, _: Handle) -> Result<(), Failure> {
        Ok(())
    }

    fn once(&mut self, _: Handle) -> Result<(), Failure> {
        match self.recipe.algorithm {
            ARGON2 => self.argon2(),
            HKDF => self.hkdf(),
            SCRYPT => self.derive(SCRYPT_LANES),
            _ => self.derive(self.iterations),
        }
    }

    fn close(&self, _: Handle) {}

    fn output(&self) -> &[u8] {
        self.memory.result(self.output_bytes)
    }
}
