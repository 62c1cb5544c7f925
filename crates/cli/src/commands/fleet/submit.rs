//! Submits a job array with each task bound to a node.

use crate::cli_error::CliError;
use crate::output;
use cpb_fleet::{Fleet, FleetError, Slurm, Submission};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Submits the nodes at `places` of `fleet`. The array is held until each task has its node:
/// otherwise Slurm would send most tasks to the node that finishes first, which is one that refuses
/// to measure.
pub(super) fn submit(fleet: &mut Fleet, folder: &Path, places: &[usize]) -> Result<(), CliError> {
    let slurm = Slurm;
    let job = slurm.submit_array(&Fleet::script_path(folder), places)?;
    let mut bound = || -> Result<(), FleetError> {
        for &place in places {
            slurm.bind(job, place, &fleet.nodes[place].name)?;
        }
        let submission = Submission { job, at: now(), places: places.to_vec() };
        fleet.submissions.push(submission);
        fleet.write(folder)?;
        slurm.release(job)
    };
    if let Err(error) = bound() {
        let words = match slurm.cancel(job) {
            Ok(()) => format!("job {job} is cancelled: {error}"),
            Err(left) => format!(
                "job {job} was not bound to its nodes ({error}), nor could it be cancelled \
                 ({left}): scancel {job}"
            ),
        };
        return Err(CliError::NotMeasured(words));
    }
    let names: Vec<&str> = places.iter().map(|&place| fleet.nodes[place].name.as_str()).collect();
    output::inform(&format!("job {job} is submitted, for {}", names.join(", ")));
    Ok(())
}

/// Returns the seconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
