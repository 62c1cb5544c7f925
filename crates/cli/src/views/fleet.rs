//! A fleet run: what became of its nodes, and what they measured.

mod report;
mod status;

use cpb_fleet::TaskOutcome;

pub(crate) use report::Report;
pub(crate) use status::Status;

/// A state and its reason.
pub(crate) fn describe(became: &TaskOutcome) -> String {
    match became.words.as_str() {
        "" => became.state.name().to_owned(),
        words => format!("{}: {words}", became.state.name()),
    }
}
