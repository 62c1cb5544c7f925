//! Names the libraries of a run, and lists their versions.

use crate::{Cell, Style};
use cpb_model::{LibraryBuild, Run, harmless};
use std::collections::{HashMap, HashSet};

/// The most libraries that are always named.
const FEW: usize = 3;

/// The libraries that have rows.
#[derive(Debug, Clone, Default)]
pub struct Libraries<'a> {
    all: Vec<&'a LibraryBuild>,
    /// The libraries by label; of several, the first.
    by_label: HashMap<&'a str, &'a LibraryBuild>,
    names: HashMap<&'a str, usize>,
    versions: HashMap<(&'a str, &'a str), usize>,
}

impl<'a> Libraries<'a> {
    /// Collects the libraries of a run.
    pub fn of(run: &'a Run) -> Self {
        let with_rows: HashSet<&str> =
            run.records.iter().map(|record| record.subject.library.as_str()).collect();
        let mut libraries = Self::default();
        for library in run.libraries.iter().filter(|it| with_rows.contains(it.label.as_str())) {
            libraries.all.push(library);
            libraries.by_label.entry(&library.label).or_insert(library);
            *libraries.names.entry(&library.name).or_default() += 1;
            *libraries.versions.entry((&library.name, &library.version)).or_default() += 1;
        }
        libraries
    }

    /// Returns the shortest name that distinguishes the library labelled `label`: the user's own
    /// name, its name, its name and version, or its label.
    pub fn short_name(&self, label: &str) -> String {
        let Some(library) = self.by_label.get(label) else { return label.to_owned() };
        let (name, version) = (library.name.as_str(), library.version.as_str());
        if let Some(called) = called(label) {
            called.to_owned()
        } else if self.names.get(name) == Some(&1) {
            name.to_owned()
        } else if self.versions.get(&(name, version)) == Some(&1) {
            format!("{name} {version}")
        } else {
            label.to_owned()
        }
    }

    /// Iterates over the short names, in the order of the run.
    pub(crate) fn short_names(&self) -> impl Iterator<Item = String> {
        self.all.iter().map(|library| self.short_name(&library.label))
    }

    /// Returns the version of the library labelled `label`.
    pub fn version(&self, label: &str) -> Option<&'a str> {
        self.by_label.get(label).map(|library| library.version.as_str())
    }

    /// Returns one line with all versions, or with a few in a narrow terminal; with `all`, a line
    /// per library: short name, what it reports about itself, file.
    pub fn lines(&self, all: bool) -> Vec<Cell> {
        let line = |library: &&LibraryBuild| {
            let name = self.short_name(&library.label);
            let file = library.path.as_ref().map(|path| format!(" · {path}")).unwrap_or_default();
            Cell::new(format!("{name}: {}{file}", library.banner), Style::Faint)
        };
        if all {
            return self.all.iter().map(line).collect();
        }
        let versions: Vec<String> = (self.all.iter())
            .map(|library| {
                let name = self.short_name(&library.label);
                let version = format!(" {}", library.version);
                if name.ends_with(&version) { name } else { name + &version }
            })
            .collect();
        let few = &versions[..versions.len().min(FEW)];
        let short = match versions.len() - few.len() {
            0 => versions.join(" · "),
            more => format!("{} and {more} more libraries (--verbose)", few.join(" · ")),
        };
        let line = Cell::new(versions.join(" · "), Style::Faint);
        if versions.is_empty() { Vec::new() } else { vec![line.or(harmless(&short))] }
    }
}

/// Returns the user's own name for a build: `new` in `new:openssl=/opt/libcrypto.so`.
fn called(label: &str) -> Option<&str> {
    let (head, _) = label.split_once('=')?;
    Some(head.split_once(':')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{record, run};

    fn library(label: &str, version: &str) -> LibraryBuild {
        let name = label.split(['=', ';']).next().unwrap_or_default().to_owned();
        LibraryBuild {
            label: label.to_owned(),
            banner: format!("{name} {version}"),
            name,
            version: version.to_owned(),
            path: Some(format!("/lib/{version}")),
            ..LibraryBuild::default()
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
            library("new:openssl=/y", "3.6"),
        ];
        let records = libraries.iter().map(|library| record("sha256", &library.label, 1.0));
        let mut run = run(records.collect());
        run.libraries = libraries.to_vec();
        let shown = Libraries::of(&run);
        let short: Vec<String> =
            libraries.iter().map(|library| shown.short_name(&library.label)).collect();
        assert_eq!(short, ["mine", "openssl 3.0", "openssl 3.6", "gcrypt", "gcrypt;A=B", "new"]);
        assert_eq!(shown.short_name("unknown"), "unknown");
        assert_eq!(shown.lines(false).len(), 1);
        assert!(shown.lines(false)[0].text().starts_with("mine 1 · openssl 3.0 · openssl 3.6 · "));
        let lines = shown.lines(true);
        assert!(lines.iter().any(|line| line.text() == "openssl 3.6: openssl 3.6 · /lib/3.6"));
    }
}
