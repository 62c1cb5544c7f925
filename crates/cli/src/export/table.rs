//! Aligned columns.

use super::Export;
use crate::document::Document;
use cpb_report::WriteError;
use std::io::Write;

pub(super) struct Table;

impl Export for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn about(&self) -> &'static str {
        "Aligned columns for people"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["txt"]
    }

    fn write(
        &self,
        document: &dyn Document,
        room: Option<usize>,
        output: &mut dyn Write,
    ) -> Result<(), WriteError> {
        Ok(output.write_all(cpb_report::text(&document.sections(), room).as_bytes())?)
    }
}
