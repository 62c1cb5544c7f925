//! Supports other projects with folders of this form, which differ in names, and in what
//! implementations share.

use std::path::{Path, PathBuf};

/// States how an implementation names its functions, and what it calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SUPERCOP: it includes `crypto_OPERATION.h`, which gives it names of its own.
    Supercop,
    /// Submissions to NIST: they do not include such a header, so it is forced on them.
    Plain,
    /// PQClean: names begin with a prefix, and shared code is in one folder.
    Pqclean {
        /// `PQCLEAN_MLKEM768_CLEAN`.
        prefix: String,
    },
}

/// PQClean's folders of shared code, relative to its top, of which we replace some files.
const COMMON: [&str; 2] = ["common", "common/keccak4x"];
const OURS: [&str; 1] = ["randombytes.c"];

impl Dialect {
    /// Returns the dialect of an implementation with this `api.h`, which includes these headers.
    pub(crate) fn of(operation: &str, api: &str, headers: &[String]) -> Self {
        let words = api.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut prefixes = words.filter_map(|word| {
            let (prefix, _) = word.strip_prefix("PQCLEAN_")?.split_once("_CRYPTO_")?;
            Some(format!("PQCLEAN_{prefix}"))
        });
        let own = format!("crypto_{operation}.h");
        match prefixes.next() {
            Some(prefix) => Dialect::Pqclean { prefix },
            None if headers.contains(&own) => Dialect::Supercop,
            None => Dialect::Plain,
        }
    }

    /// Returns the folders below `root` whose sources belong to it, too.
    pub(crate) fn common(&self, root: &Path) -> Vec<PathBuf> {
        match self {
            Dialect::Supercop | Dialect::Plain => Vec::new(),
            Dialect::Pqclean { .. } => {
                let folders = COMMON.map(|folder| root.join(folder)).into_iter();
                folders.filter(|folder| folder.is_dir()).collect()
            }
        }
    }
}

/// Whether we replace this shared source by our own.
pub(crate) fn is_ours(name: &str) -> bool {
    OURS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_told_by_its_names() {
        let api = "#define PQCLEAN_MLKEM768_CLEAN_CRYPTO_BYTES 32\n";
        let prefix = "PQCLEAN_MLKEM768_CLEAN".to_owned();
        assert_eq!(Dialect::of("kem", api, &[]), Dialect::Pqclean { prefix });
        let api = "#define CRYPTO_BYTES 32\n";
        assert_eq!(Dialect::of("hash", api, &["crypto_hash.h".to_owned()]), Dialect::Supercop);
        assert_eq!(Dialect::of("hash", api, &["api.h".to_owned()]), Dialect::Plain);
    }
}
