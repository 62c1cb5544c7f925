//! Describes a fleet run: its request, and its folder.

use crate::files::text;
use crate::{FleetError, NodeFiles};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The version of the file.
const SCHEMA: u32 = 1;
const FILE: &str = "fleet.json";
const SCRIPT: &str = "job.sh";

/// The request of a fleet run, and its submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fleet {
    /// Version of this shape.
    pub schema: u32,
    /// Its name: date, time and suite.
    pub name: String,
    /// The suite, as the user named it.
    pub suite: String,
    /// Whether the suite is a file, of which the folder has a copy.
    pub has_own_suite: bool,
    /// Seconds since 1970.
    pub created: i64,
    /// The version of cpb that submitted it.
    pub version: String,
    pub partition: String,
    /// The required features of nodes.
    pub constraint: Option<String>,
    /// Slurm's time limit, in its own notation.
    pub time: Option<String>,
    /// The path of cpb on the nodes.
    pub program: String,
    /// Where runs are saved, without a password.
    pub store: String,
    /// Whether the nodes save their runs there themselves.
    pub nodes_store: bool,
    /// Whether to measure on nodes that the doctor finds unfit.
    pub unfit_too: bool,
    /// Further arguments of `cpb run`.
    pub options: Vec<String>,
    /// The nodes; a task's index in the array is its node's index here.
    pub nodes: Vec<Member>,
    /// The submissions, in order.
    pub submissions: Vec<Submission>,
}

/// A node of the fleet run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its name in Slurm.
    pub name: String,
    /// Why it was unavailable, if it was.
    pub absent: Option<String>,
}

/// A job array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    pub job: u64,
    /// Seconds since 1970.
    pub at: i64,
    /// The indices of its nodes.
    pub places: Vec<usize>,
}

impl Fleet {
    /// The version of the shape that this writes.
    pub const SCHEMA: u32 = SCHEMA;

    /// Reads the fleet run in `folder`.
    ///
    /// # Errors
    /// [`FleetError::File`], if it contains none that this cpb can read.
    pub fn read(folder: &Path) -> Result<Self, FleetError> {
        let path = folder.join(FILE);
        let wrong = |reason: String| FleetError::File { what: "read", path: path.clone(), reason };
        let text = text(&path)?;
        let fleet: Self = serde_json::from_str(&text).map_err(|it| wrong(it.to_string()))?;
        if fleet.schema != SCHEMA {
            let version = fleet.schema;
            return Err(wrong(format!("it has version {version}; this cpb reads {SCHEMA}")));
        }
        if let Some(node) = fleet.nodes.iter().find(|node| !is_name(&node.name)) {
            return Err(wrong(format!("'{}' is not a node's name", node.name)));
        }
        Ok(fleet)
    }

    /// Writes it into `folder` atomically.
    ///
    /// # Errors
    /// [`FleetError::File`].
    pub fn write(&self, folder: &Path) -> Result<(), FleetError> {
        let path = folder.join(FILE);
        let written = || {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.write_all(b"\n")?;
            file.persist(&path)?;
            Ok(())
        };
        let wrong = |error: std::io::Error| FleetError::File {
            what: "write",
            path: path.clone(),
            reason: error.to_string(),
        };
        written().map_err(wrong)
    }

    /// Returns the name of its jobs in Slurm.
    pub fn job_name(&self) -> String {
        format!("cpb-{}", self.name)
    }

    /// Returns the path of the sbatch file in `folder`.
    pub fn script_path(folder: &Path) -> PathBuf {
        folder.join(SCRIPT)
    }

    pub fn node_folder(folder: &Path, node: &str) -> PathBuf {
        folder.join("nodes").join(node)
    }

    /// Reads the files of the node at `place`.
    ///
    /// # Errors
    /// [`FleetError::File`], if they cannot be read.
    pub fn files(&self, folder: &Path, place: usize) -> Result<NodeFiles, FleetError> {
        NodeFiles::read(&Self::node_folder(folder, &self.nodes[place].name))
    }

    /// Returns the last submission that included the node at `place`.
    pub fn submission(&self, place: usize) -> Option<&Submission> {
        self.submissions.iter().rev().find(|submission| submission.places.contains(&place))
    }

    /// Returns the names of all fleet runs below `root`, in order.
    ///
    /// # Errors
    /// [`FleetError::File`], if the folder cannot be read; a missing folder has none.
    pub fn names(root: &Path) -> Result<Vec<String>, FleetError> {
        let entries = match std::fs::read_dir(root) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| FleetError::File {
                what: "read",
                path: root.to_owned(),
                reason: error.to_string(),
            })?,
        };
        let named = entries.flatten().filter(|entry| entry.path().join(FILE).is_file());
        let mut names: Vec<String> =
            named.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the folder below `root` of the fleet run called `name`, or of the latest.
    ///
    /// # Errors
    /// [`FleetError::NoFleet`], if there is none.
    pub fn find(root: &Path, name: Option<&str>) -> Result<PathBuf, FleetError> {
        const FEW: usize = 8;
        let names = Self::names(root)?;
        let found = match name {
            None | Some("latest") => names.last(),
            Some(name) => names.iter().find(|it| *it == name),
        };
        if let Some(found) = found {
            return Ok(root.join(found));
        }
        let shown = root.display();
        let latest: Vec<&str> = names.iter().rev().take(FEW).map(String::as_str).collect();
        Err(FleetError::NoFleet(match (name, latest.is_empty()) {
            (_, true) => {
                format!("there is no fleet run in '{shown}' yet; cpb fleet run submits one")
            }
            (name, false) => format!(
                "there is no fleet run '{}' in '{shown}'. The latest: {}",
                name.unwrap_or_default(),
                latest.join(", ")
            ),
        }))
    }
}

/// Whether a folder can have this name.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn fleet(nodes: &[&str]) -> Fleet {
        Fleet {
            schema: SCHEMA,
            name: "20261123-143000-tls".to_owned(),
            suite: "tls".to_owned(),
            has_own_suite: false,
            created: 1_795_444_200,
            version: "0.1.0".to_owned(),
            partition: "bench".to_owned(),
            constraint: None,
            time: None,
            program: "/usr/bin/cpb".to_owned(),
            store: "/home/me/runs.sqlite".to_owned(),
            nodes_store: false,
            unfit_too: false,
            options: Vec::new(),
            nodes: nodes
                .iter()
                .map(|name| Member { name: (*name).to_owned(), absent: None })
                .collect(),
            submissions: Vec::new(),
        }
    }

    #[test]
    fn it_is_found_again_by_name_and_as_the_latest() {
        let root = tempfile::TempDir::new().unwrap();
        let error = Fleet::find(root.path(), None).unwrap_err().to_string();
        assert!(error.contains("no fleet run in"), "{error}");
        for name in ["20261123-143000-tls", "20261122-143000-ssh"] {
            let folder = root.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            Fleet { name: name.to_owned(), ..fleet(&["n1"]) }.write(&folder).unwrap();
        }
        std::fs::create_dir(root.path().join("nightly")).unwrap();
        let latest = Fleet::find(root.path(), None).unwrap();
        assert_eq!(Fleet::read(&latest).unwrap(), fleet(&["n1"]));
        assert!(
            Fleet::find(root.path(), Some("20261122-143000-ssh"))
                .unwrap()
                .ends_with("20261122-143000-ssh")
        );
        let error = Fleet::find(root.path(), Some("../x")).unwrap_err().to_string();
        assert!(error.contains("The latest: 20261123-143000-tls, 2026"), "{error}");
    }

    #[test]
    fn a_file_with_what_is_no_name_is_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        for name in ["../x", "", ".", "a/b", "a b"] {
            fleet(&[name]).write(folder.path()).unwrap();
            assert!(Fleet::read(folder.path()).is_err(), "{name}");
        }
        Fleet { schema: 9, ..fleet(&[]) }.write(folder.path()).unwrap();
        assert!(Fleet::read(folder.path()).unwrap_err().to_string().contains("version 9"));
    }

    #[test]
    fn a_node_belongs_to_its_last_submission() {
        let submission = |job, places: &[usize]| Submission { job, at: 0, places: places.to_vec() };
        let fleet = Fleet {
            submissions: vec![submission(5, &[0, 1]), submission(9, &[1])],
            ..fleet(&["a", "b", "c"])
        };
        let job = |place| fleet.submission(place).map(|it| it.job);
        assert_eq!([job(0), job(1), job(2)], [Some(5), Some(9), None]);
    }
}
