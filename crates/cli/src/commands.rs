//! One file per command.

pub(crate) mod bench;
pub(crate) mod doctor;
pub(crate) mod list;
pub(crate) mod run;
