//! Loads a shared library that is embedded in this program.
//!
//! The loader needs a file. A memory-only file leaves nothing behind, and needs no folder that
//! allows writing and executing; a private temporary file serves if the kernel has no such files,
//! or forbids executing them.

use cpb_provider::loader_words;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Loads `image`; debuggers and profilers show `name`.
pub(super) fn load(name: &str, image: &[u8]) -> Result<Library, String> {
    load_from_memory(name, image).or_else(|in_memory| {
        let folder = std::env::temp_dir();
        load_from_file(&folder, name, image).map_err(|in_file| format!("{in_memory}; {in_file}"))
    })
}

#[cfg(target_os = "linux")]
fn load_from_memory(name: &str, image: &[u8]) -> Result<Library, String> {
    use std::os::fd::AsRawFd;

    let mut file = memory_file(name).map_err(|error| format!("memfd_create: {error}"))?;
    file.write_all(image).map_err(|error| format!("memory file: {error}"))?;
    let library = open(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd())))?;
    // The loader identifies libraries by path. If this descriptor's number were reused, the next
    // shim with that path would be taken for this one.
    std::mem::forget(file);
    Ok(library)
}

#[cfg(not(target_os = "linux"))]
fn load_from_memory(_name: &str, _image: &[u8]) -> Result<Library, String> {
    Err("this system has no files in memory".to_owned())
}

#[cfg(target_os = "linux")]
fn memory_file(name: &str) -> std::io::Result<File> {
    use std::os::fd::FromRawFd;

    let name = std::ffi::CString::new(format!("cpb-{name}"))?;
    // Kernels before 6.3 do not know MFD_EXEC; later ones may require it.
    let mut descriptor = -1;
    for flags in [libc::MFD_CLOEXEC | libc::MFD_EXEC, libc::MFD_CLOEXEC] {
        // SAFETY: the name is text that ends in a zero.
        descriptor = unsafe { libc::memfd_create(name.as_ptr(), flags) };
        if descriptor >= 0 {
            break;
        }
    }
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is open, and nobody else knows it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

fn load_from_file(folder: &Path, name: &str, image: &[u8]) -> Result<Library, String> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("cpb-{name}-{}-{number}.so", std::process::id()));
    let said = |error: std::io::Error| format!("{}: {error}", path.display());
    // An existing file is not ours, and may be a trap.
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o700).open(&path).map_err(said)?;
    let written = file.write_all(image).map_err(said);
    drop(file);
    let library = written.and_then(|()| open(&path));
    // A loaded library stays when its name is removed.
    let removed = std::fs::remove_file(&path).map_err(said);
    library.and_then(|library| removed.map(|()| library))
}

/// Loads a file, or what the loader finds by this name; the error is the loader's message.
pub(super) fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: loading runs the library's initialisers. It is our own, or the user asked for it, and
    // this process exists so that a crash ends nothing else.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| loader_words(&error))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::ffi::c_int;
    use std::path::PathBuf;
    use std::process::Command;

    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cpb-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Compiles a library whose function `number` returns this number; `None` without a C compiler.
    fn library(folder: &Path, number: c_int) -> Option<Vec<u8>> {
        let source = folder.join("number.c");
        let object = folder.join("number.so");
        std::fs::write(&source, format!("int number(void) {{ return {number}; }}")).unwrap();
        let status =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&object, &source]).status();
        let Ok(status) = status else {
            println!("skipped: no C compiler");
            return None;
        };
        assert!(status.success());
        Some(std::fs::read(object).unwrap())
    }

    fn number(library: &Library) -> c_int {
        // SAFETY: the function was compiled with this type.
        unsafe { (*library.get::<unsafe extern "C" fn() -> c_int>("number").unwrap())() }
    }

    #[test]
    fn several_images_are_several_libraries() {
        let folder = folder("memory");
        for expected in 1..4 {
            let Some(image) = library(&folder, expected) else { return };
            let loaded = load_from_memory("number", &image).unwrap();
            assert_eq!(number(&loaded), expected);
            std::mem::forget(loaded);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_temporary_file_serves_as_well_and_does_not_stay() {
        let folder = folder("file");
        let Some(image) = library(&folder, 5) else { return };
        let own = folder.join("own");
        std::fs::create_dir_all(&own).unwrap();
        let loaded = load_from_file(&own, "number", &image).unwrap();
        assert_eq!(number(&loaded), 5);
        assert!(load_from_file(&own, "number", b"no library").is_err());
        assert_eq!(std::fs::read_dir(&own).unwrap().count(), 0);
        assert!(load_from_file(&own.join("absent"), "number", &image).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn both_reasons_are_given() {
        let Err(reason) = load("text", b"no library") else { panic!("text was loaded") };
        assert!(reason.contains("/proc/self/fd/") && reason.contains("cpb-text-"), "{reason}");
    }
}
