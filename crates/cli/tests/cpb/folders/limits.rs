//! Tests the limits of what is kept, and of how long a call may take.

use super::{Tree, reason};
use crate::program::make_pipe;
use std::path::PathBuf;

/// The cache keeps as many builds as its limit allows, the most recently used ones.
#[test]
fn what_is_kept_has_a_limit() {
    let tree = Tree::new();
    let of = |implementation: &str| format!("crypto_hash/toy/{implementation}");
    let list = |implementation: &str, most: &str| {
        tree.cpb(&format!("list toy --build-cache {most}"), &of(implementation))
            .ends(0, &["1 of 1 builds correct"]);
    };
    let builds = || {
        let built = tree.built().into_iter();
        built.map(|(path, _)| path).filter(|path| path.join("built.so").exists())
    };
    tree.toy("first", "", "");
    tree.toy("second", "static volatile char large[1 << 20] = {1};\n", "out[0] ^= large[0] - 1;");
    list("first", "4G");
    let first: Vec<PathBuf> = builds().collect();
    assert_eq!(first.len(), 1);
    list("second", "4G");
    assert_eq!(builds().count(), 2);
    // The most recently used one is smaller, and fits.
    list("first", "1M");
    assert_eq!(builds().collect::<Vec<_>>(), first);
    let run = tree.ends(&of("second"), "--build-cache 0", 0, &[]);
    assert_eq!(reason(&run, "second"), "it was measured");
    assert_eq!(tree.built(), []);
    tree.cpb("list --build-cache 4T", &of("first")).ends(2, &["as 500M or 4G, not '4T'"]);
}

#[test]
fn what_takes_for_ever_is_given_up() {
    let tree = Tree::new();
    tree.toy("compiles", "#include \"pipe\"\n", "");
    tree.toy("prints", "#include <stdio.h>\n", "for (;;) puts(\"again\");");
    make_pipe(&tree.path().join("crypto_hash/toy/compiles/pipe"));
    let run = tree.ends("", "--build-timeout 3", 1, &[]);
    assert!(reason(&run, "compiles").contains("cc was not done after 3 s"));
    let prints = reason(&run, "prints");
    assert!(prints.contains("not done after 3 s"), "{prints}");
    tree.is_tidy();
}
