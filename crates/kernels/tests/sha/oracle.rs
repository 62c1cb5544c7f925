//! The hashes as types that a test can be generic over, each with the same function
//! by RustCrypto.

use ::hmac::{KeyInit, Mac};
use cpb_kernels::hash::Hash;
use cpb_kernels::{sha1, sha256, sha512};

pub trait Tested: Hash {
    /// As NIST's files spell it.
    const NAME: &'static str;

    fn hash_in_pieces(backend: Self::Backend, pieces: &[&[u8]]) -> Self::Output;

    fn other_hash(message: &[u8]) -> Vec<u8>;
    fn other_hmac(key: &[u8], message: &[u8]) -> Vec<u8>;
    fn other_hkdf(salt: &[u8], input: &[u8], info: &[u8], bytes: usize) -> Vec<u8>;
    fn other_pbkdf2(password: &[u8], salt: &[u8], iterations: u32, bytes: usize) -> Vec<u8>;
}

macro_rules! tested {
    ($($module:ident::$Hash:ident as $name:literal against $Other:ty,)+) => {
        $(
            impl Tested for $module::$Hash {
                const NAME: &'static str = $name;

                fn hash_in_pieces(backend: $module::Backend, pieces: &[&[u8]]) -> Self::Output {
                    let mut hash = $module::$Hash::with_backend(backend);
                    pieces.iter().for_each(|piece| hash.update(piece));
                    hash.finalize()
                }

                fn other_hash(message: &[u8]) -> Vec<u8> {
                    <$Other as sha2::Digest>::digest(message).to_vec()
                }

                fn other_hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
                    let mut mac = ::hmac::Hmac::<$Other>::new_from_slice(key).unwrap();
                    mac.update(message);
                    mac.finalize().into_bytes().to_vec()
                }

                fn other_hkdf(salt: &[u8], input: &[u8], info: &[u8], bytes: usize) -> Vec<u8> {
                    let mut out = vec![0; bytes];
                    ::hkdf::Hkdf::<$Other>::new(Some(salt), input).expand(info, &mut out).unwrap();
                    out
                }

                fn other_pbkdf2(
                    password: &[u8],
                    salt: &[u8],
                    iterations: u32,
                    bytes: usize,
                ) -> Vec<u8> {
                    let mut out = vec![0; bytes];
                    ::pbkdf2::pbkdf2_hmac::<$Other>(password, salt, iterations, &mut out);
                    out
                }
            }
        )+
    };
}

tested! {
    sha1::Sha1 as "SHA1" against ::sha1::Sha1,
    sha256::Sha224 as "SHA224" against sha2::Sha224,
    sha256::Sha256 as "SHA256" against sha2::Sha256,
    sha512::Sha384 as "SHA384" against sha2::Sha384,
    sha512::Sha512 as "SHA512" against sha2::Sha512,
    sha512::Sha512_224 as "SHA512_224" against sha2::Sha512_224,
    sha512::Sha512_256 as "SHA512_256" against sha2::Sha512_256,
}
