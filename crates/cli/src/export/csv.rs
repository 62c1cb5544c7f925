//! Comma-separated values.

use super::Export;
use crate::document::Document;
use cpb_report::WriteError;
use std::io::Write;

pub(super) struct Csv;

impl Export for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "Comma-separated values"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn write(
        &self,
        document: &dyn Document,
        _: Option<usize>,
        output: &mut dyn Write,
    ) -> Result<(), WriteError> {
        cpb_report::write_csv(output, document.rows())
    }
}
