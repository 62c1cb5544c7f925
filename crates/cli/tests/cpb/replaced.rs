//! Tests a library's file that is replaced during a measurement. The provider
//! replaces itself when it is loaded for the n-th time, so nothing depends on
//! timing.

use crate::program::{Called, Folder, command, compile};
use std::path::Path;

/// The first build, which puts the other build in its own place when it is loaded
/// for the time `CPB_REPLACED_AT`.
const REPLACES_ITSELF: &str = r#"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void)
{
    struct stat counted;
    int loads = open(FOLDER "/loads", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (loads >= 0 && write(loads, "x", 1) == 1 && fstat(loads, &counted) == 0 &&
        (uint64_t)counted.st_size == environment("CPB_REPLACED_AT", 0))
        rename(FOLDER "/libnew.so", FOLDER "/libmine.so");
    close(loads);
}
"#;

fn build(folder: &Path, library: &str, source: &str) {
    let file = &folder.join("build.c");
    let source = format!("#include \"slow_provider.c\"\n{source}");
    std::fs::write(file, source).expect("a source file");
    let define = format!("-DFOLDER=\"{}\"", folder.display());
    compile(file, &folder.join(library), &["-shared", "-fPIC", &define]);
}

/// Makes two builds of a provider; `libmine.so` is the first.
fn builds(test: &str) -> Folder {
    let folder = Folder::new(test);
    build(&folder.0, "libmine.so", REPLACES_ITSELF);
    build(&folder.0, "libnew.so", "");
    folder
}

/// Calls cpb in `folder`, where the provider replaces itself when it is loaded for
/// the time `load`.
fn replaced_at(load: u32, folder: &Folder, line: &str) -> Called {
    let mut command = command();
    command.env_remove("CPB_MACHINE");
    command.current_dir(&folder.0).env("CPB_REPLACED_AT", load.to_string());
    command.args(line.split_whitespace()).output().expect("cpb starts").into()
}

fn is_told(called: &Called) {
    let both = format!("{}{}", called.stdout, called.stderr);
    assert_eq!(called.status, 1, "{both}");
    for words in ["libmine.so was replaced while it was measured", "bytes became", "measure again"]
    {
        assert!(both.contains(words), "no '{words}' in\n{both}");
    }
}

/// The library is loaded to list its offers, for verification, and in each round.
const SECOND_ROUND: u32 = 4;

#[test]
fn a_run_has_no_row_of_two_builds() {
    let folder = builds("replaced-run");
    let line = "run known-chain --library mine=./libmine.so --sizes 64 --precision 99% --max-time 120 --no-save";
    is_told(&replaced_at(SECOND_ROUND, &folder, &format!("{line} --format json")));
    // The new build alone is measured like any other.
    let again = replaced_at(0, &folder, line);
    assert_eq!(again.status, 0, "{}{}", again.stdout, again.stderr);
}

#[test]
fn a_build_that_is_replaced_once_it_was_verified_is_told_too() {
    let folder = builds("replaced-verified");
    let line = "run known-chain --library mine=./libmine.so --sizes 64 --precision 99% --max-time 120 --no-save";
    is_told(&replaced_at(SECOND_ROUND - 2, &folder, line));
}

#[test]
fn a_comparison_has_no_line_of_two_builds() {
    let folder = builds("replaced-compare");
    build(&folder.0, "libother.so", "");
    let line = "compare other=./libother.so mine=./libmine.so known-chain --sizes 64 --max-time 60 --precision 30%";
    is_told(&replaced_at(SECOND_ROUND + 3, &folder, line));
}

#[test]
fn a_gate_does_not_pass_two_builds() {
    let folder = builds("replaced-gate");
    let run = "run known-chain --library mine=./libmine.so --sizes 64 --precision 99% --max-time 120 --no-save";
    let baseline = replaced_at(0, &folder, &format!("{run} --format json"));
    std::fs::write(folder.0.join("baseline.json"), baseline.stdout).expect("a file");
    std::fs::remove_file(folder.0.join("loads")).expect("the provider counted");
    let line = "gate --baseline ./baseline.json --tolerance 99% --max-time 60 --no-save";
    is_told(&replaced_at(SECOND_ROUND, &folder, line));
}
