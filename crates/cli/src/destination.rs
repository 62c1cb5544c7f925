//! Writes results to files: checks that they are writable before anything is measured, and replaces
//! them only when complete.

use crate::cli_error::CliError;
use crate::output;
use cpb_report::WriteError;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A file that will be written.
pub(crate) struct Destination {
    path: PathBuf,
    way: WriteMode,
}

enum WriteMode {
    /// Through a temporary file beside it, which is renamed when complete.
    Beside { new: NamedTempFile, place: PathBuf },
    /// Directly, for something that is not a file (a pipe, a device), or has no room for another
    /// beside it.
    Into,
}

impl Destination {
    /// Checks that `path` can be written, without changing anything.
    pub(crate) fn new(path: &Path) -> Result<Self, CliError> {
        let way = WriteMode::to(path).map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path: path.to_owned(), way })
    }

    /// Creates one for a path that may be absent.
    pub(crate) fn optional(path: Option<&PathBuf>) -> Result<Option<Self>, CliError> {
        path.map(|path| Self::new(path)).transpose()
    }

    /// Writes the file, and reports it.
    pub(crate) fn write(self, content: impl AsRef<[u8]>) -> Result<(), CliError> {
        self.write_with(|file| Ok(file.write_all(content.as_ref())?))
    }

    /// Writes the file silently.
    pub(crate) fn put(self, content: impl AsRef<[u8]>) -> Result<(), CliError> {
        self.put_with(|file| Ok(file.write_all(content.as_ref())?))
    }

    /// Lets `fill` write the file, and reports it. If that fails, the old content stays.
    pub(crate) fn write_with(
        self,
        fill: impl FnOnce(&mut File) -> Result<(), WriteError>,
    ) -> Result<(), CliError> {
        let path = self.path.clone();
        self.put_with(fill)?;
        output::inform(&format!("wrote {}", path.display()));
        Ok(())
    }

    fn put_with(
        self,
        fill: impl FnOnce(&mut File) -> Result<(), WriteError>,
    ) -> Result<(), CliError> {
        let failed = |error: &dyn std::fmt::Display| cannot_write(&self.path, error);
        match self.way {
            WriteMode::Into => {
                let file = File::options().write(true).truncate(true).open(&self.path);
                fill(&mut file.map_err(|error| failed(&error))?).map_err(|error| failed(&error))
            }
            WriteMode::Beside { mut new, place } => {
                fill(new.as_file_mut()).map_err(|error| failed(&error))?;
                new.persist(place).map(|_| ()).map_err(|error| failed(&error.error))
            }
        }
    }
}

/// Means standard output.
pub(crate) const STANDARD: &str = "-";

/// Where a command writes one text: standard output, or a file.
pub(crate) enum Output {
    Standard,
    File(Destination),
}

impl Output {
    /// Checks that `path`, or standard output for [`STANDARD`], can be written.
    pub(crate) fn new(path: &Path) -> Result<Self, CliError> {
        match path.as_os_str() == STANDARD {
            true => Ok(Output::Standard),
            false => Destination::new(path).map(Output::File),
        }
    }

    pub(crate) fn write(self, content: &[u8]) -> Result<(), CliError> {
        match self {
            Output::Standard => Ok(output::print(&String::from_utf8_lossy(content))?),
            Output::File(destination) => destination.write(content),
        }
    }
}

impl WriteMode {
    fn to(path: &Path) -> io::Result<Self> {
        // The target of a link, so that the link stays one.
        let (place, permissions) = match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::Error::other("it is a folder")),
            // A pipe is not opened early, because that would wait for a reader.
            Ok(metadata) if !metadata.is_file() => return Ok(WriteMode::Into),
            Ok(metadata) => {
                File::options().append(true).open(path)?;
                (std::fs::canonicalize(path)?, metadata.permissions())
            }
            // Respects the process's umask, as for any new file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (path.to_owned(), Permissions::from_mode(0o666))
            }
            Err(error) => return Err(error),
        };
        let folder = match place.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match Builder::new().prefix(".cpb-").permissions(permissions.clone()).tempfile_in(folder) {
            Ok(new) => {
                if place.exists() {
                    new.as_file().set_permissions(permissions)?;
                }
                Ok(WriteMode::Beside { new, place })
            }
            Err(_) if place.exists() => Ok(WriteMode::Into),
            Err(error) => Err(error),
        }
    }
}

pub(crate) fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> CliError {
    usage!("cannot write '{}': {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn files(folder: &TempDir) -> usize {
        std::fs::read_dir(folder.path()).unwrap().count()
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = TempDir::new().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let failing = Destination::new(&link).unwrap().write_with(|output| {
            output.write_all(b"half")?;
            Err(io::Error::other("no more").into())
        });
        assert!(failing.unwrap_err().to_string().contains("no more"));
        assert_eq!((std::fs::read_to_string(&file).unwrap().as_str(), files(&folder)), ("old", 2));
        drop(Destination::new(&folder.path().join("new")).unwrap());
        assert_eq!(files(&folder), 2, "what is not written leaves nothing");
        Destination::new(&link).unwrap().write("new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn what_is_no_file_is_written_into() {
        Destination::new(Path::new("/dev/null")).unwrap().write("x").unwrap();
        let full = Destination::new(Path::new("/dev/full")).unwrap().write("x").unwrap_err();
        assert!(full.to_string().contains("cannot write '/dev/full'"), "{full}");
        let folder = tempfile::TempDir::new().unwrap();
        for wrong in [Path::new("/"), &folder.path().join("no/such")] {
            assert!(Destination::new(wrong).is_err(), "{}", wrong.display());
        }
    }
}
