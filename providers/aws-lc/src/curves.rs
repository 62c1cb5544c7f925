//! Offers X25519, Ed25519, and ECDH and ECDSA on P-256, P-384 and P-521, which AWS-LC
//! inherited from BoringSSL; both libraries have the same functions.

use crate::c;
use cpb_model::{Contract, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareResult, call, call_with_key, key_line, worked,
};
use std::ffi::c_int;
use std::ptr;

/// Offers functions that take bytes.
pub(crate) const BYTES: &[Implementation] = &[
    key_line("x25519", Operation::Keygen, x25519_keygen),
    key_line("x25519", Operation::PublicKey, x25519_public),
    key_line("x25519", Operation::Agree, x25519_agree),
    key_line("ed25519", Operation::Keygen, ed25519_keygen),
    key_line("ed25519", Operation::PublicKey, ed25519_public),
    key_line("ed25519", Operation::Sign, ed25519_sign),
    key_line("ed25519", Operation::Verify, ed25519_verify),
];

macro_rules! curve {
    ($ecdh:literal, $ecdsa:literal, $curve:ident) => {
        [
            key_line($ecdh, Operation::Keygen, keygen::<$curve>),
            key_line($ecdh, Operation::PublicKey, public::<$curve>),
            key_line($ecdh, Operation::Agree, agree::<$curve>),
            key_line($ecdsa, Operation::Keygen, keygen::<$curve>),
            key_line($ecdsa, Operation::PublicKey, public::<$curve>),
            key_line($ecdsa, Operation::Sign, sign::<$curve>),
            key_line($ecdsa, Operation::Verify, verify::<$curve>),
        ]
    };
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = [
    curve!("ecdh-p256", "ecdsa-p256", P256),
    curve!("ecdh-p384", "ecdsa-p384", P384),
    curve!("ecdh-p521", "ecdsa-p521", P521),
]
.as_flattened();

/// A NIST curve, and the hash that goes with it (FIPS 186-5).
trait Curve: 'static {
    const NID: c_int;
    /// The bytes of a number.
    const BYTES: usize;
    const HASH: Hash;
}

struct P256;

impl Curve for P256 {
    const NID: c_int = c::NID_X9_62_prime256v1;
    const BYTES: usize = 32;
    const HASH: Hash = (c::SHA256, 32);
}

struct P384;

impl Curve for P384 {
    const NID: c_int = c::NID_secp384r1;
    const BYTES: usize = 48;
    const HASH: Hash = (c::SHA384, 48);
}

struct P521;

impl Curve for P521 {
    const NID: c_int = c::NID_secp521r1;
    const BYTES: usize = 66;
    const HASH: Hash = (c::SHA512, 64);
}

/// A function, and the length of its output.
type Hash = (unsafe extern "C" fn(*const u8, usize, *mut u8) -> *mut u8, usize);

fn x25519_keygen(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |_, out| {
        let (public, secret) = out.split_at_mut(32);
        // SAFETY: both have 32 bytes.
        unsafe { c::X25519_keypair(public.as_mut_ptr(), secret.as_mut_ptr()) };
        Ok(())
    }))
}

fn x25519_public(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, out| {
        let secret = case.bytes(Role::SecretKey).as_ptr();
        // SAFETY: both have 32 bytes.
        unsafe { c::X25519_public_from_private(out.as_mut_ptr(), secret) };
        Ok(())
    }))
}

fn x25519_agree(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, out| {
        let [secret, peer] = [Role::SecretKey, Role::PublicKey].map(|it| case.bytes(it).as_ptr());
        // SAFETY: all three have 32 bytes.
        worked(1 == unsafe { c::X25519(out.as_mut_ptr(), secret, peer) })
    }))
}

/// What signing needs: the seed and the public key.
type Pair = [u8; 64];

fn ed25519_pair(case: &Case) -> Result<(Pair, [u8; 32]), String> {
    let (mut pair, mut public) = ([0; 64], [0; 32]);
    let seed = case.bytes(Role::SecretKey).as_ptr();
    // SAFETY: public key and seed have 32 bytes, the pair has 64.
    unsafe { c::ED25519_keypair_from_seed(public.as_mut_ptr(), pair.as_mut_ptr(), seed) };
    Ok((pair, public))
}

fn ed25519_keygen(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |_, out| {
        let (public, seed) = out.split_at_mut(32);
        let mut pair: Pair = [0; 64];
        // SAFETY: the public key has 32 bytes, the pair has 64.
        unsafe { c::ED25519_keypair(public.as_mut_ptr(), pair.as_mut_ptr()) };
        seed.copy_from_slice(&pair[..32]);
        Ok(())
    }))
}

fn ed25519_public(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, out| {
        out.copy_from_slice(&ed25519_pair(case)?.1);
        Ok(())
    }))
}

fn ed25519_sign(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, ed25519_pair, |(pair, _), case, out| {
        let message = case.message.bytes();
        // SAFETY: the message is passed with its length, the pair and out have 64 bytes.
        let status = unsafe {
            c::ED25519_sign(out.as_mut_ptr(), message.as_ptr(), message.len(), pair.as_ptr())
        };
        worked(status == 1)
    })
}

fn ed25519_verify(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, _| {
        let message = case.message.bytes();
        let [key, signature] = [Role::PublicKey, Role::Signature].map(|it| case.bytes(it).as_ptr());
        // SAFETY: the message is passed with its length, signature and key have 64 and 32 bytes.
        worked(1 == unsafe { c::ED25519_verify(message.as_ptr(), message.len(), signature, key) })
    }))
}

/// An object made by the library, and the function that frees it.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Owned<T> {
    fn new(made: *mut T, free: unsafe extern "C" fn(*mut T)) -> Result<Self, String> {
        worked(!made.is_null()).map(|()| Self(made, free))
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: it is live, and the function is the one that frees such.
        unsafe { (self.1)(self.0) };
    }
}

type Key = Owned<c::EC_KEY>;

fn number(bytes: &[u8]) -> Result<Owned<c::BIGNUM>, String> {
    // SAFETY: the bytes are passed with their length; the null pointer makes it allocate a number.
    let made = unsafe { c::BN_bin2bn(bytes.as_ptr(), bytes.len(), ptr::null_mut()) };
    Owned::new(made, c::BN_free)
}

fn empty_key<C: Curve>() -> Result<Key, String> {
    // SAFETY: the function takes a number.
    Owned::new(unsafe { c::EC_KEY_new_by_curve_name(C::NID) }, c::EC_KEY_free)
}

fn empty_point(key: &Key) -> Result<Owned<c::EC_POINT>, String> {
    // SAFETY: the key is live, and its group with it.
    let made = unsafe { c::EC_POINT_new(c::EC_KEY_get0_group(key.0)) };
    Owned::new(made, c::EC_POINT_free)
}

fn secret_key<C: Curve>(case: &Case) -> Result<Key, String> {
    let (key, secret) = (empty_key::<C>()?, number(case.bytes(Role::SecretKey))?);
    // SAFETY: both are live; the number is copied.
    worked(1 == unsafe { c::EC_KEY_set_private_key(key.0, secret.0) })?;
    Ok(key)
}

/// Reads a point, and checks that it lies on the curve.
fn public_key<C: Curve>(case: &Case) -> Result<Key, String> {
    let key = empty_key::<C>()?;
    let (point, bytes) = (empty_point(&key)?, case.bytes(Role::PublicKey));
    // SAFETY: all are live, the bytes are passed with their length; the point is copied.
    let status = unsafe {
        let group = c::EC_KEY_get0_group(key.0);
        c::EC_POINT_oct2point(group, point.0, bytes.as_ptr(), bytes.len(), ptr::null_mut())
            & c::EC_KEY_set_public_key(key.0, point.0)
    };
    worked(status == 1)?;
    Ok(key)
}

/// Writes a point as bytes, uncompressed.
fn write_point(key: &Key, point: *const c::EC_POINT, out: &mut [u8]) -> Result<(), String> {
    let form = c::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED;
    // SAFETY: all are live, and out is passed with its length.
    let written = unsafe {
        let group = c::EC_KEY_get0_group(key.0);
        c::EC_POINT_point2oct(group, point, form, out.as_mut_ptr(), out.len(), ptr::null_mut())
    };
    worked(written == out.len())
}

fn write_number(number: *const c::BIGNUM, out: &mut [u8]) -> Result<(), String> {
    // SAFETY: the number is live, and out is passed with its length.
    worked(1 == unsafe { c::BN_bn2bin_padded(out.as_mut_ptr(), out.len(), number) })
}

fn keygen<C: Curve>(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |_, out| {
        let key = empty_key::<C>()?;
        // SAFETY: the key is live.
        worked(1 == unsafe { c::EC_KEY_generate_key(key.0) })?;
        let (public, secret) = out.split_at_mut(1 + 2 * C::BYTES);
        // SAFETY: what the key has lives as long as it.
        let (point, number) =
            unsafe { (c::EC_KEY_get0_public_key(key.0), c::EC_KEY_get0_private_key(key.0)) };
        write_point(&key, point, public)?;
        write_number(number, secret)
    }))
}

fn public<C: Curve>(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, secret_key::<C>, |key, _, out| {
        let point = empty_point(key)?;
        let (none, context) = (ptr::null(), ptr::null_mut());
        // SAFETY: all are live; without a second point, the number multiplies the generator.
        let status = unsafe {
            let group = c::EC_KEY_get0_group(key.0);
            let secret = c::EC_KEY_get0_private_key(key.0);
            c::EC_POINT_mul(group, point.0, secret, none, ptr::null(), context)
        };
        worked(status == 1)?;
        write_point(key, point.0, out)
    })
}

fn agree<C: Curve>(contract: Contract, inputs: Inputs) -> PrepareResult {
    let keys = |case: &Case| Ok((secret_key::<C>(case)?, public_key::<C>(case)?));
    call_with_key(contract, inputs, keys, |(secret, peer), _, out| {
        // SAFETY: both keys are live, and out is passed with its length; without a function, the
        // output is the plain x coordinate.
        let written = unsafe {
            let point = c::EC_KEY_get0_public_key(peer.0);
            c::ECDH_compute_key(out.as_mut_ptr().cast(), out.len(), point, secret.0, None)
        };
        worked(usize::try_from(written) == Ok(out.len()))
    })
}

/// Hashes the message; the buffer has room for the longest digest.
fn digest<C: Curve>(message: &[u8]) -> ([u8; 64], usize) {
    let (mut digest, (hash, bytes)) = ([0; 64], C::HASH);
    // SAFETY: the message is passed with its length, no digest is longer than 64 bytes.
    unsafe { hash(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
    (digest, bytes)
}

fn sign<C: Curve>(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, secret_key::<C>, |key, case, out| {
        let (digest, bytes) = digest::<C>(case.message.bytes());
        // SAFETY: the key is live, the digest is passed with its length.
        let made = unsafe { c::ECDSA_do_sign(digest.as_ptr(), bytes, key.0) };
        let signature = Owned::new(made, c::ECDSA_SIG_free)?;
        let [mut r, mut s] = [ptr::null(); 2];
        // SAFETY: the signature is live, and its numbers with it.
        unsafe { c::ECDSA_SIG_get0(signature.0, &mut r, &mut s) };
        let (front, behind) = out.split_at_mut(C::BYTES);
        write_number(r, front)?;
        write_number(s, behind)
    })
}

fn verify<C: Curve>(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, public_key::<C>, |key, case, _| {
        let (digest, bytes) = digest::<C>(case.message.bytes());
        let (r, s) = case.bytes(Role::Signature).split_at(C::BYTES);
        let (r, s) = (number(r)?, number(s)?);
        // SAFETY: the function takes nothing.
        let signature = Owned::new(unsafe { c::ECDSA_SIG_new() }, c::ECDSA_SIG_free)?;
        // SAFETY: all three are live; the signature takes the numbers over, where it says so.
        worked(1 == unsafe { c::ECDSA_SIG_set0(signature.0, r.0, s.0) })?;
        std::mem::forget((r, s));
        // SAFETY: all are live, the digest is passed with its length.
        let status = unsafe { c::ECDSA_do_verify(digest.as_ptr(), bytes, signature.0, key.0) };
        worked(status == 1)
    })
}
