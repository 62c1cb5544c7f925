//! One file per command.

pub(crate) mod bench;
pub(crate) mod doctor;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod plot;
pub(crate) mod run;
pub(crate) mod slope;
