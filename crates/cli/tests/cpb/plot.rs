//! Tests the charts of `cpb plot` as PNG; all else of it is in a transcript.

use crate::program::{Folder, refused};
use crate::store::unsaved;

#[test]
fn a_png_is_a_png_where_that_was_built() {
    let shelf = Folder::new();
    let run = shelf.writes("run.json", unsaved());
    for (name, theme) in [("a.png", "light"), ("b.PNG", "dark")] {
        let output = shelf.path(name);
        let line = format!("plot {run} -o {} --theme {theme}", output.display());
        if cfg!(feature = "png") {
            crate::program::succeeds(&line);
            let picture = std::fs::read(output).expect("it was written");
            assert!(picture.starts_with(b"\x89PNG\r\n") && picture.len() > 5_000);
        } else {
            refused(&line, &["without PNG", "--features png", "try an .svg"]);
            assert!(!output.exists());
        }
    }
}
