//! Opens files from outside as streams, up to the size of the largest run.

use crate::interrupt;
use cpb_store::Bounded;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;
use tempfile::SpooledTempFile;

/// The limit for a pipe, equal to that for a file.
const MOST_PIPED: u64 = 256 << 20;
/// Input from a pipe stays in memory up to this size; beyond, it goes to an unnamed file.
const MOST_IN_MEMORY: usize = 1 << 20;

/// A file, or the content of a pipe.
pub(crate) type Input = Bounded<Box<dyn Source>>;

pub(crate) trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

/// Opens a file, or reads a pipe to its end.
pub(crate) fn open(path: &Path) -> io::Result<Input> {
    match check(path)? {
        Kind::File => Ok(Bounded::new(Box::new(File::open(path)?))),
        Kind::Pipe => interrupt::ended_at_once(|| piped(File::open(path)?)),
    }
}

/// Kinds of input that end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Pipe,
}

/// Returns the kind of a path.
pub(crate) fn check(path: &Path) -> io::Result<Kind> {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() {
        Ok(Kind::File)
    } else if kind.is_fifo() {
        Ok(Kind::Pipe)
    } else if kind.is_dir() {
        Err(io::Error::other("it is a folder; give its files"))
    } else {
        Err(io::Error::other("it is a device, which may never end; give a file or a pipe"))
    }
}

/// Opens a file or a pipe that is read once from its beginning, whatever its length.
pub(crate) fn stream(path: &Path) -> io::Result<BufReader<File>> {
    check(path)?;
    Ok(BufReader::new(File::open(path)?))
}

/// Reads a pipe.
pub(crate) fn piped(pipe: impl Read) -> io::Result<Input> {
    let mut spooled = SpooledTempFile::new(MOST_IN_MEMORY);
    let copied = io::copy(&mut pipe.take(MOST_PIPED + 1), &mut spooled)?;
    if copied > MOST_PIPED {
        return Err(io::Error::other("more than 256 MiB came, and no end"));
    }
    spooled.rewind()?;
    Ok(Bounded::new(Box::new(spooled)))
}

/// The limit of a small file.
pub(crate) const MOST_TEXT: u64 = 1 << 20;

/// Reads the text of a small file.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(MOST_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_TEXT {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}
