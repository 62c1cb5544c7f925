//! Tests the charts of `cpb plot` as PNG; all else of it is in a transcript.

use crate::program::{Folder, succeeds};
use crate::store::unsaved;

#[test]
fn a_png_is_a_png() {
    let shelf = Folder::new();
    let run = shelf.writes("run.json", unsaved());
    for (name, theme) in [("a.png", "light"), ("b.PNG", "dark")] {
        let output = shelf.path(name);
        let line = format!("plot {run} -o {} --theme {theme}", output.display());
        succeeds(&line);
        let picture = std::fs::read(output).expect("it was written");
        assert!(picture.starts_with(b"\x89PNG\r\n") && picture.len() > 5_000);
    }
}
