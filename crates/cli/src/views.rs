//! Makes documents of what commands found, with one file per kind.

pub(crate) mod chain;
pub(crate) mod compare;
pub(crate) mod compare_forest;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod fleet;
pub(crate) mod gate;
pub(crate) mod list;
pub(crate) mod paths;
