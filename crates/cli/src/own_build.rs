//! Identifies the build of a saved figure, and checks whether it still exists.

use crate::commits::OF_ANOTHER_REPOSITORY;
use crate::side::LibrarySide;
use cpb_engine::{LibrarySpec, file_digest};
use cpb_model::{LibraryBuild, Record, Run};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Adds to `library` the digest of its file, if that is not known yet, and its commit.
pub(crate) fn describe(library: &mut LibraryBuild) {
    let digest = || library.path.as_deref().and_then(file_digest);
    library.digest = library.digest.take().or_else(digest);
    library.commit = library.path.as_deref().and_then(commit);
}

/// Returns the commit checked out around `path`; `None` outside a git working tree.
fn commit(path: &str) -> Option<String> {
    let folder = Path::new(path).parent().filter(|it| is_in_a_tree(it))?;
    let mut git = Command::new("git");
    OF_ANOTHER_REPOSITORY.iter().for_each(|name| {
        git.env_remove(name);
    });
    let words = ["rev-parse", "--verify", "--quiet", "HEAD"];
    let answer = git.arg("-C").arg(folder).args(words).stdin(Stdio::null()).output().ok()?;
    let hash = str::from_utf8(&answer.stdout).ok()?.trim();
    let is_hash = answer.status.success() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && !hash.is_empty()).then(|| hash.to_owned())
}

/// Whether git might find a working tree there. Most libraries are in none, so that git need not be
/// called.
fn is_in_a_tree(folder: &Path) -> bool {
    folder.ancestors().any(|it| it.join(".git").exists())
}

/// Returns the build with which `record` of `saved` was measured, if its file is unchanged and
/// `now` is another build.
pub(crate) fn still_there(saved: &Run, record: &Record, now: &LibrarySide) -> Option<LibrarySpec> {
    let id = saved.libraries.iter().find(|library| library.label == record.subject.library)?;
    let digest = id.path.as_deref().and_then(file_digest);
    if now.spec.label() == id.label || digest.is_none() || digest != id.digest {
        return None;
    }
    let spec: LibrarySpec = id.label.parse().ok()?;
    // By its path, since the loader may find another file by the name.
    Some(LibrarySpec { path: spec.path.or_else(|| id.path.as_ref().map(PathBuf::from)), ..spec })
}

/// Returns the build with which `record` of `saved` was measured, if another build is at its path
/// now.
pub(crate) fn replaced<'a>(saved: &'a Run, record: &Record) -> Option<&'a LibraryBuild> {
    let id = saved.libraries.iter().find(|library| library.label == record.subject.library)?;
    let now = id.path.as_deref().and_then(file_digest)?;
    id.digest.as_ref().filter(|then| **then != now).map(|_| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_a_tree_of_git_is_of_its_commit() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("build/lib.so");
        std::fs::create_dir(folder.path().join("build")).unwrap();
        std::fs::write(&file, "x").unwrap();
        let path = file.to_str().unwrap();
        assert_eq!(commit(path), None);
        let git = |words: &str| {
            let output = Command::new("git")
                .arg("-C")
                .arg(folder.path())
                .args(["-c", "user.name=x", "-c", "user.email=x"])
                .args(words.split(' '))
                .output()
                .unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git("init --quiet");
        // Without a commit there is none.
        assert_eq!(commit(path), None);
        git("commit --quiet --allow-empty -m x");
        assert_eq!(commit(path), Some(git("rev-parse HEAD")));
        assert_eq!(commit("lib.so"), None);
    }

    #[test]
    fn a_build_that_was_overwritten_is_found_out() {
        use cpb_figures::testing::{record, run};
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut saved = run(vec![record("sha256", "mine=x", 1.0)]);
        saved.libraries.push(LibraryBuild {
            label: "mine=x".to_owned(),
            name: "mine".to_owned(),
            path: file.path().to_str().map(str::to_owned),
            ..LibraryBuild::default()
        });
        let is_replaced = |saved: &Run| replaced(saved, &saved.records[0]).is_some();
        assert!(!is_replaced(&saved), "nobody knows");
        describe(&mut saved.libraries[0]);
        assert!(!is_replaced(&saved));
        std::fs::write(file.path(), "x").unwrap();
        assert!(is_replaced(&saved));
    }
}
