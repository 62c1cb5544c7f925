//! Tests that libraries of every size and alignment are loaded at the requested positions, in pages
//! of their own. It runs in a process of its own, in which nothing else maps memory meanwhile.

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

/// Returns the kilobytes of the library in `file` whose pages are those of the file, from
/// /proc/self/smaps (proc_pid_smaps(5)); what can be written is left out.
fn shared_kilobytes(file: &Path) -> u64 {
    let smaps = std::fs::read_to_string("/proc/self/smaps").expect("Linux has it");
    let kilobytes_of = |number: &str| number.parse::<u64>().expect("a number");
    let (mut kilobytes, mut is_counted) = (0, false);
    for line in smaps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["Size:", size, _] if is_counted => kilobytes += kilobytes_of(size),
            ["Anonymous:", copied, _] if is_counted => kilobytes -= kilobytes_of(copied),
            [_, permissions, _, _, _, path] => {
                is_counted = Path::new(path) == file && ["r-xp", "r--p"].contains(&permissions);
            }
            // A mapping without a file.
            [range, _, _, _, _] if range.contains('-') => is_counted = false,
            _ => {}
        }
    }
    kilobytes
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
                assert_eq!(shared_kilobytes(&copy), 0, "{bytes} bytes, aligned to {align}");
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
