//! S-expressions in their canonical form, and what libgcrypt reads of them.

use super::rsa::{self, Padding};
use super::{Algorithm, Keys};
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

pub(super) fn named(name: &str, bytes: &[u8]) -> Vec<u8> {
    list(name, &[&atom(bytes)])
}

/// A number that nobody takes for a negative one.
pub(super) fn positive(name: &str, number: &[u8]) -> Vec<u8> {
    named(name, &[&[0], number].concat())
}

/// What says which curve, and of Ed25519 that it is no other dialect.
fn on(algorithm: Algorithm, flags: &[&str]) -> Vec<u8> {
    let (name, own) = match algorithm {
        Algorithm::Ecdsa(name, ..) | Algorithm::Ecdh(name) => (name, None),
        Algorithm::Ed25519 => ("Ed25519", Some(&"eddsa")),
        Algorithm::Ed448 => ("Ed448", None),
        // These are known by number, and have none.
        Algorithm::Montgomery(_) | Algorithm::Rsa(_) => ("", None),
    };
    let flags: Vec<Vec<u8>> =
        own.into_iter().chain(flags).map(|flag| atom(flag.as_bytes())).collect();
    let flags = if flags.is_empty() { Vec::new() } else { list("flags", &[&flags.concat()]) };
    [named("curve", name.as_bytes()), flags].concat()
}

/// A secret key, with its public half where that is known; `None` where it is none.
pub(super) fn secret_key(
    algorithm: Algorithm,
    secret: &[u8],
    public: Option<&[u8]>,
) -> Option<Vec<u8>> {
    let public = public.map(|public| named("q", public)).unwrap_or_default();
    let secret = match algorithm {
        Algorithm::Rsa(_) => return rsa::secret_key(secret),
        Algorithm::Ed25519 | Algorithm::Ed448 => named("d", secret),
        _ => positive("d", secret),
    };
    Some(list("private-key", &[&list("ecc", &[&on(algorithm, &[]), &public, &secret])]))
}

/// The same of a public key.
pub(super) fn public_key(algorithm: Algorithm, public: &[u8]) -> Option<Vec<u8>> {
    if let Algorithm::Rsa(_) = algorithm {
        return rsa::public_key(public);
    }
    let items = list("ecc", &[&on(algorithm, &[]), &named("q", public)]);
    Some(list("public-key", &[&items]))
}

/// A peer's point, as what was encrypted for the owner of a secret key.
pub(super) fn peer(point: &[u8]) -> Vec<u8> {
    list("enc-val", &[&list("ecdh", &[&named("e", point)])])
}

/// A request for a key pair that need not outlive the process: others wait for more entropy.
pub(super) fn request(algorithm: Algorithm, modulus_bits: usize) -> Vec<u8> {
    const TRANSIENT: &str = "transient-key";
    let key = match algorithm {
        Algorithm::Rsa(_) => rsa::request(modulus_bits, &named("flags", TRANSIENT.as_bytes())),
        _ => list("ecc", &[&on(algorithm, &[TRANSIENT])]),
    };
    list("genkey", &[&key])
}

/// r and s, of the same length; of RSA one number.
pub(super) fn signature(algorithm: Algorithm, bytes: &[u8]) -> Vec<u8> {
    let (r, s) = bytes.split_at(bytes.len() / 2);
    let of = match algorithm {
        Algorithm::Rsa(_) => list("rsa", &[&positive("s", bytes)]),
        Algorithm::Ecdsa(..) => list("ecdsa", &[&positive("r", r), &positive("s", s)]),
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

    /// What is signed: a digest, or the message itself; or encrypted.
    #[inline(always)]
    pub(super) fn value(&self, algorithm: Algorithm, bytes: &[u8]) -> Result<Context, Failure> {
        self.build(
            match algorithm {
                Algorithm::Ecdsa(..) => c"(data (flags raw) (value %b))",
                Algorithm::Rsa(Padding::Pkcs1) => c"(data (flags pkcs1) (hash sha256 %b))",
                Algorithm::Rsa(Padding::Pss) => {
                    c"(data (flags pss) (salt-length 2:32) (hash sha256 %b))"
                }
                Algorithm::Rsa(Padding::Oaep) => {
                    c"(data (flags oaep) (hash-algo sha256) (value %b))"
                }
                Algorithm::Ed448 => c"(data (value %b))",
                _ => c"(data (flags eddsa) (hash-algo sha512) (value %b))",
            },
            bytes,
        )
    }

    /// An expression of this form, in which bytes stand for `%b`. The canonical form, which
    /// others are read from, has nothing empty.
    #[inline(always)]
    fn build(&self, form: &CStr, bytes: &[u8]) -> Result<Context, Failure> {
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

    /// A ciphertext of OAEP.
    #[inline(always)]
    pub(super) fn ciphertext(&self, bytes: &[u8]) -> Result<Context, Failure> {
        self.build(c"(enc-val (flags oaep) (hash-algo sha256) (rsa (a %b)))", bytes)
    }

    /// The number called `name` in an expression, in so many bytes.
    pub(super) fn number(
        &self,
        expression: &Context,
        name: &CStr,
        bytes: usize,
    ) -> Option<Vec<u8>> {
        let value = self.bytes(expression, name)?;
        let start = value.len().saturating_sub(bytes);
        let (zeros, value) = value.split_at(start);
        let missing = bytes.checked_sub(value.len())?;
        zeros.iter().all(|byte| *byte == 0).then(|| [&vec![0; missing], value].concat())
    }

    /// The list called `name` in an expression.
    pub(super) fn part(&self, expression: &Context, name: &CStr) -> Option<Context> {
        // SAFETY: the expression is live, and the name ends in a zero; what is found is ours
        // to release.
        unsafe {
            let part = (self.find)(expression.pointer(), name.as_ptr(), 0);
            Owned::new(part, self.release)
        }
    }

    /// The bytes called `name` in an expression.
    pub(super) fn bytes(&self, expression: &Context, name: &CStr) -> Option<Vec<u8>> {
        let mut length = 0;
        let part = self.part(expression, name)?;
        // SAFETY: the data has the length that is returned and lives as long as the part that
        // was found.
        unsafe {
            let data = (self.data)(part.pointer(), 1, &raw mut length);
            if data.is_null() {
                return None;
            }
            Some(std::slice::from_raw_parts(data, length).to_vec())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_canonical() {
        let curve = Algorithm::Ecdsa("NIST P-256", 8, 32);
        let key = String::from_utf8(secret_key(curve, b"ab", Some(b"Q")).unwrap()).unwrap();
        let expected = "(11:private-key(3:ecc(5:curve10:NIST P-256)(1:q1:Q)(1:d3:\0ab)))";
        assert_eq!(key, expected);
        let signed = String::from_utf8(signature(Algorithm::Ed25519, b"rrss")).unwrap();
        assert_eq!(signed, "(7:sig-val(5:eddsa(1:r2:rr)(1:s2:ss)))");
    }
}
