//! Parses which library is meant, and identifies the build that was found.

use crate::selftest;
use cpb_libraries::{Entry, LIBRARIES, folder};
use cpb_model::{Failure, LibraryBuild, Offer, harmless};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A library as the user selects it: `openssl`, `openssl=/opt/libcrypto.so`,
/// `openssl;OPENSSL_ia32cap=:~0x200000000`, or both. A build may have a name of its own,
/// `new:openssl=/opt/libcrypto.so`. A plain file, `./libmine.so`, means `mine=./libmine.so`.
///
/// Its text is its label, which distinguishes two builds of one library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LibrarySpec {
    /// The user's name for this build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// The library's name.
    pub name: String,
    /// The file to load; the installed one if absent.
    pub path: Option<PathBuf>,
    /// Environment variables that its worker gets in addition to the user's.
    pub environment: Vec<(String, String)>,
    /// For a folder of sources at `path`, the file that lists what was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<PathBuf>,
}

/// The reason why a text does not name a library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The name is empty.
    #[error("'{0}' names no library; write NAME, NAME=PATH, or NAME;VARIABLE=VALUE")]
    NoName(String),
    /// The part after a semicolon is not an assignment.
    #[error("'{0}' is not VARIABLE=VALUE; write NAME=PATH;VARIABLE=VALUE")]
    NoAssignment(String),
    /// The name is unknown, and there is no path.
    #[error("unknown library '{0}'")]
    Unknown(String),
}

impl LibrarySpec {
    /// Selects the installed library called `name`.
    pub fn installed(name: &str) -> Self {
        Self {
            called: None,
            name: name.to_owned(),
            path: None,
            environment: Vec::new(),
            index: None,
        }
    }

    /// Selects the build of the sources in `folder`, listed in `index`.
    pub fn built(name: &str, folder: PathBuf, index: PathBuf) -> Self {
        Self { path: Some(folder), index: Some(index), ..Self::installed(name) }
    }

    /// Returns the library that it is a build of.
    pub fn library(&self) -> &str {
        folder::build_of(&self.name)
    }

    /// Returns the label: the text that selects it.
    pub fn label(&self) -> String {
        harmless(&self.to_string()).into_owned()
    }
}

impl fmt::Display for LibrarySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(called) = &self.called {
            write!(f, "{called}:")?;
        }
        f.write_str(&self.name)?;
        if let Some(path) = &self.path {
            write!(f, "={}", path.display())?;
        }
        self.environment.iter().try_for_each(|(name, value)| write!(f, ";{name}={value}"))
    }
}

impl FromStr for LibrarySpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut parts = text.split(';');
        let library = parts.next().unwrap_or_default();
        let (name, path) = match library.split_once('=') {
            Some((name, path)) => (name, Some(PathBuf::from(path))),
            None => match of_file(library) {
                Some(name) if library.starts_with("./") => (name, Some(PathBuf::from(library))),
                // Without a folder, the loader would search its own path.
                Some(name) => (name, Some(Path::new(".").join(library))),
                None => (library, None),
            },
        };
        let (called, name) = match name.split_once(':') {
            Some((called, name)) if path.is_some() && !called.is_empty() => (Some(called), name),
            _ => (None, name),
        };
        if name.is_empty() || path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            return Err(SpecError::NoName(text.to_owned()));
        }
        if path.is_none() && !names().iter().any(|known| known == name) {
            return Err(SpecError::Unknown(name.to_owned()));
        }
        let environment = parts.map(|part| {
            part.split_once('=')
                .filter(|(variable, _)| !variable.is_empty())
                .map(|(variable, value)| (variable.to_owned(), value.to_owned()))
                .ok_or_else(|| SpecError::NoAssignment(part.to_owned()))
        });
        Ok(Self {
            called: called.map(str::to_owned),
            name: name.to_owned(),
            path,
            environment: environment.collect::<Result<_, _>>()?,
            index: None,
        })
    }
}

/// Returns the library name for a file: the library whose file has that name, or the name without
/// `lib` and `.so`. `None` if the text is no such file.
fn of_file(text: &str) -> Option<&str> {
    let file = text.rsplit('/').next()?;
    let (stem, version) = file.split_once(".so")?;
    let is_version = version.chars().all(|it| it.is_ascii_digit() || it == '.');
    let name = stem.strip_prefix("lib").filter(|name| !name.is_empty()).unwrap_or(stem);
    let known = FILES.iter().find(|(file, _)| *file == name);
    (is_version && !name.is_empty()).then(|| known.map_or(name, |(_, library)| library))
}

/// Libraries whose file has another name, without `lib` and `.so`.
const FILES: [(&str, &str); 3] =
    [("crypto", "openssl"), ("sodium", "libsodium"), ("crypto++", "cryptopp")];

/// The result of looking for a library.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The library that was requested.
    pub spec: LibrarySpec,
    /// Its build and offers, or why it cannot be used.
    pub contents: Result<(LibraryBuild, Vec<Offer>), Failure>,
}

/// Returns the libraries that are measured by default, in table order: those known to cpb, and
/// those built for it.
pub fn installed_libraries() -> Vec<LibrarySpec> {
    let known = LIBRARIES.iter().map(|entry| LibrarySpec::installed(entry.name));
    known.chain(folder::names().iter().map(|name| LibrarySpec::installed(name))).collect()
}

/// Selects the library that measures cpb itself.
pub fn self_test() -> LibrarySpec {
    LibrarySpec::installed(selftest::NAME)
}

/// Returns all names that need no path.
pub fn names() -> Vec<String> {
    let known = LIBRARIES.iter().map(|entry: &Entry| entry.name).chain([selftest::NAME]);
    known.map(str::to_owned).chain(folder::names()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_is_name_path_and_environment() {
        let spec: LibrarySpec = "native=/opt/a=b.so;X=1;Y=a=b".parse().unwrap();
        assert_eq!(spec.name, "native");
        assert_eq!(spec.path, Some(PathBuf::from("/opt/a=b.so")));
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(spec.environment, [variable("X", "1"), variable("Y", "a=b")]);
        assert_eq!(spec.label(), "native=/opt/a=b.so;X=1;Y=a=b");
        let plain: LibrarySpec = "native".parse().unwrap();
        assert_eq!(plain, LibrarySpec::installed("native"));
        assert!("mine=./libmine.so".parse::<LibrarySpec>().is_ok());
        let called: LibrarySpec = "new:native=/opt/x.so;A=b:c".parse().unwrap();
        assert_eq!((called.called.as_deref(), called.name.as_str()), (Some("new"), "native"));
        assert_eq!(called.label(), "new:native=/opt/x.so;A=b:c");
    }

    #[test]
    fn a_file_is_the_library_of_its_name() {
        for (text, label) in [
            ("./libmine.so", "mine=./libmine.so"),
            ("build/x.so;A=1", "x=./build/x.so;A=1"),
            ("/opt/libcrypto.so.3", "openssl=/opt/libcrypto.so.3"),
            ("x.so.1.2", "x=./x.so.1.2"),
        ] {
            assert_eq!(text.parse::<LibrarySpec>().unwrap().label(), label);
        }
        for text in ["./x.json", "x.sometimes", "./.so", "gcrypt", "a,b"] {
            assert_eq!(of_file(text), None, "{text}");
        }
    }

    #[test]
    fn what_names_no_library_is_refused() {
        let parse = |text: &str| text.parse::<LibrarySpec>();
        assert_eq!(parse("nativ"), Err(SpecError::Unknown("nativ".to_owned())));
        for text in ["", "=x", "native="] {
            assert_eq!(parse(text), Err(SpecError::NoName(text.to_owned())), "{text}");
        }
        assert_eq!(parse("native;X"), Err(SpecError::NoAssignment("X".to_owned())));
        assert_eq!(parse("native;=1"), Err(SpecError::NoAssignment("=1".to_owned())));
    }
}
