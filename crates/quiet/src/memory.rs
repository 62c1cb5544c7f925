//! Remembers what a quiet core looks like between runs: a small file below `$XDG_STATE_HOME/cpb`,
//! with one line of JSON per kind of CPU.

use crate::decision::PriorKnowledge;
use crate::learn::Lesson;
use cpb_host::Home;
use cpb_model::{Certainty, Host};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The most kinds of CPU that are remembered, and the longest file that is read.
const MOST_KINDS: usize = 64;
const LONGEST: u64 = 256 * 1024;
/// The version of the loops, and of how they are learned, since levels and rates of other versions
/// do not apply.
const LOOPS: &str = "windows-3";

/// The knowledge about this machine's CPUs: by model, and from earlier runs. Unreadable data is
/// ignored, and unwritable data is learned again; neither is an error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuietMemory {
    place: Option<(PathBuf, Kind)>,
    pub known: PriorKnowledge,
    /// The other hardware threads of the cores, if the kernel knows them.
    pub siblings: Vec<usize>,
    pub learns_anew: bool,
    assumes_quiet: bool,
}

/// The kind of a CPU, and the boot that it runs since.
#[derive(Debug, Clone, Default, PartialEq)]
struct Kind {
    name: String,
    boot: Option<String>,
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    kind: String,
    boot: Option<String>,
    #[serde(flatten)]
    lesson: Lesson,
}

/// If this variable is 1, every core counts as quiet: for tests on machines that hardly ever are.
const ASSUME: &str = "CPB_ASSUME_QUIET";

impl QuietMemory {
    /// Opens the user's memory for the CPUs of `host`.
    #[must_use]
    pub fn of(host: &Host) -> Self {
        let file = Home::State.folder().map(|folder| folder.join("quiet"));
        let assumes_quiet = std::env::var_os(ASSUME).is_some_and(|value| value == "1");
        let is_virtual = host.hypervisor.is_some();
        let cores = host.cores.iter().filter(|_| !is_virtual);
        let siblings = cores.flat_map(|core| core.siblings.clone());
        let siblings = siblings.filter(|cpu| !host.allowed_cpus.contains(cpu)).collect();
        let place = file.map(|file| (file, kind(host)));
        Self { place, known: PriorKnowledge::of(host), siblings, learns_anew: false, assumes_quiet }
    }

    /// Whether the environment asks to assume that every core is quiet.
    #[must_use]
    pub fn assumes_quiet(&self) -> bool {
        self.assumes_quiet
    }

    /// Returns the file; `None` if there is no folder for it.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.place.as_ref().map(|(file, _)| file.as_path())
    }

    /// Whether earlier runs learned what quiet looks like on such CPUs.
    #[must_use]
    pub fn remembers(&self) -> bool {
        self.recall().is_some()
    }

    /// Returns the memory for a run that learns again and compares with what was certain.
    #[must_use]
    pub fn learning_anew(mut self) -> Self {
        self.known.remembered =
            self.recall().map(|it| it.learned).filter(|it| it.certainty == Certainty::Certain);
        self.learns_anew = true;
        self
    }

    /// Returns the memory without its file, for a run that knows nothing of earlier ones and leaves
    /// nothing to later ones.
    #[must_use]
    pub fn without_file(mut self) -> Self {
        (self.place, self.known.remembered) = (None, None);
        self
    }

    /// Returns what earlier runs learned. What is not certain is valid only until the next boot.
    pub fn recall(&self) -> Option<Lesson> {
        let (file, kind) = self.place.as_ref()?;
        let entry = entries(file).into_iter().find(|entry| entry.kind == kind.name)?;
        let is_certain = entry.lesson.learned.certainty == Certainty::Certain;
        let is_of_this_boot = kind.boot.is_some() && entry.boot == kind.boot;
        let is_sane = |line: &f64| line.is_finite() && *line > 0.0;
        let is_known = entry.lesson.learned.line.as_ref().is_some_and(is_sane);
        (is_known && (is_certain || is_of_this_boot)).then_some(entry.lesson)
    }

    /// Stores `lesson` for later runs; `None` removes what they stored.
    pub fn keep(&self, lesson: Option<Lesson>) {
        let Some((file, kind)) = &self.place else { return };
        let mut known = entries(file);
        known.retain(|entry| entry.kind != kind.name);
        let Kind { name, boot } = kind.clone();
        let entry = |lesson| Entry { kind: name, boot, lesson };
        known.splice(0..0, lesson.map(entry));
        known.truncate(MOST_KINDS);
        // If this fails, the next run learns it again.
        let lines = known.iter().filter_map(|entry| serde_json::to_string(entry).ok());
        let _ = cpb_host::files::replace(file, lines);
    }
}

/// Returns the kind of CPU: model, microcode, and the version of the loops.
fn kind(host: &Host) -> Kind {
    let unknown = || "unknown".to_owned();
    let words = [
        host.cpu_id.clone().or_else(|| host.cpu.clone()).unwrap_or_else(unknown),
        host.microcode.clone().unwrap_or_else(unknown),
        LOOPS.to_owned(),
    ];
    Kind { name: words.join(", "), boot: host.boot.clone() }
}

fn entries(file: &Path) -> Vec<Entry> {
    let text = cpb_host::files::read_text(file, LONGEST).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_slice(line.as_bytes()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuietCore;
    use crate::decision::Learned;

    fn memory(file: &Path, microcode: &str, boot: &str) -> QuietMemory {
        let host = Host {
            cpu_id: Some("family 6".to_owned()),
            microcode: Some(microcode.to_owned()),
            boot: Some(boot.to_owned()),
            ..Host::default()
        };
        QuietMemory { place: Some((file.to_owned(), kind(&host))), ..QuietMemory::default() }
    }

    fn learned(line: f64, certainty: Certainty) -> Option<Lesson> {
        let learned = Learned { line: Some(line), certainty, ..Learned::default() };
        Some(Lesson { learned, curve: None })
    }

    #[test]
    fn each_kind_of_cpu_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cpb").join("quiet");
        let (one, other) = (memory(&file, "0x1", "a"), memory(&file, "0x2", "a"));
        assert_eq!(one.recall(), None);
        one.keep(learned(0.34, Certainty::Certain));
        other.keep(learned(0.2, Certainty::Certain));
        one.keep(learned(0.33, Certainty::Certain));
        assert_eq!(one.recall(), learned(0.33, Certainty::Certain));
        assert_eq!(other.recall(), learned(0.2, Certainty::Certain));
        one.keep(None);
        assert_eq!((one.recall(), other.recall().is_some()), (None, true));
    }

    #[test]
    fn what_is_not_certain_ends_with_the_boot() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quiet");
        let (now, later) = (memory(&file, "0x1", "a"), memory(&file, "0x1", "b"));
        for (certainty, holds) in [(Certainty::Likely, false), (Certainty::Certain, true)] {
            now.keep(learned(0.34, certainty));
            assert!(now.remembers());
            assert_eq!(later.remembers(), holds);
            assert_eq!(now.clone().learning_anew().known.remembered.is_some(), holds);
        }
    }

    #[test]
    fn a_quiet_core_is_remembered_with_certain_rates() {
        let remembered = |certainty, within| {
            let folder = tempfile::tempdir().unwrap();
            let one = memory(&folder.path().join("quiet"), "0x1", "a");
            let mut lesson = learned(0.34, certainty).unwrap();
            lesson.learned.core.integers = 4.0;
            lesson.learned.core.rates_within = within;
            let mut core = QuietCore::of(&QuietMemory::default());
            core.take(lesson);
            core.remember(&one);
            one.remembers()
        };
        for certainty in [Certainty::Likely, Certainty::Certain] {
            assert!(remembered(certainty, Some(0.001)));
            assert!(!remembered(certainty, Some(0.01)));
            assert!(!remembered(certainty, None));
        }
        // That nothing is proven holds whatever the rates are.
        assert!(remembered(Certainty::Unknown, Some(0.01)));
    }

    #[test]
    fn what_makes_no_sense_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quiet");
        let one = memory(&file, "0x1", "a");
        one.keep(learned(-1.0, Certainty::Certain));
        assert_eq!(one.recall(), None);
        for text in ["", "0.25", "{}", "[1]\nx\n", "{\"kind\":\"x\"}"] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(one.recall(), None, "{text:?}");
        }
        let nowhere = memory(Path::new("/proc/none/quiet"), "0x1", "a");
        nowhere.keep(learned(0.34, Certainty::Certain));
        assert_eq!((nowhere.recall(), QuietMemory::default().recall()), (None, None));
    }
}
