//! Reads and writes files in known places, which others may have replaced: nothing there
//! blocks, and no more is read than needed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Reads all of a regular file of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let limit =
            if most < 1 << 20 { format!("{most} bytes") } else { format!("{} MiB", most >> 20) };
        return Err(io::Error::other(format!("it is larger than {limit}")));
    }
    Ok(bytes)
}

/// Reads the same as text.
///
/// # Errors
/// The errors of [`read`]; also if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|_| io::Error::other("it is not text (UTF-8)"))
}

/// Reads the last `most` bytes of a regular file as text.
///
/// # Errors
/// If it cannot be read, or is not a regular file.
pub fn read_end(path: &Path, most: u64) -> io::Result<String> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a regular file, without waiting for a pipe or waking its other end.
///
/// # Errors
/// If it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // The kind is checked first, because opening a device may have effects.
    is_file(&std::fs::metadata(path)?)?;
    let file = OpenOptions::new().read(true).custom_flags(without_waiting()).open(path)?;
    is_file(&file.metadata()?)?;
    Ok(file)
}

/// Replaces the content of a file at a path that the user did not type, without waiting for
/// anything else at that path.
///
/// # Errors
/// If it cannot be written, or is not a regular file.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) => is_file(&metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // The path may be another file by now, so the opened one is checked before it is emptied.
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(without_waiting())
        .open(path)?;
    is_file(&file.metadata()?)?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

/// Replaces a file of lines atomically, so that nobody reads half of one; creates its folder.
///
/// # Errors
/// If it cannot be written.
pub fn replace(path: &Path, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    for line in lines {
        writeln!(new, "{line}")?;
    }
    new.persist(path)?;
    Ok(())
}

/// Returns the flags with which opening neither blocks nor acquires a terminal.
fn without_waiting() -> i32 {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    flags.bits().cast_signed()
}

fn is_file(metadata: &std::fs::Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::other(format!("it is {what}, not a file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_small_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let said = |name: &str| read_text(&path(name), 4).map_err(|error| error.to_string());
        std::fs::write(path("text"), "four").unwrap();
        std::fs::write(path("large"), "large").unwrap();
        std::fs::write(path("bytes"), [0xff]).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        assert_eq!(said("text").as_deref(), Ok("four"));
        assert_eq!(read_end(&path("large"), 4).unwrap(), "arge");
        for (name, words) in [
            ("large", "larger than 4 bytes"),
            ("bytes", "not text"),
            ("pipe", "a pipe, not a file"),
            ("zero", "a device, not a file"),
            ("", "a folder, not a file"),
        ] {
            let refused = said(name).unwrap_err();
            assert!(refused.contains(words), "{name}: {refused}");
        }
        assert_eq!(open(&path("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        for (name, is_written) in [("new", true), ("text", true), ("pipe", false), ("zero", false)]
        {
            assert_eq!(write(&path(name), "new").is_ok(), is_written, "{name}");
        }
        assert_eq!((said("new"), said("text")), (Ok("new".to_owned()), Ok("new".to_owned())));
    }
}
