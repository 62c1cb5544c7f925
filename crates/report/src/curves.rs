//! Reads curves over the message length from files, and makes a chart of them.
//!
//! It reads results that cpb saved as JSON, and raw files of bench-slopes.

mod curve;
mod drawing;
mod multiples;
mod names;
mod raw;
mod saved;

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

pub use curve::{Curve, Curves, CurvesError, Length};
pub use drawing::{Quantity, RAW_GIGAHERTZ, chart, colours};
pub use multiples::multiples;
pub use names::Name;
pub use saved::of;

/// The largest raw file that is read; those of bench-slopes have a hundred lines.
const MOST_RAW_BYTES: u64 = 16 << 20;

/// Parses the curves in the content of a file called `path`.
///
/// # Errors
/// [`CurvesError`], if it cannot be read, is neither kind of file, or has nothing to plot.
pub fn parse(path: &Path, mut content: impl Read + Seek) -> Result<Curves, CurvesError> {
    let unreadable = |reason| CurvesError::Unreadable { path: path.to_owned(), reason };
    let (start, first) = text_start(&mut content).map_err(unreadable)?;
    content.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    match first {
        None => Err(CurvesError::Empty { path: path.to_owned() }),
        Some(b'{') => saved::parse(path, content, start),
        Some(_) => {
            let mut bytes = Vec::new();
            content.take(MOST_RAW_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
            let text = std::str::from_utf8(&bytes).map_err(|error| {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                CurvesError::Wrong {
                    path: path.to_owned(),
                    line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
                    wrong: format!("this is not text; expected {}", raw::EXPECTED),
                }
            })?;
            if bytes.len() as u64 > MOST_RAW_BYTES {
                let wrong = format!("it is larger than 16 MiB; expected {}", raw::EXPECTED);
                return Err(CurvesError::Wrong { path: path.to_owned(), line: 1, wrong });
            }
            raw::parse(path, text)
        }
    }
}

/// Returns the position after a byte order mark, and the first byte that is not white space.
fn text_start(content: &mut (impl Read + Seek)) -> io::Result<(u64, Option<u8>)> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    content.rewind()?;
    let mut start = Vec::new();
    content.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
    let place = if start == MARK { start.len() as u64 } else { 0 };
    content.seek(SeekFrom::Start(place))?;
    let mut block = [0; 4096];
    loop {
        let read = content.read(&mut block)?;
        if read == 0 {
            return Ok((place, None));
        }
        if let Some(byte) = block[..read].iter().find(|byte| !byte.is_ascii_whitespace()) {
            return Ok((place, Some(*byte)));
        }
    }
}
