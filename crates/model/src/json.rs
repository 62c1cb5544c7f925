//! Reads runs from JSON, and writes them, by functions that are compiled here. As generic ones,
//! they would be compiled again for each crate and each kind of reader: three quarters of the
//! store's code were that.

use crate::{Record, Run, Setup};
use std::io::{Read, Write};

/// A value that is read from JSON, with all its text made harmless.
pub trait FromJson: Sized {
    /// Reads JSON in memory, which is several times faster than a stream.
    ///
    /// # Errors
    /// If it is not such a value.
    fn from_slice(json: &[u8]) -> serde_json::Result<Self>;

    /// Reads a stream, through a buffer.
    ///
    /// # Errors
    /// If it cannot be read, or is not such a value.
    fn from_reader(json: &mut dyn Read) -> serde_json::Result<Self>;
}

/// Has these types read from JSON by what serde derived for them.
#[macro_export]
macro_rules! impl_from_json {
    ($($type:ty),*) => {$(
        impl $crate::FromJson for $type {
            fn from_slice(json: &[u8]) -> serde_json::Result<Self> {
                serde_json::from_slice(json).map(|$crate::FromOutside(value)| value)
            }

            fn from_reader(json: &mut dyn std::io::Read) -> serde_json::Result<Self> {
                let buffered = std::io::BufReader::new(json);
                serde_json::from_reader(buffered).map(|$crate::FromOutside(value)| value)
            }
        }
    )*};
}

impl_from_json!(Run, Vec<Record>, Setup, Vec<String>);

impl Run {
    /// Writes it as one line of JSON without a line feed, a few bytes at a time.
    ///
    /// # Errors
    /// If `output` fails.
    pub fn write_json(&self, output: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer(output, self)
    }
}

impl Record {
    /// Writes it like [`Run::write_json`].
    ///
    /// # Errors
    /// As there.
    pub fn write_json(&self, output: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer(output, self)
    }
}
