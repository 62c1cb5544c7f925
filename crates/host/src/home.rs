//! Finds a user's folders (XDG Base Directory Specification 0.8).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Names a kind of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The user's settings.
    Config,
    /// Data to be kept.
    Data,
    /// Data that cpb can learn again if they are lost.
    State,
    /// Data that cpb can make again if they are lost.
    Cache,
}

impl Home {
    /// Returns cpb's folder for it: `$XDG_DATA_HOME/cpb`, or the same below `~/.local/share`.
    /// `None` if neither variable names a folder.
    pub fn folder(self) -> Option<PathBuf> {
        let [variable, _] = self.places();
        self.below(std::env::var_os(variable), std::env::var_os("HOME"))
    }

    /// Returns the variable that names the base folder, and where that usually is.
    fn places(self) -> [&'static str; 2] {
        match self {
            Home::Config => ["XDG_CONFIG_HOME", ".config"],
            Home::Data => ["XDG_DATA_HOME", ".local/share"],
            Home::State => ["XDG_STATE_HOME", ".local/state"],
            Home::Cache => ["XDG_CACHE_HOME", ".cache"],
        }
    }

    /// Returns the base folder; the specification requires that relative paths are ignored.
    fn below(self, own: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
        let absolute = |variable: Option<OsString>| {
            variable.map(PathBuf::from).filter(|folder| folder.is_absolute())
        };
        let [_, usual] = self.places();
        let folder = absolute(own).or_else(|| Some(absolute(home)?.join(Path::new(usual))))?;
        Some(folder.join("cpb"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_variable_comes_before_the_home() {
        let path = |kind: Home, own: Option<&str>, home: Option<&str>| {
            kind.below(own.map(Into::into), home.map(Into::into))
        };
        assert_eq!(path(Home::Data, Some("/d"), Some("/h")), Some("/d/cpb".into()));
        for relative in [Some("relative"), Some(""), None] {
            let data = path(Home::Data, relative, Some("/h"));
            assert_eq!(data, Some("/h/.local/share/cpb".into()));
            let config = path(Home::Config, relative, Some("/h"));
            assert_eq!(config, Some("/h/.config/cpb".into()));
            let state = path(Home::State, relative, Some("/h"));
            assert_eq!(state, Some("/h/.local/state/cpb".into()));
        }
        assert_eq!(
            (path(Home::Data, Some(""), Some("")), path(Home::Data, None, None)),
            (None, None)
        );
    }
}
