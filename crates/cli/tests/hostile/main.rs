//! Tests nonsensical command lines, faulty providers, and mutated saved runs. cpb must survive
//! them all.

#![allow(clippy::print_stdout, reason = "counts of what was tried")]

mod arguments;
mod calling;
mod mutated;
mod providers;
