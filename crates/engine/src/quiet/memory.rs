//! What a quiet core is, from run to run: a small file below
//! `$XDG_STATE_HOME/cpb`, with a line for each kind of CPU.

use crate::quiet::is_possible;
use cpb_host::Home;
use cpb_model::Host;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Kinds of CPU that are remembered at most, and the longest file that is read.
const MOST_KINDS: usize = 64;
const LONGEST: u64 = 64 * 1024;

/// Where it is remembered what quiet is on CPUs of one kind. What cannot be
/// read is not known, and what cannot be written is learned anew: neither is
/// an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuietMemory {
    place: Option<(PathBuf, String)>,
    assumes_quiet: bool,
}

/// Set to 1, every core is taken for quiet: for tests of what follows from
/// figures, on machines that hardly ever are.
const ASSUME: &str = "CPB_ASSUME_QUIET";

impl QuietMemory {
    /// The user's own, for the CPUs of `host`.
    #[must_use]
    pub fn of(host: &Host) -> Self {
        let file = Home::State.folder().map(|folder| folder.join("quiet"));
        let assumes_quiet = std::env::var_os(ASSUME).is_some_and(|value| value == "1");
        Self { place: file.map(|file| (file, kind(host))), assumes_quiet }
    }

    /// Whether every core is to be taken for quiet, as the environment asks.
    #[must_use]
    pub fn assumes_quiet(&self) -> bool {
        self.assumes_quiet
    }

    /// The file; absent where there is no place for one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.place.as_ref().map(|(file, _)| file.as_path())
    }

    /// Cycles of an instruction of the throughput probe on a quiet core.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        let (file, kind) = self.place.as_ref()?;
        let (_, cycles) = lines(file).into_iter().find(|(known, _)| known == kind)?;
        Some(cycles).filter(|&cycles| is_possible(cycles))
    }

    /// Keeps `cycles` for later runs.
    pub(crate) fn keep(&self, cycles: f64) {
        let Some((file, kind)) = &self.place else { return };
        let mut known = lines(file);
        known.retain(|(other, _)| other != kind);
        known.insert(0, (kind.clone(), cycles));
        known.truncate(MOST_KINDS);
        // The next run learns it again.
        let _ = write(file, &known);
    }
}

/// CPUs that are alike: model, microcode, and the version of the probe.
fn kind(host: &Host) -> String {
    let unknown = || "unknown".to_owned();
    let words = [
        host.cpu_id.clone().or_else(|| host.cpu.clone()).unwrap_or_else(unknown),
        host.microcode.clone().unwrap_or_else(unknown),
        cpb_clock::probe::VERSION.to_owned(),
    ];
    words.map(|word| word.replace(['\t', '\n', '\r'], " ")).join(", ")
}

/// Each line is cycles, a tab, and the kind of CPU.
fn lines(file: &Path) -> Vec<(String, f64)> {
    let is_sane = std::fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= LONGEST);
    let text =
        if is_sane { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    let parse = |line: &str| {
        let (cycles, kind) = line.split_once('\t')?;
        Some((kind.to_owned(), cycles.parse().ok()?))
    };
    text.lines().filter_map(parse).collect()
}

/// Writes the whole file anew beside it, so that nobody reads half of one.
fn write(file: &Path, known: &[(String, f64)]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    for (kind, cycles) in known {
        writeln!(new, "{cycles}\t{kind}")?;
    }
    new.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(file: &Path, microcode: &str) -> QuietMemory {
        let host = Host {
            cpu_id: Some("family 6".to_owned()),
            microcode: Some(microcode.to_owned()),
            ..Host::default()
        };
        QuietMemory { place: Some((file.to_owned(), kind(&host))), assumes_quiet: false }
    }

    #[test]
    fn each_kind_of_cpu_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cpb").join("quiet");
        let (one, other) = (memory(&file, "0x1"), memory(&file, "0x2"));
        assert_eq!(one.recall(), None);
        one.keep(0.2515);
        other.keep(0.2005);
        one.keep(0.2510);
        assert_eq!((one.recall(), other.recall()), (Some(0.2510), Some(0.2005)));
    }

    #[test]
    fn what_makes_no_sense_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quiet");
        let one = memory(&file, "0x1");
        let kind = one.place.clone().unwrap().1;
        for text in ["", "0.25", "x\ty\n", &format!("nan\t{kind}\n"), &format!("7.5\t{kind}\n")] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(one.recall(), None, "{text:?}");
        }
        let nowhere = memory(Path::new("/proc/none/quiet"), "0x1");
        nowhere.keep(0.25);
        assert_eq!((nowhere.recall(), QuietMemory::default().recall()), (None, None));
    }
}
