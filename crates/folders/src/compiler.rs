//! Compilers, with the flags that each is called with.

use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

/// A compiler of C with its flags; that of C++ beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// What is called: `gcc`, `/opt/bin/clang-21`.
    program: String,
    flags: Vec<String>,
}

/// Those tried where nobody names any, of which the ones that are there are taken.
const USUAL: [&str; 2] = ["gcc", "clang"];
const LEVELS: [&str; 2] = ["-O3", "-O2"];

/// What SUPERCOP's own compilers have, too: integers wrap around there.
const FLAGS: [&str; 3] = ["-fwrapv", "-fPIC", "-fomit-frame-pointer"];

/// gcc and clang, where they are there, each at -O3 and at -O2.
#[must_use]
pub fn usual_compilers() -> Vec<Compiler> {
    let there = USUAL.into_iter().filter(|program| identity(program).is_some());
    let each = there.flat_map(|program| LEVELS.map(|level| format!("{program} {level}")));
    each.filter_map(|text| text.parse().ok()).collect()
}

impl FromStr for Compiler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or("it names no compiler; write gcc, or 'clang -O2'")?;
        if identity(&program).is_none() {
            return Err(format!(
                "'{program}' does not answer to --version; name a compiler of C that is there, \
                 with its flags behind it: 'gcc -O2'"
            ));
        }
        let mut flags: Vec<String> = words.collect();
        if !flags.iter().any(|flag| flag.starts_with("-O")) {
            flags.push("-O3".to_owned());
        }
        Ok(Self { program, flags })
    }
}

impl Compiler {
    /// As rows call it: `gcc-O3`.
    pub(crate) fn name(&self) -> String {
        let program = Path::new(&self.program).file_name().unwrap_or_default();
        format!("{}{}", program.display(), self.flags.concat())
    }

    /// The compiler of this source, and its flags.
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

    /// The compiler of C++ that comes with it.
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

    /// What it says of itself, which is another after an update.
    pub(crate) fn identity(&self) -> String {
        identity(&self.program).unwrap_or_default()
    }
}

fn identity(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_has_a_name_flags_and_one_for_cpp_beside_it() {
        let compiler: Compiler = "cc -O1 -DX".parse().unwrap();
        assert_eq!(compiler.name(), "cc-O1-DX");
        assert_eq!(compiler.command(true)[0], "c++");
        assert_eq!("cc".parse::<Compiler>().unwrap().name(), "cc-O3");
        assert!(!compiler.identity().is_empty());
        let of = |program: &str| Compiler { program: program.to_owned(), flags: vec![] };
        assert_eq!(of("/opt/bin/clang-21").cpp(), "/opt/bin/clang++-21");
        assert_eq!(of("gcc-12").cpp(), "g++-12");
        let missing = "no-such-compiler -O2".parse::<Compiler>().unwrap_err();
        assert!(missing.contains("'no-such-compiler'"), "{missing}");
        assert!("".parse::<Compiler>().is_err());
    }
}
