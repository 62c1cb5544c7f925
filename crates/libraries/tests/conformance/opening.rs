//! Tests opening files that are not the library, and the installed library by its
//! path.

use crate::{given_path, libraries, none, subjects};
use cpb_libraries::OpenError;
use std::path::Path;

#[test]
fn what_cannot_be_opened_says_why() {
    let mut problems = Vec::new();
    let c_library = loaded("/libc.so").or_else(|| loaded("/ld-musl"));
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for subject in subjects().iter().filter(|subject| subject.is_a_file()) {
        let name = subject.name.as_str();
        let open = |path: &str| match cpb_libraries::open(name, Some(Path::new(path))) {
            Err(error) => error,
            Ok(_) => panic!("{name}: {path} was opened"),
        };
        // A bare name means a file in this folder, not an installed library.
        for (path, words) in [
            (concat!(env!("CARGO_TARGET_TMPDIR"), "/none.so"), "No such file"),
            (text, ""),
            ("libc.so.6", ""),
        ] {
            match open(path) {
                OpenError::Load { path: shown, reason }
                    if shown == path && !reason.is_empty() && reason.contains(words) => {}
                error => problems.push(format!("{name}: {error:?}")),
            }
        }
        let Some(other) = &c_library else { continue };
        match open(other) {
            OpenError::WrongLibrary { path, symbol, .. }
                if path == *other && !symbol.is_empty() => {}
            error => problems.push(format!("{name}: {error:?}")),
        }
    }
    none(&problems);
}

/// Returns the path of a file that this process has loaded.
fn loaded(name: &str) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    paths.find(|path| path.contains(name)).map(str::to_owned)
}

#[test]
fn the_installed_file_can_be_given_by_path() {
    for subject in subjects() {
        let Some(path) = subject.library.identity().path else { continue };
        let again = match cpb_libraries::open(&subject.name, Some(Path::new(&path))) {
            Ok(library) => library,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(again.identity(), subject.library.identity());
        assert_eq!(again.offers(), subject.library.offers());
    }
}

#[test]
fn what_is_missing_comes_with_a_remedy() {
    for entry in libraries() {
        let path = given_path(entry.name);
        if let Err(OpenError::Missing { library, reason, remedy }) = entry.open(path.as_deref()) {
            assert_eq!(library, entry.name);
            assert!(!reason.is_empty() && remedy.contains("install"), "{reason}; {remedy}");
        }
    }
}
