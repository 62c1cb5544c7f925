//! Tests a library's file that is replaced during a measurement. The provider
//! replaces itself when it is loaded for the n-th time, so nothing depends on
//! timing.

use crate::program::{Called, Folder, call, command, compile, says};

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

fn build(folder: &Folder, library: &str, source: &str) {
    let file = folder.writes("build.c", format!("#include \"slow_provider.c\"\n{source}"));
    let define = format!("-DFOLDER=\"{}\"", folder.word(""));
    compile(file, &folder.path(library), &["-shared", "-fPIC", &define]);
}

/// Makes two builds of a provider; `libmine.so` is the first.
fn builds() -> Folder {
    let folder = Folder::new();
    build(&folder, "libmine.so", REPLACES_ITSELF);
    build(&folder, "libnew.so", "");
    folder
}

/// Calls cpb in `folder`, where the provider replaces itself when it is loaded for
/// the time `load`.
fn replaced_at(load: u32, folder: &Folder, line: &str) -> Called {
    let mut command = command();
    command.env_remove("CPB_MACHINE");
    command.current_dir(folder.path("")).env("CPB_REPLACED_AT", load.to_string());
    call(command.args(line.split_whitespace()))
}

fn is_told(called: &Called) {
    assert_eq!(called.status, 1, "{}", called.all());
    let replaced = "libmine.so was replaced while it was measured";
    says(&called.all(), &[replaced, "bytes became", "measure again"]);
}

const RUN: &str = "run known-chain --library mine=./libmine.so --sizes 64 --precision 99% \
                   --max-time 120 --no-save";
/// The library is loaded to list its offers, for verification, and in each round.
const SECOND_ROUND: u32 = 4;

#[test]
fn a_run_has_no_row_of_two_builds() {
    let folder = builds();
    is_told(&replaced_at(SECOND_ROUND, &folder, &format!("{RUN} --format json")));
    // The new build alone is measured like any other.
    replaced_at(0, &folder, RUN).ends(0, &[]);
}

#[test]
fn a_build_that_is_replaced_once_it_was_verified_is_told_too() {
    let folder = builds();
    is_told(&replaced_at(SECOND_ROUND - 2, &folder, RUN));
}

#[test]
fn a_comparison_has_no_line_of_two_builds() {
    let folder = builds();
    build(&folder, "libother.so", "");
    let line = "compare other=./libother.so mine=./libmine.so known-chain --sizes 64 --max-time 60 --precision 30%";
    is_told(&replaced_at(SECOND_ROUND + 3, &folder, line));
}

#[test]
fn a_gate_does_not_pass_two_builds() {
    let folder = builds();
    let baseline = replaced_at(0, &folder, &format!("{RUN} --format json"));
    folder.writes("baseline.json", baseline.stdout);
    std::fs::remove_file(folder.path("loads")).expect("the provider counted");
    let line = "gate --baseline ./baseline.json --tolerance 99% --max-time 60 --no-save";
    is_told(&replaced_at(SECOND_ROUND, &folder, line));
}
