//! Finds libraries built for cpb in a folder of the user: each a file with the library's name,
//! which is a provider, or another build of a library known by name, such as `openssl-4`.

use crate::entry::LIBRARIES;
use cpb_host::Home;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const ENDING: &str = ".so";

/// Returns their names, sorted.
pub fn names() -> Vec<String> {
    folder().map_or_else(Vec::new, |folder| names_in(&folder))
}

/// Returns the library that `name` is a build of: `openssl` for `openssl-4`, otherwise `name`
/// itself.
pub fn build_of(name: &str) -> &str {
    let is_build = |known: &str| {
        let rest = name.strip_prefix(known).and_then(|rest| rest.strip_prefix('-'));
        rest.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    let known = LIBRARIES.iter().map(|entry| entry.name).find(|known| is_build(known));
    known.unwrap_or(name)
}

/// Returns the file of the library called `name`; `None` if there is none.
pub(crate) fn file(name: &str) -> Option<PathBuf> {
    let file = folder()?.join(format!("{name}{ENDING}"));
    (is_name(name) && file.is_file()).then_some(file)
}

fn folder() -> Option<PathBuf> {
    Some(Home::Data.folder()?.join("libraries"))
}

fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |file: OsString| {
        let name = file.to_str()?.strip_suffix(ENDING)?.to_owned();
        is_name(&name).then_some(name)
    };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| name(entry.file_name())).collect();
    names.sort_unstable();
    names
}

/// Whether the text can be a library's name, and is not a path elsewhere. Names known to cpb mean
/// what is installed.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.bytes().all(allowed)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !LIBRARIES.iter().any(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_libraries_by_their_names() {
        let folder = std::env::temp_dir().join(format!("cpb-libraries-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for file in ["ring.so", "aws-lc.so", "native.so", "a=b.so", ".so", ".x.so", "notes.txt"] {
            std::fs::write(folder.join(file), "").unwrap();
        }
        let found = names_in(&folder);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, ["aws-lc", "ring"]);
        assert!(names_in(&folder).is_empty());
        assert!(!is_name("../ring") && !is_name(""));
    }
}
