//! Checks out two commits of a library into separate folders, and builds them.

use crate::cli_error::CliError;
use crate::interrupt::Interrupt;
use crate::output;
use crate::side::LibrarySide;
use cpb_engine::{LibrarySpec, names};
use cpb_store::{CHECKOUTS, COMMIT_DIGITS};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The interval of checking whether a build has ended or must end.
const LOOK: Duration = Duration::from_millis(20);
/// The time that a build has to end when asked to.
const GRACE: Duration = Duration::from_secs(3);
/// The last lines of a command's output, which say why it failed.
const LAST_LINES: usize = 20;
/// The output of the last build, and the process ID of the current one.
const LOG: &str = "build.log";
const BUILDING: &str = "building";
/// Variables that would make git find another repository in a worktree.
pub(crate) const OF_ANOTHER_REPOSITORY: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// Removes every worktree in a folder, and the folder, once its input ends: when this process
/// closes it, or is gone for any reason. Ends a running build.
const CLEANER: &str = "trap '' HUP INT TERM; cat; cd \"$1\"
[ -f \"$2/building\" ] && kill -s KILL -- -\"$(cat \"$2/building\")\"
for tree in \"$2\"/*/; do git worktree remove --force \"$tree\"; done; rm -rf \"$2\"";

/// Two checkouts, which are removed when this is dropped.
pub(crate) struct Commits {
    folder: PathBuf,
    commits: [Commit; 2],
    cleaner: Child,
}

struct Commit {
    /// The revision that the user named.
    revision: String,
    hash: String,
}

impl Commits {
    /// Checks out two revisions of the repository in the current folder, from which `library` is to
    /// be built.
    pub(crate) fn check_out(
        revisions: [&String; 2],
        library: &LibrarySide,
    ) -> Result<Self, CliError> {
        if library.spec.path.as_ref().is_none_or(|file| file.is_absolute()) {
            return Err(usage!(
                "--git needs the file that --build makes, by its path from the top of the \
                 repository: --library {}=FILE",
                library.spec.name
            ));
        }
        let about = "--git compares commits of the repository it is called in";
        let top = git(["rev-parse", "--show-toplevel"], about)?;
        let [first, second] = revisions.map(|revision| Commit::find(revision));
        let commits = [first?, second?];
        let folder = tempfile::Builder::new().prefix(CHECKOUTS).tempdir();
        let folder = folder
            .map_err(|reason| not_measured!("cannot make a folder to check out into: {reason}"))?;
        let cleaner = cleaner(Path::new(&top), folder.path()).map_err(|reason| {
            not_measured!("cannot start the process that removes checkouts: {reason}")
        })?;
        let checkouts = Self { folder: folder.keep(), commits, cleaner };
        for (side, commit) in checkouts.commits.iter().enumerate() {
            let tree = checkouts.tree(side);
            let words = ["worktree", "add", "--quiet", "--detach"].map(OsStr::new);
            let place = [tree.as_os_str(), OsStr::new(&commit.hash)];
            let about = format!("cannot check out '{}'", commit.revision);
            git(words.into_iter().chain(place), &about)?;
        }
        Ok(checkouts)
    }

    /// Builds both with a shell command at their top folders; returns false if interrupted.
    pub(crate) fn build(&self, command: &str, stop: &Interrupt) -> Result<bool, CliError> {
        for (side, commit) in self.commits.iter().enumerate() {
            output::inform(&format!("building {}: {command}", commit.name()));
            let status = self
                .build_one(side, command, stop)
                .map_err(|reason| not_measured!("cannot build {}: {reason}", commit.name()))?;
            match status {
                None => return Ok(false),
                Some(status) if status.success() => {}
                // Ctrl-C reached the shell before it had a group of its own.
                Some(_) if stop.load(Ordering::Relaxed) => return Ok(false),
                Some(status) => {
                    return Err(not_measured!(
                        "the build of {} failed ({status}); its output ended with:\n{}",
                        commit.name(),
                        last_lines(&text(&self.folder.join(LOG)))
                    ));
                }
            }
        }
        Ok(true)
    }

    /// Runs a shell command in a process group of its own; `None` if it was ended by an interrupt.
    fn build_one(
        &self,
        side: usize,
        command: &str,
        stop: &Interrupt,
    ) -> std::io::Result<Option<ExitStatus>> {
        let log = File::create(self.folder.join(LOG))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.tree(side)).process_group(0);
        OF_ANOTHER_REPOSITORY.iter().for_each(|name| {
            shell.env_remove(name);
        });
        let mut child = shell.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?;
        let building = self.folder.join(BUILDING);
        std::fs::write(&building, child.id().to_string())?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if stop.load(Ordering::Relaxed) {
                end(&mut child)?;
                break None;
            }
            std::thread::sleep(LOOK);
        };
        std::fs::remove_file(building)?;
        Ok(status)
    }

    /// Returns the sides of a comparison: `library`, with the path of a file in each build.
    pub(crate) fn sides(&self, library: &LibrarySide) -> Result<[LibrarySide; 2], CliError> {
        let [first, second] = [0, 1].map(|side| self.side(side, library));
        Ok([first?, second?])
    }

    /// Returns the names of the commits.
    pub(crate) fn names(&self) -> [String; 2] {
        self.commits.each_ref().map(Commit::name)
    }

    fn side(&self, side: usize, library: &LibrarySide) -> Result<LibrarySide, CliError> {
        let commit = &self.commits[side];
        let file = library.spec.path.as_deref().unwrap_or(Path::new(""));
        let path = self.tree(side).join(file);
        if !path.is_file() {
            return Err(usage!(
                "the build of {} left no file '{}'; name one that --build makes, by its path from \
                 the top of the repository",
                commit.name(),
                file.display()
            ));
        }
        let mut live = library.clone();
        live.spec.called = Some(commit.short().to_owned());
        live.spec.path = Some(path);
        Ok(live)
    }

    fn tree(&self, side: usize) -> PathBuf {
        self.folder.join(["a", "b"][side])
    }
}

impl Drop for Commits {
    fn drop(&mut self) {
        drop(self.cleaner.stdin.take());
        let _ = self.cleaner.wait();
        if self.folder.exists() {
            output::warn(&format!("'{}' could not be removed", self.folder.display()));
        }
    }
}

impl Commit {
    fn find(revision: &str) -> Result<Self, CliError> {
        let commit = format!("{revision}^{{commit}}");
        let about = format!("'{revision}' is not a commit of this repository");
        let hash = git(["rev-parse", "--verify", "--end-of-options", &commit], &about)?;
        Ok(Self { revision: revision.to_owned(), hash })
    }

    fn short(&self) -> &str {
        self.hash.get(..COMMIT_DIGITS).unwrap_or(&self.hash)
    }

    /// Formats the name: `v1.0 (0123456789)`.
    fn name(&self) -> String {
        match self.hash.starts_with(&self.revision) {
            true => self.short().to_owned(),
            false => format!("{} ({})", self.revision, self.short()),
        }
    }
}

/// Returns the side for a provider built into `file`, named after it: `libmine.so` is `mine`.
pub(crate) fn provider(file: &Path) -> Result<LibrarySide, CliError> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let name = stem.strip_prefix("lib").unwrap_or(&stem);
    if names().iter().any(|known| known == name) {
        let file = file.display();
        return Err(usage!("'{name}' is a library that cpb knows: --library {name}={file}"));
    }
    let spec = LibrarySpec { path: Some(file.to_owned()), ..LibrarySpec::installed(name) };
    Ok(LibrarySide { spec, backend: None })
}

/// Runs git in the current folder; returns its output, or its complaint, with what it was `about`.
fn git<W: AsRef<OsStr>>(
    words: impl IntoIterator<Item = W>,
    about: &str,
) -> Result<String, CliError> {
    let output = Command::new("git").args(words).stdin(Stdio::null()).output();
    let output =
        output.map_err(|reason| not_measured!("cannot run git, which --git needs: {reason}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let words = last_lines(&text(&output.stderr));
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        // A signal ended it.
        false if words.is_empty() => Err(not_measured!("git: {}", output.status)),
        false => Err(usage!("{about}: {words}")),
    }
}

/// Ends a process and its group.
fn end(child: &mut Child) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = Pid::from_child(child);
    // It may have ended by itself meanwhile, which is fine.
    let _ = kill_process_group(group, Signal::TERM);
    let start = std::time::Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() >= GRACE {
            let _ = kill_process_group(group, Signal::KILL);
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

fn cleaner(top: &Path, folder: &Path) -> std::io::Result<Child> {
    Command::new("sh")
        .args(["-c", CLEANER, "cpb"])
        .args([top, folder])
        // Ctrl-C signals the terminal's whole group.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Returns the end of a build's output.
fn text(log: &Path) -> String {
    cpb_host::files::read_end(log, 1 << 16).unwrap_or_default()
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        let text: String = (0..50).map(|line| format!("{line}\n")).collect();
        assert!(last_lines(&text).starts_with("30\n") && last_lines(&text).ends_with("\n49"));
        assert_eq!(last_lines("one\n\n"), "one");
        assert_eq!(last_lines(""), "");
    }
}
