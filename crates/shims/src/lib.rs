//! Contains the shims for C and C++ libraries, as the build script compiled them.
//!
//! Programs that need these libraries pass them to [`cpb_libraries::install_shims`]. Only the
//! program and tests depend on this crate, so that other Rust code does not wait for C++ to
//! compile.

use cpb_libraries::{Built, Shim};

// `SHIMS` has a row for each of the table in `build/table.rs`, with the result of building it.
include!(concat!(env!("OUT_DIR"), "/shims.rs"));

#[cfg(test)]
#[path = "../build/table.rs"]
#[allow(dead_code, reason = "what only concerns building")]
mod table;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    #[test]
    fn every_row_has_a_shim_of_its_own() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims");
        for (index, row) in table::SHIMS.iter().enumerate() {
            assert!(folder.join(row.source()).is_file(), "{}", row.name);
            assert!(!row.packages.is_empty(), "{}", row.name);
            assert_ne!(row.builds.is_empty(), row.installed.is_none(), "{}", row.name);
            assert!(SHIMS[..index].iter().all(|other| other.name != row.name), "{}", row.name);
            assert_eq!(SHIMS[index].name, row.name);
        }
        assert_eq!(SHIMS.len(), table::SHIMS.len());
    }
    /// Compiles this source with warnings as errors; returns the compiler's message if it fails.
    /// `None` without a compiler.
    fn compile(source: &str, options: &[&str]) -> Option<Result<(), String>> {
        let compiler = Command::new("cc")
            .args(["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter"])
            .args(["-Werror", "-x", "c", "-"])
            .args(options)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims"))
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut compiler) = compiler else {
            println!("skipped: no C compiler");
            return None;
        };
        compiler.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        let output = compiler.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Some(if output.status.success() { Ok(()) } else { Err(said) })
    }

    /// Returns the sources of a shim.
    fn units(row: &table::Shim) -> Vec<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims");
        let parts = std::fs::read_dir(folder.join(row.name)).into_iter().flatten();
        let mut units: Vec<PathBuf> = parts.map(|part| part.unwrap().path()).collect();
        units.retain(|unit| unit.extension().is_some_and(|it| it == "c"));
        units.push(folder.join(row.source()));
        units
    }

    #[test]
    fn a_shim_that_opens_its_library_compiles_with_headers_and_without() {
        let rows = table::SHIMS.iter().filter(|row| row.installed.is_some());
        for unit in rows.flat_map(units) {
            let source = format!("#include \"{}\"\n", unit.canonicalize().unwrap().display());
            for options in [&[][..], &["-DCPB_NO_HEADERS"]] {
                let Some(compiled) = compile(&source, options) else { return };
                assert_eq!(compiled, Ok(()), "{} {options:?}", unit.display());
            }
        }
    }

    #[test]
    fn a_function_of_another_type_than_in_the_headers_is_refused() {
        let right = "unsigned long f(const void *, int, unsigned long *, struct s **, ...);";
        let compiled = |declared: &str| {
            let ours =
                "F(unsigned long, call, f, (const void *, int, unsigned long *, struct s **, ...))";
            compile(
                &format!(
                    "#include \"table.h\"\nstruct s;\n{declared}\n#define GROUP(F) {ours}\n\
                     struct {{ GROUP(CPB_FIELD) }} functions;\nGROUP(CPB_AGREES)\n\
                     const char *fill(void *library) {{ return CPB_FILL(library, functions, GROUP); }}\n"
                ),
                &[],
            )
        };
        let Some(compiled_right) = compiled(right) else { return };
        assert_eq!(compiled_right, Ok(()));
        // The changes are: narrower and wider, unsigned, by value, by pointer, fewer, and no longer
        // released.
        for (was, is) in [
            ("unsigned long f", "unsigned f"),
            ("unsigned long f", "long f"),
            ("unsigned long f", "void f"),
            (" int,", " unsigned,"),
            (" int,", " long,"),
            (" int,", " short,"),
            (" int,", ""),
            ("const void *", "unsigned long"),
            ("const void *", "const int *"),
            ("unsigned long *", "unsigned *"),
            ("struct s **", "long *"),
            (", ...", ""),
            (", ...", ", int"),
        ] {
            let declared = right.replacen(was, is, 1);
            let said = compiled(&declared).unwrap().unwrap_err();
            assert!(said.contains("f has another type in the headers"), "{declared}: {said}");
        }
        assert!(compiled("int g;").unwrap().is_err(), "it is not declared");
    }
}
