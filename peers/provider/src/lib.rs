//! `cpb_provider.h` for implementations in Rust.
//!
//! A provider is a table of [`Implementation`]s and a line of [`provider!`],
//! which exports it. What is timed is the loop in [`call`], around a closure
//! that the compiler knows.

pub mod abi;

use std::ffi::CStr;
use std::hint::black_box;

pub use Operation::*;

/// What is done with a primitive (`enum cpb_operation`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Hash = 1,
    Mac = 3,
    Encrypt = 4,
    Decrypt = 5,
    Seal = 6,
    Open = 7,
    Derive = 9,
    Encode = 11,
    Decode = 12,
}

/// Lengths in bytes; 0 where there is none.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    pub key: u32,
    pub nonce: u32,
    pub tag: u32,
    pub granularity: u32,
    pub output: u32,
}

impl Lengths {
    pub const NONE: Self = Self { key: 0, nonce: 0, tag: 0, granularity: 1, output: 0 };

    pub const fn hash(output: u32) -> Self {
        Self { output, ..Self::NONE }
    }

    pub const fn mac(output: u32) -> Self {
        Self { key: 32, output, ..Self::NONE }
    }

    pub const fn stream(key: u32, nonce: u32) -> Self {
        Self { key, nonce, ..Self::NONE }
    }

    pub const fn aead(key: u32) -> Self {
        Self { key, nonce: 12, tag: 16, ..Self::NONE }
    }

    /// A password and a salt of 16 bytes, as cpb gives to every library.
    pub const DERIVATION: Self = Self { key: 16, nonce: 16, ..Self::NONE };

    pub const fn groups_of(granularity: u32) -> Self {
        Self { granularity, ..Self::NONE }
    }
}

/// One line of a provider's table.
pub struct Implementation {
    /// cpb's name for the primitive.
    pub primitive: &'static CStr,
    pub operation: Operation,
    pub lengths: Lengths,
    pub prepare: fn(Workload) -> Result<Box<dyn Call>, String>,
}

/// What to prepare; the memory is cpb's and stays until the call is released.
pub struct Workload {
    /// Whether making and keying the context belong into the call.
    pub cold: bool,
    pub message: &'static mut [u8],
    pub destination: &'static mut [u8],
    pub key: &'static [u8],
    pub nonce: &'static [u8],
    pub aad: &'static [u8],
    pub iterations: u32,
    pub output_bytes: usize,
}

/// A call that is ready to run.
pub trait Call {
    fn run(&mut self, calls: u64);
    fn output(&self) -> Result<&[u8], String>;
}

/// A call that writes `length` bytes into `destination`, and says whether it
/// could.
pub fn call<F>(destination: &'static mut [u8], length: usize, work: F) -> Box<dyn Call>
where
    F: FnMut(&mut [u8]) -> bool + 'static,
{
    struct Loop<F> {
        destination: &'static mut [u8],
        length: usize,
        work: F,
        succeeded: bool,
    }
    impl<F: FnMut(&mut [u8]) -> bool> Call for Loop<F> {
        fn run(&mut self, calls: u64) {
            for _ in 0..calls {
                // Neither hoisted out of the loop nor dropped.
                self.succeeded &= (self.work)(black_box(&mut *self.destination));
            }
        }

        fn output(&self) -> Result<&[u8], String> {
            let output = self.destination.get(..self.length).filter(|_| self.succeeded);
            output.ok_or_else(|| "the library reported an error".to_owned())
        }
    }
    Box::new(Loop { destination, length, work, succeeded: true })
}

/// Exports a provider: its name, its version, and its implementations.
#[macro_export]
macro_rules! provider {
    ($name:expr, $version:expr, $implementations:expr) => {
        /// The entry point of `cpb_provider.h`.
        #[unsafe(no_mangle)]
        pub extern "C" fn cpb_provider_v1() -> *const $crate::abi::RawProvider {
            $crate::abi::export($name, $version, $implementations)
        }
    };
}
