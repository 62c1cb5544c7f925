//! `nettle`: Nettle, called directly.
//!
//! The library has no objects of its own: it exports functions, lists of
//! descriptors, and leaves the memory for contexts to its caller. So what the
//! contract cold adds to keyed is the key schedule.

mod aead;
mod call;
mod cipher;
mod derive;
mod hash;
mod mac;
mod modes;
mod stream;
mod symbols;

use crate::{Identity, Inputs, Library, OpenError, PrepareError, Prepared};
use call::{Implementation, Keeping, Places};
use cpb_model::{Contract, Offer};
use std::path::Path;
use symbols::{File, Version};

const LIBRARY: &str = "nettle";
/// The names that the library is installed under.
const SONAMES: &[&str] = &["libnettle.so.8"];
const REMEDY: &str = "install the package libnettle8 (Debian from 13 on: libnettle8t64)";

/// The versions whose structures and functions are those declared here, which
/// share the soname: 3.6 and later, before 4.
const MAJOR: i32 = 3;
const FIRST_MINOR: i32 = 6;

/// What a fat build, which picks its code by the CPU, exports for each set of
/// instructions. The words are those that `NETTLE_FAT_OVERRIDE` takes.
const VARIANTS: &[(&str, &str)] = &[
    ("_nettle_aes128_encrypt_aesni", "aesni"),
    ("_nettle_ghash_update_pclmul", "pclmul"),
    ("_nettle_sha1_compress_sha_ni", "sha_ni"),
    ("_nettle_aes128_encrypt_arm64", "aes"),
    ("_nettle_ghash_update_arm64", "pmull"),
    ("_nettle_sha1_compress_arm64", "sha1"),
    ("_nettle_sha256_compress_n_arm64", "sha2"),
];
/// The variable that overrides its pick.
const OVERRIDE: &str = "NETTLE_FAT_OVERRIDE";

struct Nettle {
    identity: Identity,
    implementations: Vec<Implementation>,
}

pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    let (library, shown) = match path {
        Some(path) => (load(path)?, path.display().to_string()),
        None => installed(SONAMES)?,
    };
    let file = File::new(library);
    let wrong = |symbol| OpenError::WrongLibrary {
        path: shown.clone(),
        library: LIBRARY.to_owned(),
        symbol,
    };
    let version = Version::load(&file).map_err(wrong)?;
    // SAFETY: the functions take nothing and return a number.
    let (major, minor) = unsafe { ((version.major)(), (version.minor)()) };
    check_version(&shown, major, minor)?;
    let implementations = implementations(&file).map_err(wrong)?;
    let identity = Identity {
        version: format!("{major}.{minor}"),
        banner: format!("Nettle {major}.{minor}"),
        path: Some(mapped_file(version.major as usize).unwrap_or_else(|| shown.clone())),
        code_path: code_path(&file),
    };
    Ok(Box::new(Nettle { identity, implementations }))
}

fn check_version(shown: &str, major: i32, minor: i32) -> Result<(), OpenError> {
    if major == MAJOR && minor >= FIRST_MINOR {
        return Ok(());
    }
    Err(OpenError::Refused {
        library: LIBRARY.to_owned(),
        reason: format!(
            "{shown} is version {major}.{minor}; cpb knows {MAJOR}.{FIRST_MINOR} and what follows \
             it before {}",
            MAJOR + 1
        ),
    })
}

/// The library in the file at `path`.
fn load(path: &Path) -> Result<libloading::Library, OpenError> {
    // A bare file name would be searched for in the system's folders.
    let file = if path.components().count() == 1 { &Path::new(".").join(path) } else { path };
    // SAFETY: loading runs the library's initialisers. The user asked for it,
    // and this process exists to bear what may come of it.
    unsafe { libloading::Library::new(file) }.map_err(|error| OpenError::Load {
        path: path.display().to_string(),
        reason: cpb_provider::loader_words(&error),
    })
}

/// The first of `sonames` that the loader finds, and its name.
fn installed(sonames: &[&str]) -> Result<(libloading::Library, String), OpenError> {
    let mut reasons = Vec::new();
    for soname in sonames {
        // SAFETY: as in `load`.
        match unsafe { libloading::Library::new(*soname) } {
            Ok(library) => return Ok((library, (*soname).to_owned())),
            Err(error) => reasons.push(cpb_provider::loader_words(&error)),
        }
    }
    Err(OpenError::Missing {
        library: LIBRARY.to_owned(),
        reason: reasons.join("; "),
        remedy: REMEDY.to_owned(),
    })
}

/// Everything the library has: what has rows in their order, then the rest.
fn implementations(file: &File) -> Result<Vec<Implementation>, String> {
    let hashes = hash::all(file)?;
    let ciphers = cipher::all(file)?;
    let of_cipher = |cipher: &cipher::Cipher| {
        let mut found = modes::implementations(file, cipher);
        found.extend(aead::of_cipher(file, cipher));
        found
    };
    let mut all = hash::implementations(&hashes);
    all.extend(ciphers.own.iter().flat_map(of_cipher));
    all.extend(stream::implementations(file));
    all.extend(aead::chacha_poly1305(file));
    all.extend(ciphers.others.iter().flat_map(of_cipher));
    all.extend(hash::shakes(file));
    let every_cipher: Vec<_> = ciphers.own.iter().chain(&ciphers.others).collect();
    all.extend(mac::implementations(file, &hashes, &every_cipher));
    all.extend(derive::implementations(file));
    all.sort_by_key(|implementation| implementation.offer.row.is_none());
    Ok(all)
}

/// The library does not say which code it took. A fat build shows what it can
/// choose from, and the environment what it was told.
fn code_path(file: &File) -> Option<String> {
    let variants: Vec<&str> =
        VARIANTS.iter().filter(|(symbol, _)| file.has(symbol)).map(|(_, word)| *word).collect();
    if variants.is_empty() {
        return None;
    }
    Some(match std::env::var(OVERRIDE) {
        Ok(told) => format!("fat build with {}; {OVERRIDE}={told}", variants.join(", ")),
        Err(_) => format!("fat build with {}, each where the CPU has it", variants.join(", ")),
    })
}

/// The file that is mapped at `address`, as the kernel tells it.
fn mapped_file(address: usize) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (start, rest) = line.split_once('-')?;
        let (end, rest) = rest.split_once(' ')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        let path = &rest[rest.find('/')?..];
        (start..end).contains(&address).then(|| path.to_owned())
    })
}

impl Library for Nettle {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn offers(&self) -> Vec<Offer> {
        self.implementations.iter().map(|implementation| implementation.offer.clone()).collect()
    }

    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        mut inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let not_offered = |what| PrepareError::NotOffered { library: LIBRARY.to_owned(), what };
        let implementation = self
            .implementations
            .iter()
            .find(|known| known.offer == *offer)
            .ok_or_else(|| not_offered(offer.spelling.clone()))?;
        if contract == Contract::Compat && offer.row.is_none() {
            return Err(not_offered(format!("contract compat for {}", offer.spelling)));
        }
        let places = Places::of(&mut inputs);
        let call = (implementation.make)(places, contract).map_err(PrepareError::Unavailable)?;
        Ok(Box::new(Keeping { call, _inputs: inputs }))
    }
}

/// The library to test with: the one whose path `CPB_TEST_NETTLE` gives, else
/// the installed one.
#[cfg(test)]
fn file_for_tests() -> Option<File> {
    let library = match std::env::var_os("CPB_TEST_NETTLE") {
        Some(path) => load(Path::new(&path)).unwrap(),
        None => match installed(SONAMES) {
            Ok((library, _)) => library,
            Err(error) => {
                println!("skipped: nettle not installed ({error})");
                return None;
            }
        },
    };
    Some(File::new(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_missing_in_the_loaders_words() {
        match installed(&["libcpb-there-is-none.so.1", "libcpb-nor-this.so.2"]) {
            Err(OpenError::Missing { reason, remedy, .. }) => {
                assert!(reason.starts_with("libcpb-there-is-none.so.1: "), "{reason}");
                assert!(reason.contains("; libcpb-nor-this.so.2: "), "{reason}");
                assert_eq!(remedy, REMEDY);
            }
            Err(error) => panic!("{error}"),
            Ok((_, name)) => panic!("{name} is there"),
        }
    }

    #[test]
    fn versions_with_other_structures_are_refused() {
        for (major, minor) in [(3, 6), (3, 8), (3, 10)] {
            assert_eq!(check_version("x", major, minor), Ok(()));
        }
        for (major, minor) in [(2, 7), (3, 5), (4, 0)] {
            let error = check_version("x.so", major, minor).unwrap_err().to_string();
            assert!(error.contains(&format!("x.so is version {major}.{minor}")), "{error}");
        }
    }

    #[test]
    fn the_mapped_file_is_the_one_that_an_address_lies_in() {
        let here = std::env::current_exe().unwrap();
        let function = code_path as *const () as usize;
        assert_eq!(mapped_file(function).as_deref(), here.to_str());
        assert_eq!(mapped_file(1), None);
    }
}
