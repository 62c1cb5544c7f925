//! The binary as its users call it.

mod bench;
mod built;
mod chain;
mod compare;
mod failures;
mod files;
mod gate;
mod interrupt;
mod lengths;
mod links;
mod plot;
mod primitive;
mod program;
mod ranking;
mod recursive;
mod replaced;
mod report;
mod run;
mod slope;
mod slow;
mod store;
mod store_safety;
mod suite;
mod terminal;
mod usage;
