//! Libraries that were built for cpb, in a folder of the user's: each a file called by the
//! library's name. It is a provider, or another build of a library that cpb knows by name,
//! such as `openssl-4`.

use cpb_host::Home;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const ENDING: &str = ".so";

/// Their names, in order.
#[must_use]
pub fn names() -> Vec<String> {
    folder().map_or_else(Vec::new, |folder| names_in(&folder))
}

/// The library that the one called `name` is a build of: of `openssl-4` it is `openssl`, of
/// all others they themselves.
#[must_use]
pub fn build_of(name: &str) -> &str {
    let is_build = |known: &str| {
        let rest = name.strip_prefix(known).and_then(|rest| rest.strip_prefix('-'));
        rest.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    let known = crate::LIBRARIES.iter().map(|entry| entry.name).find(|known| is_build(known));
    known.unwrap_or(name)
}

/// The file of the library called `name`, where there is one.
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

/// Whether it can be written where libraries are named, and leads nowhere else. What cpb
/// itself knows by name is what is installed.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.bytes().all(allowed)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !crate::LIBRARIES.iter().any(|entry| entry.name == name)
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
