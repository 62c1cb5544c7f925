//! Finds CPU features for a primitive that no traced call of a row used.

use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use cpb_model::{Operation, TracedCall};
use std::collections::BTreeSet;
use std::path::Path;

/// A feature of the CPU, with the primitives that benefit from it. The instruction sets are
/// alternatives; the first is named as in `/proc/cpuinfo`.
struct Set {
    classes: &'static [&'static str],
    flag: &'static str,
    /// The primitive's name must contain one of these.
    parts: &'static [&'static str],
    /// The operations that benefit; if empty, all without key pairs.
    operations: &'static [Operation],
    /// The shortest message that benefits.
    least: usize,
}

const SETS: [Set; 8] = [
    Set {
        classes: &["SHA-NI"],
        flag: "sha_ni",
        parts: &["sha1", "sha224", "sha256"],
        operations: &[],
        least: 0,
    },
    Set {
        classes: &["SHA-512"],
        flag: "sha512",
        parts: &["sha384", "sha512"],
        operations: &[],
        least: 0,
    },
    Set { classes: &["AES-NI", "VAES"], flag: "aes", parts: &["aes"], operations: &[], least: 0 },
    Set {
        classes: &["PCLMULQDQ", "VPCLMULQDQ"],
        flag: "pclmulqdq",
        parts: &["gcm", "gmac", "ghash"],
        operations: &[],
        least: 0,
    },
    // Modes whose blocks do not depend on each other.
    Set {
        classes: &["VAES"],
        flag: "vaes",
        parts: &["aes+ctr", "aes+gcm", "aes+ecb", "aes+xts"],
        operations: &[Operation::Encrypt, Operation::Decrypt, Operation::Seal, Operation::Open],
        least: 1024,
    },
    Set {
        classes: &["AVX-512IFMA", "AVX-IFMA"],
        flag: "avx512ifma",
        parts: &["rsa"],
        operations: &[Operation::Sign, Operation::PrivateDecrypt],
        least: 0,
    },
    Set { classes: &["SM3"], flag: "sm3", parts: &["sm3"], operations: &[], least: 0 },
    Set { classes: &["SM4"], flag: "sm4", parts: &["sm4"], operations: &[], least: 0 },
];

/// Environment variables that make libraries ignore CPU features.
const VARIABLES: [&str; 6] = [
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

impl Set {
    fn serves(&self, primitive: &str, operation: Operation) -> bool {
        let parts: Vec<&str> = primitive.split('-').collect();
        let is_named = self.parts.iter().any(|it| it.split('+').all(|it| parts.contains(&it)));
        let is_done = match self.operations {
            [] => !operation.is_public_key(),
            operations => operations.contains(&operation),
        };
        is_named && is_done
    }
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

/// Returns the CPU's features according to the kernel.
pub(super) fn flags() -> BTreeSet<String> {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = about.lines().find(|line| line.starts_with("flags"));
    let words = line.and_then(|line| line.split_once(':')).map_or("", |(_, words)| words);
    words.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_serve_what_they_were_made_for() {
        let serving = |primitive: &str, operation| {
            let sets = SETS.iter().filter(|it| it.serves(primitive, operation));
            sets.map(|it| it.classes[0]).collect::<Vec<_>>()
        };
        assert_eq!(serving("sha256", Operation::Hash), ["SHA-NI"]);
        assert_eq!(serving("hmac-sha1", Operation::Mac), ["SHA-NI"]);
        assert_eq!(serving("sha512-256", Operation::Hash), ["SHA-512"]);
        assert_eq!(serving("sha3-256", Operation::Hash), [""; 0]);
        assert_eq!(serving("aes-128-gcm", Operation::Seal), ["AES-NI", "PCLMULQDQ", "VAES"]);
        assert_eq!(serving("aes-128-cbc", Operation::Decrypt), ["AES-NI"]);
        assert_eq!(serving("rsa-2048-pss", Operation::Sign), ["AVX-512IFMA"]);
        assert_eq!(serving("rsa-2048-pss", Operation::Verify), [""; 0]);
    }
}
