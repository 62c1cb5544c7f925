//! Halves of key pairs: made of bytes, and written as such.

use super::{Key, Keys, c_text};
use crate::openssl::functions::{Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::Owned;
use std::ffi::{CStr, CString, c_int, c_long};
use std::ptr;

/// What kind of keys, and so how they are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Bytes as they are.
    Raw,
    /// A number and a point on the curve of this name.
    Curve,
    /// Two numbers, of the finite-field group of this name.
    Group,
    /// PKCS #1 in DER.
    Rsa,
}

impl Form {
    /// What libcrypto calls keys that are numbers of a group or curve.
    pub(super) fn of_numbers(self) -> &'static CStr {
        if self == Form::Group { c"DH" } else { c"EC" }
    }
}

/// `EVP_PKEY_RSA`.
const RSA: c_int = 6;
/// `EVP_PKEY_KEYPAIR` and `EVP_PKEY_PUBLIC_KEY`.
const KEY_PAIR: c_int = 0x87;
const PUBLIC_KEY: c_int = 0x86;

/// One half of a key pair in bytes, as a caller has it who is about to make a key of it.
pub(super) enum Half {
    Raw {
        name: CString,
        bytes: Vec<u8>,
    },
    Numbers {
        name: &'static CStr,
        parameters: Parameters,
    },
    Rsa {
        bytes: Vec<u8>,
    },
    /// A key already, which others have, too.
    Shared(Owned<Key>),
}

impl Half {
    pub(super) fn new(
        form: Form,
        name: &str,
        bytes: &[u8],
        with: impl FnOnce(Parameters) -> Parameters,
    ) -> Self {
        let bytes = bytes.to_vec();
        match form {
            Form::Raw => Half::Raw { name: c_text(name), bytes },
            Form::Rsa => Half::Rsa { bytes },
            Form::Curve | Form::Group => Half::Numbers {
                name: form.of_numbers(),
                parameters: with(Parameters::new().text(c"group", name)),
            },
        }
    }
}

/// Writes what `write` makes of `key`, and returns how long it is: without room for it, it
/// says so.
fn write_der(
    write: unsafe extern "C" fn(*const Key, *mut *mut u8) -> c_int,
    key: &Owned<Key>,
    output: &mut [u8],
) -> Result<usize, Failed> {
    // SAFETY: the key is live; null asks for the length alone.
    let length = unsafe { write(key.pointer(), ptr::null_mut()) };
    let length = usize::try_from(length).map_err(|_| Failed)?;
    let mut at =
        output.get_mut(..length).filter(|room| !room.is_empty()).ok_or(Failed)?.as_mut_ptr();
    // SAFETY: the key is live, and there is room for as much as it said.
    let written = unsafe { write(key.pointer(), &raw mut at) };
    if usize::try_from(written) == Ok(length) { Ok(length) } else { Err(Failed) }
}

impl Keys {
    /// A key of the secret half.
    pub(super) fn read_secret(&self, half: &Half) -> Result<Owned<Key>, Failed> {
        // SAFETY: bytes and names are as long as stated and live as long as the call.
        unsafe {
            match half {
                Half::Shared(key) => self.again(key),
                Half::Raw { name, bytes } => self.own((self.raw_secret)(
                    ptr::null_mut(),
                    name.as_ptr(),
                    ptr::null(),
                    bytes.as_ptr(),
                    bytes.len(),
                )),
                Half::Numbers { name, parameters } => self.of_numbers(name, KEY_PAIR, parameters),
                Half::Rsa { bytes } => {
                    let (mut at, length) = (bytes.as_ptr(), bytes.len() as c_long);
                    self.own((self.rsa_secret)(RSA, ptr::null_mut(), &raw mut at, length))
                }
            }
        }
    }

    /// A key of the public half.
    pub(super) fn read_public(&self, half: &Half) -> Result<Owned<Key>, Failed> {
        // SAFETY: bytes and names are as long as stated and live as long as the call.
        unsafe {
            match half {
                Half::Shared(key) => self.again(key),
                Half::Raw { name, bytes } => self.own((self.raw_public)(
                    ptr::null_mut(),
                    name.as_ptr(),
                    ptr::null(),
                    bytes.as_ptr(),
                    bytes.len(),
                )),
                Half::Numbers { name, parameters } => self.of_numbers(name, PUBLIC_KEY, parameters),
                Half::Rsa { bytes } => {
                    let (mut at, length) = (bytes.as_ptr(), bytes.len() as c_long);
                    self.own((self.rsa_public)(RSA, ptr::null_mut(), &raw mut at, length))
                }
            }
        }
    }

    fn of_numbers(
        &self,
        name: &CStr,
        selection: c_int,
        parameters: &Parameters,
    ) -> Result<Owned<Key>, Failed> {
        let context = self.context_by_name(name)?;
        let mut key = ptr::null_mut();
        // SAFETY: the context is live, there is room for a key, and the list ends as lists
        // must.
        unsafe {
            check((self.begin_data)(context.pointer()))?;
            let list = parameters.pointer();
            check((self.of_data)(context.pointer(), &raw mut key, selection, list))?;
            self.own(key)
        }
    }

    /// Writes the public half of `key`, and returns how long it is.
    #[inline(always)]
    pub(super) fn write_public(
        &self,
        form: Form,
        key: &Owned<Key>,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        if form == Form::Rsa {
            return write_der(self.write_rsa_public, key, output);
        }
        let (at, room, mut length) = (output.as_mut_ptr(), output.len(), output.len());
        // SAFETY: the key is live, and the output has this room.
        check(unsafe {
            match form {
                Form::Curve => {
                    (self.octets_of)(key.pointer(), c"pub".as_ptr(), at, room, &raw mut length)
                }
                Form::Group => {
                    let name = c"encoded-pub-key".as_ptr();
                    (self.octets_of)(key.pointer(), name, at, room, &raw mut length)
                }
                _ => (self.write_raw_public)(key.pointer(), at, &raw mut length),
            }
        })?;
        Ok(length)
    }

    /// Writes the secret half of `key`, of so many bytes.
    #[inline(always)]
    pub(super) fn write_secret(
        &self,
        form: Form,
        key: &Owned<Key>,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        if form == Form::Rsa {
            return write_der(self.write_rsa_secret, key, output);
        }
        let mut length = output.len();
        // SAFETY: the key is live, and the output has this room; the number is ours to free.
        unsafe {
            if !matches!(form, Form::Curve | Form::Group) {
                let write = self.write_raw_secret;
                check(write(key.pointer(), output.as_mut_ptr(), &raw mut length))?;
                return Ok(length);
            }
            let mut number = ptr::null_mut();
            check((self.number_of)(key.pointer(), c"priv".as_ptr(), &raw mut number))?;
            let number = Owned::new(number, self.free_number).ok_or(Failed)?;
            let room = length as c_int;
            let written = (self.write_number)(number.pointer(), output.as_mut_ptr(), room);
            if written == room { Ok(length) } else { Err(Failed) }
        }
    }
}
