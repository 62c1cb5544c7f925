//! `cpb fleet`: against programs that stand for Slurm's, always; and on two nodes of a Slurm
//! cluster of our own, where Slurm is installed.

#[path = "../cpb/program.rs"]
#[allow(dead_code, reason = "what the other tests call, too")]
mod program;
#[path = "../../../store/tests/store/server.rs"]
#[allow(dead_code, reason = "what the store's own tests call, too")]
mod server;

mod cluster;
mod fake;
mod real;
