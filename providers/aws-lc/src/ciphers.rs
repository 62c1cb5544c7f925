//! Offers the ciphers and AEADs that AWS-LC inherited from BoringSSL; both libraries have
//! the same functions.

use crate::c;
use cpb_model::{Contract, LengthRange, Lengths, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareResult, call, call_with_key, line, worked,
};
use std::ffi::c_int;
use std::ptr;

type Cipher = unsafe extern "C" fn() -> *const c::EVP_CIPHER;
type Init = unsafe extern "C" fn(
    *mut c::EVP_CIPHER_CTX,
    *const c::EVP_CIPHER,
    *mut c::ENGINE,
    *const u8,
    *const u8,
) -> c_int;
type Update =
    unsafe extern "C" fn(*mut c::EVP_CIPHER_CTX, *mut u8, *mut c_int, *const u8, c_int) -> c_int;
type Aead = unsafe extern "C" fn() -> *const c::EVP_AEAD;

const TAG: usize = 16;

macro_rules! aead {
    ($name:literal, $aead:ident, $key:literal, $nonce:literal) => {
        [
            line($name, Operation::Seal, aead_lengths($key, $nonce), |contract, inputs| {
                seal(c::$aead, contract, inputs)
            }),
            line($name, Operation::Open, aead_lengths($key, $nonce), |contract, inputs| {
                open(c::$aead, contract, inputs)
            }),
        ]
    };
}

macro_rules! cipher {
    ($name:literal, $cipher:ident, $key:literal, $block:literal) => {
        [
            line($name, Operation::Encrypt, cipher_lengths($key, $block), |contract, inputs| {
                let directions = (c::EVP_EncryptInit_ex as Init, c::EVP_EncryptUpdate as Update);
                cipher(c::$cipher, directions, contract, inputs)
            }),
            line($name, Operation::Decrypt, cipher_lengths($key, $block), |contract, inputs| {
                let directions = (c::EVP_DecryptInit_ex as Init, c::EVP_DecryptUpdate as Update);
                cipher(c::$cipher, directions, contract, inputs)
            }),
        ]
    };
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = [
    cipher!("aes-128-ctr", EVP_aes_128_ctr, 16, 1),
    cipher!("aes-192-ctr", EVP_aes_192_ctr, 24, 1),
    cipher!("aes-256-ctr", EVP_aes_256_ctr, 32, 1),
    cipher!("aes-128-cbc", EVP_aes_128_cbc, 16, 16),
    cipher!("aes-192-cbc", EVP_aes_192_cbc, 24, 16),
    cipher!("aes-256-cbc", EVP_aes_256_cbc, 32, 16),
    aead!("chacha20-poly1305", EVP_aead_chacha20_poly1305, 32, 12),
    aead!("xchacha20-poly1305", EVP_aead_xchacha20_poly1305, 32, 24),
    aead!("aes-128-gcm", EVP_aead_aes_128_gcm, 16, 12),
    aead!("aes-192-gcm", EVP_aead_aes_192_gcm, 24, 12),
    aead!("aes-256-gcm", EVP_aead_aes_256_gcm, 32, 12),
    aead!("aes-128-gcm-siv", EVP_aead_aes_128_gcm_siv, 16, 12),
    aead!("aes-256-gcm-siv", EVP_aead_aes_256_gcm_siv, 32, 12),
]
.as_flattened();

/// Both directions are the same.
pub(crate) const CHACHA20: &[Implementation] =
    &[line("chacha20", Operation::Encrypt, Implementation::stream(32, 12), |_, inputs| {
        Ok(call(inputs, |case, out| {
            // SAFETY: key and nonce have the lengths named above, out that
            // of the message.
            unsafe {
                c::CRYPTO_chacha_20(
                    out.as_mut_ptr(),
                    case.message.bytes().as_ptr(),
                    out.len(),
                    case.bytes(Role::Key).as_ptr(),
                    case.bytes(Role::Nonce).as_ptr(),
                    0,
                );
            }
            Ok(())
        }))
    })];

const fn aead_lengths(key: usize, nonce: usize) -> Lengths {
    Lengths { nonce: LengthRange::fixed(nonce), ..Implementation::aead(key) }
}

const fn cipher_lengths(key: usize, block: usize) -> Lengths {
    Lengths { granularity: block, ..Implementation::stream(key, 16) }
}

struct CipherContext(*mut c::EVP_CIPHER_CTX);

impl Drop for CipherContext {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new, and not freed before.
        unsafe { c::EVP_CIPHER_CTX_free(self.0) };
    }
}

/// Processes whole blocks, without padding.
fn cipher(
    cipher: Cipher,
    (init, update): (Init, Update),
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let key = move |case: &Case| {
        // SAFETY: the functions take nothing, or the cipher and a key of its length.
        unsafe {
            let context = CipherContext(c::EVP_CIPHER_CTX_new());
            worked(!context.0.is_null())?;
            let key = case.bytes(Role::Key).as_ptr();
            worked(1 == init(context.0, cipher(), ptr::null_mut(), key, ptr::null()))?;
            worked(1 == c::EVP_CIPHER_CTX_set_padding(context.0, 0))?;
            Ok(context)
        }
    };
    call_with_key(contract, inputs, key, move |context, case, out| {
        let text = case.message.bytes();
        let (nonce, none) = (case.bytes(Role::Nonce).as_ptr(), ptr::null_mut());
        let length = c_int::try_from(text.len()).map_err(|_| "the text is too long".to_owned())?;
        let mut written = 0;
        // SAFETY: the context has a key, the nonce its length, and out has that of the text.
        let status = unsafe {
            init(context.0, ptr::null(), none, ptr::null(), nonce)
                & update(context.0, out.as_mut_ptr(), &mut written, text.as_ptr(), length)
        };
        worked(status == 1 && written == length)
    })
}

/// A keyed AEAD context.
struct Keyed(*mut c::EVP_AEAD_CTX);

impl Keyed {
    fn new(aead: *const c::EVP_AEAD, key: &[u8]) -> Result<Self, String> {
        // SAFETY: the key is as long as it is said to be.
        let context = unsafe { c::EVP_AEAD_CTX_new(aead, key.as_ptr(), key.len(), TAG) };
        if context.is_null() { Err("the key is refused".to_owned()) } else { Ok(Self(context)) }
    }

    fn seal(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8]) -> bool {
        let mut length = 0;
        // SAFETY: the context is live, and every pointer is passed with its length.
        1 == unsafe {
            c::EVP_AEAD_CTX_seal(
                self.0,
                out.as_mut_ptr(),
                &mut length,
                out.len(),
                nonce.as_ptr(),
                nonce.len(),
                text.as_ptr(),
                text.len(),
                aad.as_ptr(),
                aad.len(),
            )
        }
    }

    fn open(&self, nonce: &[u8], aad: &[u8], [text, tag]: [&[u8]; 2], out: &mut [u8]) -> bool {
        // SAFETY: the context is live, every pointer is passed with its length, and out is as
        // long as the text.
        1 == unsafe {
            c::EVP_AEAD_CTX_open_gather(
                self.0,
                out.as_mut_ptr(),
                nonce.as_ptr(),
                nonce.len(),
                text.as_ptr(),
                text.len(),
                tag.as_ptr(),
                tag.len(),
                aad.as_ptr(),
                aad.len(),
            )
        }
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        // SAFETY: made by EVP_AEAD_CTX_new, and not freed before.
        unsafe { c::EVP_AEAD_CTX_free(self.0) };
    }
}

fn seal(aead: Aead, contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, aead_key(aead), |key, case, out| {
        let text = case.message.bytes();
        worked(key.seal(case.bytes(Role::Nonce), case.bytes(Role::Aad), text, out))
    })
}

fn open(aead: Aead, contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, aead_key(aead), |key, case, out| {
        let sealed = [case.message.bytes(), case.bytes(Role::Tag)];
        worked(key.open(case.bytes(Role::Nonce), case.bytes(Role::Aad), sealed, out))
    })
}

fn aead_key(aead: Aead) -> impl Fn(&Case) -> Result<Keyed, String> {
    // SAFETY: the function takes nothing.
    let aead = unsafe { aead() };
    move |case| Keyed::new(aead, case.bytes(Role::Key))
}
