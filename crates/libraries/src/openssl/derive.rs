//! Key derivation: through EVP_KDF since 3.0, through functions of their own
//! before.

use super::calls::{History, repeat};
use super::functions::{
    Derivation, DerivationContext, Derivations, Digest, Functions, OldDerivations, Owned,
};
use super::parameters::Parameters;
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::Contract;
use std::ffi::c_int;

/// scrypt's N, r and p: the usual parameters for logging in (Percival, "Stronger
/// key derivation via sequential memory-hard functions", 2009).
pub(super) const SCRYPT: (u64, u64, u64) = (16_384, 8, 1);
/// More than the memory those take.
const SCRYPT_MOST_BYTES: u64 = 64 << 20;

/// What a call is made of.
#[derive(Clone)]
pub(super) enum Recipe {
    Pbkdf2 { derivation: *mut Derivation, digest: String },
    Hkdf { derivation: *mut Derivation, digest: String },
    Scrypt { derivation: *mut Derivation },
    OldPbkdf2(*const Digest),
    OldScrypt,
}

pub(super) fn prepare(
    functions: &'static Functions,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let settings = Parameters::new().bytes(c"salt", &inputs.nonce);
    let (derivation, settings) = match recipe {
        Recipe::Pbkdf2 { derivation, digest } => (
            *derivation,
            settings
                .bytes(c"pass", &inputs.key)
                .text(c"digest", digest)
                .number(c"iter", inputs.iterations),
        ),
        Recipe::Hkdf { derivation, digest } => {
            let settings = settings.bytes(c"key", &inputs.key).text(c"digest", digest);
            // What is empty is left out, as callers do.
            let settings = match inputs.aad.as_slice() {
                [] => settings,
                info => settings.bytes(c"info", info),
            };
            (*derivation, settings)
        }
        Recipe::Scrypt { derivation } => {
            let (n, r, p) = SCRYPT;
            let settings = settings
                .bytes(c"pass", &inputs.key)
                .number(c"n", n)
                .number(c"r", r)
                .number(c"p", p)
                .number(c"maxmem_bytes", SCRYPT_MOST_BYTES);
            (*derivation, settings)
        }
        Recipe::OldPbkdf2(digest) => return prepare_old(functions, Some(*digest), inputs),
        Recipe::OldScrypt => return prepare_old(functions, None, inputs),
    };
    let refused = || PrepareError::Unavailable(functions.last_error());
    let table = functions.derivations.ok_or_else(refused)?;
    // SAFETY: the derivation was fetched and is never freed.
    let context = Owned::new(unsafe { (table.new)(derivation) }, table.free).ok_or_else(refused)?;
    // SAFETY: the context is live, and the settings end as they must.
    if unsafe { (table.set)(context.pointer(), settings.pointer()) } != 1 {
        return Err(refused());
    }
    let history = History::default();
    Ok(Box::new(DeriveCall {
        functions,
        table,
        contract,
        derivation,
        settings,
        context,
        inputs,
        history,
    }))
}

struct DeriveCall {
    functions: &'static Functions,
    table: Derivations,
    contract: Contract,
    derivation: *mut Derivation,
    settings: Parameters,
    /// With its settings.
    context: Owned<DerivationContext>,
    inputs: Inputs,
    history: History,
}

impl Prepared for DeriveCall {
    fn run(&mut self, calls: u64) {
        let Derivations { new, free, derive, .. } = self.table;
        let derivation = self.derivation;
        let reused = self.context.pointer();
        let settings = self.settings.pointer();
        let output = self.inputs.destination.bytes_mut().as_mut_ptr();
        let bytes = self.inputs.output_bytes;
        let worked = match self.contract {
            Contract::Keyed | Contract::Compat => repeat(calls, || {
                // SAFETY: the context is live and has its settings, the output
                // the length stated.
                unsafe { derive(reused, output, bytes, std::ptr::null()) == 1 }
            }),
            Contract::Oneshot => repeat(calls, || {
                // SAFETY: as above; the context is made and freed here.
                unsafe {
                    let context = new(derivation);
                    let worked =
                        !context.is_null() && derive(context, output, bytes, settings) == 1;
                    free(context);
                    worked
                }
            }),
        };
        self.history.note(self.functions, calls, worked);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.history.output(&self.inputs.destination.bytes()[..self.inputs.output_bytes])
    }
}

/// PBKDF2 with `digest`, else scrypt: functions without a context, so that the
/// contracts differ in nothing.
fn prepare_old(
    functions: &'static Functions,
    digest: Option<*const Digest>,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let too_long = |what| PrepareError::Unavailable(format!("this OpenSSL takes no {what}"));
    let history = History::default();
    Ok(Box::new(OldDeriveCall {
        functions,
        table: functions.old_derivations.ok_or_else(|| too_long("derivation"))?,
        digest,
        iterations: c_int::try_from(inputs.iterations)
            .map_err(|_| too_long("such number of iterations"))?,
        output_bytes: c_int::try_from(inputs.output_bytes)
            .map_err(|_| too_long("output of such length"))?,
        inputs,
        history,
    }))
}

struct OldDeriveCall {
    functions: &'static Functions,
    table: OldDerivations,
    digest: Option<*const Digest>,
    iterations: c_int,
    output_bytes: c_int,
    inputs: Inputs,
    history: History,
}

impl Prepared for OldDeriveCall {
    fn run(&mut self, calls: u64) {
        let OldDerivations { pbkdf2, scrypt } = self.table;
        let (iterations, output_bytes) = (self.iterations, self.output_bytes);
        let (password, salt) = (self.inputs.key.as_slice(), self.inputs.nonce.as_slice());
        let (password, password_bytes) = (password.as_ptr(), password.len());
        let (salt, salt_bytes) = (salt.as_ptr(), salt.len());
        let output = self.inputs.destination.bytes_mut().as_mut_ptr();
        let worked = match self.digest {
            Some(digest) => repeat(calls, || {
                let (password_bytes, salt_bytes) = (password_bytes as c_int, salt_bytes as c_int);
                // SAFETY: password, salt and output have the lengths stated.
                let status = unsafe {
                    pbkdf2(
                        password,
                        password_bytes,
                        salt,
                        salt_bytes,
                        iterations,
                        digest,
                        output_bytes,
                        output,
                    )
                };
                status == 1
            }),
            None => repeat(calls, || {
                let ((n, r, p), most, bytes) = (SCRYPT, SCRYPT_MOST_BYTES, output_bytes as usize);
                // SAFETY: as above.
                let status = unsafe {
                    scrypt(password, password_bytes, salt, salt_bytes, n, r, p, most, output, bytes)
                };
                status == 1
            }),
        };
        self.history.note(self.functions, calls, worked);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.history.output(&self.inputs.destination.bytes()[..self.inputs.output_bytes])
    }
}
