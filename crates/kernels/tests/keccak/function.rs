//! The functions of FIPS 202 as values, so that a test can loop over them.

use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};

use crate::naive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Shake128,
    Shake256,
}

impl Function {
    pub const ALL: [Self; 6] = [
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Shake128,
        Self::Shake256,
    ];

    /// Bytes per permutation.
    pub fn rate(self) -> usize {
        match self {
            Self::Sha3_224 => 144,
            Self::Sha3_256 | Self::Shake256 => 136,
            Self::Sha3_384 => 104,
            Self::Sha3_512 => 72,
            Self::Shake128 => 168,
        }
    }

    /// The output length in bytes, or a usual one for SHAKE.
    pub fn output(self) -> usize {
        match self {
            Self::Sha3_224 => 28,
            Self::Sha3_256 | Self::Shake128 => 32,
            Self::Sha3_384 => 48,
            Self::Sha3_512 | Self::Shake256 => 64,
        }
    }

    pub fn is_xof(self) -> bool {
        matches!(self, Self::Shake128 | Self::Shake256)
    }

    /// One-shot; `output` bytes from a SHAKE, its own length from a SHA-3.
    pub fn compute(self, backend: Backend, message: &[u8], output: usize) -> Vec<u8> {
        let mut out = vec![0; output];
        match self {
            Self::Sha3_224 => Sha3_224::digest_with(backend, message).to_vec(),
            Self::Sha3_256 => Sha3_256::digest_with(backend, message).to_vec(),
            Self::Sha3_384 => Sha3_384::digest_with(backend, message).to_vec(),
            Self::Sha3_512 => Sha3_512::digest_with(backend, message).to_vec(),
            Self::Shake128 => {
                Shake128::xof_with(backend, message, &mut out);
                out
            }
            Self::Shake256 => {
                Shake256::xof_with(backend, message, &mut out);
                out
            }
        }
    }

    /// As [`compute`](Self::compute), the message in the pieces given and a SHAKE's
    /// output read in pieces of the lengths given.
    pub fn compute_in_pieces(
        self,
        backend: Backend,
        pieces: &[&[u8]],
        outputs: &[usize],
    ) -> Vec<u8> {
        macro_rules! hash {
            ($Hash:ty) => {{
                let mut hash = <$Hash>::with_backend(backend);
                pieces.iter().for_each(|piece| hash.update(piece));
                hash.finalize().to_vec()
            }};
        }
        macro_rules! xof {
            ($Xof:ty) => {{
                let mut xof = <$Xof>::with_backend(backend);
                pieces.iter().for_each(|piece| xof.update(piece));
                let mut reader = xof.finalize_xof();
                let mut all = Vec::new();
                for length in outputs {
                    let mut out = vec![0; *length];
                    reader.read(&mut out);
                    all.extend(out);
                }
                all
            }};
        }
        match self {
            Self::Sha3_224 => hash!(Sha3_224),
            Self::Sha3_256 => hash!(Sha3_256),
            Self::Sha3_384 => hash!(Sha3_384),
            Self::Sha3_512 => hash!(Sha3_512),
            Self::Shake128 => xof!(Shake128),
            Self::Shake256 => xof!(Shake256),
        }
    }

    /// By the naive implementation.
    pub fn naive(self, message: &[u8], output: usize) -> Vec<u8> {
        if self.is_xof() {
            naive::sponge(self.rate(), 0x1f, message, output)
        } else {
            naive::sponge(self.rate(), 0x06, message, self.output())
        }
    }
}
