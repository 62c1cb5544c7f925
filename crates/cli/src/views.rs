//! One file per view of what was measured.

pub(crate) mod bench;
pub(crate) mod header;
pub(crate) mod run_csv;
pub(crate) mod run_table;
pub(crate) mod slope;
pub(crate) mod slope_csv;
pub(crate) mod slope_raw;
pub(crate) mod slope_wide;
