//! Makes a provider of known cost, and runs of it.

use crate::program::{Folder, SHARED, compile, succeeds};
use serde_json::Value;

/// A test's own folder with the provider.
pub(crate) struct Slow(Folder);

impl Slow {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        compile("../../shims/slow_provider.c", &folder.path("libslow.so"), &SHARED);
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.word(name)
    }

    pub(crate) fn library(&self) -> String {
        format!("slow={}", self.path("libslow.so"))
    }

    /// Measures the provider, and returns the path of the run.
    pub(crate) fn run(&self, name: &str) -> String {
        let how = "--precision 99% --max-time 120 --sizes 64 --format json";
        let line = format!("run known-chain --library {} {how}", self.library());
        self.0.writes(name, succeeds(&line).stdout)
    }

    /// Writes the run in file `from`, changed by `edit`, to file `to`.
    pub(crate) fn edited(&self, from: &str, to: &str, edit: impl Fn(&mut Value)) -> String {
        let text = std::fs::read_to_string(self.path(from)).expect("a run");
        let mut run = serde_json::from_str(&text).expect("JSON");
        edit(&mut run);
        self.0.writes(to, run.to_string())
    }
}

/// Multiplies all cycles of a run.
pub(crate) fn scale(run: &mut Value, factor: f64) {
    for record in run["records"].as_array_mut().expect("records") {
        for point in record["points"].as_array_mut().expect("points") {
            let figure = &mut point["cycles_per_call"];
            for place in ["/estimate", "/interval/low", "/interval/high"] {
                let number = figure.pointer_mut(place).expect(place);
                *number = (number.as_f64().expect("a number") * factor).into();
            }
        }
    }
}
