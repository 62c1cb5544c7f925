//! One file per view of what was measured.

pub(crate) mod chain;
pub(crate) mod compare_csv;
pub(crate) mod compare_forest;
pub(crate) mod compare_json;
pub(crate) mod compare_table;
pub(crate) mod gate_json;
pub(crate) mod gate_junit;
pub(crate) mod gate_markdown;
pub(crate) mod gate_table;
pub(crate) mod header;
pub(crate) mod history;
pub(crate) mod primitive;
pub(crate) mod recursive;
pub(crate) mod run_csv;
pub(crate) mod run_table;
pub(crate) mod runs;
pub(crate) mod scaling;
pub(crate) mod slope_wide;
