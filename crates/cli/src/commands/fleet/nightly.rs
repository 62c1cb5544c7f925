//! Submits a fleet run every night: a small job submits it, and itself for the next night.

use super::run_folder::{OwnSuite, make, text, write};
use crate::cli_error::CliError;
use crate::output;
use cpb_fleet::{NIGHTLY, Nightly, Slurm, nightly_script};
use std::path::Path;

/// The options of a nightly run.
pub(super) struct NightlyOptions<'a> {
    /// The label, made from the names of suite and partition.
    pub(super) label: String,
    pub(super) partition: &'a str,
    /// The time as `HH:MM`.
    pub(super) at: &'a str,
    pub(super) program: &'a str,
    pub(super) suite: &'a OwnSuite,
    /// The suite as the user named it.
    pub(super) called: &'a str,
}

/// Submits the job for the first night. `words` returns the arguments of cpb fleet run for the
/// suite with this path or name.
pub(super) fn submit(
    root: &Path,
    asked: &NightlyOptions<'_>,
    words: impl Fn(&str) -> Result<Vec<String>, CliError>,
) -> Result<u8, CliError> {
    let NightlyOptions { label, partition, at, program, suite, called } = asked;
    let name = format!("{NIGHTLY}{label}");
    let waiting = Slurm.own_queued(&name)?.into_iter().find(|task| task.state == "PENDING");
    if let Some(waiting) = waiting {
        return Err(usage!(
            "job {} already does that; to change it, cancel it first: scancel --name={name}",
            waiting.job
        ));
    }
    let folder = root.join("nightly").join(label);
    make(&folder)?;
    // Under its own name, which the fleet runs take.
    let own = Path::new(called).file_name().map_or_else(|| folder.clone(), |it| folder.join(it));
    suite.write(&own)?;
    let called = match suite.0 {
        Some(_) => text(&own)?,
        None => (*called).to_owned(),
    };
    text(&folder)?;
    let words = words(&called)?;
    let nightly = Nightly { suite: label, partition, at, program, words: &words, folder: &folder };
    let file = folder.join("nightly.sh");
    write(&file, &nightly_script(&nightly))?;
    let job = Slurm.submit_at(&file, at)?;
    output::inform(&format!(
        "job {job} submits it at {at}, and itself for the night after; squeue --name={name} shows \
         the next night, and scancel --name={name} ends it"
    ));
    output::print(&format!("{name}\n"))?;
    Ok(0)
}

/// Parses `HH:MM`.
pub(super) fn time_of_day(text: &str) -> Result<String, String> {
    let part = |part: &str, most: u8| {
        part.len() == 2
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u8>().is_ok_and(|it| it <= most)
    };
    match text.split_once(':') {
        Some((hours, minutes)) if part(hours, 23) && part(minutes, 59) => Ok(text.to_owned()),
        _ => Err(format!("a time of day is HH:MM from 00:00 to 23:59, as 02:30, not '{text}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::time_of_day;

    #[test]
    fn times_of_day_have_two_digits_each() {
        for right in ["00:00", "02:30", "23:59"] {
            assert!(time_of_day(right).is_ok(), "{right}");
        }
        for wrong in ["", "2:30", "24:00", "02:60", "02:3", "+2:30", "02:30\n", "02:30:00"] {
            assert!(time_of_day(wrong).is_err(), "{wrong}");
        }
    }
}
