//! Finds the implementations in a folder.

use crate::error::FolderError;
use crate::operations::{self, Operation};
use cpb_host::files;
use cpb_model::harmless;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file that marks a folder as an implementation.
const API: &str = "api.h";
/// The files by which an author claims that the time depends on no secret.
const GOALS: [&str; 2] = ["goal-constbranch", "goal-constindex"];
/// The greatest depth of implementations below their primitive.
const DEEPEST: usize = 4;
/// The largest size of a tree's small files besides sources.
const MOST_BYTES: u64 = 1 << 20;

/// An implementation of a primitive.
#[derive(Debug, Clone)]
pub(crate) struct Implementation {
    pub(crate) operation: &'static Operation,
    /// Its folder's name: `sha3256`.
    pub(crate) primitive: String,
    /// Its folder below the primitive's: `kcp/optimized1600AVX2`.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

/// A tree, with the requested part of it.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The parent of all operations' folders.
    pub(crate) root: PathBuf,
    pub(crate) implementations: Vec<Implementation>,
    /// Requested implementations that are not for this machine.
    pub(crate) skipped: Skipped,
}

/// Counts of implementations that cannot be built here by their nature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Skipped {
    /// They are for other architectures.
    pub architectures: usize,
    /// They are Rust crates.
    pub crates: usize,
}

impl Tree {
    /// Finds the implementations in `folder`: a tree, an operation, a primitive or an
    /// implementation; restricted to `only` (`crypto_hash/sha256`) unless that is empty.
    pub(crate) fn of(folder: &Path, only: &[String]) -> Result<Self, FolderError> {
        let unreadable = |reason| FolderError::Unreadable { folder: folder.to_owned(), reason };
        // By its own name, not that of a link's target.
        let folder = std::path::absolute(folder).map_err(unreadable)?;
        fs::read_dir(&folder).map_err(unreadable)?;
        let mut found = match place(&folder) {
            Some((root, operation, primitive, below)) => {
                let primitives = match primitive {
                    Some(primitive) => vec![primitive],
                    None => names(&root.join(format!("crypto_{}", operation.name))),
                };
                let all = primitives.iter().flat_map(|name| primitive_of(&root, operation, name));
                let is_meant = |it: &Implementation| it.folder.starts_with(&below);
                let implementations = all.filter(is_meant).collect();
                Self { root, implementations, skipped: Skipped::default() }
            }
            None => {
                let all = operations::OPERATIONS.iter().flat_map(|operation| {
                    let names = names(&folder.join(format!("crypto_{}", operation.name)));
                    let root = &folder;
                    names.into_iter().flat_map(move |name| primitive_of(root, operation, &name))
                });
                Self {
                    implementations: all.collect(),
                    root: folder.clone(),
                    skipped: Skipped::default(),
                }
            }
        };
        let is_meant = |it: &Implementation| {
            only.is_empty() || only.iter().any(|name| Path::new(&it.path()).starts_with(name))
        };
        found.implementations.retain(is_meant);
        let all = found.implementations.len();
        if all == 0 {
            return Err(FolderError::NoImplementations(match only.first() {
                Some(only) => folder.join(only),
                None => folder,
            }));
        }
        found.implementations.retain(Implementation::is_for_this_machine);
        found.skipped.architectures = all - found.implementations.len();
        let for_here = found.implementations.len();
        found.implementations.retain(|it| !it.is_crate());
        found.skipped.crates = for_here - found.implementations.len();
        if found.implementations.is_empty() {
            return Err(FolderError::OtherArchitectures { folder, implementations: all });
        }
        Ok(found)
    }

    /// Returns the implementations for this machine of the primitive of a header such as
    /// `crypto_hash_sha512.h`; empty unless it precedes `caller`'s in SUPERCOP's order, which
    /// prevents recursion.
    pub(crate) fn of_header(&self, header: &str, caller: &Implementation) -> Vec<Implementation> {
        let Some((operation, primitive)) = primitive_of_header(header) else { return Vec::new() };
        if operations::place(operation, primitive) >= caller.place() {
            return Vec::new();
        }
        let all = primitive_of(&self.root, operation, primitive).into_iter();
        all.filter(Implementation::is_for_this_machine).collect()
    }
}

fn primitive_of_header(header: &str) -> Option<(&'static Operation, &str)> {
    let name = header.strip_suffix(".h")?.strip_prefix("crypto_")?;
    let name = name.strip_suffix("_publicinputs").unwrap_or(name);
    let (operation, primitive) = name.split_once('_')?;
    Some((operations::of_folder(&format!("crypto_{operation}"))?, primitive))
}

/// Splits a folder's path into tree, operation, primitive, and the rest.
fn place(folder: &Path) -> Option<(PathBuf, &'static Operation, Option<String>, PathBuf)> {
    // From the top, since implementations may have any name.
    let mut above: Vec<&Path> = folder.ancestors().collect();
    above.reverse();
    above.iter().enumerate().find_map(|(depth, path)| {
        let operation = operations::of_folder(path.file_name()?.to_str()?)?;
        let primitive = match above.get(depth + 1) {
            Some(below) => Some(below.file_name()?.to_str()?.to_owned()),
            None => None,
        };
        Some((path.parent()?.to_owned(), operation, primitive, folder.to_owned()))
    })
}

/// Returns the folders in a folder, by name; follows links.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |path: &Path| fs::metadata(path).is_ok_and(|it| it.is_dir());
    let names: BTreeSet<String> = entries
        .filter(|entry| is_folder(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.into_iter().collect()
}

fn primitive_of(root: &Path, operation: &'static Operation, name: &str) -> Vec<Implementation> {
    let folder = root.join(format!("crypto_{}", operation.name)).join(name);
    let mut found = Vec::new();
    // Links may form cycles: a folder counts once, by its own name rather than a link's.
    let mut seen = HashSet::new();
    let mut is_new =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|it| seen.insert((it.dev(), it.ino())));
    let mut level = vec![folder.clone()];
    level.retain(&mut is_new);
    for _ in 0..DEEPEST {
        let below = level.iter().flat_map(|at| names(at).into_iter().map(|name| at.join(name)));
        let mut below: Vec<PathBuf> = below.collect();
        below.sort_by_key(|path| path.is_symlink());
        below.retain(&mut is_new);
        level = below;
        for at in level.iter().filter(|at| at.join(API).is_file()) {
            let Some(below) = at.strip_prefix(&folder).ok().and_then(Path::to_str) else {
                continue;
            };
            found.push(Implementation {
                operation,
                primitive: name.to_owned(),
                name: below.to_owned(),
                folder: at.clone(),
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns SUPERCOP's name of this machine's architecture.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        other => other,
    }
}

impl Implementation {
    /// Returns its folder relative to the tree: `crypto_hash/sha256/ref`.
    pub(crate) fn path(&self) -> String {
        format!("crypto_{}/{}/{}", self.operation.name, self.primitive, self.name)
    }

    fn place(&self) -> (usize, &str) {
        operations::place(self.operation, &self.primitive)
    }

    /// Returns the tree's name of its primitive: `crypto_hash/sha3256`.
    pub(crate) fn spelling(&self) -> String {
        format!("crypto_{}/{}", self.operation.name, self.primitive)
    }

    /// Returns cpb's name of its primitive.
    pub(crate) fn canonical(&self) -> String {
        operations::canonical(self.operation, &self.primitive)
    }

    /// Rejects a primitive whose name cannot be part of a C identifier.
    pub(crate) fn check_name(&self) -> Result<(), String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.+".contains(c);
        match self.primitive.chars().all(is_plain) {
            true => Ok(()),
            false => Err(format!(
                "'{}' cannot be a primitive's name: rename its folder to letters, digits, '-', '_', \
                 '.' and '+'",
                harmless(&self.primitive)
            )),
        }
    }

    /// Whether its list of architectures includes ours; true without a list. An unreadable one is
    /// reported when it is built.
    fn is_for_this_machine(&self) -> bool {
        let Ok(Some(list)) = self.architectures() else { return true };
        list.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == architecture())
    }

    /// Whether it is a Rust crate, which no C compiler builds.
    fn is_crate(&self) -> bool {
        self.folder.join("Cargo.toml").is_file()
    }

    /// Returns its list of architectures, if it has one.
    pub(crate) fn architectures(&self) -> Result<Option<String>, String> {
        // A broken link lists nothing, so it would be unknown for which machines it is.
        let list = self.folder.join("architectures");
        let leads_nowhere = list.is_symlink() && !list.exists();
        if leads_nowhere { Ok(Some(String::new())) } else { text(&list) }
    }

    /// Whether its author claims that neither branches nor indices depend on secrets.
    pub(crate) fn has_goals(&self) -> bool {
        GOALS.iter().all(|goal| self.folder.join(goal).is_file())
    }

    /// Returns files of known answers in its folder or above, up to its primitive's.
    pub(crate) fn answers(&self) -> Vec<PathBuf> {
        let folders = self.folder.ancestors().take(self.name.split('/').count() + 1);
        let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        let is_meant = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_of = |begin: &str, end: &str| name.starts_with(begin) && name.ends_with(end);
            path.is_file()
                && match self.operation.name {
                    "aead" => is_of("LWC_AEAD_KAT_", ".txt"),
                    "hash" => is_of("LWC_HASH_KAT_", ".txt"),
                    "kem" => is_of("PQCkemKAT_", ".rsp") || name == "META.yml",
                    "sign" => is_of("PQCsignKAT_", ".rsp") || name == "META.yml",
                    _ => false,
                }
        };
        let found: BTreeSet<PathBuf> = files.map(|file| file.path()).filter(is_meant).collect();
        found.into_iter().collect()
    }

    /// Returns the small or big checksum of its primitive, if it has one.
    pub(crate) fn checksum(&self, size: &str) -> Result<Option<String>, String> {
        let text = text(&self.of_primitive(&format!("checksum{size}")))?;
        Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
    }

    /// Returns how often its primitive is to be tested, if SUPERCOP states that.
    pub(crate) fn loops(&self) -> Result<Option<String>, String> {
        text(&self.of_primitive("supercop/test-loops.inc"))
    }

    fn of_primitive(&self, file: &str) -> PathBuf {
        let primitive = self.folder.ancestors().nth(self.name.split('/').count());
        primitive.unwrap_or(&self.folder).join(file)
    }
}

/// Returns the text of an optional file, or why it cannot be read.
fn text(path: &Path) -> Result<Option<String>, String> {
    match files::read_text(path, MOST_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        read => read.map(Some).map_err(|error| {
            let name = path.file_name().unwrap_or_default();
            format!("its {} cannot be read: {error}", name.display())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn found(tree: &Tree) -> Vec<String> {
        tree.implementations.iter().map(Implementation::path).collect()
    }

    #[test]
    fn a_folder_is_a_tree_an_operation_a_primitive_or_an_implementation() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path();
        for implementation in ["hash/a/ref", "hash/a/fast/avx2", "hash/b/ref", "xof/c/ref"] {
            file(&root.join(format!("crypto_{implementation}/api.h")), "");
        }
        file(&root.join("crypto_hash/a/checksumsmall"), "12\n");
        file(&root.join("crypto_hash/b/other/api.h"), "");
        file(&root.join("crypto_hash/b/other/architectures"), "sparcv9\n");
        let ours = format!("x86 {}-x\n", architecture());
        file(&root.join("crypto_hash/b/ref/architectures"), &ours);
        let of = |below: &str| Tree::of(&root.join(below), &[]).unwrap();
        let all = ["crypto_hash/a/fast/avx2", "crypto_hash/a/ref", "crypto_hash/b/ref"];
        assert_eq!(found(&of("crypto_hash")), all);
        let skipped = |below: &str| of(below).skipped;
        assert_eq!(skipped("crypto_hash"), Skipped { architectures: 1, crates: 0 });
        assert_eq!(skipped("crypto_hash/a"), Skipped::default());
        let only = |name: &str| Tree::of(root, &[name.to_owned()]).map(|tree| found(&tree));
        assert_eq!(only("crypto_hash/b").unwrap(), ["crypto_hash/b/ref"]);
        assert_eq!(only("crypto_hash/a/fast").unwrap(), ["crypto_hash/a/fast/avx2"]);
        assert!(only("crypto_hash/c").unwrap_err().to_string().contains("crypto_hash/c has no"));
        file(&root.join("crypto_xof/c/rust/api.h"), "");
        file(&root.join("crypto_xof/c/rust/Cargo.toml"), "");
        assert_eq!(skipped("crypto_xof"), Skipped { architectures: 0, crates: 1 });
        std::fs::remove_dir_all(root.join("crypto_xof/c/rust")).unwrap();
        assert_eq!(found(&of("")), [&["crypto_xof/c/ref"], &all[..]].concat());
        assert_eq!(found(&of("crypto_hash/a")), all[..2]);
        assert_eq!(found(&of("crypto_hash/a/fast")), all[..1]);
        assert_eq!(found(&of("crypto_hash/a/fast/avx2")), all[..1]);
        let fast = &of("crypto_hash/a/fast").implementations[0];
        assert_eq!(fast.checksum("small"), Ok(Some("12".to_owned())));
        assert_eq!(fast.checksum("big"), Ok(None));
        let hashes = of("crypto_hash");
        let [.., last] = &hashes.implementations[..] else { panic!("three") };
        assert_eq!(hashes.of_header("crypto_hash_a_publicinputs.h", last).len(), 2);
        assert_eq!(hashes.of_header("crypto_xof_c.h", last).len(), 1);
        for not_before in ["crypto_hash_b.h", "crypto_uint32.h", "crypto_hash.h", "a.h"] {
            assert!(hashes.of_header(not_before, last).is_empty(), "{not_before}");
        }
    }

    #[test]
    fn what_has_none_says_so() {
        let tree = tempfile::tempdir().unwrap();
        let empty = Tree::of(tree.path(), &[]).unwrap_err().to_string();
        assert!(empty.contains("has no implementation") && empty.contains("api.h"), "{empty}");
        let missing = Tree::of(&tree.path().join("nowhere"), &[]).unwrap_err().to_string();
        assert!(missing.contains("cannot read"), "{missing}");
        file(&tree.path().join("crypto_hash/a/ref/api.h"), "");
        file(&tree.path().join("crypto_hash/a/ref/architectures"), "sparcv9");
        let foreign = Tree::of(tree.path(), &[]).unwrap_err().to_string();
        assert!(foreign.contains("none of the 1"), "{foreign}");
    }
}
