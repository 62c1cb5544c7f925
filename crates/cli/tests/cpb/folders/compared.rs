//! Tests folders as sides of a comparison.

use super::Tree;
use crate::program::{Called, call, command, on_this_machine};

#[test]
fn two_folders_are_compared_implementation_by_implementation() {
    on_this_machine();
    let before = Tree::new();
    before.toy("ref", "", "");
    before.toy("gone", "", "");
    let after = Tree::new();
    after.toy("ref", "", "for (volatile int i = 0; i < 3000; i++) {}");
    let compare = |words: &str, folders: &[&Tree]| -> Called {
        let mut command = command();
        command.env("XDG_CACHE_HOME", before.cache()).arg("compare");
        command.args(words.split_whitespace());
        for tree in folders {
            command.arg("--folder").arg(tree.path());
        }
        command.args(["--compiler", "cc -O1", "--sizes", "64", "--max-time", "120"]);
        call(&mut command)
    };
    let called = compare("toy --format json", &[&before, &after]).ends(0, &["has toy hash"]);
    let found: serde_json::Value = called.json();
    let lines = found["workloads"].as_array().expect("lines");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(["backend_a", "backend_b"].map(|side| &lines[0][side]), ["ref@cc-O1"; 2]);
    assert_eq!(lines[0]["comparison"]["verdict"], "slower");

    // A failed build on one side is reported, and has no line.
    after.toy("gone", "#error no such luck\n", "");
    compare("toy --format json", &[&before, &after]).ends(1, &["no such luck"]);
    // Side A is a library, side B a folder.
    let source = include_str!("sha3.c");
    after.file("crypto_hash/sha3256/own/hash.c", source);
    after.file("crypto_hash/sha3256/own/api.h", "#define CRYPTO_BYTES 32\n");
    compare("native sha3-256 --format json", &[&after]).ends(0, &[]);
    for (words, folders, reason) in [
        ("", &[&before][..], "--folder is one side"),
        ("", &[&before, &before], "both sides are the same folder"),
        ("", &[&before, &before, &after], "a comparison has two sides"),
    ] {
        compare(words, folders).ends(2, &[reason]);
    }
}
