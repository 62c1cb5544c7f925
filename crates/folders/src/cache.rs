//! What was built once is kept by its content: sources, headers of ours, compiler and flags.

use cpb_host::{Home, files};
use cpb_kernels::base16;
use cpb_kernels::sha3::Sha3_256;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An implementation with more than this in its files is refused.
const MOST_BYTES: u64 = 64 << 20;

/// The folder in which all is kept.
#[derive(Debug)]
pub(crate) struct Cache(PathBuf);

impl Cache {
    pub(crate) fn open() -> io::Result<Self> {
        let home = Home::Cache.folder().ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "neither XDG_CACHE_HOME nor HOME is a folder")
        })?;
        let folder = home.join("folders");
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// Where what has this key is kept.
    pub(crate) fn place(&self, key: &str) -> PathBuf {
        self.0.join(key)
    }

    /// A folder to work in, gone when it is dropped.
    pub(crate) fn scratch(&self) -> io::Result<tempfile::TempDir> {
        tempfile::Builder::new().prefix("work-").tempdir_in(&self.0)
    }

    /// A file to name all that was built in, gone when it is dropped.
    pub(crate) fn index(&self) -> io::Result<tempfile::TempPath> {
        let file = tempfile::Builder::new().prefix("index-").tempfile_in(&self.0)?;
        Ok(file.into_temp_path())
    }

    /// Keeps a folder of its own under a key; another process may have been faster.
    pub(crate) fn keep(&self, scratch: tempfile::TempDir, key: &str) -> io::Result<()> {
        let place = self.place(key);
        match fs::rename(scratch.path(), &place) {
            Err(error) if !place.is_dir() => Err(error),
            Err(_) => Ok(()),
            Ok(()) => {
                // It has another name by now.
                let _ = scratch.keep();
                Ok(())
            }
        }
    }
}

/// The digest of texts, each told from the next by its length.
#[derive(Debug, Default)]
pub(crate) struct Key(Vec<u8>);

impl Key {
    pub(crate) fn add(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text);
    }

    pub(crate) fn finish(&self) -> String {
        base16::encode(&Sha3_256::digest(&self.0))[..32].to_ascii_lowercase()
    }
}

/// Files by their names, with what is in them.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// All files of a folder, in order; links are followed.
pub(crate) fn files(folder: &Path) -> io::Result<Files> {
    let mut found = Vec::new();
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Ok(metadata) = fs::metadata(&path) else { continue };
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if metadata.is_file() {
            let text = files::read(&path, MOST_BYTES);
            let text = text.map_err(|error| io::Error::other(format!("{name}: {error}")))?;
            total += text.len() as u64;
            if total > MOST_BYTES {
                return Err(io::Error::other(format!(
                    "its files have more than {} MiB",
                    MOST_BYTES >> 20
                )));
            }
            found.push((name.to_owned(), text));
        }
    }
    found.sort();
    Ok(found)
}
