//! Reads the files of a fleet run's folder: small ones, and what a task left in its node's folder.

use crate::FleetError;
use cpb_host::files;
use cpb_model::harmless;
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The largest file that is read whole.
const MOST: u64 = 4 << 20;
/// The last lines of a log that are read, and the bytes at its end.
const LAST_LINES: usize = 40;
const LOG_BYTES: u64 = 1 << 16;

/// A step that a task reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Seconds since 1970.
    pub at: i64,
    /// The number of the job array.
    pub job: u64,
    /// Its name: `doctor`, `unfit`, `run`, `measured`, `store`, `done`, `failed`, `signal`,
    /// `astray`.
    pub word: String,
    /// Further details.
    pub more: String,
}

/// The contents of a node's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeFiles {
    /// The steps of all its tasks, in order.
    pub steps: Vec<Step>,
    /// The file of the run, if it is complete.
    pub run: Option<PathBuf>,
    /// What the doctor found bad, as text.
    pub doctor: Option<String>,
    /// The last error message of cpb.
    pub complaint: Option<String>,
}

impl NodeFiles {
    /// Returns the file in `folder` that marks its run as stored.
    pub fn stored_path(folder: &Path) -> PathBuf {
        folder.join("stored")
    }

    pub(crate) fn read(folder: &Path) -> Result<Self, FleetError> {
        let optional = |name: &str| match folder.join(name) {
            path if path.exists() => text(&path).map(Some),
            _ => Ok(None),
        };
        let run = folder.join("run.json");
        let log = folder.join("log");
        let log = match files::read_end(&log, LOG_BYTES) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let reason = error.to_string();
                return Err(FleetError::File { what: "read", path: log, reason });
            }
            read => read.unwrap_or_default(),
        };
        Ok(Self {
            steps: steps(&optional("steps")?.unwrap_or_default()),
            run: run.exists().then_some(run),
            doctor: optional("doctor.json")?.and_then(|text| bad(&text)),
            complaint: complaint(&log),
        })
    }

    /// Counts the attempts on the node.
    pub fn attempts(&self) -> usize {
        self.steps.iter().filter(|step| step.word == "doctor").count()
    }
}

/// Parses steps; skips invalid lines, such as half-written ones.
fn steps(text: &str) -> Vec<Step> {
    let step = |line: &str| {
        let mut words = line.splitn(4, ' ');
        Some(Step {
            at: words.next()?.parse().ok()?,
            job: words.next()?.parse().ok()?,
            word: words.next()?.to_owned(),
            more: harmless(words.next().unwrap_or_default()).into_owned(),
        })
    };
    text.lines().filter_map(step).collect()
}

/// Returns the bad topics and findings in a doctor's JSON.
fn bad(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Findings {
        findings: Vec<Finding>,
    }
    #[derive(Deserialize)]
    struct Finding {
        topic: String,
        status: String,
        finding: String,
    }
    let Findings { findings } = serde_json::from_str(text).ok()?;
    let bad = findings.iter().filter(|it| it.status == "bad");
    let words: Vec<String> = bad.map(|it| format!("{}: {}", it.topic, it.finding)).collect();
    (!words.is_empty()).then(|| harmless(&words.join("; ")).into_owned())
}

fn complaint(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().collect();
    let last = lines.iter().rev().take(LAST_LINES);
    let words =
        last.filter_map(|line| line.split_once("error: ")).map(|(_, words)| words).next()?;
    Some(harmless(words).into_owned())
}

/// Reads a small text file.
pub(crate) fn text(path: &Path) -> Result<String, FleetError> {
    let wrong = |reason: String| FleetError::File { what: "read", path: path.to_owned(), reason };
    files::read_text(path, MOST).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_as_far_as_it_goes() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_eq!(NodeFiles::read(folder.path()).unwrap(), NodeFiles::default());
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("steps", "1 7 doctor\n2 7 run\n3 7 failed run 2\x1b\nx y\n4 7");
        write("log", "error: one\nerror: two \x1b[2J\nmore\n");
        write(
            "doctor.json",
            r#"{"findings": [{"topic": "a", "status": "good", "finding": "b"},
                {"topic": "steal", "status": "bad", "finding": "3 %", "remedy": "x"}]}"#,
        );
        let files = NodeFiles::read(folder.path()).unwrap();
        let words: Vec<&str> = files.steps.iter().map(|step| step.word.as_str()).collect();
        assert_eq!((words, files.attempts()), (vec!["doctor", "run", "failed"], 1));
        assert_eq!(files.steps[2].more, "run 2\\u{1b}");
        assert_eq!(files.complaint.as_deref(), Some("two \\u{1b}[2J"));
        assert_eq!(files.doctor.as_deref(), Some("steal: 3 %"));
        assert!(files.run.is_none());
        write("run.json", "{}");
        let files = NodeFiles::read(folder.path()).unwrap();
        assert!(files.run.is_some());
    }
}
