//! Cryptographic primitives, one folder per primitive, one file per instruction set.
//!
//! **Who should use it:** programs that measure, or that want a named
//! implementation of a primitive rather than whichever one happens to be chosen.
//! Every primitive has a `Backend` type: a value with a name, chosen at run time,
//! that can be forced by name and exists only where the CPU can run it.
//!
//! **Limits:** nothing here has been audited. Memory is not wiped after use,
//! and constant time is a matter of the algorithms (Keccak has neither branches
//! nor table look-ups that depend on data), not something that is verified.
//! Messages are whole bytes.
//!
//! ```
//! use cpb_kernels::keccak::Backend;
//! use cpb_kernels::sha3::Sha3_256;
//!
//! let backend = Backend::by_name("portable")?;
//! assert_eq!(Sha3_256::digest(b"abc"), Sha3_256::digest_with(backend, b"abc"));
//! # Ok::<(), cpb_kernels::Unavailable>(())
//! ```

mod backend;
pub mod cpu;
pub mod keccak;

pub use backend::Unavailable;
pub use keccak::sha3;
