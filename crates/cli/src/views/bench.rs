//! `cpb bench`: the sha3 bench.

use cpb_model::Run;
use cpb_oldtools::bench::{self, Shown};
use cpb_report::Document;
use cpb_report::header;
use cpb_report::{Rows, Section};

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
        vec![Section { before: header(self.run), ..Section::from(table) }]
    }

    fn rows(&self) -> Rows<'_> {
        bench::rows(self.run, &self.shown)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }
}
