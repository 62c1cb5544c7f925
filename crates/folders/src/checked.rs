//! Builds an implementation with one compiler: links it, and checks its checksums.

use crate::cache::{Cache, Key};
use crate::compiler::Compiler;
use crate::confine::{Confined, Ended};
use crate::headers;
use crate::objects::{Sources, Unbuilt, Workshop, late, write_all};
use crate::tree::{Implementation, Tree};
use cpb_host::files;
use cpb_libraries::inspect::{self, Inspection};
use cpb_libraries::scheme;
use cpb_model::{Operation, Security};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Libraries that implementations may need; available ones are linked.
const SYSTEM: [&str; 3] = ["crypto", "gmp", "cryptopp"];
/// The largest output of a check that is read.
const MOST_WORDS: u64 = 1 << 20;

/// A build that is right, as far as its checksums say.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) key: String,
    pub(crate) place: PathBuf,
    pub(crate) inspection: Inspection,
    pub(crate) security: Security,
    /// The builds of primitives that it calls in other folders.
    pub(crate) depends_on: Vec<Arc<Checked>>,
}

impl Checked {
    /// Returns the path of the shared library.
    pub(crate) fn library(&self) -> PathBuf {
        self.place.join(LIBRARY)
    }
}

const LIBRARY: &str = "built.so";
const ARCHIVE: &str = "objects.a";
const HEADERS: &str = "include";
const RANDOM: &str = "random.o";
const OUTCOME: &str = "outcome.json";

/// The stored form.
#[derive(Serialize, Deserialize)]
enum Outcome {
    Built(Inspection),
    Faulty(String),
}

/// Builds with one compiler.
pub(crate) struct Maker<'a> {
    pub(crate) cache: &'a Cache,
    pub(crate) tree: &'a Tree,
    pub(crate) confined: Confined<'a>,
    /// The folder of our headers.
    pub(crate) shared: &'a Path,
    /// The key of everything that one compiler builds.
    pub(crate) compiler: &'a Compiler,
    pub(crate) compiler_key: &'a str,
}

impl Maker<'_> {
    /// Builds and checks it, unless that was done before.
    pub(crate) fn make(
        &self,
        implementation: &Implementation,
        sources: &Sources,
        security: Security,
        depends_on: Vec<Arc<Checked>>,
    ) -> Result<Checked, Unbuilt> {
        let key = self.key(implementation, sources, &depends_on)?;
        let place = self.cache.place(&key);
        let is_there = self.cache.has(&key);
        let outcome = match is_there.then(|| remembered(&place)).flatten() {
            Some(outcome) => outcome,
            None => {
                let scratch = self.cache.scratch()?;
                let made = self.build(implementation, sources, &depends_on, scratch.path());
                let outcome = match made {
                    Ok(inspection) => Outcome::Built(inspection),
                    Err(Unbuilt::Faulty(reason)) => Outcome::Faulty(reason),
                    Err(this_time) => return Err(this_time),
                };
                // Of a failure only the reason is useful, and the rest may be large.
                if matches!(outcome, Outcome::Faulty(_)) {
                    clear(scratch.path(), &[])?;
                }
                let text = serde_json::to_vec(&outcome).map_err(io::Error::from)?;
                fs::write(scratch.path().join(OUTCOME), text)?;
                self.cache.keep(scratch, &key)?;
                outcome
            }
        };
        match outcome {
            Outcome::Built(inspection) => {
                Ok(Checked { key, place, inspection, security, depends_on })
            }
            Outcome::Faulty(reason) => Err(Unbuilt::Faulty(reason)),
        }
    }

    fn key(
        &self,
        implementation: &Implementation,
        sources: &Sources,
        depends_on: &[Arc<Checked>],
    ) -> Result<String, Unbuilt> {
        let mut key = Key::default();
        key.add(env!("CARGO_PKG_VERSION"));
        key.add(self.compiler_key);
        own_definitions(implementation).iter().for_each(|definition| key.add(definition));
        key.add(implementation.path());
        sources.add_to(&mut key);
        for size in SIZES {
            key.add(implementation.checksum(size)?.unwrap_or_default());
        }
        key.add(implementation.loops()?.unwrap_or_default());
        for file in implementation.answers() {
            key.add(file.file_name().unwrap_or_default().as_encoded_bytes());
            let name = file.file_name().unwrap_or_default().display();
            let text = files::read(&file, inspect::MOST_ANSWERS);
            key.add(text.map_err(|error| format!("its {name} cannot be read: {error}"))?);
        }
        for (_, text) in implementation.operation.sources {
            key.add(text);
        }
        depends_on.iter().for_each(|other| key.add(&other.key));
        Ok(key.finish())
    }

    fn build(
        &self,
        implementation: &Implementation,
        sources: &Sources,
        depends_on: &[Arc<Checked>],
        scratch: &Path,
    ) -> Result<Inspection, Unbuilt> {
        let own = scratch.join(HEADERS);
        write_all(&own, &headers::of_primitive(implementation, &sources.dialect, &sources.api()))?;
        let here = scratch.join("here");
        let mut only_here = vec![headers::of_operation(implementation)];
        only_here.extend(implementation.loops()?.map(|text| ("test-loops.inc".to_owned(), text)));
        write_all(&here, &only_here)?;
        let others = depends_on.iter().map(|other| other.place.join(HEADERS));
        let workshop = Workshop {
            confined: &self.confined,
            compiler: self.compiler,
            includes: [here, own].into_iter().chain(others).collect(),
            root: &self.tree.root,
            shared: self.shared,
            scratch,
        };
        let archive = scratch.join(ARCHIVE);
        workshop.archive(implementation, sources, &archive)?;
        let mut objects = vec![self.cache.place(&self.random_key()).join(RANDOM)];
        for (name, text) in implementation.operation.sources {
            let (source, object) = (scratch.join(name), scratch.join(format!("{name}.o")));
            fs::write(&source, text)?;
            let folder = Some(implementation.folder.as_path());
            workshop.own(&source, &object, &own_definitions(implementation), folder)?;
            objects.push(object);
        }
        let mut archives = vec![archive];
        add_archives(depends_on, &mut archives);
        let is_cpp = sources.has_cpp();
        self.link(&workshop, is_cpp, &objects, &archives)?;
        let answers = implementation.answers();
        let inspection = self.inspect(&scratch.join(LIBRARY), &answers, scratch)?;
        compare(implementation, &inspection)?;
        clear(scratch, &[LIBRARY, ARCHIVE, HEADERS])?;
        Ok(inspection)
    }

    /// Makes what every build of this compiler is linked with, unless it exists.
    pub(crate) fn prepare(&self) -> Result<(), Unbuilt> {
        if self.cache.has(&self.random_key()) {
            return Ok(());
        }
        let scratch = self.cache.scratch()?;
        let workshop = Workshop {
            confined: &self.confined,
            compiler: self.compiler,
            includes: Vec::new(),
            root: &self.tree.root,
            shared: self.shared,
            scratch: scratch.path(),
        };
        let source = scratch.path().join("random.c");
        fs::write(&source, include_str!("../c/random.c"))?;
        workshop.own(&source, &scratch.path().join(RANDOM), &[], None)?;
        Ok(self.cache.keep(scratch, &self.random_key())?)
    }

    /// Returns the key of the random generator, which each compiler builds once.
    fn random_key(&self) -> String {
        format!("random-{}", self.compiler_key)
    }

    fn link(
        &self,
        workshop: &Workshop<'_>,
        is_cpp: bool,
        objects: &[PathBuf],
        archives: &[PathBuf],
    ) -> Result<(), Unbuilt> {
        let exported = workshop.scratch.join("exported");
        let [check, nist] = [inspect::CHECK, inspect::NIST];
        let names = format!("{{ global: cpb_provider_v2; {check}; {nist}; local: *; }};\n");
        fs::write(&exported, names)?;
        let mut script = OsString::from("-Wl,--version-script=");
        script.push(&exported);
        let mut command = workshop.command(is_cpp);
        command.extend(
            ["-shared", "-Wl,-z,defs", "-Wl,-z,noexecstack", "-Wl,-Bsymbolic"].map(Into::into),
        );
        command.push(script);
        command.extend(objects.iter().map(OsString::from));
        command.push("-Wl,--start-group".into());
        command.extend(archives.iter().map(OsString::from));
        command.extend(["-Wl,--end-group", "-Wl,--as-needed", "-lm", "-lpthread"].map(Into::into));
        let there = SYSTEM.iter().filter(|name| is_there(name));
        command.extend(there.map(|name| format!("-l{name}").into()));
        command.extend(["-o".into(), workshop.scratch.join(LIBRARY).into()]);
        workshop.run(&command, workshop.scratch)
    }

    /// Loads and checks it in a process of its own.
    fn inspect(
        &self,
        library: &Path,
        answers: &[PathBuf],
        scratch: &Path,
    ) -> Result<Inspection, Unbuilt> {
        let answer = scratch.join("answer");
        let files = [File::create(&answer)?, File::create(scratch.join("log"))?];
        let mut command: Vec<OsString> =
            vec!["/proc/self/exe".into(), inspect::SUBCOMMAND.into(), library.into()];
        command.extend(answers.iter().map(OsString::from));
        match self.confined.run(&command, scratch, scratch, files)? {
            Ended::Well => {}
            Ended::Badly(how) => return Err(Unbuilt::Faulty(format!("checked: {how}"))),
            Ended::Late => return Err(Unbuilt::ThisTime(late("its check", &self.confined))),
            Ended::Stopped => return Err(Unbuilt::ThisTime("interrupted".to_owned())),
        }
        let mut words = Vec::new();
        File::open(&answer)?.take(MOST_WORDS).read_to_end(&mut words)?;
        let words = String::from_utf8_lossy(&words);
        let line = words.lines().next().unwrap_or_default();
        serde_json::from_str(line)
            .map_err(|_| Unbuilt::Faulty("checked: it left before its check was over".to_owned()))
    }
}

const SIZES: [&str; 2] = ["small", "big"];

/// Compares the checksums with those of the primitive.
fn compare(implementation: &Implementation, inspection: &Inspection) -> Result<(), Unbuilt> {
    for (size, found) in SIZES.into_iter().zip(&inspection.checksums) {
        let found = found.as_ref().map_err(|reason| Unbuilt::Faulty(reason.clone()))?;
        let Some(expected) = implementation.checksum(size)? else { continue };
        if *found != expected {
            let short = |sum: &str| sum.chars().take(16).collect::<String>();
            return Err(Unbuilt::Faulty(format!(
                "its checksum{size} is {}… where {}… is right",
                short(found),
                short(&expected)
            )));
        }
    }
    inspection.answers.as_ref().map_err(|reason| Unbuilt::Faulty(reason.clone()))?;
    Ok(())
}

/// Collects the archives of all dependencies, each once.
fn add_archives(others: &[Arc<Checked>], archives: &mut Vec<PathBuf>) {
    for other in others {
        let archive = other.place.join(ARCHIVE);
        if !archives.contains(&archive) {
            archives.push(archive);
            add_archives(&other.depends_on, archives);
        }
    }
}

/// Returns what our sources need to know about an implementation.
fn own_definitions(implementation: &Implementation) -> Vec<String> {
    let quoted = |name: &str, text: &str| format!("-D{name}=\"{text}\"");
    let canonical = implementation.canonical();
    let scheme = scheme::of(&canonical);
    let drawn = |operation: Operation| {
        scheme.map_or(0, |scheme| scheme.lengths(operation).randomness.default_length())
    };
    let mut definitions = vec![
        quoted("CPB_LIBRARY", "folder"),
        quoted("CPB_PRIMITIVE", &canonical),
        quoted("CPB_SPELLING", &implementation.spelling()),
        quoted("CPB_VERSION", ""),
        format!("-DCPB_FOR_PAIR={}", drawn(Operation::Keygen)),
        format!("-DCPB_FOR_CIPHERTEXT={}", drawn(Operation::Encapsulate)),
    ];
    // Its secret key is the seed and the public key; elsewhere it is only the seed.
    definitions.extend((canonical == "ed25519").then(|| "-DCPB_SEED_BYTES=32".to_owned()));
    definitions
}

/// Removes everything that is not needed later.
fn clear(scratch: &Path, needed: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(scratch)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !needed.contains(&name) {
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(&path)?;
            } else {
                fs::remove_file(&path)?;
            }
        }
    }
    Ok(())
}

fn remembered(place: &Path) -> Option<Outcome> {
    serde_json::from_slice(&files::read(&place.join(OUTCOME), 2 * MOST_WORDS).ok()?).ok()
}

/// Whether the linker finds a system library.
fn is_there(name: &str) -> bool {
    let folders =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    folders.iter().any(|folder| Path::new(folder).join(format!("lib{name}.so")).exists())
}
