//! libgcrypt's functions, found at run time, and the numbers of its header.
//! Most names of that header are macros; these are what they stand for.

use crate::OpenError;
use crate::runtime::{ErrorText, Loaded, Owned, symbols, text};
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::num::NonZeroU32;
use std::ptr;

/// A message digest, MAC, cipher or derivation of the library's; opaque.
pub(super) type Handle = *mut c_void;
/// A handle that is closed with its owner.
pub(super) type Context = Owned<c_void>;
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

/// Takes a key, a nonce, or data.
pub(super) type TakeBytes = unsafe extern "C" fn(Handle, *const u8, usize) -> Status;
/// Encrypts or decrypts: destination and its room, source and its length.
pub(super) type Crypt = unsafe extern "C" fn(Handle, *mut u8, usize, *const u8, usize) -> Status;

symbols! {
    /// The library itself, and its errors. All but the last two tables is in 1.8.
    Core {
        check_version: "gcry_check_version" => (*const c_char) -> *const c_char;
        control: "gcry_control" => (c_int, ...) -> Status;
        strerror: "gcry_strerror" => (Status) -> *const c_char;
        free: "gcry_free" => (*mut c_void);
    }

    Digests {
        name: "gcry_md_algo_name" => (c_int) -> *const c_char;
        information: "gcry_md_algo_info" => (c_int, c_int, *mut c_void, *mut usize) -> Status;
        length: "gcry_md_get_algo_dlen" => (c_int) -> c_uint;
        open: "gcry_md_open" => (*mut Handle, c_int, c_uint) -> Status;
        close: "gcry_md_close" => (Handle);
        reset: "gcry_md_reset" => (Handle);
        control: "gcry_md_ctl" => (Handle, c_int, *mut c_void, usize) -> Status;
        write: "gcry_md_write" => (Handle, *const u8, usize);
        read: "gcry_md_read" => (Handle, c_int) -> *const u8;
        extract: "gcry_md_extract" => (Handle, c_int, *mut u8, usize) -> Status;
    }

    Macs {
        name: "gcry_mac_algo_name" => (c_int) -> *const c_char;
        information: "gcry_mac_algo_info" => (c_int, c_int, *mut c_void, *mut usize) -> Status;
        key_length: "gcry_mac_get_algo_keylen" => (c_int) -> c_uint;
        length: "gcry_mac_get_algo_maclen" => (c_int) -> c_uint;
        open: "gcry_mac_open" => (*mut Handle, c_int, c_uint, *mut c_void) -> Status;
        close: "gcry_mac_close" => (Handle);
        control: "gcry_mac_ctl" => (Handle, c_int, *mut c_void, usize) -> Status;
        set_key: "gcry_mac_setkey" => (Handle, *const u8, usize) -> Status;
        set_nonce: "gcry_mac_setiv" => (Handle, *const u8, usize) -> Status;
        write: "gcry_mac_write" => (Handle, *const u8, usize) -> Status;
        read: "gcry_mac_read" => (Handle, *mut u8, *mut usize) -> Status;
    }

    Ciphers {
        name: "gcry_cipher_algo_name" => (c_int) -> *const c_char;
        information: "gcry_cipher_algo_info" => (c_int, c_int, *mut c_void, *mut usize) -> Status;
        key_length: "gcry_cipher_get_algo_keylen" => (c_int) -> usize;
        block_length: "gcry_cipher_get_algo_blklen" => (c_int) -> usize;
        open: "gcry_cipher_open" => (*mut Handle, c_int, c_int, c_uint) -> Status;
        close: "gcry_cipher_close" => (Handle);
        control: "gcry_cipher_ctl" => (Handle, c_int, *mut c_void, usize) -> Status;
        set_key: "gcry_cipher_setkey" => (Handle, *const u8, usize) -> Status;
        set_nonce: "gcry_cipher_setiv" => (Handle, *const u8, usize) -> Status;
        set_counter: "gcry_cipher_setctr" => (Handle, *const u8, usize) -> Status;
        authenticate: "gcry_cipher_authenticate" => (Handle, *const u8, usize) -> Status;
        encrypt: "gcry_cipher_encrypt" => (Handle, *mut u8, usize, *const u8, usize) -> Status;
        decrypt: "gcry_cipher_decrypt" => (Handle, *mut u8, usize, *const u8, usize) -> Status;
        take_tag: "gcry_cipher_gettag" => (Handle, *mut u8, usize) -> Status;
        check_tag: "gcry_cipher_checktag" => (Handle, *const u8, usize) -> Status;
    }

    Derivations {
        derive: "gcry_kdf_derive" => (
            *const u8, usize, c_int, c_int, *const u8, usize, c_ulong, usize, *mut u8
        ) -> Status;
    }

    /// What the library says of this machine.
    Configuration {
        line: "gcry_get_config" => (c_int, *const c_char) -> *mut c_char;
    }

    /// Random bytes, of a quality.
    Randomness {
        fill: "gcry_randomize" => (*mut u8, usize, c_int);
    }

    /// Derivations in several steps.
    Steps {
        open: "gcry_kdf_open" => (
            *mut Handle, c_int, c_int, *const c_ulong, c_uint, *const u8, usize,
            *const u8, usize, *const u8, usize, *const u8, usize
        ) -> Status;
        compute: "gcry_kdf_compute" => (Handle, *const c_void) -> Status;
        finish: "gcry_kdf_final" => (Handle, usize, *mut u8) -> Status;
        close: "gcry_kdf_close" => (Handle);
    }
}

/// Everything that was found in a library.
pub(super) struct Functions {
    pub(super) core: Core,
    pub(super) digests: Digests,
    pub(super) macs: Macs,
    pub(super) ciphers: Ciphers,
    pub(super) derivations: Derivations,
    pub(super) randomness: Randomness,
    pub(super) configuration: Option<Configuration>,
    pub(super) steps: Option<Steps>,
}

impl Functions {
    pub(super) fn resolve(library: &Loaded) -> Result<Self, OpenError> {
        Ok(Self {
            core: Core::resolve(library)?,
            digests: Digests::resolve(library)?,
            macs: Macs::resolve(library)?,
            ciphers: Ciphers::resolve(library)?,
            derivations: Derivations::resolve(library)?,
            randomness: Randomness::resolve(library)?,
            configuration: Configuration::resolve(library).ok(),
            steps: Steps::resolve(library).ok(),
        })
    }

    /// The name of a digest, MAC or cipher, if the library knows it.
    pub(super) fn name(&self, kind: Kind, algorithm: c_int) -> Option<String> {
        let name = match kind {
            Kind::Digest => self.digests.name,
            Kind::Mac => self.macs.name,
            Kind::Cipher => self.ciphers.name,
        };
        // SAFETY: any number may be asked about; the text is static, or null.
        unsafe { text(name(algorithm)) }.filter(|name| name != "?")
    }

    /// Why the library does not let a digest, MAC or cipher be used.
    pub(super) fn refusal(&self, kind: Kind, algorithm: c_int) -> Option<String> {
        let information = match kind {
            Kind::Digest => self.digests.information,
            Kind::Mac => self.macs.information,
            Kind::Cipher => self.ciphers.information,
        };
        // SAFETY: any number may be asked about, and this query takes no buffer.
        let status =
            unsafe { information(algorithm, TEST_ALGORITHM, ptr::null_mut(), ptr::null_mut()) };
        Some(self.core.refusal(check(status).err()?))
    }
}

/// What the library counts its algorithms by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Digest,
    Mac,
    Cipher,
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
#[inline(always)]
pub(super) fn check(status: Status) -> Result<(), Failure> {
    match NonZeroU32::new(status) {
        None => Ok(()),
        Some(status) => Err(Failure(status)),
    }
}

impl ErrorText<Failure> for Core {
    fn words(&self, failure: Failure) -> String {
        // SAFETY: any number may be asked about; the text is static, or null.
        unsafe { text((self.strerror)(failure.0.get())) }.unwrap_or_default()
    }

    fn refusal(&self, failure: Failure) -> String {
        let reason = self.words(failure);
        if self.forbids_late() {
            format!(
                "libgcrypt is in FIPS mode and refuses it ({reason}); leave that mode: \
                 unset LIBGCRYPT_FORCE_FIPS_MODE, or see /etc/gcrypt/fips_enabled"
            )
        } else {
            format!("libgcrypt knows it and refuses it ({reason}); use another build of it")
        }
    }

    /// As FIPS mode does.
    fn forbids_late(&self) -> bool {
        // SAFETY: the query takes nothing more.
        unsafe { (self.control)(FIPS_MODE_P) != 0 }
    }
}
