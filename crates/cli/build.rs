//! Tells the binary which compiler built it, and from which revision, where git
//! knows.

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
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
    // A fixed length, because git's default depends on how much history a clone
    // has.
    let described =
        Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output();
    let Ok(output) = described else { return };
    if output.status.success() {
        println!("cargo:rustc-env=CPB_REVISION={}", String::from_utf8_lossy(&output.stdout).trim());
    }
}
