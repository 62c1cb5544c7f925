//! What commands found, one file for each kind.

pub(crate) mod bench;
pub(crate) mod chain;
pub(crate) mod changes;
pub(crate) mod compare;
pub(crate) mod compare_forest;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod fleet;
pub(crate) mod gate;
pub(crate) mod header;
pub(crate) mod history;
pub(crate) mod interim_table;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod machines;
pub(crate) mod one_by_one;
pub(crate) mod paths;
pub(crate) mod primitive;
pub(crate) mod recursive;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod scale;
pub(crate) mod scaling;
pub(crate) mod slope_wide;
pub(crate) mod sums;

use cpb_model::Record;
use cpb_report::{Cell, Style};

/// Why a row has no figures, where it has none.
pub(crate) fn failure(record: &Record) -> Option<Cell> {
    record.failure.as_ref().map(|failure| Cell::new(failure.reason.as_str(), Style::Bad))
}
