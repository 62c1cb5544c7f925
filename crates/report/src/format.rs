//! Lists the formats of results, one file each.

mod bencher;
mod csv;
mod github_annotations;
mod github_benchmark;
mod html;
mod json;
mod junit;
mod lnt;
mod markdown;
mod openmetrics;
mod series;
mod supercop;
mod text;

use crate::{Document, WriteError};
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

pub use csv::write_csv;
pub use github_annotations::annotations;
pub use markdown::markdown;
pub use text::text;

/// Every format. A new one is a file in `format/` and a line here.
pub static FORMATS: [&Format; 12] = [
    Format::TABLE,
    Format::CSV,
    Format::JSON,
    Format::MARKDOWN,
    Format::JUNIT,
    &html::HTML,
    &bencher::BENCHER,
    &github_annotations::GITHUB_ANNOTATIONS,
    &github_benchmark::GITHUB_BENCHMARK,
    &lnt::LNT,
    &openmetrics::OPENMETRICS,
    &supercop::SUPERCOP,
];

/// A format of results.
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// The description in the help.
    pub about: &'static str,
    /// The endings of its files.
    endings: &'static [&'static str],
    /// Whether it can show a document.
    pub suits: fn(&dyn Document) -> bool,
    /// Writes a document, in lines of limited width if one is given.
    pub write: WriteDocument,
}

type WriteDocument = fn(&dyn Document, Option<usize>, &mut dyn Write) -> Result<(), WriteError>;

impl Format {
    /// Aligned columns.
    pub const TABLE: &'static Self = &text::TABLE;
    /// Comma-separated values.
    pub const CSV: &'static Self = &csv::CSV;
    pub const JSON: &'static Self = &json::JSON;
    pub const MARKDOWN: &'static Self = &markdown::MARKDOWN;
    /// JUnit XML.
    pub const JUNIT: &'static Self = &junit::JUNIT;

    /// Returns the format for files with the ending of `path`.
    pub fn of_file(path: &Path) -> Option<&'static Self> {
        let ending = path.extension().map(OsStr::to_ascii_lowercase)?;
        FORMATS.into_iter().find(|format| format.endings.iter().any(|it| ending == *it))
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
