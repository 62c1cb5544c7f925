//! Block ciphers: from the library's list, and those that it has besides.

use super::symbols::{Crypt, File, Named, RawCipher, SetCheckedKey, SetKey};
use crate::names;
use std::ffi::c_void;

/// bench-slopes' own list, in its order. What else the library lists follows.
const ROWS: &[&str] = &[
    "aes128",
    "aes192",
    "aes256",
    "camellia128",
    "camellia192",
    "camellia256",
    "serpent128",
    "serpent192",
    "serpent256",
    "twofish128",
    "twofish192",
    "twofish256",
    "cast128",
    "blowfish",
    "arctwo128",
    "des3",
];

/// The longest block of any cipher that is offered: there is room for as much.
pub(super) const LONGEST_BLOCK: usize = 16;

/// A cipher that the library has functions for, but no descriptor.
struct Undescribed {
    name: &'static str,
    key_bytes: usize,
    /// Of the structure in the header.
    context_bytes: usize,
    set_key: &'static str,
    encrypt: &'static str,
    decrypt: &'static str,
    has_rows: bool,
}

/// Those ciphers. Their blocks have 8 bytes, their keys have one schedule for
/// both directions, and setting a key tells whether it is weak.
const UNDESCRIBED: &[Undescribed] = &[
    Undescribed {
        name: "blowfish",
        key_bytes: 16,
        context_bytes: 4168,
        set_key: "nettle_blowfish128_set_key",
        encrypt: "nettle_blowfish_encrypt",
        decrypt: "nettle_blowfish_decrypt",
        has_rows: true,
    },
    Undescribed {
        name: "des3",
        key_bytes: 24,
        context_bytes: 384,
        set_key: "nettle_des3_set_key",
        encrypt: "nettle_des3_encrypt",
        decrypt: "nettle_des3_decrypt",
        has_rows: true,
    },
    Undescribed {
        name: "des",
        key_bytes: 8,
        context_bytes: 128,
        set_key: "nettle_des_set_key",
        encrypt: "nettle_des_encrypt",
        decrypt: "nettle_des_decrypt",
        has_rows: false,
    },
];

/// A block cipher with a key of one length.
#[derive(Clone)]
pub(super) struct Cipher {
    /// The library's name for it, such as `aes128`.
    pub(super) name: String,
    /// The canonical one, such as `aes-128`.
    pub(super) canonical: String,
    pub(super) context_bytes: usize,
    pub(super) block_bytes: usize,
    pub(super) key_bytes: usize,
    pub(super) set_encrypt_key: SetKey,
    pub(super) set_decrypt_key: SetKey,
    pub(super) encrypt: Crypt,
    pub(super) decrypt: Crypt,
    /// Of a cipher that knows weak keys.
    check_key: Option<SetCheckedKey>,
    /// Absent where the library has none.
    pub(super) descriptor: Option<&'static RawCipher>,
    /// Whether bench-slopes has rows of it.
    pub(super) has_rows: bool,
}

impl Cipher {
    fn described(raw: &'static RawCipher) -> Self {
        let (name, key_bytes) = (raw.name(), raw.key_size as usize);
        Self {
            canonical: canonical(&name, key_bytes * 8),
            name,
            context_bytes: raw.context_size as usize,
            block_bytes: raw.block_size as usize,
            key_bytes,
            set_encrypt_key: raw.set_encrypt_key,
            set_decrypt_key: raw.set_decrypt_key,
            encrypt: raw.encrypt,
            decrypt: raw.decrypt,
            check_key: None,
            descriptor: Some(raw),
            has_rows: true,
        }
    }

    fn undescribed(file: &File, known: &Undescribed) -> Option<Self> {
        // SAFETY: the types are those of blowfish.h and des.h. One symbol is
        // taken twice: a caller may leave a result unread, as nettle's own
        // descriptors do.
        let (set_key, check_key, encrypt, decrypt) = unsafe {
            (
                file.symbol::<SetKey>(known.set_key).ok()?,
                file.symbol::<SetCheckedKey>(known.set_key).ok()?,
                file.symbol(known.encrypt).ok()?,
                file.symbol(known.decrypt).ok()?,
            )
        };
        Some(Self {
            name: known.name.to_owned(),
            canonical: canonical(known.name, known.key_bytes * 8),
            context_bytes: known.context_bytes,
            block_bytes: 8,
            key_bytes: known.key_bytes,
            set_encrypt_key: set_key,
            set_decrypt_key: set_key,
            encrypt,
            decrypt,
            check_key: Some(check_key),
            descriptor: None,
            has_rows: known.has_rows,
        })
    }

    /// Refuses a key that the library calls weak.
    ///
    /// # Safety
    /// The key has the cipher's length, the context its size.
    pub(super) unsafe fn check_key(
        &self,
        context: *mut c_void,
        key: *const u8,
    ) -> Result<(), String> {
        match self.check_key {
            // SAFETY: by the caller's contract.
            Some(check) if unsafe { check(context, key) } == 0 => {
                Err(format!("nettle calls the key of {} weak", self.name))
            }
            _ => Ok(()),
        }
    }
}

/// The block ciphers that the library has.
pub(super) struct Ciphers {
    /// Those of bench-slopes' own list, in its order.
    pub(super) own: Vec<Cipher>,
    /// Those that the library lists besides, and those without rows.
    pub(super) others: Vec<Cipher>,
}

/// Every block cipher that the library has.
pub(super) fn all(file: &File) -> Result<Ciphers, String> {
    // SAFETY: nettle-meta.h declares the function so.
    let listed: Vec<&RawCipher> = unsafe { file.list("nettle_get_ciphers") }?;
    let mut found: Vec<Cipher> = listed.into_iter().map(Cipher::described).collect();
    found.retain(|cipher| (1..=LONGEST_BLOCK).contains(&cipher.block_bytes));
    found.extend(UNDESCRIBED.iter().filter_map(|known| Cipher::undescribed(file, known)));
    let place = |cipher: &Cipher| ROWS.iter().position(|row| *row == cipher.name);
    let (mut own, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|cipher| place(cipher).is_some());
    own.sort_by_key(place);
    Ok(Ciphers { own, others })
}

/// The canonical name of a cipher that the library calls `name`, which mostly
/// ends in the key's bits.
pub(super) fn canonical(name: &str, key_bits: usize) -> String {
    let bits = key_bits.to_string();
    let family = if is_known(name) { name } else { name.strip_suffix(&bits).unwrap_or(name) };
    names::cipher(family, key_bits)
}

fn is_known(spelling: &str) -> bool {
    let wanted = names::normal_form(spelling);
    names::CIPHERS.iter().any(|(name, aliases)| {
        names::normal_form(name) == wanted
            || aliases.iter().any(|alias| names::normal_form(alias) == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nettle::call::contexts;
    use crate::nettle::file_for_tests;

    #[test]
    fn a_weak_key_is_refused() {
        let Some(file) = file_for_tests() else { return };
        let Ciphers { own, others } = all(&file).unwrap();
        let des = others.iter().find(|cipher| cipher.name == "des").unwrap();
        let aes = own.iter().find(|cipher| cipher.name == "aes128").unwrap();
        let ([context], _memory) = contexts([1024]);
        let check = |cipher: &Cipher, key: [u8; 16]| {
            // SAFETY: neither takes more key or context than there is.
            unsafe { cipher.check_key(context, key.as_ptr()) }
        };
        assert_eq!(check(des, [1; 16]), Err("nettle calls the key of des weak".to_owned()));
        assert_eq!(check(des, [0x13; 16].map(|byte| byte ^ 0x40)), Ok(()));
        assert_eq!(check(aes, [1; 16]), Ok(()));
    }

    #[test]
    fn every_name_of_the_librarys_becomes_canonical() {
        for (name, bits, expected) in [
            ("aes128", 128, "aes-128"),
            ("camellia192", 192, "camellia-192"),
            ("cast128", 128, "cast5-128"),
            ("blowfish", 128, "blowfish-128"),
            ("arctwo40", 40, "rc2-40"),
            ("arctwo_gutmann128", 128, "rc2-gutmann-128"),
            ("des3", 192, "3des"),
            ("des", 64, "des"),
            ("sm4", 128, "sm4"),
            ("arcfour", 128, "rc4-128"),
            ("salsa20r12", 256, "salsa20-12"),
        ] {
            assert_eq!(canonical(name, bits), expected);
        }
    }
}
