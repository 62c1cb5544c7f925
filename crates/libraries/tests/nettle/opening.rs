//! How it is opened, and what it says it is.

use crate::library;
use cpb_libraries::{OpenError, open};
use std::path::{Path, PathBuf};

#[test]
fn the_identity_is_the_librarys_own() {
    let Some(library) = library() else { return };
    let identity = library.identity();
    println!("{identity:?}");
    let minor = identity.version.strip_prefix("3.").unwrap();
    assert!(minor.parse::<u32>().unwrap() >= 6);
    assert_eq!(identity.banner, format!("Nettle {}", identity.version));
    let path = identity.path.unwrap();
    assert!(Path::new(&path).is_absolute() && Path::new(&path).exists(), "{path}");
    assert!(open("nettle", Some(Path::new(&path))).is_ok(), "{path} opens as a file, too");
}

#[test]
fn files_that_are_no_nettle_are_told_apart() {
    let missing = Path::new("/nonexistent/libnettle.so.8");
    let error = open("nettle", Some(missing)).err().unwrap();
    assert!(
        matches!(&error, OpenError::Load { path, reason }
            if path == "/nonexistent/libnettle.so.8" && reason.contains("No such file")),
        "{error:?}"
    );
    let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let error = open("nettle", Some(text)).err().unwrap();
    assert!(matches!(&error, OpenError::Load { .. }), "{error:?}");
    // Any library that this process has loaded already will do.
    let Some(other) = loaded_library("libc.so") else { return };
    let error = open("nettle", Some(&other)).err().unwrap();
    assert_eq!(
        error,
        OpenError::WrongLibrary {
            path: other.display().to_string(),
            library: "Nettle".to_owned(),
            symbol: "nettle_version_major".to_owned(),
        }
    );
}

fn loaded_library(name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    paths.find(|path| path.contains(name)).map(PathBuf::from)
}
