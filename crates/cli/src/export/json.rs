//! JSON.

use super::Export;
use crate::document::Document;
use cpb_report::WriteError;
use std::io::Write;

pub(super) struct Json;

impl Export for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "Everything, with intervals and provenance"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(
        &self,
        document: &dyn Document,
        _: Option<usize>,
        output: &mut dyn Write,
    ) -> Result<(), WriteError> {
        document.json(output)
    }
}
