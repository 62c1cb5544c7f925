//! Key pairs (EVP_PKEY): since 3.0, where keys are made of bytes by the names of their
//! types. What a type's bytes are is the catalogue's matter (`cpb_provider::scheme`).

mod agree;
mod der;
mod encrypt;
mod generate;
mod halves;
mod kem;
mod offers;
mod shared;
mod sign;
mod sign_whole;

use halves::{Form, Half};
pub(super) use offers::{digest, entries};
pub(super) use shared::{SharedKeys, has_keys};

use super::functions::{
    Digest, DigestContext, Failed, Functions, LibraryContext, Parameter, check, opaque,
};
use crate::runtime::{Owned, Task, symbols, turns};
use crate::{Inputs, Made, PrepareError};
use cpb_model::{Contract, Operation, Role};
use cpb_provider::Case;
use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::ptr;

opaque! {
    Key KeyContext Number NumberContext Group Point OldKey
}

symbols! {
    /// Key pairs, and what is done with them.
    Keys {
        raw_secret: "EVP_PKEY_new_raw_private_key_ex"
            => (LibraryContext, *const c_char, *const c_char, *const u8, usize) -> *mut Key;
        raw_public: "EVP_PKEY_new_raw_public_key_ex"
            => (LibraryContext, *const c_char, *const c_char, *const u8, usize) -> *mut Key;
        rsa_secret: "d2i_PrivateKey"
            => (c_int, *mut *mut Key, *mut *const u8, c_long) -> *mut Key;
        rsa_public: "d2i_PublicKey"
            => (c_int, *mut *mut Key, *mut *const u8, c_long) -> *mut Key;
        write_rsa_secret: "i2d_PrivateKey" => (*const Key, *mut *mut u8) -> c_int;
        write_rsa_public: "i2d_PublicKey" => (*const Key, *mut *mut u8) -> c_int;
        write_raw_secret: "EVP_PKEY_get_raw_private_key"
            => (*const Key, *mut u8, *mut usize) -> c_int;
        write_raw_public: "EVP_PKEY_get_raw_public_key"
            => (*const Key, *mut u8, *mut usize) -> c_int;
        number_of: "EVP_PKEY_get_bn_param" => (*const Key, *const c_char, *mut *mut Number) -> c_int;
        octets_of: "EVP_PKEY_get_octet_string_param"
            => (*const Key, *const c_char, *mut u8, usize, *mut usize) -> c_int;
        free: "EVP_PKEY_free" => (*mut Key);
        hold: "EVP_PKEY_up_ref" => (*mut Key) -> c_int;
        context_by_name: "EVP_PKEY_CTX_new_from_name"
            => (LibraryContext, *const c_char, *const c_char) -> *mut KeyContext;
        context_of: "EVP_PKEY_CTX_new_from_pkey"
            => (LibraryContext, *mut Key, *const c_char) -> *mut KeyContext;
        free_context: "EVP_PKEY_CTX_free" => (*mut KeyContext);
        set: "EVP_PKEY_CTX_set_params" => (*mut KeyContext, *const Parameter) -> c_int;
        begin_data: "EVP_PKEY_fromdata_init" => (*mut KeyContext) -> c_int;
        of_data: "EVP_PKEY_fromdata"
            => (*mut KeyContext, *mut *mut Key, c_int, *const Parameter) -> c_int;
        begin_generating: "EVP_PKEY_keygen_init" => (*mut KeyContext) -> c_int;
        generate: "EVP_PKEY_generate" => (*mut KeyContext, *mut *mut Key) -> c_int;
        begin_deriving: "EVP_PKEY_derive_init" => (*mut KeyContext) -> c_int;
        set_peer: "EVP_PKEY_derive_set_peer" => (*mut KeyContext, *mut Key) -> c_int;
        derive: "EVP_PKEY_derive" => (*mut KeyContext, *mut u8, *mut usize) -> c_int;
        begin_signing: "EVP_PKEY_sign_init" => (*mut KeyContext) -> c_int;
        sign: "EVP_PKEY_sign"
            => (*mut KeyContext, *mut u8, *mut usize, *const u8, usize) -> c_int;
        begin_verifying: "EVP_PKEY_verify_init" => (*mut KeyContext) -> c_int;
        verify: "EVP_PKEY_verify"
            => (*mut KeyContext, *const u8, usize, *const u8, usize) -> c_int;
        begin_signing_whole: "EVP_DigestSignInit_ex"
            => (*mut DigestContext, *mut *mut KeyContext, *const c_char, LibraryContext,
                *const c_char, *mut Key, *const Parameter) -> c_int;
        sign_whole: "EVP_DigestSign"
            => (*mut DigestContext, *mut u8, *mut usize, *const u8, usize) -> c_int;
        begin_verifying_whole: "EVP_DigestVerifyInit_ex"
            => (*mut DigestContext, *mut *mut KeyContext, *const c_char, LibraryContext,
                *const c_char, *mut Key, *const Parameter) -> c_int;
        verify_whole: "EVP_DigestVerify"
            => (*mut DigestContext, *const u8, usize, *const u8, usize) -> c_int;
        begin_encapsulating: "EVP_PKEY_encapsulate_init"
            => (*mut KeyContext, *const Parameter) -> c_int;
        encapsulate: "EVP_PKEY_encapsulate"
            => (*mut KeyContext, *mut u8, *mut usize, *mut u8, *mut usize) -> c_int;
        begin_decapsulating: "EVP_PKEY_decapsulate_init"
            => (*mut KeyContext, *const Parameter) -> c_int;
        decapsulate: "EVP_PKEY_decapsulate"
            => (*mut KeyContext, *mut u8, *mut usize, *const u8, usize) -> c_int;
        begin_encrypting: "EVP_PKEY_encrypt_init" => (*mut KeyContext) -> c_int;
        encrypt: "EVP_PKEY_encrypt"
            => (*mut KeyContext, *mut u8, *mut usize, *const u8, usize) -> c_int;
        begin_decrypting: "EVP_PKEY_decrypt_init" => (*mut KeyContext) -> c_int;
        decrypt: "EVP_PKEY_decrypt"
            => (*mut KeyContext, *mut u8, *mut usize, *const u8, usize) -> c_int;
        number: "BN_bin2bn" => (*const u8, c_int, *mut Number) -> *mut Number;
        write_number: "BN_bn2binpad" => (*const Number, *mut u8, c_int) -> c_int;
        free_number: "BN_free" => (*mut Number);
        dh: "DH_new_by_nid" => (c_int) -> *mut OldKey;
        free_dh: "DH_free" => (*mut OldKey);
        set_dh: "DH_set0_key" => (*mut OldKey, *mut Number, *mut Number) -> c_int;
        generate_dh: "DH_generate_key" => (*mut OldKey) -> c_int;
        public_dh: "DH_get0_pub_key" => (*const OldKey) -> *const Number;
        number_context: "BN_CTX_new" => () -> *mut NumberContext;
        free_number_context: "BN_CTX_free" => (*mut NumberContext);
        object: "OBJ_txt2nid" => (*const c_char) -> c_int;
        group: "EC_GROUP_new_by_curve_name" => (c_int) -> *mut Group;
        free_group: "EC_GROUP_free" => (*mut Group);
        point: "EC_POINT_new" => (*const Group) -> *mut Point;
        free_point: "EC_POINT_free" => (*mut Point);
        multiply: "EC_POINT_mul"
            => (*const Group, *mut Point, *const Number, *const Point, *const Number,
                *mut NumberContext) -> c_int;
        write_point: "EC_POINT_point2oct"
            => (*const Group, *const Point, c_int, *mut u8, usize, *mut NumberContext) -> usize;
    }
}

/// What is done with a key pair, and in which manner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Agreement,
    Kem,
    /// Signatures of the message's digest by this hash.
    Hashed(&'static str),
    /// The same with RSA's paddings, by SHA-256.
    Pkcs1,
    Pss,
    /// Encryption with RSA's padding, by SHA-256.
    Oaep,
    /// Signatures of the message itself.
    Whole,
    /// The same, which would draw randomness if it were not told otherwise.
    WholeWithChance,
}

/// What a call is made of.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    /// Of the keys' type, or of their curve.
    name: &'static str,
    form: Form,
    manner: Manner,
    operation: Operation,
    /// Null where the message is not hashed first.
    digest: *const Digest,
}

pub(super) fn prepare(
    functions: &Functions,
    keys: Option<Keys>,
    shared: Option<&SharedKeys>,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let refused = || PrepareError::Unavailable("this OpenSSL has no keys by name".to_owned());
    let keys = keys.ok_or_else(refused)?;
    let asked = Asked { functions, keys, shared, recipe, contract, inputs };
    match (recipe.operation, recipe.manner) {
        (Operation::Keygen, _) => generate::prepare(asked),
        (Operation::PublicKey, _) => agree::prepare_public_key(asked),
        (Operation::Encapsulate, _) => kem::prepare_encapsulation(asked),
        (Operation::Decapsulate, _) => kem::prepare_decapsulation(asked),
        (_, Manner::Whole | Manner::WholeWithChance) => sign_whole::prepare(asked),
        (Operation::Sign | Operation::Verify, _) => sign::prepare(asked),
        (_, Manner::Oaep) => encrypt::prepare(asked),
        _ => agree::prepare_agreement(asked),
    }
}

/// A call that is to be made ready.
struct Asked<'a> {
    functions: &'a Functions,
    keys: Keys,
    /// Where calls have key objects in common.
    shared: Option<&'a SharedKeys>,
    recipe: &'a Recipe,
    contract: Contract,
    inputs: Inputs,
}

impl Asked<'_> {
    /// One that does `task`.
    fn turns(self, task: impl Task<Failure = Failed> + 'static) -> Made {
        turns(self.functions.core, task, self.contract, self.inputs)
    }

    /// The secret halves of all cases.
    fn secrets(&self) -> Vec<Half> {
        let half = |case: &Case| {
            let bytes = case.bytes(Role::SecretKey);
            let half = Half::new(self.recipe.form, self.recipe.name, bytes, |list| {
                list.big_number(c"priv", bytes)
            });
            self.in_common(half, bytes, Keys::read_secret)
        };
        self.inputs.cases.iter().map(half).collect()
    }

    /// The public halves of all cases.
    fn publics(&self) -> Vec<Half> {
        let half = |case: &Case| {
            let bytes = case.bytes(Role::PublicKey);
            let form = self.recipe.form;
            let half = Half::new(form, self.recipe.name, bytes, |list| match form {
                Form::Group => list.big_number(c"pub", bytes),
                _ => list.bytes(c"pub", bytes),
            });
            self.in_common(half, bytes, Keys::read_public)
        };
        self.inputs.cases.iter().map(half).collect()
    }
}

/// A context in which something has begun, before the key that it points to.
struct Begun {
    context: Owned<KeyContext>,
    _key: Owned<Key>,
}

/// Text of a table, which has no zero in it.
pub(super) fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

impl Keys {
    /// # Safety
    /// A `key` that is not null is live and nobody else's.
    #[inline(always)]
    pub(super) unsafe fn own(&self, key: *mut Key) -> Result<Owned<Key>, Failed> {
        // SAFETY: the key is null, or live and nobody else's; free is its type's.
        unsafe { Owned::new(key, self.free) }.ok_or(Failed)
    }

    /// The same key once more.
    #[inline(always)]
    pub(super) fn again(&self, key: &Owned<Key>) -> Result<Owned<Key>, Failed> {
        // SAFETY: the key is live; it is held once more, and that is given to an owner.
        unsafe {
            check((self.hold)(key.pointer()))?;
            self.own(key.pointer())
        }
    }

    pub(super) fn context_by_name(&self, name: &CStr) -> Result<Owned<KeyContext>, Failed> {
        // SAFETY: the name ends in a zero; what is returned is ours to free.
        unsafe {
            let context = (self.context_by_name)(ptr::null_mut(), name.as_ptr(), ptr::null());
            Owned::new(context, self.free_context).ok_or(Failed)
        }
    }

    #[inline(always)]
    pub(super) fn context_of(&self, key: &Owned<Key>) -> Result<Owned<KeyContext>, Failed> {
        // SAFETY: the key is live; what is returned is ours to free.
        unsafe {
            let context = (self.context_of)(ptr::null_mut(), key.pointer(), ptr::null());
            Owned::new(context, self.free_context).ok_or(Failed)
        }
    }

    /// A context of `key` that `begin` was called with.
    #[inline(always)]
    fn begun(
        &self,
        key: Owned<Key>,
        begin: impl FnOnce(*mut KeyContext) -> c_int,
    ) -> Result<Begun, Failed> {
        let context = self.context_of(&key)?;
        check(begin(context.pointer()))?;
        Ok(Begun { context, _key: key })
    }
}
