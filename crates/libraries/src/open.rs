//! Opens libraries by name or path.

use crate::catalogue::canonical::canonical;
use crate::catalogue::lengths;
use crate::entry::{LIBRARIES, NATIVE, Opened};
use crate::folder;
use cpb_model::Offer;
use cpb_provider::OpenError;
use std::io::Read;
use std::path::Path;

/// Whether this program can load libraries at all; a static one has no loader.
pub const LOADS_LIBRARIES: bool = !cfg!(target_feature = "crt-static");

/// Opens the library called `name`, from the file at `path` if one is given. A name outside
/// [`LIBRARIES`] is another build of one of them, or a provider: in [`folder`], or at a path.
///
/// # Errors
/// [`OpenError`], with text for the user.
pub fn open(name: &str, path: Option<&Path>) -> Opened {
    open_for(name, path, None)
}

/// Works like [`open`], for callers that need only the `wanted` offer: reads as little else as the
/// library allows. Reports when it is loaded to
/// [`first_use`](cpb_provider::first_use).
///
/// # Errors
/// As [`open`].
pub fn open_for(name: &str, path: Option<&Path>, wanted: Option<&Offer>) -> Opened {
    let built = folder::file(name).filter(|_| path.is_none());
    let path = path.or(built.as_deref());
    if !LOADS_LIBRARIES && (path.is_some() || name != NATIVE.name) {
        return Err(without_loader(name));
    }
    let library = folder::build_of(name);
    let known = LIBRARIES.iter().find(|entry| entry.name == library);
    let opened = match (known, path) {
        (Some(entry), path) if library == name => entry.open_for(path, wanted),
        (known, Some(path)) => match (provider(name, path, wanted), known) {
            // A build may come with a shim of its own; otherwise ours calls it.
            (Err(OpenError::WrongLibrary { .. }), Some(entry)) => {
                entry.open_for(Some(path), wanted)
            }
            (opened, _) => opened,
        },
        (_, None) => Err(OpenError::Missing {
            library: name.to_owned(),
            reason: "cpb does not know it by name".to_owned(),
            remedy: "give the path of a provider, as mine=./libmine.so, or build what make \
                     providers builds"
                .to_owned(),
        }),
    };
    opened.map_err(|error| match (error, path.and_then(architecture)) {
        // For such a file, the loader says that it does not exist.
        (OpenError::Load { path, .. }, Some(found)) if found != std::env::consts::ARCH => {
            let reason = format!("it is for {found}, this program for {}", std::env::consts::ARCH);
            OpenError::Load { path, reason }
        }
        (error, _) => error,
    })
}

fn without_loader(name: &str) -> OpenError {
    OpenError::Missing {
        library: name.to_owned(),
        reason: "this cpb is a static program, which cannot load libraries".to_owned(),
        remedy: format!("take cpb for {}-linux-gnu", std::env::consts::ARCH),
    }
}

/// Opens a file with the interface of `cpb_provider.h`, with canonical names for its primitives.
fn provider(name: &str, path: &Path, wanted: Option<&Offer>) -> Opened {
    let provider = cpb_provider::open_file_for(name, path, wanted)?.with_names(canonical);
    Ok(Box::new(provider.with_blocks(lengths::block)))
}

/// Returns the architecture of an ELF file, as Rust names it; `None` for other files.
fn architecture(path: &Path) -> Option<&'static str> {
    const MACHINE: usize = 18;
    let mut header = [0; MACHINE + 2];
    cpb_host::files::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
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
    fn a_static_program_says_which_one_loads_libraries() {
        let said = without_loader("openssl").to_string();
        let remedy = format!("take cpb for {}-linux-gnu", std::env::consts::ARCH);
        assert!(said.starts_with("openssl is not available: this cpb is a static"), "{said}");
        assert!(said.ends_with(&remedy), "{said}");
        // These tests load libraries.
        const { assert!(LOADS_LIBRARIES) };
    }

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
