//! Shows a fleet run: the outcomes of its nodes, and their figures.

mod report;
mod status;

use cpb_fleet::TaskOutcome;

pub(crate) use report::Report;
pub(crate) use status::Status;

/// Describes a state with its reason.
pub(crate) fn describe(became: &TaskOutcome) -> String {
    match became.words.as_str() {
        "" => became.state.name().to_owned(),
        words => format!("{}: {words}", became.state.name()),
    }
}
