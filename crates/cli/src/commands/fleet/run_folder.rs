//! Writes the folder of a fleet run.

use super::submit::now;
use crate::cli_error::CliError;
use crate::destination::cannot_write;
use crate::input;
use crate::suite::{SUITES, Suite};
use cpb_fleet::{Fleet, FleetError, script};
use cpb_report::date;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The text of a suite that is a file, so that retries use what was submitted.
pub(super) struct OwnSuite(pub(super) Option<String>);

impl OwnSuite {
    pub(super) fn check(name: &str) -> Result<Self, CliError> {
        Suite::load(name)?;
        if SUITES.iter().any(|(known, _)| *known == name) {
            return Ok(Self(None));
        }
        let text = input::text(Path::new(name))
            .map_err(|error| usage!("cannot read the suite '{name}': {error}"))?;
        Ok(Self(Some(text)))
    }

    /// Writes it to `path`.
    pub(super) fn write(&self, path: &Path) -> Result<(), CliError> {
        match &self.0 {
            Some(text) => write(path, text),
            None => Ok(()),
        }
    }
}

/// Writes everything except the record of the fleet run, which needs its job.
pub(super) fn write_folder(fleet: &Fleet, folder: &Path, suite: &OwnSuite) -> Result<(), CliError> {
    for node in &fleet.nodes {
        make(&Fleet::node_folder(folder, &node.name))?;
    }
    suite.write(&folder.join("suite.toml"))?;
    write(&Fleet::script_path(folder), &script(fleet, &text(folder)?))
}

/// Creates a new folder below `root`, named after the date and `label`.
pub(super) fn new_folder(root: &Path, label: &str) -> Result<(String, PathBuf), CliError> {
    const TRIES: usize = 100;
    make(root)?;
    let date: String =
        date::timestamp(now()).chars().filter(|it| it.is_ascii_digit() || *it == 'T').collect();
    let date = date.replace('T', "-");
    let mut name = format!("{date}-{label}");
    for number in 2..TRIES {
        let folder = root.join(&name);
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok((name, folder)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                name = format!("{date}-{label}-{number}");
            }
            Err(error) => return Err(cannot_write(&folder, &error)),
        }
    }
    Err(not_measured!("'{}' has too many fleet runs of this second", root.display()))
}

/// Returns the label of fleet runs of the suite called `name`.
pub(super) fn label(name: &str) -> String {
    const LONGEST: usize = 40;
    let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let label: String = stem.unwrap_or_default().chars().map(plain).take(LONGEST).collect();
    let words: Vec<&str> = label.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "suite".to_owned() } else { words.join("-") }
}

/// Returns `path` as text, which a shell script requires.
pub(super) fn text(path: &Path) -> Result<String, CliError> {
    let text = path.to_str().filter(|text| !text.contains('\n')).map(str::to_owned);
    let reason = "it is not UTF-8, or has a line break";
    Ok(text.ok_or_else(|| FleetError::NoPath { path: path.to_owned(), reason })?)
}

pub(super) fn make(folder: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), CliError> {
    cpb_host::files::write(path, text).map_err(|error| cannot_write(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_suite_has_a_name_for_a_folder() {
        for (name, shown) in [
            ("tls", "tls"),
            ("./my $(rm -r) suite.toml", "my-rm-r-suite"),
            ("../../x/$(id).toml", "id"),
            ("/", "suite"),
            ("é.toml", "suite"),
        ] {
            assert_eq!(label(name), shown, "{name}");
        }
        assert_eq!(label(&"x".repeat(99)).len(), 40);
    }
}
