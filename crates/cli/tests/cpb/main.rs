//! Tests the binary as its users call it.

mod chain;
mod commits;
mod compare;
mod costs;
mod database;
mod export;
mod failures;
mod files;
mod folders;
mod gate;
mod golden;
mod interrupt;
mod keys;
mod lengths;
mod path;
mod plot;
mod primitive;
mod program;
mod ranking;
mod recursive;
mod replaced;
mod report;
mod run;
mod same_figures;
mod scale;
mod schema;
mod serve;
#[path = "../../../store/tests/store/server.rs"]
mod server;
mod slope;
mod slow;
mod store;
mod store_safety;
mod structure;
#[path = "../../../serve/tests/pages/team.rs"]
mod team;
mod terminal;
mod usage;
mod widths;
mod written;
