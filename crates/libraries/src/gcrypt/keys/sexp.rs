//! S-expressions in their canonical form, and what libgcrypt reads of them.

use super::{Curve, Keys};
use crate::gcrypt::functions::{Context, Failure, check};
use crate::runtime::Owned;
use std::ffi::{CStr, c_int};
use std::ptr;

/// `(name item item …)`, where items are [`atom`]s or lists.
pub(super) fn list(name: &str, items: &[&[u8]]) -> Vec<u8> {
    [b"(", &atom(name.as_bytes())[..], &items.concat(), b")"].concat()
}

/// A string of bytes.
pub(super) fn atom(bytes: &[u8]) -> Vec<u8> {
    [format!("{}:", bytes.len()).as_bytes(), bytes].concat()
}

fn named(name: &str, bytes: &[u8]) -> Vec<u8> {
    list(name, &[&atom(bytes)])
}

/// A number that nobody takes for a negative one.
fn positive(name: &str, number: &[u8]) -> Vec<u8> {
    named(name, &[&[0], number].concat())
}

/// What says which curve, and of Ed25519 that it is no other dialect.
fn on(curve: Curve, flags: &[&str]) -> Vec<u8> {
    let (name, own) = match curve {
        Curve::Ecdsa(name, ..) | Curve::Ecdh(name) => (name, None),
        Curve::Ed25519 => ("Ed25519", Some(&"eddsa")),
        // These are known by number.
        Curve::Montgomery(_) => ("", None),
    };
    let flags: Vec<Vec<u8>> =
        own.into_iter().chain(flags).map(|flag| atom(flag.as_bytes())).collect();
    let flags = if flags.is_empty() { Vec::new() } else { list("flags", &[&flags.concat()]) };
    [named("curve", name.as_bytes()), flags].concat()
}

/// A secret key, with its public half where that is known.
pub(super) fn secret_key(curve: Curve, secret: &[u8], public: Option<&[u8]>) -> Vec<u8> {
    let public = public.map(|public| named("q", public)).unwrap_or_default();
    let secret = match curve {
        Curve::Ed25519 => named("d", secret),
        _ => positive("d", secret),
    };
    list("private-key", &[&list("ecc", &[&on(curve, &[]), &public, &secret])])
}

pub(super) fn public_key(curve: Curve, public: &[u8]) -> Vec<u8> {
    list("public-key", &[&list("ecc", &[&on(curve, &[]), &named("q", public)])])
}

/// A peer's point, as what was encrypted for the owner of a secret key.
pub(super) fn peer(point: &[u8]) -> Vec<u8> {
    list("enc-val", &[&list("ecdh", &[&named("e", point)])])
}

/// A request for a key pair that need not outlive the process: others wait for more entropy.
pub(super) fn request(curve: Curve) -> Vec<u8> {
    list("genkey", &[&list("ecc", &[&on(curve, &["transient-key"])])])
}

/// r and s, of the same length.
pub(super) fn signature(curve: Curve, pair: &[u8]) -> Vec<u8> {
    let (r, s) = pair.split_at(pair.len() / 2);
    let of = match curve {
        Curve::Ecdsa(..) => list("ecdsa", &[&positive("r", r), &positive("s", s)]),
        _ => list("eddsa", &[&named("r", r), &named("s", s)]),
    };
    list("sig-val", &[&of])
}

impl Keys {
    /// What libgcrypt makes of an expression.
    #[inline(always)]
    pub(super) fn read(&self, expression: &[u8]) -> Result<Context, Failure> {
        let mut handle = ptr::null_mut();
        // SAFETY: there is room for a handle, which is ours to release; the expression has
        // this length.
        unsafe {
            check((self.read)(&raw mut handle, expression.as_ptr(), expression.len(), 0))?;
            Owned::new(handle, self.release).ok_or(Failure::UNEXPLAINED)
        }
    }

    /// What is signed: a digest, or the message itself. The canonical form, which others
    /// are read from, has nothing empty.
    #[inline(always)]
    pub(super) fn value(&self, curve: Curve, bytes: &[u8]) -> Result<Context, Failure> {
        let form = match curve {
            Curve::Ecdsa(..) => c"(data (flags raw) (value %b))",
            _ => c"(data (flags eddsa) (hash-algo sha512) (value %b))",
        };
        let mut handle = ptr::null_mut();
        // No message is over 1 GiB.
        let length = bytes.len() as c_int;
        // SAFETY: there is room for a handle, which is ours to release; the form asks for a
        // length and for as many bytes.
        unsafe {
            let (form, at) = (form.as_ptr(), bytes.as_ptr());
            check((self.build)(&raw mut handle, ptr::null_mut(), form, length, at))?;
            Owned::new(handle, self.release).ok_or(Failure::UNEXPLAINED)
        }
    }

    /// The number called `name` in an expression, in so many bytes.
    pub(super) fn number(
        &self,
        expression: &Context,
        name: &CStr,
        bytes: usize,
    ) -> Option<Vec<u8>> {
        let mut length = 0;
        // SAFETY: the expression is live, the name ends in a zero, and the data has the
        // length that is returned and lives as long as the part that was found.
        let value = unsafe {
            let part = (self.find)(expression.pointer(), name.as_ptr(), 0);
            let part = Owned::new(part, self.release)?;
            let data = (self.data)(part.pointer(), 1, &raw mut length);
            if data.is_null() {
                return None;
            }
            std::slice::from_raw_parts(data, length).to_vec()
        };
        let start = value.len().saturating_sub(bytes);
        let (zeros, value) = value.split_at(start);
        let missing = bytes.checked_sub(value.len())?;
        zeros.iter().all(|byte| *byte == 0).then(|| [&vec![0; missing], value].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_canonical() {
        let curve = Curve::Ecdsa("NIST P-256", 8, 32);
        let key = String::from_utf8(secret_key(curve, b"ab", Some(b"Q"))).unwrap();
        let expected = "(11:private-key(3:ecc(5:curve10:NIST P-256)(1:q1:Q)(1:d3:\0ab)))";
        assert_eq!(key, expected);
        let signed = String::from_utf8(signature(Curve::Ed25519, b"rrss")).unwrap();
        assert_eq!(signed, "(7:sig-val(5:eddsa(1:r2:rr)(1:s2:ss)))");
    }
}
