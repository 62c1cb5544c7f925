//! How it is opened, and what it says it is.

use crate::{installed, version};
use cpb_libraries::OpenError;
use std::path::Path;

#[test]
fn identity_says_what_it_is() {
    let Some(library) = installed() else { return };
    let identity = library.identity();
    println!("{identity:?}");
    assert!(version(library.as_ref()) >= (1, 8));
    assert_eq!(identity.banner, format!("libgcrypt: {}", identity.version));
    let path = identity.path.unwrap();
    assert!(Path::new(&path).is_absolute() && path.contains("libgcrypt.so"), "{path}");
    assert!(Path::new(&path).exists(), "{path}");
    if cfg!(target_arch = "x86_64") {
        assert!(identity.code_path.unwrap().contains("intel-"));
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let open = |path: &str| cpb_libraries::open("gcrypt", Some(Path::new(path))).err().unwrap();
    let nowhere = "/nowhere/libgcrypt.so.20";
    assert!(matches!(open(nowhere), OpenError::Load { path, reason }
        if path == nowhere && reason.contains("No such file")));
    // A bare name means a file here, not whatever the system has.
    assert!(matches!(open("libgcrypt.so.20"), OpenError::Load { .. }));
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert!(matches!(open(text), OpenError::Load { path, reason }
        if path == text && reason.contains(text)));
    let other = other_library();
    assert!(matches!(open(&other), OpenError::WrongLibrary { library, symbol, .. }
        if library == "gcrypt" && symbol == "gcry_check_version"));
}

/// The C library, which this process has loaded.
fn other_library() -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines()
        .filter_map(|line| line.find('/').map(|start| line[start..].to_owned()))
        .find(|file| file.contains("/libc.so") || file.contains("/libc-"))
        .unwrap()
}

#[test]
fn the_installed_file_can_be_given_by_path() {
    let Some(library) = installed() else { return };
    let path = library.identity().path.unwrap();
    let again = cpb_libraries::open("gcrypt", Some(Path::new(&path))).unwrap();
    assert_eq!(again.identity(), library.identity());
    assert_eq!(again.offers(), library.offers());
}
