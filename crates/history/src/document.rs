//! What is told of saved runs, of figures through them, and of the machines they are of.

mod changes;
mod history;
mod machines;
mod runs;

pub use changes::Changes;
pub use history::History;
pub use machines::SavedMachines;
pub use runs::{SavedRuns, run_title};
