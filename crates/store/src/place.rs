//! Where the store is.

use crate::StoreError;
use cpb_host::Home;
use std::path::{Path, PathBuf};

/// The user's store: `$XDG_DATA_HOME/cpb/runs.sqlite`, or the same below
/// `~/.local/share`.
///
/// # Errors
/// [`StoreError::NoPlace`] when neither variable names a folder.
pub fn default_path() -> Result<PathBuf, StoreError> {
    let folder = Home::Data.folder().ok_or(StoreError::NoPlace)?;
    Ok(folder.join("runs.sqlite"))
}

/// Whether SQLite would take `path` for a file's, as cpb does: what it calls a
/// database in memory or a URI would keep no run.
#[must_use]
pub fn is_path(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    let is_uri = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"file:"));
    !name.is_empty() && !name.starts_with(b":") && !is_uri
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
}
