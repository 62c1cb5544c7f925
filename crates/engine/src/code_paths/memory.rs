//! Remembers traced paths between runs: a file below `$XDG_STATE_HOME/cpb`, with one line of JSON
//! per row. A path is valid as long as every file whose code it ran is the same build.

use super::unused;
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::start::is_simulated;
use cpb_host::Home;
use cpb_model::{CodePath, FromOutside, Host};
use cpb_trace::build_id;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The longest file that is read or written; the oldest paths are dropped first.
const LONGEST: u64 = 4 << 20;

/// The memory of this machine. Unreadable data is ignored, and unwritable data is traced again;
/// neither is an error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PathMemory {
    place: Option<PathBuf>,
    machine: String,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The key comes first, so that a search need not read the rest.
    key: String,
    path: CodePath,
}

impl PathMemory {
    /// Opens the user's memory for machines like `host`; empty if the machine is simulated.
    pub fn of(host: &Host) -> Self {
        let folder = Home::State.folder().filter(|_| !is_simulated());
        let unknown = || "unknown".to_owned();
        let cpu = host.cpu_id.clone().or_else(|| host.cpu.clone()).unwrap_or_else(unknown);
        let kernel = host.kernel.clone().unwrap_or_else(unknown);
        let flags = Vec::from_iter(unused::flags()).join(" ");
        // This program contains code that every call runs, and its own kernels.
        let own = std::env::current_exe().and_then(std::fs::metadata);
        let own = own.map(|it| (it.len(), it.mtime(), it.mtime_nsec())).unwrap_or_default();
        let machine = format!("{cpu} · {flags} · {kernel} · {own:?}");
        Self { place: folder.map(|folder| folder.join("paths")), machine }
    }

    /// Returns the path of each row that an earlier trace of the same builds found.
    pub fn recall(&self, rows: &[Row], libraries: &[LibrarySpec]) -> Vec<Option<CodePath>> {
        let lines = self.lines();
        let mut builds = BTreeMap::new();
        let known = |row: &Row| {
            let begins = begin(&self.key(row, libraries)?)?;
            let line = lines.iter().find(|line| line.starts_with(&begins))?;
            let FromOutside(Entry { path, .. }) = serde_json::from_slice(line.as_bytes()).ok()?;
            holds(&path, &mut builds).then_some(CodePath { is_remembered: true, ..path })
        };
        rows.iter().map(known).collect()
    }

    /// Stores the paths of these rows for later runs.
    pub fn keep(&self, rows: &[Row], libraries: &[LibrarySpec], paths: &[Option<CodePath>]) {
        let (Some(file), false) = (&self.place, rows.is_empty()) else { return };
        let mut builds = BTreeMap::new();
        let mut lines = Vec::new();
        for (row, path) in rows.iter().zip(paths) {
            let (Some(key), Some(path)) = (self.key(row, libraries), path) else { continue };
            if path.longest().is_some() && holds(path, &mut builds) {
                lines.extend(serde_json::to_string(&Entry { key, path: path.clone() }));
            }
        }
        let ends = |line: &str| line.find(",\"path\":").map(|end| line[..end].to_owned());
        let new: Vec<Option<String>> = lines.iter().map(|line| ends(line)).collect();
        let old = self.lines().into_iter().filter(|line| !new.contains(&ends(line)));
        let all = lines.iter().cloned().chain(old).scan(0, |bytes, line| {
            *bytes += line.len() as u64 + 1;
            (*bytes <= LONGEST).then_some(line)
        });
        // If this fails, the next run traces again.
        let _ = cpb_host::files::replace(file, all);
    }

    fn lines(&self) -> Vec<String> {
        let text =
            self.place.as_ref().and_then(|file| cpb_host::files::read_text(file, LONGEST).ok());
        text.unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Returns everything that decides which code a row runs, except the files.
    fn key(&self, row: &Row, libraries: &[LibrarySpec]) -> Option<String> {
        let library = libraries.iter().find(|it| it.label() == row.subject.library)?;
        let path = library.path.as_ref().map(|path| std::path::absolute(path).ok());
        let variables: Vec<String> =
            unused::variables(library).map(|(name, value)| format!("{name}={value}")).collect();
        let subject = &row.subject;
        Some(format!(
            "{} · {} · {path:?} · {} · {} · {} · {:?} · {}",
            row.workload,
            subject.library,
            subject.spelling,
            subject.backend,
            variables.join(" "),
            library.environment,
            self.machine,
        ))
    }
}

/// Returns how a line with this key begins.
fn begin(key: &str) -> Option<String> {
    Some(format!("{{\"key\":{},", serde_json::to_string(key).ok()?))
}

/// Whether all files whose code `path` ran are still the same builds. `builds` caches those already
/// read.
fn holds(path: &CodePath, builds: &mut BTreeMap<String, Option<String>>) -> bool {
    let modules = path.calls.iter().flat_map(|call| &call.modules);
    // Code that exists only in memory belongs to this program or the kernel.
    let mut files =
        modules.filter(|it| it.file.starts_with('/') && !it.file.starts_with("/memfd:"));
    files.all(|it| {
        let build = builds.entry(it.file.clone()).or_insert_with(|| build_id(Path::new(&it.file)));
        build.is_some() && *build == it.build_id
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{CodeModule, Contract, Lengths, Offer, Operation, Parameters, TracedCall};

    fn row(primitive: &str, library: &LibrarySpec) -> Row {
        let offer = Offer::new(primitive, Operation::Hash, Lengths::default());
        Row::new(&library.label(), &offer, Contract::Keyed, Parameters::default(), vec![64])
    }

    /// Creates a path through this program, with this build ID.
    fn path(words: &str, build_id: Option<String>) -> CodePath {
        let file = std::env::current_exe().unwrap().display().to_string();
        let modules = vec![CodeModule { file, build_id, bytes: None }];
        let call =
            TracedCall { length: 64, words: words.to_owned(), modules, ..TracedCall::default() };
        CodePath { calls: vec![call], ..CodePath::default() }
    }

    #[test]
    fn a_path_is_known_as_long_as_builds_environment_and_machine_are_the_same() {
        let own = build_id(&std::env::current_exe().unwrap());
        let Some(own) = own else {
            return println!("skipped: this test has no build number");
        };
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("cpb").join("paths");
        let of =
            |machine: &str| PathMemory { place: Some(place.clone()), machine: machine.to_owned() };
        let memory = of("a");
        let usual = LibrarySpec::installed("openssl");
        let set = LibrarySpec {
            environment: vec![("OPENSSL_ia32cap".to_owned(), "0".to_owned())],
            ..usual.clone()
        };
        let libraries = [usual.clone(), set.clone()];
        let rows = [row("sha256", &usual), row("sha1", &usual), row("sha256", &set)];
        assert_eq!(memory.recall(&rows, &libraries), [None, None, None]);
        let one = path("f, SHA-NI", Some(own.clone()));
        memory.keep(&rows[..1], &libraries, &[Some(one)]);
        let other = path("g, SSE2", Some("00".to_owned()));
        memory.keep(&rows[1..2], &libraries, &[Some(other.clone())]);
        let words = |memory: &PathMemory| {
            let paths = memory.recall(&rows, &libraries).into_iter();
            let told = |path: CodePath| path.words().map(str::to_owned);
            paths.map(|it| it.filter(|path| path.is_remembered).and_then(told)).collect::<Vec<_>>()
        };
        let first = || Some("f, SHA-NI".to_owned());
        // A path of another build was not stored.
        assert_eq!(words(&memory), [first(), None, None]);
        // A new trace replaces the old one.
        let anew = path("h, AVX", Some(own));
        memory.keep(&rows[..1], &libraries, &[Some(anew)]);
        assert_eq!(words(&memory), [Some("h, AVX".to_owned()), None, None]);
        assert_eq!(words(&of("b")), [None, None, None]);
        // The file of this path was replaced since.
        let text = std::fs::read_to_string(&place).unwrap();
        let build = text.find("\"build_id\":\"").unwrap() + 12;
        let (before, after) = text.split_at(build);
        let other = if after.starts_with('0') { "1" } else { "0" };
        std::fs::write(&place, format!("{before}{other}{}", &after[1..])).unwrap();
        assert_eq!(words(&memory), [None, None, None]);
    }

    #[test]
    fn what_makes_no_sense_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("paths");
        let memory = PathMemory { place: Some(place.clone()), machine: String::new() };
        let usual = LibrarySpec::installed("openssl");
        let rows = [row("sha256", &usual)];
        for text in ["", "x", "{\"key\":\"\"}\n\n", "[1]\n"] {
            std::fs::write(&place, text).unwrap();
            assert_eq!(memory.recall(&rows, std::slice::from_ref(&usual)), [None], "{text:?}");
        }
        assert_eq!(PathMemory::default().recall(&rows, &[usual]), [None]);
    }
}
