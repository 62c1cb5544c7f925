//! Finds CPU features for a primitive that no traced call of a row used.

mod aarch64;
mod set;
mod x86_64;

use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use cpb_model::TracedCall;
use set::Set;
use std::collections::BTreeSet;
use std::path::Path;

/// Both tables are compiled everywhere, so that both are tested everywhere.
const SETS: [Set; 8] = if cfg!(target_arch = "aarch64") { aarch64::SETS } else { x86_64::SETS };

/// Environment variables that make libraries ignore CPU features.
const VARIABLES: [&str; 7] = [
    "OPENSSL_armcap",
    "OPENSSL_ia32cap",
    "GNUTLS_CPUID_OVERRIDE",
    "NETTLE_FAT_OVERRIDE",
    "BOTAN_CLEAR_CPUID",
    "GODEBUG",
    "GLIBC_TUNABLES",
];

/// Returns the CPU features for `row` that its library left unused by its own choice; if a backend
/// was requested by name, the user chose.
pub(super) fn of(row: &Row, library: &LibrarySpec, calls: &[TracedCall]) -> Vec<String> {
    let traced: Vec<&TracedCall> = calls.iter().filter(|it| it.not_traced.is_none()).collect();
    let (Some(longest), true) = (traced.last(), row.subject.default_backend) else {
        return Vec::new();
    };
    let used: BTreeSet<&str> =
        traced.iter().flat_map(|it| it.classes.keys()).map(String::as_str).collect();
    let flags = flags();
    let unused = SETS.iter().filter(|set| {
        flags.contains(set.flag)
            && set.serves(&row.subject.primitive, row.subject.operation)
            && longest.length >= set.least
            && !longest.is_cut
            && !set.classes.iter().any(|it| used.contains(it))
    });
    unused.map(|set| describe(set, library, longest)).collect()
}

/// Describes an unused feature, with the reason if known.
fn describe(set: &Set, library: &LibrarySpec, call: &TracedCall) -> String {
    let class = set.classes[0];
    if let Some((variable, value)) = variables(library).next() {
        return format!("{class} not used: {variable}={value} is set");
    }
    let Some(file) = library_file(call) else {
        return format!("{class} not used");
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let uses = set.classes.iter().map(|class| cpb_trace::uses(file, class));
    match uses.collect::<Option<Vec<bool>>>() {
        Some(uses) if uses.contains(&true) => {
            format!("{class} not used, though {name} has code for it")
        }
        Some(_) => format!("{class} not used: {name} is built without it"),
        None => format!("{class} not used"),
    }
}

/// Returns the file whose code ran most; the C library's or this program only if there is no other.
fn library_file(call: &TracedCall) -> Option<&Path> {
    let own = std::env::current_exe().unwrap_or_default();
    let is_beside = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file == own || name.starts_with("libc.") || name.starts_with("ld-")
    };
    let files = call.functions.iter().filter_map(|it| call.modules.get(it.module));
    let files: Vec<&Path> = files.map(|it| Path::new(it.file.as_str())).collect();
    files.iter().find(|it| !is_beside(it)).or(files.first()).copied()
}

/// Returns those variables that are set for the library's workers, its own first.
pub(super) fn variables(library: &LibrarySpec) -> impl Iterator<Item = (String, String)> {
    let own = library.environment.iter().filter(|(name, _)| VARIABLES.contains(&name.as_str()));
    let inherited = VARIABLES.iter().filter_map(|name| {
        let is_own = library.environment.iter().any(|(own, _)| own == name);
        Some(((*name).to_owned(), std::env::var(name).ok().filter(|_| !is_own)?))
    });
    own.cloned().chain(inherited)
}

/// Returns the CPU's features according to the kernel, which calls them flags or features.
pub(super) fn flags() -> BTreeSet<String> {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_list = |line: &&str| line.starts_with("flags") || line.starts_with("Features");
    let line = about.lines().find(is_list);
    let words = line.and_then(|line| line.split_once(':')).map_or("", |(_, words)| words);
    words.split_whitespace().map(str::to_owned).collect()
}
