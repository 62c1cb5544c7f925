//! Checks that the files a library's processes map stay the same. A build replaced in the middle of
//! a run would mix two builds in one row.

use crate::failures::unavailable;
use cpb_host::maps::{self, Mapping};
use cpb_model::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

/// A file whose code is mapped into a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MappedFile {
    path: String,
    /// Device and inode of the mapped file, whatever is at the path now.
    mapped: String,
    /// Size and time of the file at the path, since it may be overwritten in place; `None` if there
    /// is none.
    content: Option<Content>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    bytes: u64,
    modified_seconds: i64,
    modified_nanoseconds: i64,
}

/// Returns the files whose code this process maps: the library as the loader resolved it, and its
/// dependencies. Empty if the system does not say.
pub(crate) fn mapped() -> Vec<MappedFile> {
    let file =
        |(path, mapped): (String, String)| MappedFile { content: content(&path), path, mapped };
    executable(&maps::read("self"), std::process::id()).into_iter().map(file).collect()
}

/// Returns the path, device and inode of every file that is mapped as code, by path, from the lines
/// of [`maps::read`] of `process`. Omits cpb's own shims, which are in memory or in a temporary file
/// named after the process.
fn executable(maps: &str, process: u32) -> BTreeMap<String, String> {
    let code = maps.lines().filter_map(Mapping::parse).filter(Mapping::is_code);
    let files = code.filter(|it| it.path.starts_with('/') && !is_shim(it, process));
    files.map(|it| (it.path.to_owned(), format!("{} {}", it.device, it.inode))).collect()
}

fn is_shim(mapping: &Mapping<'_>, process: u32) -> bool {
    let Mapping { path, is_deleted, .. } = mapping;
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_temporary = *is_deleted && name.starts_with("cpb-") && name.ends_with(".so");
    path.starts_with("/memfd:") || is_temporary && name.contains(&format!("-{process}-"))
}

fn content(path: &str) -> Option<Content> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Content {
        bytes: metadata.len(),
        modified_seconds: metadata.mtime(),
        modified_nanoseconds: metadata.mtime_nsec(),
    })
}

/// The files that the first process of each library of this run mapped, by label.
///
/// It is global, so that every worker is checked against it, whether it lists, verifies or
/// measures.
static FIRST: Mutex<BTreeMap<String, Vec<MappedFile>>> = Mutex::new(BTreeMap::new());

/// Compares the files mapped by another process of the library labelled `label` with those of its
/// first process.
///
/// # Errors
/// The file that was replaced in between, with the evidence.
pub(crate) fn same_as_before(label: &str, files: Vec<MappedFile>) -> Result<(), Failure> {
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    let before = first.entry(label.to_owned()).or_insert_with(|| files.clone());
    replaced(before, &files).map_or(Ok(()), |reason| {
        // It is not a passing disturbance: the next process would map the same file.
        Err(unavailable(reason))
    })
}

/// Describes the difference between `before` and `now`; `None` if there is none.
fn replaced(before: &[MappedFile], now: &[MappedFile]) -> Option<String> {
    let at = |files: &'_ [MappedFile], path: &str| files.iter().any(|file| file.path == path);
    let written = before.iter().find_map(|old| {
        let new = now.iter().find(|new| new.path == old.path && *new != old)?;
        Some((&old.path, differences(old, new)))
    });
    let (path, how) = written.or_else(|| {
        // A link that now leads elsewhere.
        let gone = before.iter().find(|old| !at(now, &old.path));
        let come = now.iter().find(|new| !at(before, &new.path));
        let (path, how) = match (gone, come) {
            (Some(gone), Some(come)) => (&gone.path, format!("{} is loaded now", come.path)),
            (Some(gone), None) => (&gone.path, "it is not loaded any more".to_owned()),
            (None, Some(come)) => (&come.path, "it was not loaded before".to_owned()),
            (None, None) => return None,
        };
        Some((path, how))
    })?;
    Some(format!("the file {path} was replaced while it was measured: {how}; measure again"))
}

fn differences(old: &MappedFile, new: &MappedFile) -> String {
    let mut words = Vec::new();
    match (old.content, new.content) {
        (Some(old), Some(new)) => {
            if old.bytes != new.bytes {
                words.push(format!("{} bytes became {}", old.bytes, new.bytes));
            }
            let seconds = |content: Content| {
                content.modified_seconds as f64 + content.modified_nanoseconds as f64 / 1e9
            };
            let later = seconds(new) - seconds(old);
            if old.modified_seconds != new.modified_seconds
                || old.modified_nanoseconds != new.modified_nanoseconds
            {
                let order = if later < 0.0 { "earlier" } else { "later" };
                words.push(format!("it was modified {:.3} s {order}", later.abs()));
            }
        }
        (Some(_), None) => words.push("it is gone".to_owned()),
        (None, Some(_)) => words.push("it is there again".to_owned()),
        (None, None) => {}
    }
    if old.mapped != new.mapped {
        words.push(format!("device and inode {} became {}", old.mapped, new.mapped));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0c0a00000-55d0c0b00000 r--p 00000000 fe:01 131                       /usr/bin/cpb
55d0c0b00000-55d0c0c00000 r-xp 00100000 fe:01 131                       /usr/bin/cpb
55d0c1a00000-55d0c1a21000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000001000 r-xp 00001000 fe:01 77                         /tmp/a folder/libmine.so (deleted)
7f0000002000-7f0000003000 r-xp 00001000 00:01 2051                       /memfd:cpb-botan (deleted)
7f0000006000-7f0000007000 r-xp 00001000 fe:01 79                         /tmp/cpb-botan-4711-0.so (deleted)
7f0000004000-7f0000005000 rw-p 00000000 fe:01 78                         /tmp/data
7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]
";

    fn file(path: &str, mapped: &str, bytes: u64, modified_seconds: i64) -> MappedFile {
        let content = Content { bytes, modified_seconds, modified_nanoseconds: 0 };
        MappedFile { path: path.to_owned(), mapped: mapped.to_owned(), content: Some(content) }
    }

    #[test]
    fn files_with_code_are_found_by_path_device_and_inode() {
        let found: Vec<(String, String)> = executable(MAPS, 4711).into_iter().collect();
        let expected = [("/tmp/a folder/libmine.so", "fe:01 77"), ("/usr/bin/cpb", "fe:01 131")];
        assert_eq!(found, expected.map(|(path, mapped)| (path.to_owned(), mapped.to_owned())));
        assert!(executable("", 1).is_empty() && executable("nonsense\n\n- -", 1).is_empty());
    }

    #[test]
    fn this_very_program_is_mapped_and_stays_the_same() {
        let own = std::env::current_exe().unwrap().display().to_string();
        let files = mapped();
        assert!(files.iter().any(|file| file.path == own && file.content.is_some()), "{files:?}");
        assert_eq!(replaced(&files, &mapped()), None);
    }

    #[test]
    fn each_sign_of_another_file_is_told() {
        let old = file("/x/libmine.so", "fe:01 77", 100, 50);
        let said = |new: MappedFile| replaced(std::slice::from_ref(&old), &[new]).unwrap();
        assert_eq!(
            said(file("/x/libmine.so", "fe:01 78", 120, 53)),
            "the file /x/libmine.so was replaced while it was measured: 100 bytes became 120, it \
             was modified 3.000 s later, device and inode fe:01 77 became fe:01 78; measure again"
        );
        assert!(said(file("/x/libmine.so", "fe:01 77", 100, 49)).contains("1.000 s earlier"));
        assert!(said(MappedFile { content: None, ..old.clone() }).contains("it is gone"));
        let other = file("/x/libmine.so.2", "fe:01 79", 1, 1);
        assert!(said(other.clone()).contains("libmine.so was replaced"));
        assert!(said(other.clone()).contains("/x/libmine.so.2 is loaded now"));
        let both = [old.clone(), other];
        assert!(replaced(&both, &both[..1]).unwrap().contains("not loaded any more"));
        assert!(replaced(&both[..1], &both).unwrap().contains("not loaded before"));
        assert_eq!(replaced(&both, &both), None);
    }

    #[test]
    fn a_library_is_held_to_its_first_process() {
        let (old, new) = (file("/x/a.so", "fe:01 1", 1, 1), file("/x/a.so", "fe:01 2", 1, 1));
        let label = "a=/x/a.so of this test";
        assert_eq!(same_as_before(label, vec![old.clone()]), Ok(()));
        assert!(same_as_before(label, vec![new.clone()]).is_err());
        assert_eq!(same_as_before(label, vec![old]), Ok(()));
        assert_eq!(same_as_before("another label of it", vec![new]), Ok(()));
    }
}
