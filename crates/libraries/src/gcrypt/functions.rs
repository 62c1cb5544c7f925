//! libgcrypt's functions, found at run time, and the numbers of its header.
//! Most names of that header are macros; these are what they stand for.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::num::NonZeroU32;

/// A message digest, MAC, cipher or derivation of the library's; opaque.
pub(super) type Handle = *mut c_void;
/// 0, or a `gcry_error_t`.
pub(super) type Status = c_uint;

/// Commands of the `…_ctl`, `…_info` and `gcry_control` functions.
pub(super) const RESET: c_int = 4;
pub(super) const FINALIZE: c_int = 5;
pub(super) const TEST_ALGORITHM: c_int = 8;
pub(super) const DISABLE_SECURE_MEMORY: c_int = 37;
pub(super) const INITIALIZATION_FINISHED: c_int = 38;
pub(super) const INITIALIZATION_FINISHED_P: c_int = 39;
pub(super) const FIPS_MODE_P: c_int = 55;
pub(super) const SET_CCM_LENGTHS: c_int = 69;
pub(super) const SET_DECRYPTION_TAG: c_int = 80;

/// `GPG_ERR_GENERAL`, for a function that fails without a reason.
const GENERAL: NonZeroU32 = NonZeroU32::MIN;
/// `GPG_ERR_CHECKSUM`: a tag is not the right one.
const CHECKSUM: Status = 10;
/// The bits of a `gcry_error_t` that hold the code, beside its source.
const CODE_BITS: Status = 0xffff;

type Name = unsafe extern "C" fn(c_int) -> *const c_char;
type Information = unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut usize) -> Status;
type Length = unsafe extern "C" fn(c_int) -> c_uint;
type LongLength = unsafe extern "C" fn(c_int) -> usize;
type Close = unsafe extern "C" fn(Handle);
type Control = unsafe extern "C" fn(Handle, c_int, *mut c_void, usize) -> Status;
type Read = unsafe extern "C" fn(Handle, *const u8, usize) -> Status;
type Write = unsafe extern "C" fn(Handle, *mut u8, usize) -> Status;
/// Takes a key, a nonce, or data.
pub(super) type TakeBytes = Read;
/// Encrypts or decrypts: destination and its room, source and its length.
pub(super) type Crypt = unsafe extern "C" fn(Handle, *mut u8, usize, *const u8, usize) -> Status;

macro_rules! functions {
    (
        required { $($name:ident: $type:ty = $symbol:literal,)* }
        optional { $($newer:ident: $newer_type:ty = $newer_symbol:literal,)* }
    ) => {
        /// The functions; the library they come from is never unloaded.
        #[derive(Clone, Copy)]
        pub(super) struct Functions {
            $(pub(super) $name: $type,)*
            $(pub(super) $newer: Option<$newer_type>,)*
        }

        impl Functions {
            /// The functions of a library, or the first symbol it lacks.
            pub(super) fn find(library: &libloading::Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        // SAFETY: the type is that of gcrypt.h.
                        let symbol = unsafe { library.get::<$type>($symbol) };
                        *symbol.map_err(|_| $symbol)?
                    },)*
                    $($newer: {
                        // SAFETY: the type is that of gcrypt.h.
                        let symbol = unsafe { library.get::<$newer_type>($newer_symbol) };
                        symbol.ok().map(|symbol| *symbol)
                    },)*
                })
            }
        }
    };
}

functions! {
    // Everything here is in 1.8.
    required {
        check_version: unsafe extern "C" fn(*const c_char) -> *const c_char = "gcry_check_version",
        control: unsafe extern "C" fn(c_int, ...) -> Status = "gcry_control",
        strerror: unsafe extern "C" fn(Status) -> *const c_char = "gcry_strerror",
        free: unsafe extern "C" fn(*mut c_void) = "gcry_free",
        md_algo_name: Name = "gcry_md_algo_name",
        md_algo_info: Information = "gcry_md_algo_info",
        md_get_algo_dlen: Length = "gcry_md_get_algo_dlen",
        md_open: unsafe extern "C" fn(*mut Handle, c_int, c_uint) -> Status = "gcry_md_open",
        md_close: Close = "gcry_md_close",
        md_reset: unsafe extern "C" fn(Handle) = "gcry_md_reset",
        md_ctl: Control = "gcry_md_ctl",
        md_write: unsafe extern "C" fn(Handle, *const u8, usize) = "gcry_md_write",
        md_read: unsafe extern "C" fn(Handle, c_int) -> *const u8 = "gcry_md_read",
        md_extract: unsafe extern "C" fn(Handle, c_int, *mut u8, usize) -> Status
            = "gcry_md_extract",
        mac_algo_name: Name = "gcry_mac_algo_name",
        mac_algo_info: Information = "gcry_mac_algo_info",
        mac_get_algo_keylen: Length = "gcry_mac_get_algo_keylen",
        mac_get_algo_maclen: Length = "gcry_mac_get_algo_maclen",
        mac_open: unsafe extern "C" fn(*mut Handle, c_int, c_uint, *mut c_void) -> Status
            = "gcry_mac_open",
        mac_close: Close = "gcry_mac_close",
        mac_ctl: Control = "gcry_mac_ctl",
        mac_setkey: TakeBytes = "gcry_mac_setkey",
        mac_setiv: TakeBytes = "gcry_mac_setiv",
        mac_write: TakeBytes = "gcry_mac_write",
        mac_read: unsafe extern "C" fn(Handle, *mut u8, *mut usize) -> Status = "gcry_mac_read",
        cipher_algo_name: Name = "gcry_cipher_algo_name",
        cipher_algo_info: Information = "gcry_cipher_algo_info",
        cipher_get_algo_keylen: LongLength = "gcry_cipher_get_algo_keylen",
        cipher_get_algo_blklen: LongLength = "gcry_cipher_get_algo_blklen",
        cipher_open: unsafe extern "C" fn(*mut Handle, c_int, c_int, c_uint) -> Status
            = "gcry_cipher_open",
        cipher_close: Close = "gcry_cipher_close",
        cipher_ctl: Control = "gcry_cipher_ctl",
        cipher_setkey: TakeBytes = "gcry_cipher_setkey",
        cipher_setiv: TakeBytes = "gcry_cipher_setiv",
        cipher_setctr: TakeBytes = "gcry_cipher_setctr",
        cipher_authenticate: TakeBytes = "gcry_cipher_authenticate",
        cipher_encrypt: Crypt = "gcry_cipher_encrypt",
        cipher_decrypt: Crypt = "gcry_cipher_decrypt",
        cipher_gettag: Write = "gcry_cipher_gettag",
        cipher_checktag: Read = "gcry_cipher_checktag",
        kdf_derive: unsafe extern "C" fn(
            *const u8, usize, c_int, c_int, *const u8, usize, c_ulong, usize, *mut u8,
        ) -> Status = "gcry_kdf_derive",
    }
    optional {
        get_config: unsafe extern "C" fn(c_int, *const c_char) -> *mut c_char = "gcry_get_config",
        kdf_open: unsafe extern "C" fn(
            *mut Handle, c_int, c_int, *const c_ulong, c_uint, *const u8, usize,
            *const u8, usize, *const u8, usize, *const u8, usize,
        ) -> Status = "gcry_kdf_open",
        kdf_compute: unsafe extern "C" fn(Handle, *const c_void) -> Status = "gcry_kdf_compute",
        kdf_final: unsafe extern "C" fn(Handle, usize, *mut u8) -> Status = "gcry_kdf_final",
        kdf_close: Close = "gcry_kdf_close",
    }
}

/// A status that is not success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure(NonZeroU32);

impl Failure {
    /// A failure without a reason.
    pub(super) const UNEXPLAINED: Self = Self(GENERAL);

    /// Whether it says that a tag is not the right one.
    pub(super) fn is_wrong_tag(self) -> bool {
        self.0.get() & CODE_BITS == CHECKSUM
    }
}

/// A status as a result.
pub(super) fn check(status: Status) -> Result<(), Failure> {
    match NonZeroU32::new(status) {
        None => Ok(()),
        Some(status) => Err(Failure(status)),
    }
}

impl Functions {
    /// A failure in the library's words.
    pub(super) fn words(&self, failure: Failure) -> String {
        // SAFETY: any number may be asked about; the text is never freed.
        text(unsafe { (self.strerror)(failure.0.get()) }).unwrap_or_default()
    }

    /// The name of a digest, MAC or cipher, if the library knows it.
    pub(super) fn name(&self, kind: Kind, algorithm: c_int) -> Option<String> {
        let name = match kind {
            Kind::Digest => self.md_algo_name,
            Kind::Mac => self.mac_algo_name,
            Kind::Cipher => self.cipher_algo_name,
        };
        // SAFETY: any number may be asked about; the text is never freed.
        text(unsafe { name(algorithm) }).filter(|name| name != "?")
    }

    /// Why the library does not let a digest, MAC or cipher be used.
    pub(super) fn refusal(&self, kind: Kind, algorithm: c_int) -> Option<String> {
        let information = match kind {
            Kind::Digest => self.md_algo_info,
            Kind::Mac => self.mac_algo_info,
            Kind::Cipher => self.cipher_algo_info,
        };
        let nothing = std::ptr::null_mut();
        // SAFETY: this query takes no buffer.
        let status =
            unsafe { information(algorithm, TEST_ALGORITHM, nothing, std::ptr::null_mut()) };
        Some(self.explain(check(status).err()?))
    }

    /// Why something does not work at all, with the remedy.
    pub(super) fn explain(&self, failure: Failure) -> String {
        let reason = self.words(failure);
        if self.is_in_fips_mode() {
            format!(
                "libgcrypt is in FIPS mode and refuses it ({reason}); leave that mode: \
                 unset LIBGCRYPT_FORCE_FIPS_MODE, or see /etc/gcrypt/fips_enabled"
            )
        } else {
            format!("libgcrypt knows it and refuses it ({reason}); use another build of it")
        }
    }

    /// Whether a policy forbids some of what the library has.
    pub(super) fn is_in_fips_mode(&self) -> bool {
        // SAFETY: the query takes nothing more.
        unsafe { (self.control)(FIPS_MODE_P) != 0 }
    }
}

/// What the library counts its algorithms by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Digest,
    Mac,
    Cipher,
}

/// Text of the library's, copied.
pub(super) fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null; the library's texts end in a zero.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
