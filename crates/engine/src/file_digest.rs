//! Identifies a library's file by its content.

use cpb_kernels::base16;
use cpb_kernels::sha256::Sha256;
use std::fs::File;
use std::io::Read;

/// Larger files are not libraries.
const LARGEST: u64 = 1 << 30;

/// Returns the SHA-256 digest of the file at `path`, in hexadecimal; `None` if it cannot be read or is
/// larger than any library.
pub fn file_digest(path: &str) -> Option<String> {
    let file = File::open(path).ok()?;
    if !file.metadata().is_ok_and(|it| it.is_file() && it.len() <= LARGEST) {
        return None;
    }
    let mut rest = file.take(LARGEST);
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match rest.read(&mut piece).ok()? {
            0 => break,
            length => hash.update(&piece[..length]),
        }
    }
    Some(base16::encode(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_digest_and_nothing_else_has_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"abc").unwrap();
        // The example of FIPS 180-4.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(file_digest(file.path().to_str().unwrap()).as_deref(), Some(abc));
        assert_eq!(file_digest("/dev/zero"), None);
        assert_eq!(file_digest(""), None);
    }
}
