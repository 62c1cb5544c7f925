//! `cpb bench`: the sha3 bench.

use crate::document::Document;
use crate::views::header;
use cpb_model::Run;
use cpb_oldtools::bench::{self, Shown};
use cpb_report::html::Source;
use cpb_report::{Rows, Section, WriteError, write_json};
use std::io::Write;

/// A run in the shapes of the sha3 bench.
pub(crate) struct BenchDocument<'a> {
    pub(crate) run: &'a Run,
    pub(crate) shown: Shown<'a>,
}

impl Document for BenchDocument<'_> {
    fn command(&self) -> &'static str {
        "bench"
    }

    fn sections(&self) -> Vec<Section> {
        let table = bench::table(self.run, &self.shown);
        vec![Section { before: header::lines(self.run), ..Section::from(table) }]
    }

    fn rows(&self) -> Rows<'_> {
        bench::rows(self.run, &self.shown)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        write_json(output, self.run)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: "bench", run: self.run }]
    }
}
