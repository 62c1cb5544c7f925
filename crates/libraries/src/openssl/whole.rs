//! A whole message by one function, which finds the algorithm and makes a context each time:
//! nothing is kept between calls.

use super::functions::{Digest, Failed, Functions, WholeMessages, check};
use crate::runtime::{Call, Memory, ready};
use crate::{Inputs, Made, PrepareError};
use cpb_model::Contract;
use cpb_provider::Case;
use std::ffi::CString;
use std::ptr;

/// Which function, with what it calls the algorithm by.
#[derive(Clone)]
pub(super) enum Recipe {
    /// `EVP_Digest`.
    Digest(*const Digest),
    /// `EVP_Q_digest`.
    QuickDigest(CString),
    /// `EVP_Q_mac` for HMAC of a digest.
    QuickHmac(CString),
}

pub(super) fn prepare(
    functions: &Functions,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let absent = || PrepareError::Unavailable("this OpenSSL has no such functions".to_owned());
    let table = functions.whole_messages.ok_or_else(absent)?;
    let whole = Whole { table, recipe: recipe.clone(), memory: Memory::new(inputs) };
    ready(functions.core, whole, contract)
}

struct Whole {
    table: WholeMessages,
    recipe: Recipe,
    memory: Memory,
}

impl Call for Whole {
    type Context = ();
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn restart(&mut self, (): &()) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, (): &()) -> Result<(), Failed> {
        let Memory { message, message_bytes, destination, output_bytes, .. } = self.memory;
        let Memory { key, key_bytes, .. } = self.memory;
        let WholeMessages { digest, quick_digest, quick_mac } = self.table;
        let (none, mut written) = (ptr::null(), output_bytes);
        // SAFETY: key and message have their lengths, names end in a zero, digests are never
        // freed, and the destination has room for the output, which is the digest's.
        unsafe {
            match &self.recipe {
                Recipe::Digest(by) => {
                    let (length, engine) = (ptr::null_mut(), ptr::null_mut());
                    check(digest(message, message_bytes, destination, length, *by, engine))
                }
                Recipe::QuickDigest(name) => check(quick_digest(
                    ptr::null_mut(),
                    name.as_ptr(),
                    none,
                    message,
                    message_bytes,
                    destination,
                    &raw mut written,
                )),
                Recipe::QuickHmac(name) => {
                    let tag = quick_mac(
                        ptr::null_mut(),
                        c"HMAC".as_ptr(),
                        none,
                        name.as_ptr(),
                        ptr::null(),
                        key,
                        key_bytes,
                        message,
                        message_bytes,
                        destination,
                        output_bytes,
                        &raw mut written,
                    );
                    if tag.is_null() { Err(Failed) } else { Ok(()) }
                }
            }
        }
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}
