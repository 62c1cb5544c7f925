//! The functions of libcrypto that are called, by table: [`Core`], [`Digests`] and
//! [`Ciphers`] are what a library must have to be OpenSSL at all. The others came or went
//! with a version; what depends on one is offered where all of it is there.

use crate::runtime::{ErrorText, Loaded, symbols, text};
use crate::{OpenError, PrepareError};
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

/// A type of libcrypto of which only pointers are known.
macro_rules! opaque {
    ($($name:ident)+) => {$(
        #[repr(C)]
        pub(super) struct $name {
            _nothing: [u8; 0],
        }
    )+};
}
pub(super) use opaque;

opaque! {
    Digest DigestContext
    Cipher CipherContext
    Mac MacContext
    Derivation DerivationContext
    Provider
    OldHmacContext OldCmacContext
}

/// `OSSL_PARAM`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Parameter {
    pub(super) key: *const c_char,
    pub(super) data_type: c_uint,
    pub(super) data: *mut c_void,
    pub(super) data_size: usize,
    pub(super) return_size: usize,
}

pub(super) type LibraryContext = *mut c_void;
type Engine = *mut c_void;

symbols! {
    /// The library itself, and its errors.
    Core {
        version: "OpenSSL_version" => (c_int) -> *const c_char;
        initialise: "OPENSSL_init_crypto" => (u64, *const c_void) -> c_int;
        error_peek: "ERR_peek_last_error" => () -> c_ulong;
        error_text: "ERR_error_string_n" => (c_ulong, *mut c_char, usize);
        error_clear: "ERR_clear_error" => ();
    }

    Digests {
        by_name: "EVP_get_digestbyname" => (*const c_char) -> *const Digest;
        size: "EVP_MD_get_size" | "EVP_MD_size" => (*const Digest) -> c_int;
        block: "EVP_MD_get_block_size" | "EVP_MD_block_size" => (*const Digest) -> c_int;
        flags: "EVP_MD_get_flags" | "EVP_MD_flags" => (*const Digest) -> c_ulong;
        new: "EVP_MD_CTX_new" => () -> *mut DigestContext;
        free: "EVP_MD_CTX_free" => (*mut DigestContext);
        init: "EVP_DigestInit_ex" => (*mut DigestContext, *const Digest, Engine) -> c_int;
        update: "EVP_DigestUpdate" => (*mut DigestContext, *const u8, usize) -> c_int;
        finish: "EVP_DigestFinal_ex" => (*mut DigestContext, *mut u8, *mut c_uint) -> c_int;
        finish_xof: "EVP_DigestFinalXOF" => (*mut DigestContext, *mut u8, usize) -> c_int;
    }

    Ciphers {
        by_name: "EVP_get_cipherbyname" => (*const c_char) -> *const Cipher;
        key_length: "EVP_CIPHER_get_key_length" | "EVP_CIPHER_key_length"
            => (*const Cipher) -> c_int;
        nonce_length: "EVP_CIPHER_get_iv_length" | "EVP_CIPHER_iv_length"
            => (*const Cipher) -> c_int;
        block: "EVP_CIPHER_get_block_size" | "EVP_CIPHER_block_size" => (*const Cipher) -> c_int;
        flags: "EVP_CIPHER_get_flags" | "EVP_CIPHER_flags" => (*const Cipher) -> c_ulong;
        new: "EVP_CIPHER_CTX_new" => () -> *mut CipherContext;
        free: "EVP_CIPHER_CTX_free" => (*mut CipherContext);
        control: "EVP_CIPHER_CTX_ctrl" => (*mut CipherContext, c_int, c_int, *mut c_void) -> c_int;
        padding: "EVP_CIPHER_CTX_set_padding" => (*mut CipherContext, c_int) -> c_int;
    }

    /// Providers: since 3.0.
    Providers {
        info: "OPENSSL_info" => (c_int) -> *const c_char;
        available: "OSSL_PROVIDER_available" => (LibraryContext, *const c_char) -> c_int;
        load: "OSSL_PROVIDER_load" => (LibraryContext, *const c_char) -> *mut Provider;
        name: "OSSL_PROVIDER_get0_name" => (*const Provider) -> *const c_char;
    }

    /// A whole message by one function: since 3.0.
    WholeMessages {
        digest: "EVP_Digest"
            => (*const u8, usize, *mut u8, *mut c_uint, *const Digest, Engine) -> c_int;
        quick_digest: "EVP_Q_digest"
            => (LibraryContext, *const c_char, *const c_char, *const u8, usize, *mut u8,
                *mut usize) -> c_int;
        quick_mac: "EVP_Q_mac"
            => (LibraryContext, *const c_char, *const c_char, *const c_char, *const Parameter,
                *const u8, usize, *const u8, usize, *mut u8, usize, *mut usize) -> *mut u8;
    }

    /// The generator of random bytes, each thread's own since 1.1.1.
    Randomness {
        bytes: "RAND_bytes" => (*mut u8, c_int) -> c_int;
    }

    /// MACs: since 3.0.
    Macs {
        fetch: "EVP_MAC_fetch" => (LibraryContext, *const c_char, *const c_char) -> *mut Mac;
        new: "EVP_MAC_CTX_new" => (*mut Mac) -> *mut MacContext;
        free: "EVP_MAC_CTX_free" => (*mut MacContext);
        init: "EVP_MAC_init" => (*mut MacContext, *const u8, usize, *const Parameter) -> c_int;
        update: "EVP_MAC_update" => (*mut MacContext, *const u8, usize) -> c_int;
        finish: "EVP_MAC_final" => (*mut MacContext, *mut u8, *mut usize, usize) -> c_int;
    }

    /// Key derivation: since 3.0.
    Derivations {
        fetch: "EVP_KDF_fetch"
            => (LibraryContext, *const c_char, *const c_char) -> *mut Derivation;
        new: "EVP_KDF_CTX_new" => (*mut Derivation) -> *mut DerivationContext;
        free: "EVP_KDF_CTX_free" => (*mut DerivationContext);
        set: "EVP_KDF_CTX_set_params" => (*mut DerivationContext, *const Parameter) -> c_int;
        derive: "EVP_KDF_derive"
            => (*mut DerivationContext, *mut u8, usize, *const Parameter) -> c_int;
    }

    /// HMAC before 3.0.
    OldHmac {
        new: "HMAC_CTX_new" => () -> *mut OldHmacContext;
        free: "HMAC_CTX_free" => (*mut OldHmacContext);
        init: "HMAC_Init_ex"
            => (*mut OldHmacContext, *const u8, c_int, *const Digest, Engine) -> c_int;
        update: "HMAC_Update" => (*mut OldHmacContext, *const u8, usize) -> c_int;
        finish: "HMAC_Final" => (*mut OldHmacContext, *mut u8, *mut c_uint) -> c_int;
    }

    /// CMAC before 3.0.
    OldCmac {
        new: "CMAC_CTX_new" => () -> *mut OldCmacContext;
        free: "CMAC_CTX_free" => (*mut OldCmacContext);
        init: "CMAC_Init"
            => (*mut OldCmacContext, *const u8, usize, *const Cipher, Engine) -> c_int;
        update: "CMAC_Update" => (*mut OldCmacContext, *const u8, usize) -> c_int;
        finish: "CMAC_Final" => (*mut OldCmacContext, *mut u8, *mut usize) -> c_int;
    }

    /// Key derivation before 3.0.
    OldDerivations {
        pbkdf2: "PKCS5_PBKDF2_HMAC"
            => (*const u8, c_int, *const u8, c_int, c_int, *const Digest, c_int, *mut u8) -> c_int;
        scrypt: "EVP_PBE_scrypt"
            => (*const u8, usize, *const u8, usize, u64, u64, u64, u64, *mut u8, usize) -> c_int;
    }
}

/// One way through a cipher.
#[derive(Clone, Copy)]
pub(super) struct Direction {
    pub(super) init: unsafe extern "C" fn(
        *mut CipherContext,
        *const Cipher,
        Engine,
        *const u8,
        *const u8,
    ) -> c_int,
    pub(super) update:
        unsafe extern "C" fn(*mut CipherContext, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
    pub(super) finish: unsafe extern "C" fn(*mut CipherContext, *mut u8, *mut c_int) -> c_int,
}

impl Direction {
    /// `way` is what all its names begin with: `EVP_Encrypt` or `EVP_Decrypt`.
    fn resolve(library: &Loaded, way: &str) -> Result<Self, OpenError> {
        let name = |end: &str| format!("{way}{end}");
        let [init, update, finish] = [name("Init_ex"), name("Update"), name("Final_ex")];
        // SAFETY: the types are those of OpenSSL's manual pages, for either way.
        unsafe {
            Ok(Self {
                init: library.function(&[&init]).ok_or_else(|| library.lacks(&init))?,
                update: library.function(&[&update]).ok_or_else(|| library.lacks(&update))?,
                finish: library.function(&[&finish]).ok_or_else(|| library.lacks(&finish))?,
            })
        }
    }
}

/// Fetching one kind of algorithm from providers: since 3.0. What is fetched is never freed.
pub(super) struct Fetching<T> {
    pub(super) fetch: unsafe extern "C" fn(LibraryContext, *const c_char, *const c_char) -> *mut T,
    pub(super) provider: unsafe extern "C" fn(*const T) -> *const Provider,
    pub(super) name: unsafe extern "C" fn(*const T) -> *const c_char,
    pub(super) is_a: unsafe extern "C" fn(*const T, *const c_char) -> c_int,
    pub(super) all:
        unsafe extern "C" fn(LibraryContext, extern "C" fn(*mut T, *mut c_void), *mut c_void),
}

impl<T> Fetching<T> {
    /// `kind` is what all its names begin with, `EVP_MD` or `EVP_CIPHER`, and `T` its type.
    fn resolve(library: &Loaded, kind: &str) -> Option<Self> {
        let name = |end: &str| format!("{kind}_{end}");
        // SAFETY: the types are those of OpenSSL's manual pages, for either kind.
        unsafe {
            Some(Self {
                fetch: library.function(&[&name("fetch")])?,
                provider: library.function(&[&name("get0_provider")])?,
                name: library.function(&[&name("get0_name")])?,
                is_a: library.function(&[&name("is_a")])?,
                all: library.function(&[&name("do_all_provided")])?,
            })
        }
    }
}

/// Everything that was found in a library.
pub(super) struct Functions {
    pub(super) core: Core,
    pub(super) digests: Digests,
    pub(super) ciphers: Ciphers,
    pub(super) encryption: Direction,
    pub(super) decryption: Direction,
    pub(super) providers: Option<Providers>,
    pub(super) digest_fetching: Option<Fetching<Digest>>,
    pub(super) cipher_fetching: Option<Fetching<Cipher>>,
    pub(super) whole_messages: Option<WholeMessages>,
    pub(super) randomness: Option<Randomness>,
    pub(super) macs: Option<Macs>,
    pub(super) derivations: Option<Derivations>,
    pub(super) old_hmac: Option<OldHmac>,
    pub(super) old_cmac: Option<OldCmac>,
    pub(super) old_derivations: Option<OldDerivations>,
}

impl Functions {
    pub(super) fn resolve(library: &Loaded) -> Result<Self, OpenError> {
        Ok(Self {
            core: Core::resolve(library)?,
            digests: Digests::resolve(library)?,
            ciphers: Ciphers::resolve(library)?,
            encryption: Direction::resolve(library, "EVP_Encrypt")?,
            decryption: Direction::resolve(library, "EVP_Decrypt")?,
            providers: Providers::resolve(library).ok(),
            digest_fetching: Fetching::resolve(library, "EVP_MD"),
            cipher_fetching: Fetching::resolve(library, "EVP_CIPHER"),
            whole_messages: WholeMessages::resolve(library).ok(),
            randomness: Randomness::resolve(library).ok(),
            macs: Macs::resolve(library).ok(),
            derivations: Derivations::resolve(library).ok(),
            old_hmac: OldHmac::resolve(library).ok(),
            old_cmac: OldCmac::resolve(library).ok(),
            old_derivations: OldDerivations::resolve(library).ok(),
        })
    }
}

/// That a function did not return 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failed;

/// A status as a result.
#[inline(always)]
pub(super) fn check(status: c_int) -> Result<(), Failed> {
    if status == 1 { Ok(()) } else { Err(Failed) }
}

impl Core {
    /// Empties the queue of errors.
    pub(super) fn clear_errors(&self) {
        // SAFETY: the function takes nothing.
        unsafe { (self.error_clear)() };
    }

    /// A failure while something is prepared.
    pub(super) fn refused(&self, _: Failed) -> PrepareError {
        PrepareError::Unavailable(self.last_error())
    }

    /// The last error in the library's words; the queue is empty thereafter.
    pub(super) fn last_error(&self) -> String {
        const ROOM: usize = 256;
        let mut buffer: [c_char; ROOM] = [0; ROOM];
        // SAFETY: the buffer has the room stated, and ends in a zero.
        let message = unsafe {
            let code = (self.error_peek)();
            (self.error_clear)();
            (code != 0).then(|| {
                (self.error_text)(code, buffer.as_mut_ptr(), ROOM);
                text(buffer.as_ptr())
            })
        };
        message.flatten().unwrap_or_else(|| "OpenSSL states no reason".to_owned())
    }
}

impl ErrorText<Failed> for Core {
    fn words(&self, _: Failed) -> String {
        self.last_error()
    }
}

/// `EVP_MD_FLAG_XOF`.
pub(super) const DIGEST_IS_XOF: c_ulong = 0x2;
/// `EVP_CIPH_MODE`: the bits that tell the mode; 0 is a stream cipher.
pub(super) const CIPHER_MODE_BITS: c_ulong = 0xf_0007;
/// `OPENSSL_INIT_LOAD_CONFIG`.
pub(super) const LOAD_CONFIGURATION: u64 = 0x40;
/// `OPENSSL_VERSION`.
pub(super) const VERSION_TEXT: c_int = 0;
/// `OPENSSL_INFO_CPU_SETTINGS`.
pub(super) const CPU_SETTINGS: c_int = 1008;
