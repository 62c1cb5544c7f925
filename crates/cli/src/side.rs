//! Parses a side of a comparison: a library to measure now, or a saved run.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::library_set::{no_library, unknown_library};
use crate::saved;
use cpb_engine::{LibrarySpec, SpecError, names};
use cpb_model::Run;

/// The side that the user named.
#[derive(Debug, Clone)]
pub(crate) enum Side {
    LibrarySide(LibrarySide),
    Saved { name: String, run: Box<Run> },
}

/// A library, with its backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LibrarySide {
    pub(crate) spec: LibrarySpec,
    /// The backend; the library's own choice if absent.
    pub(crate) backend: Option<String>,
}

impl Side {
    /// Parses a library, or a saved run in `store` or in a file.
    pub(crate) fn parse(text: &str, store: &StoreArgument) -> Result<Self, CliError> {
        let is_plain = !text.contains(['=', ';']);
        match live(text) {
            Ok(live) => Ok(Side::LibrarySide(live)),
            Err(SpecError::Unknown(library)) if is_plain => {
                let is_like = |known: &String| strsim::jaro_winkler(known, &library) > 0.8;
                let looks_like_library = names().iter().any(is_like);
                match saved::load(store, text) {
                    Ok(mut run) => {
                        cpb_figures::renew(&mut run);
                        Ok(Side::Saved { name: text.to_owned(), run: Box::new(run) })
                    }
                    // An existing file that is not a run is reported as such.
                    Err(fault) if std::path::Path::new(text).exists() => Err(fault),
                    Err(_) if looks_like_library => Err(unknown_library(&library)),
                    Err(fault) if saved::is_path(text) => Err(fault),
                    Err(_) => Err(usage!(
                        "'{text}' is not a library, a saved run or a primitive here: see cpb list \
                         --libraries, cpb history and cpb list"
                    )),
                }
            }
            Err(SpecError::Unknown(library)) => Err(unknown_library(&library)),
            Err(error) => Err(usage!("{error}")),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Side::LibrarySide(live) => live.to_string(),
            Side::Saved { name, .. } => name.clone(),
        }
    }
}

impl std::fmt::Display for LibrarySide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let label = self.spec.label();
        match &self.backend {
            None => f.write_str(&label),
            Some(backend) if self.spec.called.is_some() => write!(f, "{label} {backend}"),
            Some(backend) => {
                write!(f, "{}:{backend}{}", self.spec.name, &label[self.spec.name.len()..])
            }
        }
    }
}

/// Parses a library with an optional backend.
pub(crate) fn library(text: &str) -> Result<LibrarySide, String> {
    live(text).map_err(no_library)
}

/// Parses `NAME:BACKEND=PATH;VARIABLE=VALUE`, with everything except the name optional, or
/// `LABEL:NAME=PATH` for a known library.
fn live(text: &str) -> Result<LibrarySide, SpecError> {
    let end = text.find(['=', ';']).unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    let (name, backend) = match head.split_once(':') {
        // A build of a library, under the user's own name.
        Some((_, library))
            if rest.starts_with('=') && names().iter().any(|name| name == library) =>
        {
            (head, None)
        }
        Some((name, backend)) => (name, Some(backend.to_owned())),
        None => (head, None),
    };
    let spec = format!("{name}{rest}").parse()?;
    Ok(LibrarySide { spec, backend: backend.filter(|backend| !backend.is_empty()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_may_have_backend_path_and_environment() {
        crate::know_all_libraries();
        for text in [
            "openssl",
            "native:avx2",
            "openssl=/opt/lib/libcrypto.so",
            "mine:avx2=./libmine.so;A=:x",
            "openssl;OPENSSL_ia32cap=:~0x200000000",
            "new:openssl=/opt/lib/libcrypto.so",
        ] {
            assert_eq!(live(text).unwrap().to_string(), text);
        }
        let side = live("mine:avx2=./libmine.so;A=:x").unwrap();
        assert_eq!(side.backend.as_deref(), Some("avx2"));
        assert_eq!(side.spec.label(), "mine=./libmine.so;A=:x");
        assert_eq!(live("openssl;A=b:c=d").unwrap().backend, None);
        assert_eq!(live("./old/libmine.so").unwrap().to_string(), "mine=./old/libmine.so");
        let new = live("new:openssl=/opt/lib/libcrypto.so").unwrap();
        assert_eq!((new.backend, new.spec.called.as_deref()), (None, Some("new")));
    }

    #[test]
    fn what_is_neither_library_nor_run_is_told_with_the_nearest() {
        crate::know_all_libraries();
        let folder = tempfile::tempdir().unwrap();
        let store = StoreArgument { store: Some(folder.path().join("runs.sqlite").into()) };
        let error = |text| Side::parse(text, &store).unwrap_err().to_string();
        assert!(error("opensll").contains("Did you mean 'openssl'"), "{}", error("opensll"));
        let neither = error("nowhere");
        assert!(neither.contains("not a library, a saved run or a primitive"), "{neither}");
        let file = error("nowhere.json");
        assert!(file.contains("cannot read the run 'nowhere.json'"), "{file}");
        assert!(error("openssl;X").contains("VARIABLE=VALUE"));
    }
}
