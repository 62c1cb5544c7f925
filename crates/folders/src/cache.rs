//! Keeps builds by their content: sources, our headers, compiler and flags.

use cpb_host::{Home, files};
use cpb_kernels::base16;
use cpb_kernels::sha3::Sha3_256;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest implementation that is accepted, over its files.
const MOST_BYTES: u64 = 64 << 20;

/// A file in each kept folder, whose modification time is that of the last use.
const USED: &str = "used";
/// The prefix of folders that belong to one process, and are useless afterwards.
const WORK: &str = "work-";
const INDEX: &str = "index-";

/// The folder of all builds, in use as long as this lives. The last user then removes the least
/// recently used ones, until the limit is met.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    most: u64,
    /// A lock shared by all users; exclusive only while removing.
    lock: File,
}

impl Cache {
    /// Opens the user's cache, of which at most `most` bytes are kept.
    pub(crate) fn open(most: u64) -> io::Result<Self> {
        let home = Home::Cache.folder().ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "neither XDG_CACHE_HOME nor HOME is a folder")
        })?;
        Self::at(home.join("folders"), most)
    }

    fn at(folder: PathBuf, most: u64) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let lock = open_or_make(&folder.with_extension("lock"))?;
        // If files cannot be locked, nothing is ever removed.
        let _ = lock.lock_shared();
        Ok(Self { folder, most, lock })
    }

    /// Returns the folder for this key.
    pub(crate) fn place(&self, key: &str) -> PathBuf {
        self.folder.join(key)
    }

    /// Whether something is kept under this key, and marks it as used.
    pub(crate) fn has(&self, key: &str) -> bool {
        let used = open_or_make(&self.place(key).join(USED));
        used.and_then(|file| file.set_modified(SystemTime::now())).is_ok()
    }

    /// Creates a folder to work in, which is removed when dropped.
    pub(crate) fn scratch(&self) -> io::Result<tempfile::TempDir> {
        tempfile::Builder::new().prefix(WORK).tempdir_in(&self.folder)
    }

    /// Creates a file to list what was built, which is removed when dropped.
    pub(crate) fn index(&self) -> io::Result<tempfile::TempPath> {
        let file = tempfile::Builder::new().prefix(INDEX).tempfile_in(&self.folder)?;
        Ok(file.into_temp_path())
    }

    /// Keeps a folder under a key, unless another process has done so.
    pub(crate) fn keep(&self, scratch: tempfile::TempDir, key: &str) -> io::Result<()> {
        File::create(scratch.path().join(USED))?;
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

impl Drop for Cache {
    fn drop(&mut self) {
        if self.lock.try_lock().is_ok() {
            // Failures are left to the next user.
            let _ = shrink(&self.folder, self.most);
        }
    }
}

/// Opens a file to read and write, without blocking on a pipe in its place.
fn open_or_make(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

/// Removes what killed processes left, and the least recently used builds until at most `most`
/// bytes remain. What cannot be removed stays.
fn shrink(folder: &Path, most: u64) -> io::Result<()> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.starts_with(INDEX) {
            let _ = fs::remove_file(&path);
        } else if name.starts_with(WORK) {
            let _ = fs::remove_dir_all(&path);
        } else if path.is_dir() {
            let used = fs::metadata(path.join(USED)).and_then(|file| file.modified());
            kept.push((used.unwrap_or(SystemTime::UNIX_EPOCH), name.to_owned(), bytes(&path)));
        }
    }
    kept.sort();
    let mut total: u64 = kept.iter().map(|(_, _, bytes)| bytes).sum();
    for (_, name, bytes) in kept {
        if total <= most {
            break;
        }
        // Renamed first, so that a process killed here leaves no half of a build.
        let gone = folder.join(format!("{WORK}{name}"));
        if fs::rename(folder.join(name), &gone).is_ok() {
            let _ = fs::remove_dir_all(gone);
            total -= bytes;
        }
    }
    Ok(())
}

/// Adds up the sizes of all files in a folder and below, as far as readable.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes(&entry.path()),
        metadata => metadata.map_or(0, |file| file.len()),
    };
    entries.map(of).sum()
}

/// Computes the digest of texts, separated by their lengths.
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

/// Files with names and contents.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// Reads all files of a folder, in order; follows links.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Keeps `bytes` bytes under a key, last used `seconds` later.
    fn keep(cache: &Cache, key: &str, bytes: usize, seconds: u64) {
        let scratch = cache.scratch().unwrap();
        fs::create_dir(scratch.path().join("below")).unwrap();
        fs::write(scratch.path().join("below/file"), vec![0; bytes]).unwrap();
        cache.keep(scratch, key).unwrap();
        let used = open_or_make(&cache.place(key).join(USED)).unwrap();
        used.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    fn kept(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_not_used_for_longest_goes_once_nobody_uses_any_of_it() {
        let home = tempfile::TempDir::new().unwrap();
        let folder = home.path().join("folders");
        let open = |most| Cache::at(folder.clone(), most).unwrap();
        let first = open(300);
        for (key, seconds) in [("a", 4), ("b", 1), ("c", 3), ("d", 2)] {
            keep(&first, key, 100, seconds);
        }
        assert!(first.has("b") && !first.has("e"));
        // Left by killed processes.
        fs::create_dir(folder.join("work-x")).unwrap();
        fs::write(folder.join("work-x/file"), "x").unwrap();
        fs::write(folder.join("index-x"), "x").unwrap();
        let second = open(200);
        let index = second.index().unwrap();
        drop(first);
        assert_eq!(kept(&folder).len(), 7, "the second uses it: {:?}", kept(&folder));
        drop((index, second));
        assert_eq!(kept(&folder), ["a", "b"]);
        drop(open(0));
        assert_eq!(kept(&folder), [""; 0]);
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
        let home = tempfile::TempDir::new().unwrap();
        let folder = home.path().join("folders");
        let pipe = |path: &Path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        pipe(&home.path().join("folders.lock"));
        let cache = Cache::at(folder.clone(), 0).unwrap();
        keep(&cache, "a", 100, 1);
        fs::remove_file(folder.join("a").join(USED)).unwrap();
        pipe(&folder.join("a").join(USED));
        assert!(cache.has("a"));
        drop(cache);
        assert_eq!(kept(&folder), [""; 0]);
    }
}
