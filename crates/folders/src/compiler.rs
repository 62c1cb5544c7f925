//! Defines compilers with their flags.

use crate::confine::{Confined, Ended};
use std::io::{Read, Seek};
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A C compiler with its flags, and the C++ compiler beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// The command: `gcc`, `/opt/bin/clang-21`.
    program: String,
    flags: Vec<String>,
    /// Its version text, which changes with an update.
    identity: String,
}

/// The default compilers, of which the installed ones are used.
const USUAL: [&str; 2] = ["gcc", "clang"];
const LEVELS: [&str; 2] = ["-O3", "-O2"];

/// Flags that SUPERCOP's own compilers have, too: integers wrap around.
const FLAGS: [&str; 3] = ["-fwrapv", "-fPIC", "-fomit-frame-pointer"];

/// The time limit for a compiler to state its version, and the limit of that text.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST_WORDS: u64 = 1 << 16;

/// Returns gcc and clang, if available, each with -O3 and -O2.
pub fn usual_compilers() -> Vec<Compiler> {
    let each = USUAL.map(|program| LEVELS.map(|level| format!("{program} {level}")));
    each.as_flattened().iter().filter_map(|text| text.parse().ok()).collect()
}

impl FromStr for Compiler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut compiler = Self::of(text)?;
        compiler.identity = identity(&compiler.program)?;
        Ok(compiler)
    }
}

impl Compiler {
    /// Parses a compiler, whether it exists or not.
    fn of(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let mut program = words.next().ok_or("it names no compiler; write gcc, or 'clang -O2'")?;
        if program.contains('/') {
            // It is called in source folders, where a relative path would mean something else.
            let path = std::path::absolute(&program).map_err(|error| error.to_string())?;
            program = path.to_string_lossy().into_owned();
        }
        let mut flags: Vec<String> = words.collect();
        if !flags.iter().any(|flag| flag.starts_with("-O")) {
            flags.push("-O3".to_owned());
        }
        Ok(Self { program, flags, identity: String::new() })
    }

    /// Returns the name in rows: `gcc-O3`.
    pub(crate) fn name(&self) -> String {
        let program = Path::new(&self.program).file_name().unwrap_or_default();
        format!("{}{}", program.display(), self.flags.concat())
    }

    /// Returns the compiler for this source, with its flags.
    pub(crate) fn command(&self, is_cpp: bool) -> Vec<String> {
        let program = if is_cpp { self.cpp() } else { self.program.clone() };
        let tuned = if cfg!(target_arch = "x86_64") {
            ["-march=native", "-mtune=native"]
        } else {
            ["-mcpu=native", "-mtune=native"]
        };
        let fixed = tuned.into_iter().chain(FLAGS).map(str::to_owned);
        std::iter::once(program).chain(fixed).chain(self.flags.iter().cloned()).collect()
    }

    /// Returns the corresponding C++ compiler.
    fn cpp(&self) -> String {
        let (folder, name) = match self.program.rsplit_once('/') {
            Some((folder, name)) => (format!("{folder}/"), name),
            None => (String::new(), &self.program[..]),
        };
        let name = match name {
            name if name.starts_with("gcc") => name.replacen("gcc", "g++", 1),
            name if name.starts_with("clang") => name.replacen("clang", "clang++", 1),
            _ => "c++".to_owned(),
        };
        format!("{folder}{name}")
    }

    /// Returns its version text.
    pub(crate) fn identity(&self) -> &str {
        &self.identity
    }
}

/// Returns the version text of a program, or why it is not a usable compiler.
fn identity(program: &str) -> Result<String, String> {
    let never = AtomicBool::new(false);
    let confined = Confined { patience: PATIENCE, stop: &never };
    let anywhere = std::env::temp_dir();
    let said = || {
        let mut said = tempfile::tempfile()?;
        let files = [said.try_clone()?, tempfile::tempfile()?];
        let command = [program.into(), "--version".into()];
        let ended = confined.run(&command, &anywhere, &anywhere, files)?;
        let mut words = Vec::new();
        said.rewind()?;
        said.take(MOST_WORDS).read_to_end(&mut words)?;
        Ok((ended, String::from_utf8_lossy(&words).into_owned()))
    };
    let within = match said() {
        Ok((Ended::Well, words)) => return Ok(words),
        Ok((Ended::Late, _)) => format!(" within {} s", PATIENCE.as_secs()),
        Ok(_) => String::new(),
        Err::<_, std::io::Error>(reason) => format!(": {reason}"),
    };
    Err(format!(
        "'{program}' does not answer to --version{within}; name an installed C compiler with its flags, as 'gcc -O2'"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_has_a_name_flags_and_one_for_cpp_beside_it() {
        let of = |text: &str| Compiler::of(text).unwrap();
        let compiler = of("cc -O1 -DX");
        assert_eq!(compiler.name(), "cc-O1-DX");
        assert_eq!(compiler.command(true)[0], "c++");
        assert_eq!(of("cc").name(), "cc-O3");
        assert_eq!(of("/opt/bin/clang-21").cpp(), "/opt/bin/clang++-21");
        assert_eq!(of("gcc-12").cpp(), "g++-12");
        assert!(of("./mycc").program.starts_with('/'));
        assert!(Compiler::of("").is_err());
    }
}
