//! What nobody means: command lines, providers, and saved runs that were mutated. cpb survives
//! them all.

#![allow(clippy::print_stdout, reason = "counts of what was tried")]

mod arguments;
mod calling;
mod mutated;
mod providers;
