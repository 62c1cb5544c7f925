//! Compiles the sources of an implementation.

use crate::cache::{self, Files, Key};
use crate::compiler::Compiler;
use crate::confine::{Confined, Ended};
use crate::dialect::{self, Dialect};
use crate::headers;
use crate::tree::Implementation;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Folders of a tree's own headers: those that we do not generate, and its arithmetic, which is
/// faster than ours.
const OF_THE_TREE: [&str; 2] = ["cryptoint", "include"];
/// The largest compiler output that is read.
const MOST_WORDS: u64 = 1 << 16;

/// The reason why there is no build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unbuilt {
    /// It cannot be built, or is wrong, and would be again.
    Faulty(String),
    /// It failed this time, for lack of time or other reasons.
    ThisTime(String),
}

impl Unbuilt {
    pub(crate) fn reason(&self) -> &str {
        match self {
            Unbuilt::Faulty(reason) | Unbuilt::ThisTime(reason) => reason,
        }
    }
}

/// The fault of an implementation.
impl From<String> for Unbuilt {
    fn from(reason: String) -> Self {
        Unbuilt::Faulty(reason)
    }
}

impl From<io::Error> for Unbuilt {
    fn from(error: io::Error) -> Self {
        Unbuilt::ThisTime(error.to_string())
    }
}

/// The sources of an implementation, with contents.
#[derive(Debug)]
pub(crate) struct Sources {
    files: Files,
    pub(crate) dialect: Dialect,
    /// Folders of code that it shares with others, with their sources.
    common: Vec<(PathBuf, Files)>,
}

impl Sources {
    pub(crate) fn of(implementation: &Implementation, root: &Path) -> Result<Self, Unbuilt> {
        let files = cache::files(&implementation.folder)?;
        if files.iter().any(|(name, _)| name == "Cargo.toml") {
            return Err(Unbuilt::Faulty(
                "it is a Rust crate, which cpb does not build from a folder; make a provider of \
                 it"
                .to_owned(),
            ));
        }
        let mut sources = Self { files, dialect: Dialect::Supercop, common: Vec::new() };
        let (operation, headers) = (implementation.operation.name, sources.foreign_headers());
        sources.dialect = Dialect::of(operation, &sources.api(), &headers);
        for folder in sources.dialect.common(root) {
            let files = cache::files(&folder)?;
            sources.common.push((folder, files));
        }
        Ok(sources)
    }

    /// Iterates over the sources to compile.
    pub(crate) fn compiled(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str()).filter(|name| is_source(name))
    }

    /// Iterates over shared folders, and the sources to compile in them.
    fn common(&self) -> impl Iterator<Item = (&Path, &str)> {
        let names = self.common.iter().flat_map(|(folder, files)| {
            files.iter().map(|(name, _)| (folder.as_path(), name.as_str()))
        });
        names.filter(|(_, name)| is_source(name) && !dialect::is_ours(name))
    }

    pub(crate) fn has_cpp(&self) -> bool {
        self.compiled().any(is_cpp)
    }

    pub(crate) fn api(&self) -> String {
        let api = self.files.iter().find(|(name, _)| name == "api.h");
        api.map_or_else(String::new, |(_, text)| String::from_utf8_lossy(text).into_owned())
    }

    /// Returns the headers that it includes but does not have, each once, in order.
    pub(crate) fn foreign_headers(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (_, text) in &self.files {
            let text = String::from_utf8_lossy(text);
            let lines = text.lines().filter_map(|line| {
                line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")
            });
            for line in lines {
                let name = line.trim().trim_start_matches(['"', '<']);
                let name = name.split(['"', '>']).next().unwrap_or_default().to_owned();
                let is_own = self.files.iter().any(|(own, _)| *own == name);
                if !is_own && !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        found
    }

    pub(crate) fn add_to(&self, key: &mut Key) {
        let common = self.common.iter().flat_map(|(_, files)| files);
        for (name, text) in self.files.iter().chain(common) {
            key.add(name);
            key.add(text);
        }
    }
}

fn is_source(name: &str) -> bool {
    [".c", ".s", ".S"].iter().any(|ending| name.ends_with(ending)) || is_cpp(name)
}

fn is_assembly(name: &str) -> bool {
    name.ends_with(".s") || name.ends_with(".S")
}

fn is_cpp(name: &str) -> bool {
    name.ends_with(".cc") || name.ends_with(".cpp")
}

/// Compiles in a folder.
pub(crate) struct Workshop<'a> {
    pub(crate) confined: &'a Confined<'a>,
    pub(crate) compiler: &'a Compiler,
    /// Where headers are searched before ours.
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) root: &'a Path,
    /// The folder of our headers.
    pub(crate) shared: &'a Path,
    /// The folder for all output.
    pub(crate) scratch: &'a Path,
}

impl Workshop<'_> {
    /// Compiles all sources of an implementation into an archive.
    pub(crate) fn archive(
        &self,
        implementation: &Implementation,
        sources: &Sources,
        archive: &Path,
    ) -> Result<(), Unbuilt> {
        let own = headers::namespace(implementation);
        let folder = implementation.folder.as_path();
        let named = sources.compiled().map(|name| (folder, name));
        let mut objects = Vec::new();
        for (place, (folder, name)) in named.chain(sources.common()).enumerate() {
            let (is_cpp, is_assembly) = (is_cpp(name), is_assembly(name));
            let object = self.scratch.join(format!("{place}.o"));
            // Arbitrary names could be options (`-o.c`) or response files (`@o.c`).
            let name = Path::new(".").join(name);
            let mut command = self.command(is_cpp);
            command.extend(definitions(&own).map(OsString::from));
            command.push("-I.".into());
            command.extend(self.include_flags());
            command.extend(sources.common.iter().map(|(folder, _)| include_flag(folder)));
            if sources.dialect == Dialect::Plain && !is_assembly {
                let header = format!("crypto_{}.h", implementation.operation.name);
                command.extend(["-include".into(), header.into()]);
            }
            command.extend(["-c".into(), name.into(), "-o".into(), object.clone().into()]);
            self.run(&command, folder)?;
            objects.push(object);
        }
        let mut command: Vec<OsString> = vec!["ar".into(), "cr".into(), archive.into()];
        command.extend(objects.into_iter().map(OsString::from));
        self.run(&command, &implementation.folder)
    }

    /// Compiles one of our sources, whose headers precede those of an implementation in `folder`.
    pub(crate) fn own(
        &self,
        source: &Path,
        object: &Path,
        definitions: &[String],
        folder: Option<&Path>,
    ) -> Result<(), Unbuilt> {
        let mut command = self.command(false);
        // Unused code in a shim does not concern users who measure a folder.
        command.extend(["-std=gnu11".into(), "-w".into()]);
        command.extend(definitions.iter().map(OsString::from));
        let own = self.includes.iter().map(PathBuf::as_path).chain([self.shared]);
        command.extend(own.chain(folder).map(include_flag));
        command.extend(["-c".into(), source.into(), "-o".into(), object.into()]);
        self.run(&command, self.scratch)
    }

    pub(crate) fn command(&self, is_cpp: bool) -> Vec<OsString> {
        self.compiler.command(is_cpp).into_iter().map(OsString::from).collect()
    }

    fn include_flags(&self) -> impl Iterator<Item = OsString> {
        let of_the_tree = OF_THE_TREE.map(|folder| self.root.join(folder));
        let folders = self.includes.iter().cloned().chain(of_the_tree);
        let folders = folders.filter(|folder| folder.is_dir()).chain([self.shared.to_owned()]);
        folders.map(|folder| include_flag(&folder))
    }

    /// Runs a compiler or linker; its first error message becomes the reason.
    pub(crate) fn run(&self, command: &[OsString], folder: &Path) -> Result<(), Unbuilt> {
        let log = self.scratch.join("log");
        let output = File::create(&log)?;
        let errors = output.try_clone()?;
        let ended = self.confined.run(command, folder, self.scratch, [output, errors])?;
        let program = command[0].to_string_lossy();
        match ended {
            Ended::Well => Ok(()),
            Ended::Badly(how) => {
                let mut words = Vec::new();
                File::open(&log)?.take(MOST_WORDS).read_to_end(&mut words)?;
                let words = String::from_utf8_lossy(&words);
                let reason =
                    first_error(&words).map_or_else(|| format!("{program}: {how}"), Into::into);
                Err(Unbuilt::Faulty(reason))
            }
            Ended::Late => Err(Unbuilt::ThisTime(late(&program, self.confined))),
            Ended::Stopped => Err(Unbuilt::ThisTime("interrupted".to_owned())),
        }
    }
}

fn include_flag(folder: &Path) -> OsString {
    let mut flag = OsString::from("-I");
    flag.push(folder);
    flag
}

/// Describes what took too long.
pub(crate) fn late(what: &str, confined: &Confined<'_>) -> String {
    format!(
        "{what} was not done after {} s; give it longer with --build-timeout",
        confined.patience.as_secs_f64()
    )
}

/// Returns SUPERCOP's definitions for own names and alignment.
fn definitions(own: &str) -> impl Iterator<Item = String> {
    let namespaces = ["CRYPTO_NAMESPACE", "CRYPTO_SHARED_NAMESPACE"].into_iter();
    let named = namespaces.flat_map(move |name| {
        ["", "_"].map(|score| format!("-D{score}{name}(name)={score}{own}_##name"))
    });
    let top = ["", "_"].map(|score| format!("-D{score}CRYPTO_NAMESPACETOP={score}{own}"));
    let rest = ["-DSUPERCOP", "-DCRYPTO_ALIGN(n)=__attribute__((aligned(n)))"].map(str::to_owned);
    top.into_iter().chain(named).chain(rest)
}

/// Returns the first line with an error, or else the first line.
fn first_error(words: &str) -> Option<String> {
    const TELLING: [&str; 4] = ["error:", "Error:", "undefined reference", "multiple definition"];
    let lines = || words.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = |line: &&str| TELLING.iter().any(|word| line.contains(word));
    lines().find(telling).or_else(|| lines().next()).map(short)
}

/// Removes the folders of file names, which do not help.
fn short(line: &str) -> String {
    let words = line.split(' ').map(|word| match word.rsplit_once('/') {
        Some((folder, file)) if folder.starts_with('/') && file.contains(':') => file,
        _ => word,
    });
    let mut line = words.collect::<Vec<_>>().join(" ");
    const LONGEST: usize = 240;
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Writes files into a folder that it creates.
pub(crate) fn write_all(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_told_without_folders() {
        let words = "In file included from a.c:1:\na.h:3:9: warning: x\n/t/y/a.c:9:1: error: no\n";
        assert_eq!(first_error(words).as_deref(), Some("a.c:9:1: error: no"));
        let linked = "/usr/bin/ld: /t/x.a(m.o): in function `f':\nm.c:(.text+0x5): undefined \
                      reference to `g'\n";
        assert!(first_error(linked).unwrap().contains("undefined reference to `g'"));
        assert_eq!(first_error("\n"), None);
    }
}
