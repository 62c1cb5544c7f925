//! X25519, Ed25519, and ECDH and ECDSA on P-256.

use aws_lc_sys as c;
use cpb_model::{Contract, Operation, Role};
use cpb_provider::{Case, Implementation, Inputs, Made, call, call_with_key, worked};
use std::ptr;

const fn line(
    primitive: &'static str,
    operation: Operation,
    ready: fn(Contract, Inputs) -> Made,
) -> Implementation {
    Implementation { primitive, operation, lengths: Implementation::NONE, ready }
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    line("x25519", Operation::Keygen, x25519_keygen),
    line("x25519", Operation::PublicKey, x25519_public),
    line("x25519", Operation::Agree, x25519_agree),
    line("ed25519", Operation::Keygen, ed25519_keygen),
    line("ed25519", Operation::PublicKey, ed25519_public),
    line("ed25519", Operation::Sign, ed25519_sign),
    line("ed25519", Operation::Verify, ed25519_verify),
    line("ecdh-p256", Operation::Keygen, p256_keygen),
    line("ecdh-p256", Operation::PublicKey, p256_public),
    line("ecdh-p256", Operation::Agree, p256_agree),
    line("ecdsa-p256", Operation::Keygen, p256_keygen),
    line("ecdsa-p256", Operation::PublicKey, p256_public),
    line("ecdsa-p256", Operation::Sign, p256_sign),
    line("ecdsa-p256", Operation::Verify, p256_verify),
];

fn x25519_keygen(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |_, out| {
        let (public, secret) = out.split_at_mut(32);
        // SAFETY: both have 32 bytes.
        unsafe { c::X25519_keypair(public.as_mut_ptr(), secret.as_mut_ptr()) };
        Ok(())
    }))
}

fn x25519_public(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |case, out| {
        let secret = case.bytes(Role::SecretKey).as_ptr();
        // SAFETY: both have 32 bytes.
        unsafe { c::X25519_public_from_private(out.as_mut_ptr(), secret) };
        Ok(())
    }))
}

fn x25519_agree(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |case, out| {
        let [secret, peer] = [Role::SecretKey, Role::PublicKey].map(|it| case.bytes(it).as_ptr());
        // SAFETY: all three have 32 bytes.
        worked(1 == unsafe { c::X25519(out.as_mut_ptr(), secret, peer) })
    }))
}

/// What AWS-LC signs with: the seed and the public key.
type Pair = [u8; 64];

fn ed25519_pair(case: &Case) -> Result<(Pair, [u8; 32]), String> {
    let (mut pair, mut public) = ([0; 64], [0; 32]);
    let seed = case.bytes(Role::SecretKey).as_ptr();
    // SAFETY: public key and seed have 32 bytes, the pair has 64.
    unsafe { c::ED25519_keypair_from_seed(public.as_mut_ptr(), pair.as_mut_ptr(), seed) };
    Ok((pair, public))
}

fn ed25519_keygen(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |_, out| {
        let (public, seed) = out.split_at_mut(32);
        let mut pair: Pair = [0; 64];
        // SAFETY: the public key has 32 bytes, the pair has 64.
        unsafe { c::ED25519_keypair(public.as_mut_ptr(), pair.as_mut_ptr()) };
        seed.copy_from_slice(&pair[..32]);
        Ok(())
    }))
}

fn ed25519_public(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |case, out| {
        out.copy_from_slice(&ed25519_pair(case)?.1);
        Ok(())
    }))
}

fn ed25519_sign(contract: Contract, inputs: Inputs) -> Made {
    call_with_key(contract, inputs, ed25519_pair, |(pair, _), case, out| {
        let message = case.message.bytes();
        // SAFETY: the message goes with its length, the pair and out have 64 bytes.
        let status = unsafe {
            c::ED25519_sign(out.as_mut_ptr(), message.as_ptr(), message.len(), pair.as_ptr())
        };
        worked(status == 1)
    })
}

fn ed25519_verify(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |case, _| {
        let message = case.message.bytes();
        let [key, signature] = [Role::PublicKey, Role::Signature].map(|it| case.bytes(it).as_ptr());
        // SAFETY: the message goes with its length, signature and key have 64 and 32 bytes.
        worked(1 == unsafe { c::ED25519_verify(message.as_ptr(), message.len(), signature, key) })
    }))
}

/// What AWS-LC made, and how it is freed.
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
    // SAFETY: the bytes go with their length; without a third a number is made.
    let made = unsafe { c::BN_bin2bn(bytes.as_ptr(), bytes.len(), ptr::null_mut()) };
    Owned::new(made, c::BN_free)
}

fn empty_key() -> Result<Key, String> {
    // SAFETY: the function takes a number.
    Owned::new(unsafe { c::EC_KEY_new_by_curve_name(c::NID_X9_62_prime256v1) }, c::EC_KEY_free)
}

fn empty_point(key: &Key) -> Result<Owned<c::EC_POINT>, String> {
    // SAFETY: the key is live, and its group with it.
    let made = unsafe { c::EC_POINT_new(c::EC_KEY_get0_group(key.0)) };
    Owned::new(made, c::EC_POINT_free)
}

fn secret_key(case: &Case) -> Result<Key, String> {
    let (key, secret) = (empty_key()?, number(case.bytes(Role::SecretKey))?);
    // SAFETY: both are live; the number is copied.
    worked(1 == unsafe { c::EC_KEY_set_private_key(key.0, secret.0) })?;
    Ok(key)
}

/// A point, which AWS-LC holds against the equation of the curve.
fn public_key(case: &Case) -> Result<Key, String> {
    let key = empty_key()?;
    let (point, bytes) = (empty_point(&key)?, case.bytes(Role::PublicKey));
    // SAFETY: all are live, the bytes go with their length; the point is copied.
    let status = unsafe {
        let group = c::EC_KEY_get0_group(key.0);
        c::EC_POINT_oct2point(group, point.0, bytes.as_ptr(), bytes.len(), ptr::null_mut())
            & c::EC_KEY_set_public_key(key.0, point.0)
    };
    worked(status == 1)?;
    Ok(key)
}

/// The point as bytes, uncompressed.
fn write_point(key: &Key, point: *const c::EC_POINT, out: &mut [u8]) -> Result<(), String> {
    let form = c::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED;
    // SAFETY: all are live, and out goes with its length.
    let written = unsafe {
        let group = c::EC_KEY_get0_group(key.0);
        c::EC_POINT_point2oct(group, point, form, out.as_mut_ptr(), out.len(), ptr::null_mut())
    };
    worked(written == out.len())
}

fn write_number(number: *const c::BIGNUM, out: &mut [u8]) -> Result<(), String> {
    // SAFETY: the number is live, and out goes with its length.
    worked(1 == unsafe { c::BN_bn2bin_padded(out.as_mut_ptr(), out.len(), number) })
}

fn p256_keygen(_: Contract, inputs: Inputs) -> Made {
    Ok(call(inputs, |_, out| {
        let key = empty_key()?;
        // SAFETY: the key is live.
        worked(1 == unsafe { c::EC_KEY_generate_key(key.0) })?;
        let (public, secret) = out.split_at_mut(65);
        // SAFETY: what the key has lives as long as it.
        let (point, number) =
            unsafe { (c::EC_KEY_get0_public_key(key.0), c::EC_KEY_get0_private_key(key.0)) };
        write_point(&key, point, public)?;
        write_number(number, secret)
    }))
}

fn p256_public(contract: Contract, inputs: Inputs) -> Made {
    call_with_key(contract, inputs, secret_key, |key, _, out| {
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

fn p256_agree(contract: Contract, inputs: Inputs) -> Made {
    let keys = |case: &Case| Ok((secret_key(case)?, public_key(case)?));
    call_with_key(contract, inputs, keys, |(secret, peer), _, out| {
        // SAFETY: both keys are live, and out goes with its length; without a function, the
        // x coordinate is put out as it is.
        let written = unsafe {
            let point = c::EC_KEY_get0_public_key(peer.0);
            c::ECDH_compute_key(out.as_mut_ptr().cast(), out.len(), point, secret.0, None)
        };
        worked(usize::try_from(written) == Ok(out.len()))
    })
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    // SAFETY: the message goes with its length, a digest has 32 bytes.
    unsafe { c::SHA256(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
    digest
}

fn p256_sign(contract: Contract, inputs: Inputs) -> Made {
    call_with_key(contract, inputs, secret_key, |key, case, out| {
        let digest = sha256(case.message.bytes());
        // SAFETY: the key is live, the digest goes with its length.
        let made = unsafe { c::ECDSA_do_sign(digest.as_ptr(), digest.len(), key.0) };
        let signature = Owned::new(made, c::ECDSA_SIG_free)?;
        let [mut r, mut s] = [ptr::null(); 2];
        // SAFETY: the signature is live, and its numbers with it.
        unsafe { c::ECDSA_SIG_get0(signature.0, &mut r, &mut s) };
        let (front, behind) = out.split_at_mut(32);
        write_number(r, front)?;
        write_number(s, behind)
    })
}

fn p256_verify(contract: Contract, inputs: Inputs) -> Made {
    call_with_key(contract, inputs, public_key, |key, case, _| {
        let digest = sha256(case.message.bytes());
        let (r, s) = case.bytes(Role::Signature).split_at(32);
        let (r, s) = (number(r)?, number(s)?);
        // SAFETY: the function takes nothing.
        let signature = Owned::new(unsafe { c::ECDSA_SIG_new() }, c::ECDSA_SIG_free)?;
        // SAFETY: all three are live; the signature takes the numbers over, where it says so.
        worked(1 == unsafe { c::ECDSA_SIG_set0(signature.0, r.0, s.0) })?;
        std::mem::forget((r, s));
        // SAFETY: all are live, the digest goes with its length.
        let status =
            unsafe { c::ECDSA_do_verify(digest.as_ptr(), digest.len(), signature.0, key.0) };
        worked(status == 1)
    })
}
