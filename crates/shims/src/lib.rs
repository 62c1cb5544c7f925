//! The shims for C and C++ libraries, as the build script compiled them.
//!
//! Whoever wants these libraries hands them to [`cpb_libraries::install_shims`]. No crate
//! but the program and tests depends on this one, so that no Rust waits for C++ to compile.

use cpb_libraries::{Built, Shim};

// `SHIMS`: a row for each of the table in `build/table.rs`, with what became of it.
include!(concat!(env!("OUT_DIR"), "/shims.rs"));

#[cfg(test)]
#[path = "../build/table.rs"]
#[allow(dead_code, reason = "what only concerns building")]
mod table;

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_row_has_a_shim_of_its_own() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims");
        for (index, row) in table::SHIMS.iter().enumerate() {
            assert!(folder.join(row.source).is_file(), "{}", row.source);
            assert!(!row.packages.is_empty(), "{}", row.name);
            assert_ne!(row.builds.is_empty(), row.installed.is_none(), "{}", row.name);
            assert!(SHIMS[..index].iter().all(|other| other.name != row.name), "{}", row.name);
            assert_eq!(SHIMS[index].name, row.name);
        }
        assert_eq!(SHIMS.len(), table::SHIMS.len());
    }
}
