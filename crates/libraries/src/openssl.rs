//! OpenSSL's libcrypto through EVP: 1.1.1, 3.x and what follows.
//!
//! Algorithms are fetched once, when the library is opened, and contexts are
//! reused as its manual pages advise. Some contexts go back to the start only
//! with their key, so that each call sets it, even under the contract keyed:
//! RC4, whose state is its key; Poly1305 and SipHash; SIV and GCM-SIV, which
//! libcrypto limits to one message.
//!
//! What it costs to find an algorithm in every call is seen by variants, which are
//! measured where they are asked for.
//!
//! The legacy provider is loaded where it is installed. What it adds has rows
//! in bench-slopes only where a configuration activates it for everybody.

mod aead;
mod candidates;
mod cipher;
mod derive;
mod digest;
mod found;
mod functions;
mod keys;
mod mac;
mod made_of;
mod offers;
mod parameters;
mod random;
mod sources;
mod variants;
mod wanted;
mod whole;

use crate::first_use::{self, Passed};
use crate::runtime::{Installed, Offers, load, text};
use crate::{Identity, Inputs, Library, Made, OpenError};
use cpb_model::{Contract, Offer};
use functions::{CPU_SETTINGS, Functions, LOAD_CONFIGURATION, VERSION_TEXT};
use keys::{Keys, SharedKeys};
use sources::Sources;
use std::path::Path;
use std::ptr;
use wanted::Wanted;

const INSTALLED: Installed = Installed {
    name: "openssl",
    // The last is what development packages install.
    files: &["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"],
    remedy: "install OpenSSL's library (Debian: package libssl3, from Debian 13 on \
             libssl3t64), or give its path, as openssl=/opt/openssl/lib/libcrypto.so.3",
    // AWS-LC has BoringSSL's symbol, too.
    others: &[("awslc_version_string", "AWS-LC"), ("BORINGSSL_self_test", "BoringSSL")],
};

pub(crate) fn open(
    path: Option<&Path>,
    wanted: Option<&Offer>,
) -> Result<Box<dyn Library>, OpenError> {
    Ok(Box::new(open_library_for(path, Wanted(wanted))?))
}

#[cfg(test)]
fn open_library(path: Option<&Path>) -> Result<OpenSsl, OpenError> {
    open_library_for(path, Wanted::default())
}

fn open_library_for(path: Option<&Path>, wanted: Wanted<'_>) -> Result<OpenSsl, OpenError> {
    let library = load(&INSTALLED, path)?;
    let functions = Functions::resolve(&library)?;
    let keys = Keys::resolve(&library).ok();
    first_use::passed(Passed::Loaded);
    // SAFETY: the function takes options and, where there are none, null.
    if unsafe { (functions.core.initialise)(LOAD_CONFIGURATION, ptr::null()) } != 1 {
        return Err(library.refuses(functions.core.last_error()));
    }
    let look = |sources: &Sources<'_>| offers::entries(&functions, keys.as_ref(), sources, wanted);
    let mut entries = look(&Sources::new(&functions, wanted));
    if entries.is_empty() {
        // A program that needs the legacy provider learns so, too.
        entries = look(&Sources::with_legacy(&functions, wanted));
    }
    first_use::passed(Passed::Found);
    let file = library.file("OpenSSL_version");
    Ok(OpenSsl {
        functions,
        keys,
        shared: None,
        file,
        offers: Offers::new(INSTALLED.name, entries),
    })
}

struct OpenSsl {
    functions: Functions,
    /// Where it has keys by name.
    keys: Option<Keys>,
    /// Keys that calls have in common, where they shall.
    shared: Option<SharedKeys>,
    file: String,
    offers: Offers<Recipe>,
}

// SAFETY: what its recipes point to are algorithms, in tables of libcrypto's or fetched and
// never freed, which all threads of a process share; nothing is the opening thread's alone.
unsafe impl Send for OpenSsl {}

#[derive(Clone)]
enum Recipe {
    Digest(digest::Recipe),
    Cipher(cipher::Recipe),
    Aead(aead::Recipe),
    Mac(mac::Recipe),
    Whole(whole::Recipe),
    Derive(derive::Recipe),
    Key(keys::Recipe),
    Random,
}

impl Library for OpenSsl {
    fn identity(&self) -> Identity {
        // SAFETY: the function takes a number and returns static text.
        let banner = unsafe { text((self.functions.core.version)(VERSION_TEXT)) };
        let banner = banner.unwrap_or_else(|| "unknown".to_owned());
        // "OpenSSL 1.1.1w  11 Sep 2023": before 3.0 there is no shorter form.
        let version = banner.split_whitespace().nth(1).unwrap_or(&banner).to_owned();
        let code_path = self.functions.providers.and_then(|providers| {
            // SAFETY: the function takes a number and returns static text, or null.
            unsafe { text((providers.info)(CPU_SETTINGS)) }
        });
        Identity { version, banner, path: Some(self.file.clone()), code_path }
    }

    fn offers(&self) -> &[Offer] {
        self.offers.list()
    }

    fn share_keys(&mut self, offer: &Offer, contract: Contract) -> bool {
        let can = self.keys.is_some() && keys::has_keys(offer.operation, contract);
        self.shared = can.then(SharedKeys::default);
        can
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> Made {
        let recipe = self.offers.find(offer, contract)?;
        let functions = &self.functions;
        functions.core.clear_errors();
        match recipe {
            Recipe::Digest(recipe) => digest::prepare(functions, *recipe, contract, inputs),
            Recipe::Cipher(recipe) => cipher::prepare(functions, *recipe, contract, inputs),
            Recipe::Aead(recipe) => aead::prepare(functions, *recipe, contract, inputs),
            Recipe::Whole(recipe) => whole::prepare(functions, recipe, contract, inputs),
            Recipe::Mac(recipe) => mac::prepare(functions, recipe, contract, inputs),
            Recipe::Derive(recipe) => derive::prepare(functions, recipe, contract, inputs),
            Recipe::Random => random::prepare(functions, inputs),
            Recipe::Key(recipe) => {
                let shared = self.shared.as_ref();
                keys::prepare(functions, self.keys, shared, recipe, contract, inputs)
            }
        }
    }
}

#[test]
fn functions_are_called_as_the_headers_declare_them() {
    let headers = ["evp", "cmac", "dh", "ec", "err", "hmac", "kdf", "provider", "rand"]
        .map(|name| format!("openssl/{name}.h"));
    crate::runtime::agree_with_headers(&headers.each_ref().map(String::as_str), || {
        open_library(None)
    });
}
