//! Markdown.

use super::Export;
use crate::document::Document;
use cpb_report::WriteError;
use std::io::Write;

pub(super) struct Markdown;

impl Export for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn about(&self) -> &'static str {
        "The tables, for a README or a page of a forge"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["md", "markdown"]
    }

    fn write(
        &self,
        document: &dyn Document,
        _: Option<usize>,
        output: &mut dyn Write,
    ) -> Result<(), WriteError> {
        Ok(output.write_all(cpb_report::markdown(&document.sections()).as_bytes())?)
    }
}
