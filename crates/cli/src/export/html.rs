//! A page.

use super::Export;
use crate::document::Document;
use cpb_report::{WriteError, html};
use std::io::Write;

pub(super) struct Html;

impl Export for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn about(&self) -> &'static str {
        "A page with charts, of what was measured"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["html", "htm"]
    }

    fn suits(&self, document: &dyn Document) -> bool {
        document.runs().iter().any(|source| !source.run.records.is_empty())
    }

    fn write(
        &self,
        document: &dyn Document,
        _: Option<usize>,
        output: &mut dyn Write,
    ) -> Result<(), WriteError> {
        Ok(output.write_all(html::page(&document.runs()).as_bytes())?)
    }
}
