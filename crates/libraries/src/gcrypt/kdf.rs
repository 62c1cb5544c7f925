//! Derivations of keys from passwords and from other keys.

use super::functions::{Derivations, Failure, Functions, Kind, Steps, check};
use super::{NUMBERS, Recipe, hash, mac};
use crate::catalogue::{lengths, names};
use crate::runtime::{Call, Entry, Memory, Owned, offer, ready, row};
use crate::{Buffer, Inputs, Made, inputs};
use cpb_model::{CallSpec, Contract, Operation, Parameters, Role};
use std::ffi::{c_int, c_ulong};
use std::ptr;

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
pub(super) struct Numbered {
    algorithm: c_int,
    made_of: c_int,
}

/// What bench-slopes has rows for, and what it has none for.
pub(super) fn entries(functions: &Functions) -> (Vec<Entry<Recipe>>, Vec<Entry<Recipe>>) {
    let rows = NUMBERS.filter_map(|digest| pbkdf2(functions, digest)).collect();
    let mut extras: Vec<_> = mac::NUMBERS.filter_map(|hmac| hkdf(functions, hmac)).collect();
    let scrypt = format!("scrypt-{SCRYPT_COST}-8-{SCRYPT_LANES}");
    extras.push(entry("SCRYPT", scrypt, SCRYPT, SCRYPT_COST));
    extras.extend(ARGON2_VARIANTS.map(|(spelling, variant)| {
        let primitive = format!("{}-m{ARGON2_KIBIBYTES}-p1", spelling.to_ascii_lowercase());
        entry(spelling, primitive, ARGON2, variant)
    }));
    extras.retain(|entry| runs(functions, entry));
    (rows, extras)
}

fn pbkdf2(functions: &Functions, digest: c_int) -> Option<Entry<Recipe>> {
    let hash = functions.name(Kind::Digest, digest)?;
    // bench-slopes leaves them out, as it does what has no digest.
    if hash.starts_with("CRC") || hash == "MD4" {
        return None;
    }
    hash::digest_bytes(functions, digest)?;
    let spelling = format!("PBKDF2-HMAC-{hash}");
    let primitive = names::mac("pbkdf2", &names::mac("hmac", &names::hash(&hash)));
    let mut entry = entry(&spelling, primitive, PBKDF2, digest);
    entry.offer.row = Some(row("kdf", &spelling, ""));
    entry.offer.unavailable = functions.refusal(Kind::Digest, digest);
    Some(entry)
}

fn hkdf(functions: &Functions, hmac: c_int) -> Option<Entry<Recipe>> {
    let name = functions.steps.and_then(|_| functions.name(Kind::Mac, hmac))?;
    let primitive = names::mac("hkdf", &names::hash(name.strip_prefix("HMAC_")?));
    Some(entry(&format!("HKDF-{name}"), primitive, HKDF, hmac))
}

fn entry(spelling: &str, primitive: String, algorithm: c_int, made_of: c_int) -> Entry<Recipe> {
    let lengths = lengths::derivation(&primitive);
    let offer = offer(primitive, Operation::Derive, spelling.to_owned(), lengths);
    Entry { offer, recipe: Recipe::Derive(Numbered { algorithm, made_of }) }
}

/// Whether the library has it: it can only be asked by doing it.
fn runs(functions: &Functions, entry: &Entry<Recipe>) -> bool {
    let Recipe::Derive(mut numbered) = entry.recipe else { return false };
    if numbered.algorithm == SCRYPT {
        numbered.made_of = SCRYPT_LEAST_COST;
    }
    let workload = CallSpec {
        primitive: entry.offer.primitive.clone(),
        operation: Operation::Derive,
        contract: Contract::Keyed,
        parameters: Parameters::default(),
    };
    Inputs::new(&entry.offer, &workload)
        .is_ok_and(|inputs| Derivation::new(functions, numbered, inputs).oneshot().is_ok())
}

pub(super) fn prepare(
    functions: &Functions,
    numbered: Numbered,
    contract: Contract,
    mut inputs: Inputs,
) -> Made {
    let is_compat = contract == Contract::Compat;
    if is_compat {
        inputs.put(Role::Password, inputs::key(COMPAT_PASSWORD_BYTES)?);
        inputs.put(Role::Salt, inputs::nonce(COMPAT_SALT_BYTES)?);
        inputs.output_bytes = COMPAT_OUTPUT_BYTES;
        inputs.destination = Buffer::zeroed(COMPAT_OUTPUT_BYTES)?;
    }
    let mut call = Derivation::new(functions, numbered, inputs);
    call.has_output = !is_compat;
    ready(functions.core, call, contract)
}

/// A derivation keeps no context between calls, so the contracts differ in
/// nothing.
struct Derivation {
    derivations: Derivations,
    steps: Option<Steps>,
    numbered: Numbered,
    iterations: c_ulong,
    has_output: bool,
    memory: Memory,
}

impl Derivation {
    fn new(functions: &Functions, numbered: Numbered, inputs: Inputs) -> Self {
        let Functions { derivations, steps, .. } = *functions;
        let memory = Memory::new(inputs);
        // More would take years.
        let iterations = c_ulong::try_from(memory.iterations).unwrap_or(c_ulong::MAX);
        Self { derivations, steps, numbered, iterations, has_output: true, memory }
    }

    /// PBKDF2, and scrypt, for which the iterations are its lanes.
    fn derive(&self, iterations: c_ulong) -> Result<(), Failure> {
        let Memory { key, key_bytes, nonce, nonce_bytes, destination, output_bytes, .. } =
            self.memory;
        let Numbered { algorithm, made_of } = self.numbered;
        // SAFETY: password and salt have these lengths, and the destination
        // room for the output.
        check(unsafe {
            (self.derivations.derive)(
                key,
                key_bytes,
                algorithm,
                made_of,
                nonce,
                nonce_bytes,
                iterations,
                output_bytes,
                destination,
            )
        })
    }

    fn argon2(&self) -> Result<(), Failure> {
        let output_bytes = self.memory.output_bytes as c_ulong;
        let parameters = [output_bytes, self.iterations, ARGON2_KIBIBYTES, 1];
        self.derive_in_steps(&parameters, self.memory.nonce(), &[], &[])
    }

    fn hkdf(&self) -> Result<(), Failure> {
        // HKDF's salt is what it keys its first HMAC with.
        let (salt, info) = (self.memory.nonce(), self.memory.aad());
        self.derive_in_steps(&[self.memory.output_bytes as c_ulong], &[], salt, info)
    }

    fn derive_in_steps(
        &self,
        parameters: &[c_ulong],
        salt: &[u8],
        key: &[u8],
        info: &[u8],
    ) -> Result<(), Failure> {
        let Steps { open, compute, finish, close } = self.steps.ok_or(Failure::UNEXPLAINED)?;
        let Memory { key: password, key_bytes, destination, output_bytes, .. } = self.memory;
        let Numbered { algorithm, made_of } = self.numbered;
        let mut handle = ptr::null_mut();
        // SAFETY: there is room for a handle, which is ours to close; everything has the
        // length stated beside it.
        unsafe {
            check(open(
                &raw mut handle,
                algorithm,
                made_of,
                parameters.as_ptr(),
                parameters.len() as u32,
                password,
                key_bytes,
                salt.as_ptr(),
                salt.len(),
                key.as_ptr(),
                key.len(),
                info.as_ptr(),
                info.len(),
            ))?;
            let context = Owned::new(handle, close).ok_or(Failure::UNEXPLAINED)?;
            check(compute(context.pointer(), ptr::null()))?;
            check(finish(context.pointer(), output_bytes, destination))
        }
    }
}

impl Call for Derivation {
    type Context = ();
    type Failure = Failure;

    fn begin(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn restart(&mut self, (): &()) -> Result<(), Failure> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, (): &()) -> Result<(), Failure> {
        match self.numbered.algorithm {
            ARGON2 => self.argon2(),
            HKDF => self.hkdf(),
            SCRYPT => self.derive(SCRYPT_LANES),
            _ => self.derive(self.iterations),
        }
    }

    fn output(&self) -> &[u8] {
        if self.has_output { self.memory.result() } else { &[] }
    }
}
