//! Defines how calls are made: by how many threads and processes, and beside what load.

use crate::Workload;
use serde::{Deserialize, Serialize};

/// Describes how calls are made. The default is one thread alone; defaults are left out of JSON.
///
///
/// Stores tell setups apart by this JSON, so a new field must be left out while it has its default.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Number of processes.
    #[serde(skip_serializing_if = "is_one")]
    pub processes: usize,
    /// Measured threads of each process.
    #[serde(skip_serializing_if = "is_one")]
    pub threads: usize,
    /// Independent chains of calls in each thread.
    #[serde(skip_serializing_if = "is_one")]
    pub lanes: usize,
    /// Threads that run a background load beside the measured ones.
    #[serde(skip_serializing_if = "crate::schema::is_default")]
    pub others: usize,
    /// Describes that load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
    /// Whether the threads of a process share key objects, instead of having one each.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shares_keys: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self { processes: 1, threads: 1, lanes: 1, others: 0, beside: None, shares_keys: false }
    }
}

impl Setup {
    /// Counts the measured threads of all processes.
    pub fn size(&self) -> usize {
        self.processes.saturating_mul(self.threads)
    }

    /// Counts all threads, background load included.
    pub fn all(&self) -> usize {
        self.size().saturating_add(self.others)
    }

    /// Whether this is the default setup.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Describes `workload` in this setup: `aes-128-gcm seal, oneshot, 4 threads`.
    pub fn title(&self, workload: &Workload) -> String {
        [vec![workload.title()], self.modifiers()].concat().join(", ")
    }

    /// Lists what differs from the default setup: `4 threads`, `8 lanes`, `shared keys`.
    pub fn modifiers(&self) -> Vec<String> {
        let Self { processes, threads, lanes, others, beside, shares_keys } = self;
        let counts = [(processes, "processes"), (threads, "threads"), (lanes, "lanes")];
        let counts = counts.into_iter().filter(|(count, _)| **count != 1);
        let keys = shares_keys.then(|| "shared keys".to_owned());
        let threads = if *others == 1 { "thread" } else { "threads" };
        let beside = beside.iter().map(|what| format!("beside {others} {threads} of {what}"));
        counts.map(|(count, of)| format!("{count} {of}")).chain(keys).chain(beside).collect()
    }
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_inverse_and_has_what_is_not_usual() {
        let beside =
            Setup { others: 3, beside: Some("memory traffic".to_owned()), ..Setup::default() };
        for (setup, json, words) in [
            (Setup::default(), "{}", ""),
            (
                Setup { threads: 4, lanes: 8, ..Setup::default() },
                r#"{"threads":4,"lanes":8}"#,
                "4 threads, 8 lanes",
            ),
            (Setup { processes: 2, ..Setup::default() }, r#"{"processes":2}"#, "2 processes"),
            (
                Setup { shares_keys: true, ..Setup::default() },
                r#"{"shares_keys":true}"#,
                "shared keys",
            ),
            (
                beside,
                r#"{"others":3,"beside":"memory traffic"}"#,
                "beside 3 threads of memory traffic",
            ),
        ] {
            assert_eq!(serde_json::to_string(&setup).unwrap(), json);
            assert_eq!(serde_json::from_str::<Setup>(json).unwrap(), setup);
            assert_eq!(
                (setup.modifiers().join(", ").as_str(), setup.is_usual()),
                (words, json == "{}")
            );
        }
    }
}
