//! Tests malicious folders.

use super::{TOY, Tree, reason};
use crate::program::{call, command, make_pipe};
use cpb_model::Record;
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn script(path: &Path, line: &str) {
    fs::write(path, format!("#!/bin/sh\n{line}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("to be run");
}

fn is_there(tree: &Tree, name: &str) -> bool {
    tree.0.path(name).exists()
}

#[test]
fn names_of_sources_are_files_and_no_options() {
    let tree = Tree::new();
    let mark = tree.0.path("ran");
    let wrapper = format!("-wrapper /bin/sh,-c,\"touch {}\" hash.c\n", mark.display());
    tree.toy("evil", "", "");
    tree.file("crypto_hash/toy/evil/o.c", &wrapper);
    tree.file("crypto_hash/toy/evil/@o.c", "int evil;\n");
    tree.toy("odd", "", "");
    let source = TOY.replace("BEFORE_THE_END", "");
    fs::remove_file(tree.path().join("crypto_hash/toy/odd/hash.c")).expect("it is there");
    tree.file("crypto_hash/toy/odd/-o.c", &source);
    tree.file("crypto_hash/toy/odd/@x.c", "int first_of_two;\n");
    let long = format!("{}.c", "n".repeat(250));
    tree.file(&format!("crypto_hash/toy/odd/{long}"), "int second_of_two;\n");
    let (called, run) = tree.run("", "");
    assert!(!is_there(&tree, "ran"), "a name was taken for an option: {}", called.stderr);
    assert!(reason(&run, "evil").contains("o.c:1:1: error"), "{}", reason(&run, "evil"));
    assert_eq!(reason(&run, "odd"), "it was measured");
}

#[test]
fn a_compiler_is_the_one_that_was_named_not_one_in_the_folder() {
    let tree = Tree::new();
    let mark = tree.0.path("ran");
    tree.toy("right", "", "");
    script(&tree.0.path("mycc"), "exec cc \"$@\"");
    let of_theirs = format!("touch {}", mark.display());
    script(&tree.path().join("crypto_hash/toy/right/mycc"), &of_theirs);
    for (program, path) in [("./mycc", None), ("mycc", Some(".:")), ("mycc", Some(":"))] {
        let mut command = command();
        command.current_dir(tree.0.path("")).env("XDG_CACHE_HOME", tree.cache());
        let others = std::env::var("PATH").expect("a path");
        command.envs(path.map(|path| ("PATH", format!("{path}{others}"))));
        command.args(["list", "toy", "--folder", "tree", "--compiler", program]);
        let called = call(&mut command);
        assert!(!is_there(&tree, "ran"), "{program}: {}", called.stderr);
        // Only those folders in PATH count that are absolute.
        let words = if path.is_some() { "does not answer" } else { "1 of 1 builds correct" };
        assert!(called.stderr.contains(words), "{program}: {}", called.stderr);
    }
}

#[test]
fn a_compiler_that_does_not_say_what_it_is_is_given_up() {
    let tree = Tree::new();
    tree.toy("right", "", "");
    let compiler = tree.0.path("mycc");
    for (line, words) in [
        ("sleep 1000", "does not answer to --version within 10 s"),
        ("yes", "does not answer to --version;"),
    ] {
        script(&compiler, line);
        let mut command = command();
        command.env("XDG_CACHE_HOME", tree.cache()).args(["list", "--folder"]).arg(tree.path());
        call(command.arg("--compiler").arg(&compiler)).ends(2, &[words]);
    }
}

/// Constructors try forbidden operations, and make the answer wrong if one succeeds. They run
/// before any of our code, in the process that checks and in the one that measures.
#[test]
fn what_is_built_from_a_folder_reaches_nothing_beyond_its_process() {
    let tree = Tree::new();
    tree.checksums();
    let attempts = Cell::new(0);
    let attempt = |name: &str, attempt: &str| {
        attempts.set(attempts.get() + 1);
        let first = format!(
            "#define _GNU_SOURCE\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <sched.h>\n\
             #include <signal.h>\n#include <sys/ioctl.h>\n#include <sys/resource.h>\n\
             #include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/syscall.h>\n\
             #include <unistd.h>\nstatic int done;\n\
             __attribute__((constructor)) static void attempt(void) {{ {attempt} }}\n"
        );
        tree.toy(name, &first, "out[0] ^= done;");
    };
    let mark = tree.0.path("written");
    let parent = std::process::id();
    let lives = "long p = FORK; if (p == 0) for (;;) pause(); done = p > 0;";
    attempt("fork", &lives.replace("FORK", "fork()"));
    attempt("raw-fork", &lives.replace("FORK", "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)"));
    attempt(
        "clone3",
        "long a[11] = {0}; a[4] = SIGCHLD; long p = syscall(435, a, 88); \
                       if (p == 0) for (;;) pause(); done = p > 0;",
    );
    attempt("file", &format!("done = open({mark:?}, O_WRONLY | O_CREAT, 0600) >= 0;"));
    attempt("folder", &format!("done = mkdir({mark:?}, 0700) == 0;"));
    attempt("socket", "done = socket(AF_INET, SOCK_STREAM, 0) >= 0;");
    attempt("signal", &format!("done = syscall(SYS_tgkill, {parent}, {parent}, 0) == 0;"));
    attempt("limits", &format!("struct rlimit l; done = prlimit({parent}, 7, 0, &l) == 0;"));
    attempt("terminal", "done = ioctl(0, TIOCSTI, \"x\") == 0 || errno != EPERM;");
    // Reading and starting threads are allowed.
    attempt("reads", "done = open(\"/etc/passwd\", O_RDONLY) < 0;");
    attempt(
        "threads",
        "pthread_t t; done = pthread_create(&t, 0, (void *(*)(void *))getpid, 0) \
                        != 0 || pthread_join(t, 0) != 0;",
    );
    #[cfg(target_arch = "x86_64")]
    {
        let fork = "__asm__ volatile(\"int $0x80\" : \"=a\"(p) : \"a\"(2) : \"memory\");";
        let rest = &lives["long p = FORK; ".len()..];
        attempt("int80", &format!("long p; {fork} p = (int)p; {rest}"));
        attempt("x32", &lives.replace("FORK", "syscall(0x40000000 | 57)"));
    }
    let (called, run) = tree.run("", "");
    assert_eq!(run.records.len(), attempts.get());
    for record in &run.records {
        let name = record.subject.backend.split('@').next().expect("a name");
        let reason = reason(&run, name);
        // A kernel without 32-bit system calls ends the process.
        let is_ended = name == "int80" && reason.contains("SIGSEGV");
        assert!(reason == "it was measured" || is_ended, "{name}: {reason}\n{}", called.stderr);
    }
    assert!(!mark.exists());
    tree.is_tidy();
}

/// Small files beside the sources that are no files, or cannot be read, give an error each, at
/// once.
#[test]
fn what_lies_in_the_place_of_a_file_is_neither_waited_for_nor_taken_for_none() {
    let tree = Tree::new();
    let of =
        |primitive: &str, file: &str| tree.path().join(format!("crypto_hash/{primitive}/{file}"));
    let zero = |path: &Path| symlink("/dev/zero", path).expect("a link");
    let large = |path: &Path| {
        fs::File::create(path).and_then(|file| file.set_len(1 << 33)).expect("a file of holes");
    };
    for primitive in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        tree.hash(&format!("{primitive}/ref"), &TOY.replace("BEFORE_THE_END", ""));
    }
    make_pipe(&of("a", "checksumsmall"));
    zero(&of("b", "checksumbig"));
    fs::write(of("c", "checksumsmall"), [0xff]).expect("no text");
    fs::create_dir(of("d", "checksumsmall")).expect("a folder");
    large(&of("e", "ref/architectures"));
    make_pipe(&of("f", "ref/architectures"));
    fs::create_dir(of("g", "supercop")).expect("a folder");
    zero(&of("g", "supercop/test-loops.inc"));
    large(&of("h", "LWC_HASH_KAT_256.txt"));
    let run = tree.ends("crypto_hash", "", 1, &[]);
    for (primitive, words) in [
        ("a", "its checksumsmall cannot be read: it is a pipe, not a file"),
        ("b", "its checksumbig cannot be read: it is a device, not a file"),
        ("c", "its checksumsmall cannot be read: it is not text (UTF-8)"),
        ("d", "its checksumsmall cannot be read: it is a folder, not a file"),
        ("e", "its architectures cannot be read: it is larger than 1 MiB"),
        ("f", "its architectures cannot be read: it is a pipe, not a file"),
        ("g", "its test-loops.inc cannot be read: it is a device, not a file"),
        ("h", "its LWC_HASH_KAT_256.txt cannot be read: it is larger than 64 MiB"),
    ] {
        let is_it = |it: &&Record| it.subject.spelling == format!("crypto_hash/{primitive}");
        let record = run.records.iter().find(is_it).expect("a row of each");
        let reason = record.failure.as_ref().map_or("measured", |it| &it.reason);
        assert_eq!(reason, words, "{primitive}");
    }
}

#[test]
fn a_folder_that_links_lead_to_counts_once() {
    let tree = Tree::new();
    tree.toy("ref", "", "");
    for link in 0..16 {
        symlink(".", tree.path().join(format!("crypto_hash/toy/ref/l{link}"))).expect("a link");
    }
    symlink("ref", tree.path().join("crypto_hash/toy/before")).expect("a link");
    let words = "1 implementation, 1 of 1 builds";
    tree.cpb("list toy", "").ends(0, &[words]).shows(&["ref@cc-O1"]);
}

/// The results of a failed build are not kept.
#[test]
fn of_what_failed_the_reason_is_kept_alone() {
    let tree = Tree::new();
    tree.toy("wrong", "static char large[20000000] = {1};\n", "out[8] = large[0];");
    tree.cpb("list toy", "").shows(&["writes behind its output"]);
    let bytes = |path: &Path| fs::metadata(path).expect("it is there").len();
    let files =
        tree.built().into_iter().flat_map(|(folder, _)| fs::read_dir(folder).expect("ours"));
    let total: u64 = files.flatten().map(|file| bytes(&file.path())).sum();
    assert!(total < 10_000_000, "{total} bytes are kept");
}

#[test]
fn a_primitive_whose_name_no_source_can_have_is_refused_by_name() {
    let tree = Tree::new();
    let names = ["quote\"d", "back\\slash", "two\nlines", "%s %n", "dollar$(x)"];
    for name in names {
        tree.hash(&format!("{name}/ref"), &TOY.replace("BEFORE_THE_END", ""));
    }
    let run = tree.ends("", "", 1, &[]);
    assert_eq!(run.records.len(), names.len());
    for record in &run.records {
        let reason = &record.failure.as_ref().expect("it is refused").reason;
        assert!(reason.contains("cannot be a primitive's name"), "{reason}");
    }
}
