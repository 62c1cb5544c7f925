//! Keeps the processes of all libraries that make calls at once.

use super::crew::WorkerGroup;
use crate::together::job::{Job, Means, Ran};
use cpb_model::Failure;
use std::collections::HashMap;

/// Lets threads make calls at once, on this machine or on a simulated one.
pub(crate) trait Crews {
    /// Runs a job of the library at this index of the `means`.
    fn run(&mut self, means: &Means<'_>, library: usize, job: &Job) -> Result<Vec<Ran>, Failure>;

    /// Ends all processes, and returns how many there were.
    fn end(&mut self) -> u64;

    /// Returns how long the hypervisor kept these CPUs from working, and the total time.
    fn stolen_and_total(&self, cpus: &[usize]) -> Option<(u64, u64)>;
}

/// Worker processes, by library and side.
#[derive(Default)]
pub(crate) struct Processes(HashMap<(usize, usize), WorkerGroup>);

impl Crews for Processes {
    fn run(&mut self, means: &Means<'_>, library: usize, job: &Job) -> Result<Vec<Ran>, Failure> {
        let crew = self.0.entry((library, job.side)).or_default();
        let ran = crew.run(&means.libraries[library], means, job);
        ran.inspect_err(|_| crew.dismiss())
    }

    fn end(&mut self) -> u64 {
        self.0.drain().map(|(_, crew)| crew.started()).sum()
    }

    fn stolen_and_total(&self, cpus: &[usize]) -> Option<(u64, u64)> {
        cpb_host::stolen_and_total(cpus)
    }
}
