//! Parses the location of a store.

use crate::{Address, LocationError};
use cpb_host::Home;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The location of a store: an SQLite file, or a database of a PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    File(PathBuf),
    Server(Arc<Address>),
}

impl StoreLocation {
    /// Parses a location: a server if it begins with `postgres://` or `postgresql://`, otherwise a
    /// file.
    ///
    /// # Errors
    /// [`LocationError::NoPath`] and [`LocationError::NoAddress`], if it is neither.
    pub fn parse(text: &std::ffi::OsStr) -> Result<Self, LocationError> {
        match text.to_str().filter(|text| is_address(text)) {
            Some(address) => {
                Address::parse(address).map(|address| StoreLocation::Server(Arc::new(address)))
            }
            None if is_path(Path::new(text)) => Ok(StoreLocation::File(text.into())),
            None => Err(LocationError::NoPath { path: without_passwords(text) }),
        }
    }

    /// Returns the command that saves a first run there.
    pub fn first_run(&self) -> String {
        let is_usual = default_path().is_ok_and(|path| *self == StoreLocation::File(path));
        if is_usual {
            return "cpb run sha256".to_owned();
        }
        let place = self.to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/=+-:@".contains(c);
        match place.chars().all(is_plain) {
            true => format!("cpb run sha256 --store {place}"),
            false => format!("cpb run sha256 --store '{place}'"),
        }
    }
}

/// Shows it as the user named it, without the password.
impl std::fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreLocation::File(path) => path.display().fmt(f),
            StoreLocation::Server(address) => address.fmt(f),
        }
    }
}

impl From<PathBuf> for StoreLocation {
    fn from(path: PathBuf) -> Self {
        StoreLocation::File(path)
    }
}

/// Returns the user's store: `$XDG_DATA_HOME/cpb/runs.sqlite`, or the same below `~/.local/share`.
///
/// # Errors
/// [`LocationError::NoPlace`], if neither variable names a folder.
pub fn default_path() -> Result<PathBuf, LocationError> {
    let folder = Home::Data.folder().ok_or(LocationError::NoPlace)?;
    Ok(folder.join("runs.sqlite"))
}

/// Whether SQLite would use `path` as a plain file: its names for databases in memory and its URIs
/// would not keep a run. The address of a server is not a path either, even a malformed one.
pub(crate) fn is_path(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    let is_uri = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"file:"));
    !name.is_empty() && !name.starts_with(b":") && !is_uri && !is_url(name)
}

/// Whether `name` begins with a scheme and `://`.
fn is_url(name: &[u8]) -> bool {
    let scheme = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    scheme > 0 && name[scheme..].starts_with(b"://")
}

/// Whether `text` is meant as the address of a PostgreSQL server.
fn is_address(text: &str) -> bool {
    let scheme = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
    text.contains(':') && ["postgres", "postgresql"].contains(&scheme.as_str())
}

fn without_passwords(text: &std::ffi::OsStr) -> PathBuf {
    PathBuf::from(crate::without_passwords(&text.to_string_lossy()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sqlite_takes_for_something_else_is_no_path() {
        for no_path in [
            "",
            ":memory:",
            "file:x?mode=memory",
            "FILE:/x?immutable=1",
            "file:x",
            "mysql://somewhere/x",
        ] {
            assert!(!is_path(Path::new(no_path)), "{no_path}");
        }
        for path in ["x", "./:memory:", "./file:x", "/file:x", "files", "a:b", "runs?mode=memory"] {
            assert!(is_path(Path::new(path)), "{path}");
        }
    }

    fn parse(text: &str) -> Result<StoreLocation, LocationError> {
        StoreLocation::parse(text.as_ref())
    }

    #[test]
    fn a_server_is_told_from_a_file() {
        for server in ["postgres://a@b/c", "postgresql:///c?host=/tmp"] {
            match parse(server) {
                Ok(StoreLocation::Server(_)) if cfg!(feature = "postgres") => {}
                Err(LocationError::NotBuilt { .. }) if !cfg!(feature = "postgres") => {}
                other => panic!("{server}: {other:?}"),
            }
        }
        assert!(matches!(parse("./postgres://x"), Ok(StoreLocation::File(_))));
        assert!(matches!(parse("postgres"), Ok(StoreLocation::File(_))));
        let error = parse("mysql://u:secret@x/y").unwrap_err().to_string();
        assert!(!error.contains("secret") && error.contains("postgres://"), "{error}");
    }

    #[test]
    fn no_refusal_has_a_password() {
        for wrong in ["postgres:x", "postgres:/u:secret@x", "POSTGRES://u:secret@x:y"] {
            let error = parse(wrong).unwrap_err();
            let is_right = match cfg!(feature = "postgres") {
                true => matches!(error, LocationError::NoAddress { .. }),
                false => matches!(error, LocationError::NotBuilt { .. }),
            };
            assert!(is_right, "{wrong}: {error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
