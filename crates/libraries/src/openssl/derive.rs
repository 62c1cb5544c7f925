//! Key derivation: through EVP_KDF since 3.0, through functions of their own
//! before.

use super::functions::{
    Derivation, DerivationContext, Derivations, Digest, Failed, Functions, OldDerivations, check,
};
use super::parameters::Parameters;
use crate::runtime::{Call, Memory, Owned, ready};
use crate::{Inputs, Made, PrepareError};
use cpb_model::Contract;
use std::ffi::c_int;
use std::ptr;

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
    functions: &Functions,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let memory = Memory::new(inputs);
    let settings = Parameters::new().bytes(c"salt", memory.nonce());
    let (derivation, settings) = match recipe {
        Recipe::Pbkdf2 { derivation, digest } => (
            *derivation,
            settings
                .bytes(c"pass", memory.key())
                .text(c"digest", digest)
                .number(c"iter", memory.iterations),
        ),
        Recipe::Hkdf { derivation, digest } => {
            let settings = settings.bytes(c"key", memory.key()).text(c"digest", digest);
            // What is empty is left out, as callers do.
            let settings = match memory.aad() {
                [] => settings,
                info => settings.bytes(c"info", info),
            };
            (*derivation, settings)
        }
        Recipe::Scrypt { derivation } => {
            let (n, r, p) = SCRYPT;
            let settings = settings
                .bytes(c"pass", memory.key())
                .number(c"n", n)
                .number(c"r", r)
                .number(c"p", p)
                .number(c"maxmem_bytes", SCRYPT_MOST_BYTES);
            (*derivation, settings)
        }
        Recipe::OldPbkdf2(digest) => {
            return prepare_old(functions, Some(*digest), contract, memory);
        }
        Recipe::OldScrypt => return prepare_old(functions, None, contract, memory),
    };
    let core = functions.core;
    let refused = || PrepareError::Unavailable(core.last_error());
    let table = functions.derivations.ok_or_else(refused)?;
    ready(core, Deriving { table, derivation, settings, memory }, contract)
}

struct Deriving {
    table: Derivations,
    derivation: *mut Derivation,
    settings: Parameters,
    memory: Memory,
}

impl Deriving {
    #[inline(always)]
    fn context(&self) -> Result<Owned<DerivationContext>, Failed> {
        let Derivations { new, free, .. } = self.table;
        // SAFETY: the derivation was fetched and is never freed; the context is ours to free.
        unsafe { Owned::new(new(self.derivation), free) }.ok_or(Failed)
    }
}

impl Call for Deriving {
    type Context = Owned<DerivationContext>;
    type Failure = Failed;

    fn begin(&self) -> Result<Self::Context, Failed> {
        let context = self.context()?;
        // SAFETY: the context is live, and the settings end as lists must.
        check(unsafe { (self.table.set)(context.pointer(), self.settings.pointer()) })?;
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, _: &Self::Context) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { destination, output_bytes, .. } = self.memory;
        let derive = self.table.derive;
        // SAFETY: the context is live and has its settings; the destination has this length.
        check(unsafe { derive(context.pointer(), destination, output_bytes, ptr::null()) })
    }

    /// The settings come with the call.
    #[inline(always)]
    fn oneshot(&mut self) -> Result<(), Failed> {
        let context = self.context()?;
        let Memory { destination, output_bytes, .. } = self.memory;
        let (derive, settings) = (self.table.derive, self.settings.pointer());
        // SAFETY: the context is live; the destination has this length, and the settings end
        // as lists must.
        check(unsafe { derive(context.pointer(), destination, output_bytes, settings) })
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }
}

/// PBKDF2 with `digest`, else scrypt: functions without a context, so that the
/// contracts differ in nothing.
fn prepare_old(
    functions: &Functions,
    digest: Option<*const Digest>,
    contract: Contract,
    memory: Memory,
) -> Made {
    let refused = |what| PrepareError::Unavailable(format!("this OpenSSL takes no {what}"));
    let counted = |number: u64, what| c_int::try_from(number).map_err(|_| refused(what));
    let call = OldDeriving {
        table: functions.old_derivations.ok_or_else(|| refused("derivation"))?,
        digest,
        iterations: counted(memory.iterations, "such number of iterations")?,
        output_bytes: counted(memory.output_bytes as u64, "output of such length")?,
        memory,
    };
    ready(functions.core, call, contract)
}

struct OldDeriving {
    table: OldDerivations,
    digest: Option<*const Digest>,
    iterations: c_int,
    output_bytes: c_int,
    memory: Memory,
}

impl Call for OldDeriving {
    type Context = ();
    type Failure = Failed;

    fn begin(&self) -> Result<(), Failed> {
        Ok(())
    }

    fn restart(&mut self, (): &()) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, (): &()) -> Result<(), Failed> {
        let OldDerivations { pbkdf2, scrypt } = self.table;
        let Memory { key, key_bytes, nonce, nonce_bytes, destination, output_bytes, .. } =
            self.memory;
        let (n, r, p) = SCRYPT;
        // SAFETY: password, salt and destination have the lengths stated, none of which is
        // over 1 GiB; digests are never freed.
        check(unsafe {
            match self.digest {
                Some(digest) => pbkdf2(
                    key,
                    key_bytes as c_int,
                    nonce,
                    nonce_bytes as c_int,
                    self.iterations,
                    digest,
                    self.output_bytes,
                    destination,
                ),
                None => {
                    let most = SCRYPT_MOST_BYTES;
                    scrypt(
                        key,
                        key_bytes,
                        nonce,
                        nonce_bytes,
                        n,
                        r,
                        p,
                        most,
                        destination,
                        output_bytes,
                    )
                }
            }
        })
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }
}
