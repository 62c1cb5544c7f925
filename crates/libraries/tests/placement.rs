//! Tests that libraries of every size and alignment are loaded at the requested positions. It
//! runs in a process of its own, in which nothing else maps memory meanwhile.

#[path = "skipped/mod.rs"]
mod skipped;

use cpb_libraries::placement::{POSITIONS, load_at, position};
use skipped::compiled;
use std::path::{Path, PathBuf};

/// Builds a library with a table of `bytes` bytes, whose segments need the alignment `align`;
/// returns `None` without a C compiler.
fn library(folder: &Path, bytes: usize, align: usize) -> Option<PathBuf> {
    let source = folder.join("table.c");
    std::fs::write(&source, format!("const char table[{bytes}] = {{ 1 }};\n")).expect("a source");
    let file = folder.join(format!("{bytes}-{align}.so"));
    let options = ["-shared", "-fPIC", &format!("-Wl,-z,max-page-size={align}")];
    compiled("positions of libraries", "cc", &options, [&source, &file])?;
    Some(file)
}

#[test]
fn a_library_lies_where_it_was_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    // The sizes are below and above that of a huge page, which kernels align differently. The
    // alignments include the largest page size, on machines whose pages may be smaller.
    for bytes in [100, 300_000, 5_000_000, 20_000_000] {
        for align in [4096, 65536, 2 << 20] {
            let Some(original) = library(&folder, bytes, align) else { return };
            for wanted in (0..POSITIONS).rev() {
                let copy = folder.join(format!("{bytes}-{align}-{wanted}.so"));
                std::fs::copy(&original, &copy).unwrap();
                assert_eq!(position(&copy), None);
                load_at(&copy, wanted);
                assert_eq!(position(&copy), Some(wanted), "{bytes} bytes, aligned to {align}");
            }
        }
    }

    // A file that is not a library is ignored.
    let text = folder.join("table.c");
    for file in [text, folder.join("libnone.so")] {
        load_at(&file, 3);
        assert_eq!(position(&file), None);
    }
}
