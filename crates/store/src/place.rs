//! Where the store is.

use crate::StoreError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The user's store: `$XDG_DATA_HOME/cpb/runs.sqlite`, or the same below
/// `~/.local/share` (XDG Base Directory Specification 0.8).
///
/// # Errors
/// [`StoreError::NoPlace`] when neither variable names a folder.
pub fn default_path() -> Result<PathBuf, StoreError> {
    below(std::env::var_os("XDG_DATA_HOME"), std::env::var_os("HOME")).ok_or(StoreError::NoPlace)
}

/// Whether SQLite would take `path` for a file's, as cpb does: what it calls a
/// database in memory or a URI would keep no run.
#[must_use]
pub fn is_path(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    let is_uri = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"file:"));
    !name.is_empty() && !name.starts_with(b":") && !is_uri
}

/// The specification has relative paths ignored.
fn below(data_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let folder = |variable: Option<OsString>| {
        variable.map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    let data = folder(data_home)
        .or_else(|| Some(folder(home)?.join(Path::new(".local").join("share"))))?;
    Some(data.join("cpb").join("runs.sqlite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sqlite_takes_for_something_else_is_no_path() {
        for no_path in ["", ":memory:", "file:x?mode=memory", "FILE:/x?immutable=1", "file:x"] {
            assert!(!is_path(Path::new(no_path)), "{no_path}");
        }
        for path in ["x", "./:memory:", "./file:x", "/file:x", "files", "a:b", "runs?mode=memory"] {
            assert!(is_path(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn the_data_home_comes_before_the_home() {
        let path = |data_home: Option<&str>, home: Option<&str>| {
            below(data_home.map(Into::into), home.map(Into::into))
        };
        assert_eq!(path(Some("/d"), Some("/h")), Some("/d/cpb/runs.sqlite".into()));
        let below_home = Some("/h/.local/share/cpb/runs.sqlite".into());
        assert_eq!(path(Some("relative"), Some("/h")), below_home);
        assert_eq!(path(None, Some("/h")), below_home);
        assert_eq!(path(Some(""), Some("")), None);
        assert_eq!(path(None, None), None);
    }
}
