//! Tests `cpb fleet`, always against scripts in place of Slurm's programs; and on two nodes
//! of a Slurm cluster of our own, if Slurm is installed.

#[path = "../cpb/program.rs"]
#[allow(dead_code, reason = "what the other tests call, too")]
mod program;
#[path = "../../../store/tests/store/server.rs"]
#[allow(dead_code, reason = "what the store's own tests call, too")]
mod server;

mod cluster;
mod fake;
mod real;
