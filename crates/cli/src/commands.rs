//! One file per command.

pub(crate) mod bench;
pub(crate) mod chain;
pub(crate) mod compare;
pub(crate) mod delete;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod gate;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod label;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod milo;
pub(crate) mod plot;
pub(crate) mod primitive;
pub(crate) mod recursive;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod slope;
