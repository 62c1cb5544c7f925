//! Where implementations come from, and how to prepare and run a workload.
//!
//! A [`Library`] offers implementations of primitives, one [`Offer`] each.
//! [`Library::prepare`] turns an offer and its parameters into a [`Prepared`]
//! call that an engine can run any number of times. Parameters may come from
//! anywhere: [`Sizes`] are what an offer makes of them, or refuses. [`LIBRARIES`] is the
//! visible list; [`open`] also takes the path of any library that speaks
//! `cpb_provider.h`.
//!
//! Opening a library runs its code. Do it in a process that may crash.

#![warn(unreachable_pub)]

mod botan;
mod buffer;
mod catalogue;
mod children;
pub mod codec;
mod cryptopp;
mod gcrypt;
mod inputs;
pub mod known_answers;
mod native;
mod nettle;
mod openssl;
mod provider;
mod runtime;
mod shim;
mod sizes;

pub use buffer::{Buffer, NoMemory};
pub use catalogue::names;
pub use children::{end_children_with_this_process, leave};
pub use inputs::Inputs;
pub use native::REFERENCE_BACKEND;
pub use sizes::{DEFAULT_OUTPUT_BYTES, Sizes};

use cpb_model::{Contract, DoesNotFit, Offer, Workload};
use std::io::Read;
use std::path::Path;

/// Why a library cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It is not installed, or cpb was built without its shim.
    #[error("{library} is not available: {reason}; {remedy}")]
    Missing {
        /// The library.
        library: String,
        /// What was tried, in the loader's words.
        reason: String,
        /// How to get it.
        remedy: String,
    },
    /// The file cannot be loaded.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The file.
        path: String,
        /// The loader's words.
        reason: String,
    },
    /// The file was loaded, and is not what it should be.
    #[error("{path} is no {library} library: it lacks the symbol {symbol}")]
    WrongLibrary {
        /// The file.
        path: String,
        /// The library it should be.
        library: String,
        /// The first symbol that was not found.
        symbol: String,
    },
    /// A provider of another version of the interface.
    #[error(
        "{path} speaks version {found} of cpb_provider.h, cpb speaks {expected}; build it anew"
    )]
    OtherAbi {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// The library says that it cannot be used.
    #[error("{library} refuses to start: {reason}")]
    Refused {
        /// The library.
        library: String,
        /// Its words.
        reason: String,
    },
}

/// Why a workload could not be prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// The library does not implement it.
    #[error("{library} has no {what}")]
    NotOffered {
        /// The library.
        library: String,
        /// The implementation, or the contract it lacks.
        what: String,
    },
    /// It has it, but it cannot run here, or refuses; the library's own words.
    #[error("{0}")]
    Unavailable(String),
    /// It does not work with such lengths.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// The inputs do not fit into memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}

/// A call that is ready to run: contexts, buffers and, under the contract
/// keyed, keys are in place.
pub trait Prepared {
    /// Makes the call `calls` times.
    fn run(&mut self, calls: u64);
    /// What the last call put out: digest, tag, ciphertext followed by tag,
    /// plaintext, derived key. Empty before the first call.
    ///
    /// # Errors
    /// Why the call failed, in the library's words.
    fn output(&self) -> Result<Vec<u8>, String>;
}

/// What an opened library says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its version.
    pub version: String,
    /// Its version as its own programs print it, for bench-slopes' first line:
    /// `OpenSSL 3.0.22 …`.
    pub banner: String,
    /// The file it was loaded from; absent where it is part of cpb.
    pub path: Option<String>,
    /// The code path it took, such as its view of the CPU's capabilities.
    pub code_path: Option<String>,
}

/// A source of implementations.
pub trait Library {
    /// What it says of itself.
    fn identity(&self) -> Identity;
    /// Everything it has, in the order of its bench-slopes rows where it has
    /// such, and what it would have on another machine.
    fn offers(&self) -> Vec<Offer>;
    /// Makes `offer`, one of [`Library::offers`], ready to run under `contract`.
    /// [`Inputs`] have lengths of the offer and no others, so that nothing is left to
    /// check of them.
    ///
    /// # Errors
    /// [`PrepareError`], where it has none or it cannot run here.
    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError>;
    /// Makes `offer`, one of [`Library::offers`], ready to run `workload`.
    ///
    /// # Errors
    /// [`PrepareError`], where it has none, it does not work with such lengths, or it
    /// cannot run here.
    fn prepare(
        &self,
        offer: &Offer,
        workload: &Workload,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        self.ready(offer, workload.contract, Inputs::new(offer, workload)?)
    }
}

/// A library, or why it cannot be opened.
pub type Opened = Result<Box<dyn Library>, OpenError>;

/// A library that cpb knows by name.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The library's name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Opens it: the installed one, or the one at a path.
    pub open: fn(path: Option<&Path>) -> Opened,
}

/// Every library cpb knows by name.
pub const LIBRARIES: &[Entry] = &[
    Entry { name: "native", about: "cpb's own kernels", open: native::open },
    Entry { name: "openssl", about: "OpenSSL's libcrypto, through EVP", open: openssl::open },
    Entry { name: "gcrypt", about: "libgcrypt", open: gcrypt::open },
    Entry { name: "nettle", about: "Nettle", open: nettle::open },
    Entry { name: "botan", about: "Botan, through a C++ shim", open: botan::open },
    Entry { name: "cryptopp", about: "Crypto++, through a C++ shim", open: cryptopp::open },
];

/// Opens the library called `name`; the file at `path`, where one is given.
/// A name that is none of [`LIBRARIES`] needs a path, of a provider.
///
/// # Errors
/// [`OpenError`], in words for the user.
pub fn open(name: &str, path: Option<&Path>) -> Opened {
    let opened = match (LIBRARIES.iter().find(|entry| entry.name == name), path) {
        (Some(entry), _) => (entry.open)(path),
        (None, Some(path)) => provider::open(name, path),
        (None, None) => Err(OpenError::Missing {
            library: name.to_owned(),
            reason: "cpb does not know it by name".to_owned(),
            remedy: "give the path of a provider, as mine=./libmine.so".to_owned(),
        }),
    };
    opened.map_err(|error| match (error, path.and_then(architecture)) {
        // The loader says of such a file that it does not exist.
        (OpenError::Load { path, .. }, Some(found)) if found != std::env::consts::ARCH => {
            let reason = format!("it is for {found}, this program for {}", std::env::consts::ARCH);
            OpenError::Load { path, reason }
        }
        (error, _) => error,
    })
}

/// The architecture of an ELF file, as Rust names it; `None` for other files.
fn architecture(path: &Path) -> Option<&'static str> {
    const MACHINE: usize = 18;
    let mut header = [0; MACHINE + 2];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    let machine = u16::from_le_bytes([header[MACHINE], header[MACHINE + 1]]);
    header.starts_with(b"\x7fELF").then_some(match machine {
        3 => "x86",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        _ => "another architecture",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_for_another_architecture_is_told_as_such() {
        let foreign = if cfg!(target_arch = "x86_64") { 183 } else { 62_u16 };
        let mut header = b"\x7fELF\x02\x01\x01".to_vec();
        header.resize(18, 0);
        header.extend(foreign.to_le_bytes());
        let path = std::env::temp_dir().join(format!("cpb-foreign-{}.so", std::process::id()));
        std::fs::write(&path, header).unwrap();
        let reason = open("mine", Some(&path)).err().unwrap().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(reason.contains("it is for") && reason.contains("this program for"), "{reason}");
        assert_eq!(architecture(Path::new("/proc/self/exe")), Some(std::env::consts::ARCH));
    }
}
