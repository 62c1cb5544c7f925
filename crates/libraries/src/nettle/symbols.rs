//! The library's file, its symbols and the layout of its descriptors: what
//! `nettle-meta.h` and its neighbours declare, as of Nettle 3.6 to 3.x.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// Takes a key of the length that its algorithm has.
pub(super) type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);
/// The same, and says whether the key is any good: 0 is a weak key.
pub(super) type SetCheckedKey = unsafe extern "C" fn(*mut c_void, *const u8) -> c_int;
/// Blocks or stream: context, length, destination, source.
pub(super) type Crypt = unsafe extern "C" fn(*mut c_void, usize, *mut u8, *const u8);
/// Starts a hash.
pub(super) type Init = unsafe extern "C" fn(*mut c_void);
/// Context, length, data.
pub(super) type Update = unsafe extern "C" fn(*mut c_void, usize, *const u8);
/// Context, length, destination.
pub(super) type Digest = unsafe extern "C" fn(*mut c_void, usize, *mut u8);

/// `struct nettle_hash`.
#[repr(C)]
pub(super) struct RawHash {
    name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) digest_size: c_uint,
    pub(super) block_size: c_uint,
    pub(super) init: Init,
    pub(super) update: Update,
    pub(super) digest: Digest,
}

/// `struct nettle_cipher`.
#[repr(C)]
pub(super) struct RawCipher {
    name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) block_size: c_uint,
    pub(super) key_size: c_uint,
    pub(super) set_encrypt_key: SetKey,
    pub(super) set_decrypt_key: SetKey,
    pub(super) encrypt: Crypt,
    pub(super) decrypt: Crypt,
}

/// `struct nettle_mac`.
#[repr(C)]
pub(super) struct RawMac {
    name: *const c_char,
    pub(super) context_size: c_uint,
    pub(super) digest_size: c_uint,
    key_size: c_uint,
    set_key: SetKey,
    pub(super) update: Update,
    pub(super) digest: Digest,
}

/// A descriptor that bears a name.
pub(super) trait Named {
    /// The library's name for it, such as `sha3_256`.
    fn name(&self) -> String;
}

macro_rules! named {
    ($($descriptor:ty),*) => {$(
        impl Named for $descriptor {
            fn name(&self) -> String {
                // SAFETY: a descriptor of the library, whose name is static text.
                unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
            }
        }
    )*};
}
named!(RawHash, RawCipher, RawMac);

/// The library's file. It stays loaded for as long as the process lives, so
/// that what it points to can be kept.
pub(super) struct File {
    library: &'static libloading::Library,
}

impl File {
    pub(super) fn new(library: libloading::Library) -> Self {
        Self { library: Box::leak(Box::new(library)) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        // SAFETY: only the address is looked at.
        unsafe { self.symbol::<*const c_void>(name) }.is_ok()
    }

    /// The symbol called `name`: a function, or a pointer to data.
    ///
    /// # Errors
    /// Its name, where the library lacks it.
    ///
    /// # Safety
    /// `T` is a function pointer of the type that the library's headers
    /// declare, or a pointer to the data that they declare.
    pub(super) unsafe fn symbol<T: Copy>(&self, name: &str) -> Result<T, String> {
        // SAFETY: by the caller's contract.
        let symbol = unsafe { self.library.get::<T>(name) };
        symbol.map(|symbol| *symbol).map_err(|_| name.to_owned())
    }

    /// A descriptor called `name`, which need not stand in the library's list.
    ///
    /// # Safety
    /// `nettle_{name}` is data of the type `T`.
    pub(super) unsafe fn descriptor<T>(&self, name: &str) -> Option<&'static T> {
        // SAFETY: by the caller's contract.
        let pointer = unsafe { self.symbol::<*const T>(&format!("nettle_{name}")) }.ok()?;
        // SAFETY: static data of the library, which stays loaded.
        unsafe { pointer.as_ref() }
    }

    /// The descriptors that the function called `name` lists.
    ///
    /// # Errors
    /// The function's name, where the library lacks it.
    ///
    /// # Safety
    /// The function returns a list of `T` that ends in a null pointer.
    pub(super) unsafe fn list<T>(&self, name: &str) -> Result<Vec<&'static T>, String> {
        // SAFETY: by the caller's contract.
        let function = unsafe { self.symbol::<unsafe extern "C" fn() -> *const *const T>(name) }?;
        let mut found = Vec::new();
        // SAFETY: by the caller's contract; the list and what it points to are
        // static data of the library, which stays loaded.
        unsafe {
            let mut next = function();
            while let Some(descriptor) = (*next).as_ref() {
                found.push(descriptor);
                next = next.add(1);
            }
        }
        Ok(found)
    }
}

/// Functions that are of use only together, looked up by the names in the
/// library's headers, with the types declared there.
macro_rules! functions {
    ($(
        $(#[$attribute:meta])*
        $group:ident {
            $($field:ident: $symbol:literal fn($($argument:ty),*) $(-> $result:ty)?;)*
        }
    )*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub(super) struct $group {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $group {
            /// # Errors
            /// The first symbol that the library lacks.
            pub(super) fn load(file: &File) -> Result<Self, String> {
                // SAFETY: the types are those of the library's headers.
                unsafe { Ok(Self { $($field: file.symbol($symbol)?,)* }) }
            }
        }
    )*};
}

type Contexts = *mut c_void;

functions! {
    /// `version.h`: major and minor number, no more.
    Version {
        major: "nettle_version_major" fn() -> c_int;
        minor: "nettle_version_minor" fn() -> c_int;
    }
    /// `memops.h`.
    Compare {
        memeql_sec: "nettle_memeql_sec" fn(*const u8, *const u8, usize) -> c_int;
    }
    /// `gcm.h`: key, state, cipher context.
    Gcm {
        set_key: "nettle_gcm_set_key" fn(Contexts, Contexts, Crypt);
        set_iv: "nettle_gcm_set_iv" fn(Contexts, Contexts, usize, *const u8);
        update: "nettle_gcm_update" fn(Contexts, Contexts, usize, *const u8);
        encrypt: "nettle_gcm_encrypt"
            fn(Contexts, Contexts, Contexts, Crypt, usize, *mut u8, *const u8);
        decrypt: "nettle_gcm_decrypt"
            fn(Contexts, Contexts, Contexts, Crypt, usize, *mut u8, *const u8);
        digest: "nettle_gcm_digest" fn(Contexts, Contexts, Contexts, Crypt, usize, *mut u8);
    }
    /// `eax.h`.
    Eax {
        set_key: "nettle_eax_set_key" fn(Contexts, Contexts, Crypt);
        set_nonce: "nettle_eax_set_nonce"
            fn(Contexts, Contexts, Contexts, Crypt, usize, *const u8);
        update: "nettle_eax_update" fn(Contexts, Contexts, Contexts, Crypt, usize, *const u8);
        encrypt: "nettle_eax_encrypt"
            fn(Contexts, Contexts, Contexts, Crypt, usize, *mut u8, *const u8);
        decrypt: "nettle_eax_decrypt"
            fn(Contexts, Contexts, Contexts, Crypt, usize, *mut u8, *const u8);
        digest: "nettle_eax_digest" fn(Contexts, Contexts, Contexts, Crypt, usize, *mut u8);
    }
    /// `chacha-poly1305.h`.
    ChachaPoly1305 {
        set_key: "nettle_chacha_poly1305_set_key" fn(Contexts, *const u8);
        set_nonce: "nettle_chacha_poly1305_set_nonce" fn(Contexts, *const u8);
        update: "nettle_chacha_poly1305_update" fn(Contexts, usize, *const u8);
        encrypt: "nettle_chacha_poly1305_encrypt" fn(Contexts, usize, *mut u8, *const u8);
        decrypt: "nettle_chacha_poly1305_decrypt" fn(Contexts, usize, *mut u8, *const u8);
        digest: "nettle_chacha_poly1305_digest" fn(Contexts, usize, *mut u8);
    }
    /// `ccm.h`: cipher, nonce, associated data, tag length, message.
    Ccm {
        encrypt: "nettle_ccm_encrypt_message" fn(
            Contexts, Crypt, usize, *const u8, usize, *const u8, usize, usize, *mut u8, *const u8
        );
        decrypt: "nettle_ccm_decrypt_message" fn(
            Contexts, Crypt, usize, *const u8, usize, *const u8, usize, usize, *mut u8, *const u8
        ) -> c_int;
    }
    /// `ocb.h`, since 3.9.
    Ocb {
        set_key: "nettle_ocb_set_key" fn(Contexts, Contexts, Crypt);
        encrypt: "nettle_ocb_encrypt_message" fn(
            Contexts, Contexts, Crypt,
            usize, *const u8, usize, *const u8, usize, usize, *mut u8, *const u8
        );
        decrypt: "nettle_ocb_decrypt_message" fn(
            Contexts, Contexts, Crypt, Contexts, Crypt,
            usize, *const u8, usize, *const u8, usize, usize, *mut u8, *const u8
        ) -> c_int;
    }
    /// `siv-cmac.h`.
    SivCmac {
        set_key: "nettle_siv_cmac_set_key"
            fn(Contexts, Contexts, Contexts, *const RawCipher, *const u8);
        encrypt: "nettle_siv_cmac_encrypt_message" fn(
            Contexts, Contexts, *const RawCipher, Contexts,
            usize, *const u8, usize, *const u8, usize, *mut u8, *const u8
        );
        decrypt: "nettle_siv_cmac_decrypt_message" fn(
            Contexts, Contexts, *const RawCipher, Contexts,
            usize, *const u8, usize, *const u8, usize, *mut u8, *const u8
        ) -> c_int;
    }
    /// `siv-gcm.h`, since 3.9.
    SivGcm {
        encrypt: "nettle_siv_gcm_encrypt_message" fn(
            *const RawCipher, Contexts, Contexts,
            usize, *const u8, usize, *const u8, usize, *mut u8, *const u8
        );
        decrypt: "nettle_siv_gcm_decrypt_message" fn(
            *const RawCipher, Contexts, Contexts,
            usize, *const u8, usize, *const u8, usize, *mut u8, *const u8
        ) -> c_int;
    }
    /// `xts.h`: data key, tweak key.
    Xts {
        encrypt: "nettle_xts_encrypt_message"
            fn(Contexts, Contexts, Crypt, *const u8, usize, *mut u8, *const u8);
        decrypt: "nettle_xts_decrypt_message"
            fn(Contexts, Contexts, Crypt, Crypt, *const u8, usize, *mut u8, *const u8);
    }
    /// `hmac.h`: outer, inner, state.
    Hmac {
        set_key: "nettle_hmac_set_key"
            fn(Contexts, Contexts, Contexts, *const RawHash, usize, *const u8);
        update: "nettle_hmac_update" fn(Contexts, *const RawHash, usize, *const u8);
        digest: "nettle_hmac_digest"
            fn(Contexts, Contexts, Contexts, *const RawHash, usize, *mut u8);
    }
    /// `cmac.h`, for blocks of 16 bytes.
    Cmac128 {
        set_key: "nettle_cmac128_set_key" fn(Contexts, Contexts, Crypt);
        init: "nettle_cmac128_init" fn(Contexts);
        update: "nettle_cmac128_update" fn(Contexts, Contexts, Crypt, usize, *const u8);
        digest: "nettle_cmac128_digest" fn(Contexts, Contexts, Contexts, Crypt, c_uint, *mut u8);
    }
    /// `cmac.h`, for blocks of 8 bytes.
    Cmac64 {
        set_key: "nettle_cmac64_set_key" fn(Contexts, Contexts, Crypt);
        init: "nettle_cmac64_init" fn(Contexts);
        update: "nettle_cmac64_update" fn(Contexts, Contexts, Crypt, usize, *const u8);
        digest: "nettle_cmac64_digest" fn(Contexts, Contexts, Contexts, Crypt, c_uint, *mut u8);
    }
    /// `hkdf.h`: context of the MAC, its functions and digest length.
    Hkdf {
        extract: "nettle_hkdf_extract"
            fn(Contexts, Update, Digest, usize, usize, *const u8, *mut u8);
        expand: "nettle_hkdf_expand"
            fn(Contexts, Update, Digest, usize, usize, *const u8, usize, *mut u8);
    }
}
