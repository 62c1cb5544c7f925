//! Tells the binary which revision it was built from, where git knows.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/logs/HEAD");
    let described = Command::new("git").args(["describe", "--always", "--dirty"]).output();
    let Ok(output) = described else { return };
    if output.status.success() {
        println!("cargo:rustc-env=CPB_REVISION={}", String::from_utf8_lossy(&output.stdout).trim());
    }
}
