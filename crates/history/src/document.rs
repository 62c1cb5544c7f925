//! Makes documents of saved runs, of their figures over time, and of their machines.

mod changes;
mod history;
mod machines;
mod runs;

pub use changes::Changes;
pub use history::History;
pub use machines::SavedMachines;
pub use runs::{SavedRuns, command_line, run_title};
