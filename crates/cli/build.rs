//! Tells the binary which compiler built it, and from which revision, where git
//! knows.

use std::path::Path;
use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    if let Ok(version) = Command::new(compiler).arg("--version").output() {
        let version = String::from_utf8_lossy(&version.stdout);
        println!("cargo:rustc-env=CPB_COMPILER={}", version.trim());
    }
    for name in ["TARGET", "PROFILE"] {
        let value = std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
        println!("cargo:rustc-env=CPB_{name}={value}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    // Cargo takes a file that is missing for one that changed, and would compile the program each time:
    // an archive has no such files, and a worktree has them elsewhere.
    for name in ["HEAD", "logs/HEAD"] {
        let place = Command::new("git").args(["rev-parse", "--git-path", name]).output();
        let place = place.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_owned());
        for place in place.iter().filter(|it| Path::new(it).is_file()) {
            println!("cargo:rerun-if-changed={place}");
        }
    }
    // A fixed length, because git's default depends on how much history a clone
    // has.
    let described =
        Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output();
    let Ok(output) = described else { return };
    if output.status.success() {
        println!("cargo:rustc-env=CPB_REVISION={}", String::from_utf8_lossy(&output.stdout).trim());
    }
}
