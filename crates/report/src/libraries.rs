//! What the libraries of a run are called, and which they were.

use crate::Style;
use cpb_model::{LibraryId, Run};

/// The libraries that have rows.
#[derive(Debug, Clone, Default)]
pub struct Libraries<'a>(Vec<&'a LibraryId>);

impl<'a> Libraries<'a> {
    /// Those of a run.
    #[must_use]
    pub fn of(run: &'a Run) -> Self {
        let has_rows =
            |library: &&LibraryId| run.records.iter().any(|r| r.subject.library == library.label);
        Self(run.libraries.iter().filter(has_rows).collect())
    }

    /// The shortest that tells the library labelled `label` from the others:
    /// its name, its name and version, or how it was asked for.
    #[must_use]
    pub fn short_name(&self, label: &str) -> String {
        let Some(library) = self.0.iter().find(|library| library.label == label) else {
            return label.to_owned();
        };
        let is_alone = |same: fn(&LibraryId, &LibraryId) -> bool| {
            self.0.iter().filter(|other| same(other, library)).count() == 1
        };
        if is_alone(|a, b| a.name == b.name) {
            library.name.clone()
        } else if is_alone(|a, b| (&a.name, &a.version) == (&b.name, &b.version)) {
            format!("{} {}", library.name, library.version)
        } else {
            label.to_owned()
        }
    }

    /// A line for each: short name, what it says of itself, file.
    #[must_use]
    pub fn lines(&self) -> String {
        let line = |library: &&LibraryId| {
            let name = self.short_name(&library.label);
            let file = library.path.as_ref().map(|path| format!(" · {path}")).unwrap_or_default();
            Style::Faint.paint(&format!("{name}: {}{file}", library.banner)) + "\n"
        };
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(label: &str, version: &str) -> LibraryId {
        let name = label.split(['=', ';']).next().unwrap_or_default().to_owned();
        LibraryId {
            label: label.to_owned(),
            banner: format!("{name} {version}"),
            name,
            version: version.to_owned(),
            path: Some(format!("/lib/{version}")),
            code_path: None,
        }
    }

    #[test]
    fn names_are_as_short_as_they_can_be() {
        let libraries = [
            library("mine=./libmine.so", "1"),
            library("openssl", "3.0"),
            library("openssl=/x", "3.6"),
            library("gcrypt", "1"),
            library("gcrypt;A=B", "1"),
        ];
        let shown = Libraries(libraries.iter().collect());
        let short: Vec<String> =
            libraries.iter().map(|library| shown.short_name(&library.label)).collect();
        assert_eq!(short, ["mine", "openssl 3.0", "openssl 3.6", "gcrypt", "gcrypt;A=B"]);
        assert_eq!(shown.short_name("unknown"), "unknown");
        assert!(shown.lines().contains("openssl 3.6: openssl 3.6 · /lib/3.6"));
    }
}
