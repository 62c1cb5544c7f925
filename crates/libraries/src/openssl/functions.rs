//! The functions of libcrypto that are called, looked up at run time.
//!
//! [`Core`] is what a library must have to be OpenSSL at all. The other tables
//! came or went with a version; what depends on one is offered where all of it
//! is there.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};

/// A type of libcrypto of which only pointers are known.
macro_rules! opaque {
    ($($name:ident)+) => {
        $(
            #[repr(C)]
            pub(super) struct $name {
                _nothing: [u8; 0],
            }
        )+
    };
}

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

type LibraryContext = *mut c_void;
type Engine = *mut c_void;

/// A table of functions: field, the symbol it has (newest name first), type.
macro_rules! functions {
    (
        $(#[$documentation:meta])*
        $table:ident {
            $($field:ident: $($symbol:literal)|+ => ($($argument:ty),*) $(-> $result:ty)?;)+
        }
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Copy)]
        pub(super) struct $table {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl $table {
            /// The table, or the first symbol that was not found.
            pub(super) fn load(library: &libloading::Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $(
                        // SAFETY: the type is that of OpenSSL's manual pages.
                        $field: unsafe { look_up(library, &[$($symbol),+]) }?,
                    )+
                })
            }
        }
    };
}

/// # Safety
/// `F` is the type of the function pointer behind each of `symbols`.
unsafe fn look_up<F: Copy>(
    library: &libloading::Library,
    symbols: &[&'static str],
) -> Result<F, &'static str> {
    symbols
        .iter()
        // SAFETY: as the caller promises.
        .find_map(|symbol| unsafe { library.get::<F>(*symbol) }.ok().map(|found| *found))
        .ok_or(symbols[0])
}

functions! {
    /// What every version since 1.1.1 has.
    Core {
        version: "OpenSSL_version" => (c_int) -> *const c_char;
        initialise: "OPENSSL_init_crypto" => (u64, *const c_void) -> c_int;
        error_peek: "ERR_peek_last_error" => () -> c_ulong;
        error_text: "ERR_error_string_n" => (c_ulong, *mut c_char, usize);
        error_clear: "ERR_clear_error" => ();

        digest_by_name: "EVP_get_digestbyname" => (*const c_char) -> *const Digest;
        digest_size: "EVP_MD_get_size" | "EVP_MD_size" => (*const Digest) -> c_int;
        digest_block: "EVP_MD_get_block_size" | "EVP_MD_block_size" => (*const Digest) -> c_int;
        digest_flags: "EVP_MD_get_flags" | "EVP_MD_flags" => (*const Digest) -> c_ulong;
        digest_new: "EVP_MD_CTX_new" => () -> *mut DigestContext;
        digest_free: "EVP_MD_CTX_free" => (*mut DigestContext);
        digest_init: "EVP_DigestInit_ex" => (*mut DigestContext, *const Digest, Engine) -> c_int;
        digest_update: "EVP_DigestUpdate" => (*mut DigestContext, *const u8, usize) -> c_int;
        digest_final: "EVP_DigestFinal_ex" => (*mut DigestContext, *mut u8, *mut c_uint) -> c_int;
        digest_final_xof: "EVP_DigestFinalXOF" => (*mut DigestContext, *mut u8, usize) -> c_int;

        cipher_by_name: "EVP_get_cipherbyname" => (*const c_char) -> *const Cipher;
        cipher_key_length: "EVP_CIPHER_get_key_length" | "EVP_CIPHER_key_length"
            => (*const Cipher) -> c_int;
        cipher_nonce_length: "EVP_CIPHER_get_iv_length" | "EVP_CIPHER_iv_length"
            => (*const Cipher) -> c_int;
        cipher_block: "EVP_CIPHER_get_block_size" | "EVP_CIPHER_block_size"
            => (*const Cipher) -> c_int;
        cipher_flags: "EVP_CIPHER_get_flags" | "EVP_CIPHER_flags" => (*const Cipher) -> c_ulong;
        cipher_new: "EVP_CIPHER_CTX_new" => () -> *mut CipherContext;
        cipher_free: "EVP_CIPHER_CTX_free" => (*mut CipherContext);
        cipher_control: "EVP_CIPHER_CTX_ctrl"
            => (*mut CipherContext, c_int, c_int, *mut c_void) -> c_int;
        cipher_padding: "EVP_CIPHER_CTX_set_padding" => (*mut CipherContext, c_int) -> c_int;
        encrypt_init: "EVP_EncryptInit_ex"
            => (*mut CipherContext, *const Cipher, Engine, *const u8, *const u8) -> c_int;
        encrypt_update: "EVP_EncryptUpdate"
            => (*mut CipherContext, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
        encrypt_final: "EVP_EncryptFinal_ex" => (*mut CipherContext, *mut u8, *mut c_int) -> c_int;
        decrypt_init: "EVP_DecryptInit_ex"
            => (*mut CipherContext, *const Cipher, Engine, *const u8, *const u8) -> c_int;
        decrypt_update: "EVP_DecryptUpdate"
            => (*mut CipherContext, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
        decrypt_final: "EVP_DecryptFinal_ex" => (*mut CipherContext, *mut u8, *mut c_int) -> c_int;
    }
}

functions! {
    /// Providers, and fetching from them: since 3.0.
    Fetching {
        info: "OPENSSL_info" => (c_int) -> *const c_char;
        provider_available: "OSSL_PROVIDER_available" => (LibraryContext, *const c_char) -> c_int;
        provider_load: "OSSL_PROVIDER_load" => (LibraryContext, *const c_char) -> *mut Provider;
        provider_name: "OSSL_PROVIDER_get0_name" => (*const Provider) -> *const c_char;

        digest_fetch: "EVP_MD_fetch"
            => (LibraryContext, *const c_char, *const c_char) -> *mut Digest;
        digest_provider: "EVP_MD_get0_provider" => (*const Digest) -> *const Provider;
        digest_name: "EVP_MD_get0_name" => (*const Digest) -> *const c_char;
        digest_is_a: "EVP_MD_is_a" => (*const Digest, *const c_char) -> c_int;
        digests: "EVP_MD_do_all_provided"
            => (LibraryContext, extern "C" fn(*mut Digest, *mut c_void), *mut c_void);

        cipher_fetch: "EVP_CIPHER_fetch"
            => (LibraryContext, *const c_char, *const c_char) -> *mut Cipher;
        cipher_provider: "EVP_CIPHER_get0_provider" => (*const Cipher) -> *const Provider;
        cipher_name: "EVP_CIPHER_get0_name" => (*const Cipher) -> *const c_char;
        cipher_is_a: "EVP_CIPHER_is_a" => (*const Cipher, *const c_char) -> c_int;
        ciphers: "EVP_CIPHER_do_all_provided"
            => (LibraryContext, extern "C" fn(*mut Cipher, *mut c_void), *mut c_void);
    }
}

functions! {
    /// MACs: since 3.0.
    Macs {
        fetch: "EVP_MAC_fetch" => (LibraryContext, *const c_char, *const c_char) -> *mut Mac;
        new: "EVP_MAC_CTX_new" => (*mut Mac) -> *mut MacContext;
        free: "EVP_MAC_CTX_free" => (*mut MacContext);
        init: "EVP_MAC_init" => (*mut MacContext, *const u8, usize, *const Parameter) -> c_int;
        update: "EVP_MAC_update" => (*mut MacContext, *const u8, usize) -> c_int;
        finish: "EVP_MAC_final" => (*mut MacContext, *mut u8, *mut usize, usize) -> c_int;
    }
}

functions! {
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
}

functions! {
    /// HMAC before 3.0.
    OldHmac {
        new: "HMAC_CTX_new" => () -> *mut OldHmacContext;
        free: "HMAC_CTX_free" => (*mut OldHmacContext);
        init: "HMAC_Init_ex"
            => (*mut OldHmacContext, *const u8, c_int, *const Digest, Engine) -> c_int;
        update: "HMAC_Update" => (*mut OldHmacContext, *const u8, usize) -> c_int;
        finish: "HMAC_Final" => (*mut OldHmacContext, *mut u8, *mut c_uint) -> c_int;
    }
}

functions! {
    /// CMAC before 3.0.
    OldCmac {
        new: "CMAC_CTX_new" => () -> *mut OldCmacContext;
        free: "CMAC_CTX_free" => (*mut OldCmacContext);
        init: "CMAC_Init"
            => (*mut OldCmacContext, *const u8, usize, *const Cipher, Engine) -> c_int;
        update: "CMAC_Update" => (*mut OldCmacContext, *const u8, usize) -> c_int;
        finish: "CMAC_Final" => (*mut OldCmacContext, *mut u8, *mut usize) -> c_int;
    }
}

functions! {
    /// Key derivation before 3.0.
    OldDerivations {
        pbkdf2: "PKCS5_PBKDF2_HMAC"
            => (*const u8, c_int, *const u8, c_int, c_int, *const Digest, c_int, *mut u8) -> c_int;
        scrypt: "EVP_PBE_scrypt"
            => (*const u8, usize, *const u8, usize, u64, u64, u64, u64, *mut u8, usize) -> c_int;
    }
}

/// Everything that was found in a library, which stays loaded until the
/// process ends.
pub(super) struct Functions {
    pub(super) core: Core,
    pub(super) fetching: Option<Fetching>,
    pub(super) macs: Option<Macs>,
    pub(super) derivations: Option<Derivations>,
    pub(super) old_hmac: Option<OldHmac>,
    pub(super) old_cmac: Option<OldCmac>,
    pub(super) old_derivations: Option<OldDerivations>,
}

impl Functions {
    /// The functions, or the first required symbol that was not found.
    pub(super) fn load(library: &libloading::Library) -> Result<Self, &'static str> {
        Ok(Self {
            core: Core::load(library)?,
            fetching: Fetching::load(library).ok(),
            macs: Macs::load(library).ok(),
            derivations: Derivations::load(library).ok(),
            old_hmac: OldHmac::load(library).ok(),
            old_cmac: OldCmac::load(library).ok(),
            old_derivations: OldDerivations::load(library).ok(),
        })
    }

    /// Empties the queue of errors.
    pub(super) fn clear_errors(&self) {
        // SAFETY: the function takes nothing.
        unsafe { (self.core.error_clear)() };
    }

    /// The last error in the library's words; the queue is empty thereafter.
    pub(super) fn last_error(&self) -> String {
        const ROOM: usize = 256;
        let mut buffer: [c_char; ROOM] = [0; ROOM];
        // SAFETY: the buffer has the room stated, and ends in a zero.
        let message = unsafe {
            let code = (self.core.error_peek)();
            (self.core.error_clear)();
            (code != 0).then(|| {
                (self.core.error_text)(code, buffer.as_mut_ptr(), ROOM);
                text(buffer.as_ptr())
            })
        };
        message.flatten().unwrap_or_else(|| "OpenSSL states no reason".to_owned())
    }
}

/// The text at `pointer`, unless that is null.
///
/// # Safety
/// A `pointer` that is not null points at text that ends in a zero.
pub(super) unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// A context that is freed with its owner.
pub(super) struct Owned<T> {
    pointer: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    /// Owns what `pointer` points at; nothing where that is null.
    pub(super) fn new(pointer: *mut T, free: unsafe extern "C" fn(*mut T)) -> Option<Self> {
        (!pointer.is_null()).then_some(Self { pointer, free })
    }

    pub(super) fn pointer(&self) -> *mut T {
        self.pointer
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: whoever made this handed over ownership, with the function
        // that ends it.
        unsafe { (self.free)(self.pointer) };
    }
}

/// The control commands of ciphers with a tag (`EVP_CTRL_AEAD_…`).
pub(super) mod control {
    use super::c_int;

    pub(in super::super) const SET_NONCE_LENGTH: c_int = 0x9;
    pub(in super::super) const GET_TAG: c_int = 0x10;
    pub(in super::super) const SET_TAG: c_int = 0x11;
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
