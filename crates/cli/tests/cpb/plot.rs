//! Tests `cpb plot`.

use crate::program::{Called, command, refused, succeeds};
use std::path::PathBuf;
use std::process::Stdio;

const RAW: &str = "16,442,27.6\n64,640,10.0\n1024,4608,4.50\n";
const FASTER: &str = "16,221,13.8\n64,320,5.00\n1024,2304,2.25\n";
const SAVED: &str = r#"{
    "schema": 1, "version": "0.1.0", "command": ["cpb"], "started": 0, "seconds": 1.0,
    "host": { "architecture": "x86_64", "features": [], "allowed_cpus": [], "cores": [] },
    "libraries": [], "warnings": [],
    "records": [{
        "subject": { "primitive": "sha-256", "operation": "hash", "library": "native",
            "spelling": "SHA-256", "backend": "portable", "default_backend": true },
        "contract": "keyed", "method": "trials",
        "points": [{
            "parameters": { "message_bytes": 64 }, "nanoseconds_per_call": 160.0,
            "cycles_per_call": { "estimate": 640.0,
                "interval": { "low": 630.0, "high": 650.0, "confidence": 0.95 } },
            "low_quantile": 639.0, "minimum": 635.0, "calls_per_sample": 10, "samples": 100,
            "rejected": 0, "rounds": 5
        }]
    }]
}"#;

/// A folder of files, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cpb-plot-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of our own");
        let folder = Self(path);
        folder.holds("openssl_results_for_hash_SHA256__on_box.csv", RAW);
        folder.holds("libgcrypt_results_for_hash_SHA256__on_box.csv", FASTER);
        folder.holds("run.json", SAVED);
        folder
    }

    fn holds(&self, name: &str, content: &str) {
        std::fs::write(self.0.join(name), content).expect("our folder");
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn openssl(&self) -> String {
        self.path("openssl_results_for_hash_SHA256__on_box.csv")
    }

    fn libgcrypt(&self) -> String {
        self.path("libgcrypt_results_for_hash_SHA256__on_box.csv")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn without_a_name_the_chart_is_plot_svg() {
    let folder = Folder::new("default");
    let called: Called = command()
        .args(["plot", &folder.openssl()])
        .current_dir(&folder.0)
        .output()
        .expect("cpb starts")
        .into();
    assert_eq!((called.status, called.stdout.as_str()), (0, ""), "{}", called.stderr);
    assert!(called.stderr.contains("wrote plot.svg"), "{}", called.stderr);
    let svg = std::fs::read_to_string(folder.0.join("plot.svg")).expect("it was written");
    assert!(svg.starts_with("<svg ") && svg.contains(">SHA256<") && svg.contains(">openssl<"));
}

#[test]
fn standard_output_gets_only_the_svg() {
    let folder = Folder::new("stdout");
    let called = succeeds(&format!("plot {} {} -o -", folder.openssl(), folder.libgcrypt()));
    assert!(called.stdout.starts_with("<svg ") && called.stdout.ends_with("</svg>\n"));
    assert!(called.stdout.contains(">libgcrypt<") && called.stdout.contains("prefers-color"));
    assert_eq!(called.stderr, "");
}

#[cfg(feature = "png")]
#[test]
fn a_png_is_a_png() {
    let folder = Folder::new("png");
    for (name, theme) in [("a.png", "light"), ("b.PNG", "dark")] {
        let output = folder.path(name);
        succeeds(&format!("plot {} -o {output} --theme {theme}", folder.path("run.json")));
        let picture = std::fs::read(output).expect("it was written");
        assert!(picture.starts_with(b"\x89PNG\r\n") && picture.len() > 5_000);
    }
}

#[cfg(not(feature = "png"))]
#[test]
fn without_png_it_says_what_to_do() {
    let folder = Folder::new("no-png");
    let output = folder.path("a.png");
    let words = ["without PNG", "--features png", "try an .svg"];
    refused(&format!("plot {} -o {output}", folder.path("run.json")), &words);
    assert!(!std::path::Path::new(&output).exists());
}

#[test]
fn speed_has_the_clock_in_its_label() {
    let folder = Folder::new("speed");
    let (raw, saved) = (folder.openssl(), folder.path("run.json"));
    for (line, label) in [
        (raw.clone(), "Speed in MiB/s, at 2 GHz"),
        (saved.clone(), "Speed in MiB/s, at the measured clock"),
        (format!("{raw} {saved}"), "Speed in MiB/s, at 2 GHz"),
        (format!("{saved} --at-ghz 3.5"), "Speed in MiB/s, at 3.5 GHz"),
    ] {
        let called = succeeds(&format!("plot {line} --quantity speed -o -"));
        assert!(called.stdout.contains(label), "{line}");
    }
}

#[test]
fn saved_results_come_through_a_pipe_too() {
    let folder = Folder::new("pipe");
    let file = std::fs::File::open(folder.path("run.json")).expect("ours");
    let called: Called = command()
        .args(["plot", "-", "-o", "-", "--title", "<Mine>"])
        .stdin(Stdio::from(file))
        .output()
        .expect("cpb starts")
        .into();
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("&lt;Mine&gt;") && called.stdout.contains(">native<"));
}

#[test]
fn a_saved_run_is_named_as_elsewhere() {
    let folder = Folder::new("saved");
    let store = folder.path("runs.sqlite");
    succeeds(&format!("import {} --store {store}", folder.path("run.json")));
    succeeds(&format!("label latest mine --store {store}"));
    for name in ["latest", "1", "mine"] {
        let called = succeeds(&format!("plot {name} -o - --store {store}"));
        assert!(called.stdout.contains(">native<"), "{name}");
    }
    refused(&format!("plot theirs -o - --store {store}"), &["theirs", "mine"]);
}

#[test]
fn only_chooses_lines() {
    let folder = Folder::new("only");
    let files = format!("{} {}", folder.openssl(), folder.libgcrypt());
    let called = succeeds(&format!("plot {files} --only GCRYPT -o -"));
    assert!(called.stdout.contains(">libgcrypt<") && !called.stdout.contains(">openssl<"));
    refused(
        &format!("plot {files} --only nettle -o -"),
        &["nettle", "openssl SHA256", "libgcrypt"],
    );
}

#[test]
fn wrong_use_of_plot_is_refused() {
    let folder = Folder::new("refused");
    let raw = folder.openssl();
    for (name, content, words) in [
        ("empty.csv", "", &["empty.csv", "is empty"][..]),
        (
            "other.csv",
            "16,442,27.6\na,b,c\n",
            &["line 2", "'a,b,c'", "bytes,cycles,cycles-per-byte"],
        ),
        ("other.json", "{\"results\": []}", &["no \"schema\"", "--format json"]),
        ("broken.json", "{\n\"schema\": 1,\n", &["line", "JSON"]),
        ("newer.json", "{\"schema\": 99}", &["newer cpb", "schema 99"]),
        ("offers.json", "{\"schema\": 1, \"offers\": []}", &["nothing to plot"]),
    ] {
        folder.holds(name, content);
        refused(&format!("plot {} -o -", folder.path(name)), words);
    }
    refused("plot", &["FILE"]);
    refused(&format!("plot {} -o -", folder.path("missing.csv")), &["missing.csv", "cannot read"]);
    refused(&format!("plot {} -o -", folder.0.display()), &["is a folder"]);
    refused(&format!("plot {raw} -o {}", folder.path("a.jpg")), &["a.jpg", ".svg or .png"]);
    refused(&format!("plot {raw} -o {}", folder.path("plot")), &[".svg or .png"]);
    refused(&format!("plot {raw} -o {}", folder.path("no/such/a.svg")), &["cannot write", "a.svg"]);
    refused(&format!("plot {raw} --at-ghz 3 -o -"), &["--at-ghz", "--quantity speed"]);
    refused(&format!("plot {raw} --quantity speed --at-ghz 0 -o -"), &["GHz", "0.001"]);
    refused(&format!("plot {raw} --quantity sped -o -"), &["sped", "speed"]);
    refused(&format!("plot {raw} --theme blue -o -"), &["blue", "dark"]);
}
