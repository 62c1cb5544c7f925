//! Checks the structure of the sources: no two files take from each other.
//!
//! What the parts of a folder take from the file that heads them is not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A path of modules, and maybe an item, within a crate.
type Names = Vec<String>;

/// Adds the paths of a `use` tree such as `a::{b, c::d as e}`.
fn expand(tree: &str, before: &[String], paths: &mut Vec<Names>) {
    let (head, parts) = tree.split_once('{').unwrap_or((tree, ""));
    let head = head.split(" as ").next().unwrap_or_default();
    let names = head.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let path: Names = before.iter().cloned().chain(names).collect();
    let Some(parts) = parts.trim_end().strip_suffix('}') else { return paths.push(path) };
    let mut depth = 0;
    let is_between = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    for part in parts.split(is_between).filter(|part| !part.trim().is_empty()) {
        expand(part, &path, paths);
    }
}

/// Returns the paths that a source uses, and which of them it exports, without those of its tests.
fn used(source: &str) -> Vec<(Names, bool)> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let source = source.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    let mut used = Vec::new();
    for statement in source.split(';') {
        let start = statement.rfind("use ").filter(|start| {
            let before = statement[..*start].lines().last().unwrap_or_default().trim();
            before.is_empty() || before.starts_with("pub")
        });
        let Some(start) = start else {
            let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let paths = statement.split(|c| !is_path(c)).map(|path| path.split("::"));
            let own = paths.filter(|path| matches!(path.clone().next(), Some("crate" | "super")));
            used.extend(own.map(|path| (path.map(str::to_owned).collect(), false)));
            continue;
        };
        let mut paths = Vec::new();
        expand(&statement[start + "use ".len()..], &[], &mut paths);
        let is_exported = statement[..start].lines().last().is_some_and(|it| it.contains("pub"));
        used.extend(paths.into_iter().map(|path| (path, is_exported)));
    }
    used
}

/// The files of a crate by the path of their module, each with what it uses.
struct Crate(BTreeMap<Names, Vec<(Names, bool)>>);

impl Crate {
    fn read(&mut self, folder: &Path, at: &[String]) {
        for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
            let path = entry.path();
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_head = ["lib", "main", "mod"].contains(&stem.as_str());
            let module: Names = at.iter().cloned().chain((!is_head).then_some(stem)).collect();
            if path.is_dir() {
                self.read(&path, &module);
            } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
                self.0.insert(module, used(&fs::read_to_string(path).expect("a source")));
            }
        }
    }

    /// Returns a path as seen from the root of the crate; `None` if it leads to another crate.
    fn absolute(&self, from: &Names, path: &Names) -> Option<Names> {
        let up = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([from, &path[1..]].concat()),
            "super" => Some([from.get(..from.len().checked_sub(up)?)?, &path[up..]].concat()),
            first => {
                let part = [&from[..], &[first.to_owned()]].concat();
                self.0.contains_key(&part).then(|| [&from[..], &path[..]].concat())
            }
        }
    }

    /// Returns the module that defines what a path names, wherever it is exported.
    fn definer(&self, path: &Names) -> Option<Names> {
        let length = (0..=path.len()).rev().find(|&it| self.0.contains_key(&path[..it]))?;
        let (module, item) = (path[..length].to_vec(), path.get(length));
        let exports =
            self.0[&module].iter().filter(|(it, exported)| *exported && it.last() == item);
        let exported = exports.filter_map(|(it, _)| self.absolute(&module, it)).next();
        exported.filter(|it| it != path).map_or(Some(module), |it| self.definer(&it))
    }

    /// Returns the modules whose files each file takes from, but for those that head its folder.
    fn arrows(&self) -> BTreeMap<&Names, BTreeSet<Names>> {
        let arrows = self.0.iter().map(|(from, used)| {
            let to = used.iter().filter_map(|(it, _)| self.definer(&self.absolute(from, it)?));
            (from, to.filter(|to| !from.starts_with(to)).collect())
        });
        arrows.collect()
    }
}

#[test]
fn no_two_files_take_from_each_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    for folder in fs::read_dir(crates).expect("crates").flatten() {
        let mut sources = Crate(BTreeMap::new());
        sources.read(&folder.path().join("src"), &[]);
        let mut left = sources.arrows();
        let count = left.values().map(BTreeSet::len).sum::<usize>();
        assert!(left.len() < 6 || count > 3, "{folder:?}: {count} arrows, so they were not read");
        // Files that take from none of those left, or that none of them takes from, are in no circle.
        loop {
            let names: BTreeSet<Names> = left.keys().map(|&it| it.clone()).collect();
            let taken_from: BTreeSet<Names> = left.values().flatten().cloned().collect();
            left.retain(|file, to| taken_from.contains(*file) && !to.is_disjoint(&names));
            if left.len() == names.len() {
                break;
            }
        }
        let paths: Vec<String> = left.keys().map(|it| it.join("/")).collect();
        assert!(paths.is_empty(), "circles in {}: {paths:?}", folder.path().display());
    }
}
