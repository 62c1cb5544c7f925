//! Tests folders as sides of a comparison.

use super::Tree;
use crate::program::{Called, command, on_this_machine};

#[test]
fn two_folders_are_compared_implementation_by_implementation() {
    on_this_machine();
    let before = Tree::new("before");
    before.toy("ref", "", "");
    before.toy("gone", "", "");
    let after = Tree::new("after");
    after.toy("ref", "", "for (volatile int i = 0; i < 3000; i++) {}");
    let compare = |words: &str, folders: &[&Tree]| -> Called {
        let mut command = command();
        command.env("XDG_CACHE_HOME", before.cache()).arg("compare");
        command.args(words.split_whitespace());
        for tree in folders {
            command.arg("--folder").arg(tree.path());
        }
        command.args(["--compiler", "cc -O1", "--sizes", "64", "--max-time", "120"]);
        command.output().expect("cpb starts").into()
    };
    let called = compare("toy --format json", &[&before, &after]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stderr.contains("has toy hash"), "{}", called.stderr);
    let found: serde_json::Value = serde_json::from_str(&called.stdout).expect("JSON");
    let lines = found["workloads"].as_array().expect("lines");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (&lines[0]["backend_a"], &lines[0]["backend_b"]),
        (&"ref@cc-O1".into(), &"ref@cc-O1".into())
    );
    assert_eq!(lines[0]["comparison"]["verdict"], "slower");

    // A failed build on one side is reported, and has no line.
    after.toy("gone", "#error no such luck\n", "");
    let called = compare("toy --format json", &[&before, &after]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(called.stderr.contains("no such luck"), "{}", called.stderr);
    // Side A is a library, side B a folder.
    let source = include_str!("sha3.c");
    after.file("crypto_hash/sha3256/own/hash.c", source);
    after.file("crypto_hash/sha3256/own/api.h", "#define CRYPTO_BYTES 32\n");
    let called = compare("native sha3-256 --format json", &[&after]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    for (words, folders, reason) in [
        ("", &[&before][..], "--folder is one side"),
        ("", &[&before, &before], "both sides are the same folder"),
        ("", &[&before, &before, &after], "a comparison has two sides"),
    ] {
        let called = compare(words, folders);
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains(reason), "{}", called.stderr);
    }
}
