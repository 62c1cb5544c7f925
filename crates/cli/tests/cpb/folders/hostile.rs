//! Folders of somebody who means no good.

use super::{TOY, Tree, reason};
use crate::program::{Called, command};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn is_there(tree: &Tree, name: &str) -> bool {
    tree.0.0.join(name).exists()
}

#[test]
fn names_of_sources_are_files_and_no_options() {
    let tree = Tree::new("names");
    let mark = tree.0.0.join("ran");
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
    let tree = Tree::new("compiler");
    let mark = tree.0.0.join("ran");
    tree.toy("right", "", "");
    let script = |path: &Path, line: &str| {
        fs::write(path, format!("#!/bin/sh\n{line}\n")).expect("a script");
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("to be run");
    };
    script(&tree.0.0.join("mycc"), "exec cc \"$@\"");
    let of_theirs = format!("touch {}", mark.display());
    script(&tree.path().join("crypto_hash/toy/right/mycc"), &of_theirs);
    for (program, path) in [("./mycc", None), ("mycc", Some(".:")), ("mycc", Some(":"))] {
        let mut command = command();
        command.current_dir(&tree.0.0).env("XDG_CACHE_HOME", tree.cache());
        let others = std::env::var("PATH").expect("a path");
        command.envs(path.map(|path| ("PATH", format!("{path}{others}"))));
        command.args(["list", "toy", "--folder", "tree", "--compiler", program]);
        let called: Called = command.output().expect("cpb starts").into();
        assert!(!is_there(&tree, "ran"), "{program}: {}", called.stderr);
        // Of the folders of PATH those count that are the same wherever one is.
        let words = if path.is_some() { "does not answer" } else { "1 of 1 builds are right" };
        assert!(called.stderr.contains(words), "{program}: {}", called.stderr);
    }
}

#[test]
fn a_compiler_that_does_not_say_what_it_is_is_given_up() {
    let tree = Tree::new("version");
    tree.toy("right", "", "");
    let compiler = tree.0.0.join("mycc");
    for (line, words) in [
        ("sleep 1000", "does not answer to --version within 10 s"),
        ("yes", "does not answer to --version;"),
    ] {
        fs::write(&compiler, format!("#!/bin/sh\n{line}\n")).expect("a script");
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o700)).expect("to be run");
        let mut command = command();
        command.env("XDG_CACHE_HOME", tree.cache()).args(["list", "--folder"]).arg(tree.path());
        let called: Called =
            command.arg("--compiler").arg(&compiler).output().expect("cpb starts").into();
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains(words), "{}", called.stderr);
    }
}
