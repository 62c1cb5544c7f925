//! Calls Slurm's programs, and parses their answers.

use crate::FleetError;
use crate::fleet::is_name;
use cpb_model::harmless;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};

/// Variables that change what the programs list, or what a job is. Others, such as
/// `SBATCH_ACCOUNT`, are how users state what a site requires.
const MISLEADING: &str = "\
    SBATCH_ARRAY_INX SBATCH_CONSTRAINT SBATCH_EXCLUSIVE SBATCH_EXPORT SBATCH_HOLD \
    SBATCH_JOB_NAME SBATCH_NO_REQUEUE SBATCH_OPEN_MODE SBATCH_OUTPUT SBATCH_PARTITION \
    SBATCH_REQUEUE SBATCH_TIMELIMIT SINFO_FORMAT SINFO_PARTITION SINFO_SORT SQUEUE_ACCOUNT \
    SQUEUE_FORMAT SQUEUE_PARTITION SQUEUE_QOS SQUEUE_STATES SQUEUE_USERS SACCT_FORMAT";
/// Variables that jobs must not see.
const SECRET: [&str; 2] = ["CPB_STORE", "PGPASSWORD"];

/// Slurm, through the programs in the path.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slurm;

/// A node of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    /// Its state in Slurm's terms: `idle`, `allocated`, `drained*`.
    pub state: String,
    /// Features for constraints.
    pub features: Vec<String>,
    /// Why an administrator, or Slurm, took it out of service.
    pub reason: String,
}

/// A task of a job array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The array's number.
    pub job: u64,
    /// Its index in the array.
    pub index: usize,
    /// Its state in Slurm's terms: `PENDING`, `NODE_FAIL`.
    pub state: String,
    /// Slurm's reason why it waits or ended.
    pub reason: String,
    /// Seconds since 1970 at its start, actual or expected; absent if unknown.
    pub start: Option<i64>,
    /// Seconds since 1970 at its end; absent if it has not ended.
    pub end: Option<i64>,
}

impl Node {
    pub fn is_idle(&self) -> bool {
        self.state.starts_with("idle")
    }

    /// Returns why no job can run there; `None` if one can, sooner or later.
    pub fn unavailable(&self) -> Option<String> {
        const GONE: [&str; 5] = ["down", "drain", "fail", "inval", "unknown"];
        let state = self.state.to_lowercase();
        let plain = state.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let because = match self.reason.as_str() {
            "" | "none" => String::new(),
            reason => format!(": {reason}"),
        };
        if GONE.iter().any(|gone| plain.starts_with(gone)) {
            return Some(format!("{plain}{because}"));
        }
        state.ends_with('*').then(|| "does not respond".to_owned())
    }
}

impl Slurm {
    /// Returns the nodes of `partition`.
    ///
    /// # Errors
    /// [`FleetError::NoPartition`]; or if `sinfo` is missing or refuses.
    pub fn nodes(&self, partition: &str) -> Result<Vec<Node>, FleetError> {
        // Names of partitions contain no other character, and never look like an option.
        let is_plain = is_name(partition) && !partition.starts_with('-');
        let listed = match is_plain {
            true => {
                let asked = ["--noheader", "--Node", "--partition", partition];
                run("sinfo", asked.into_iter().chain(["--format", "%N|%T|%f|%E"]))?
            }
            false => String::new(),
        };
        let nodes: Vec<Node> = listed.lines().map(node).collect::<Result<_, _>>()?;
        if nodes.is_empty() {
            let known = run("sinfo", ["--noheader", "--format", "%R"])?;
            let mut known: Vec<&str> = known.split_whitespace().collect();
            known.dedup();
            return Err(FleetError::NoPartition {
                name: partition.to_owned(),
                known: known.join(", "),
            });
        }
        Ok(nodes)
    }

    /// Submits the sbatch file at `script` with these tasks, and returns the array's number.
    ///
    /// # Errors
    /// If `sbatch` is missing or refuses.
    pub fn submit_array(&self, script: &Path, places: &[usize]) -> Result<u64, FleetError> {
        let places: Vec<String> = places.iter().map(ToString::to_string).collect();
        self.submit(&[format!("--array={}", places.join(",")), script.display().to_string()])
    }

    /// Submits the sbatch file at `script`, to begin at `begin`.
    ///
    /// # Errors
    /// As [`Slurm::submit_array`].
    pub fn submit_at(&self, script: &Path, begin: &str) -> Result<u64, FleetError> {
        self.submit(&[format!("--begin={begin}"), script.display().to_string()])
    }

    fn submit(&self, words: &[String]) -> Result<u64, FleetError> {
        let said =
            run("sbatch", ["--parsable"].into_iter().chain(words.iter().map(String::as_str)))?;
        // NUMBER, or NUMBER;CLUSTER; a site's own messages may precede it.
        let last = said.lines().last().unwrap_or_default();
        let number = last.split(';').next().and_then(|number| number.trim().parse().ok());
        number.ok_or_else(|| unexpected("sbatch", last))
    }

    /// Binds task `index` of the held array `job` to `node`.
    ///
    /// # Errors
    /// If `scontrol` is missing or refuses.
    pub fn bind(&self, job: u64, index: usize, node: &str) -> Result<(), FleetError> {
        let task = format!("JobId={job}_{index}");
        run("scontrol", ["update", &task, &format!("ReqNodeList={node}")]).map(drop)
    }

    /// Releases the held array.
    ///
    /// # Errors
    /// As [`Slurm::bind`].
    pub fn release(&self, job: u64) -> Result<(), FleetError> {
        run("scontrol", ["release", &job.to_string()]).map(drop)
    }

    /// Cancels all tasks of an array.
    ///
    /// # Errors
    /// If `scancel` is missing or refuses.
    pub fn cancel(&self, job: u64) -> Result<(), FleetError> {
        run("scancel", [job.to_string().as_str()]).map(drop)
    }

    /// Returns the tasks called `name` that the controller knows: waiting and running ones, and for
    /// some minutes (`MinJobAge`) ended ones.
    ///
    /// # Errors
    /// If `squeue` is missing or refuses.
    pub fn queued(&self, name: &str) -> Result<Vec<Task>, FleetError> {
        in_queue(name, &[])
    }

    /// Works like [`Slurm::queued`], for the user's own tasks.
    ///
    /// # Errors
    /// As [`Slurm::queued`].
    pub fn own_queued(&self, name: &str) -> Result<Vec<Task>, FleetError> {
        in_queue(name, &["--me"])
    }

    /// Returns the tasks of these arrays from accounting; `None` if it is off.
    ///
    /// # Errors
    /// If `sacct` gives an invalid answer.
    pub fn accounted(&self, jobs: &[u64]) -> Result<Option<Vec<Task>>, FleetError> {
        let jobs: Vec<String> = jobs.iter().map(ToString::to_string).collect();
        let jobs = format!("--jobs={}", jobs.join(","));
        let format = "--format=JobID,State,Start,End";
        let asked = ["--noheader", "--parsable2", "--allocations", "--duplicates", &jobs, format];
        match run("sacct", asked) {
            Ok(said) => Ok(Some(said.lines().filter_map(accounted).collect())),
            Err(FleetError::NoProgram { .. } | FleetError::Refused { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn run<'a>(
    program: &'static str,
    words: impl IntoIterator<Item = &'a str>,
) -> Result<String, FleetError> {
    let mut command = Command::new(program);
    // Times in seconds since 1970, and untranslated messages.
    command.args(words).env("SLURM_TIME_FORMAT", "%s").env("LC_ALL", "C");
    for variable in MISLEADING.split(' ').chain(SECRET) {
        command.env_remove(variable);
    }
    let Output { status, stdout, stderr } =
        command.output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => FleetError::NoProgram { program },
            _ => FleetError::Refused { program, words: error.to_string() },
        })?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&stderr);
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let words = match said.is_empty() {
        true => status.to_string(),
        false => harmless(&said.join("; ")).into_owned(),
    };
    Err(FleetError::Refused { program, words })
}

fn unexpected(program: &'static str, line: &str) -> FleetError {
    FleetError::Unexpected { program, line: harmless(line).into_owned() }
}

/// Parses `n1|idle|zen,big|none`; free text comes last.
fn node(line: &str) -> Result<Node, FleetError> {
    let mut fields = line.splitn(4, '|').map(str::trim);
    let mut field = || fields.next().ok_or_else(|| unexpected("sinfo", line));
    let (name, state, features, reason) = (field()?, field()?, field()?, field()?);
    if !is_name(name) {
        return Err(unexpected("sinfo", line));
    }
    let features = features.split(',').filter(|it| !it.is_empty() && *it != "(null)");
    Ok(Node {
        name: name.to_owned(),
        state: state.to_owned(),
        features: features.map(str::to_owned).collect(),
        reason: harmless(reason).into_owned(),
    })
}

fn in_queue(name: &str, whose: &[&str]) -> Result<Vec<Task>, FleetError> {
    let name = format!("--name={name}");
    let asked = ["--noheader", "--array", "--states=all", &name, "--format=%F|%K|%T|%S|%e|%r"];
    let said = run("squeue", asked.into_iter().chain(whose.iter().copied()))?;
    said.lines().map(queued).collect()
}

/// Parses `3|0|PENDING|N/A|N/A|Resources`.
fn queued(line: &str) -> Result<Task, FleetError> {
    let mut fields = line.splitn(6, '|').map(str::trim);
    let mut task = || {
        Some(Task {
            job: fields.next()?.parse().ok()?,
            // A job that is no array has none.
            index: fields.next()?.parse().unwrap_or_default(),
            state: fields.next()?.to_owned(),
            start: fields.next()?.parse().ok(),
            end: fields.next()?.parse().ok(),
            reason: harmless(fields.next()?).into_owned(),
        })
    };
    task().ok_or_else(|| unexpected("squeue", line))
}

/// Parses `3_0|CANCELLED by 0|1795444200|1795444260`. A line for several tasks that have not begun
/// (`3_[0-1]`) is ignored, because those are in the queue.
fn accounted(line: &str) -> Option<Task> {
    let mut fields = line.split('|').map(str::trim);
    let (job, index) = fields.next()?.split_once('_')?;
    let state = fields.next()?;
    let (state, reason) = state.split_once(' ').unwrap_or((state, ""));
    Some(Task {
        job: job.parse().ok()?,
        index: index.parse().ok()?,
        state: state.to_owned(),
        reason: harmless(reason).into_owned(),
        start: fields.next()?.parse().ok(),
        end: fields.next()?.parse().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_with_what_people_wrote() {
        let read = node("n1|down*|zen,big|fan | broken\x1b").unwrap();
        assert_eq!(read.features, ["zen", "big"]);
        assert_eq!(read.unavailable().unwrap(), "down: fan | broken\\u{1b}");
        assert_eq!(node("n1|idle|(null)|none").unwrap().features, [""; 0]);
        for (state, gone) in [
            ("idle", None),
            ("idle~", None),
            ("mixed", None),
            ("allocated", None),
            ("idle*", Some("does not respond")),
            ("DRAINED", Some("drained")),
            ("draining@", Some("draining")),
            ("down$", Some("down")),
        ] {
            let node = node(&format!("n1|{state}|(null)|none")).unwrap();
            assert_eq!(node.unavailable().as_deref(), gone, "{state}");
        }
        for wrong in ["", "n1|idle", "../x|idle||", "n 1|idle||"] {
            assert!(node(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tasks_are_read_from_queue_and_accounts() {
        let task =
            queued("3|1|PENDING|1795444200|N/A|ReqNodeNotAvail, UnavailableNodes:n2").unwrap();
        assert_eq!((task.job, task.index, task.start, task.end), (3, 1, Some(1_795_444_200), None));
        assert!(task.reason.ends_with("n2"));
        assert!(queued("slurm_load_jobs error: x").is_err());
        let task = accounted("3_0|CANCELLED by 0|1795444200|1795444260").unwrap();
        assert_eq!((task.state.as_str(), task.reason.as_str()), ("CANCELLED", "by 0"));
        let task = accounted("3_12|NODE_FAIL|1795444200|Unknown").unwrap();
        assert_eq!((task.index, task.state.as_str(), task.end), (12, "NODE_FAIL", None));
        for none in ["3_[0-1]|PENDING|Unknown|Unknown", "3|RUNNING|1|2", "x", "3_0|FAILED"] {
            assert_eq!(accounted(none), None, "{none}");
        }
    }
}
