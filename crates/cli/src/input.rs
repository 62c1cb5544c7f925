//! Files from outside: opened where they end, read as they come, and no more of
//! them than the largest run.

use cpb_store::Bounded;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use tempfile::SpooledTempFile;

/// Of a pipe; as much as of a file.
const MOST_PIPED: u64 = 256 << 20;
/// What comes through a pipe lies in memory up to this size, beyond it in a file
/// without a name.
const MOST_IN_MEMORY: usize = 1 << 20;

/// A file or what came through a pipe.
pub(crate) type Input = Bounded<Box<dyn Source>>;

pub(crate) trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

/// Opens a file, or reads a pipe to its end.
pub(crate) fn open(path: &Path) -> io::Result<Input> {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        Ok(Bounded::new(Box::new(File::open(path)?)))
    } else if kind.is_fifo() {
        piped(File::open(path)?)
    } else if kind.is_dir() {
        Err(io::Error::other("it is a folder; give its files"))
    } else {
        Err(io::Error::other("it is a device, which need not end; give a file or a pipe"))
    }
}

/// What comes through a pipe.
pub(crate) fn piped(pipe: impl Read) -> io::Result<Input> {
    let mut spooled = SpooledTempFile::new(MOST_IN_MEMORY);
    let copied = io::copy(&mut pipe.take(MOST_PIPED + 1), &mut spooled)?;
    if copied > MOST_PIPED {
        return Err(io::Error::other("more than 256 MiB came, and no end"));
    }
    spooled.rewind()?;
    Ok(Bounded::new(Box::new(spooled)))
}

/// The text of a small file.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    open(path)?.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}
