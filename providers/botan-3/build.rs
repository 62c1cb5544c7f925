//! Builds Botan, and the shim with its headers.

#![allow(unsafe_code, reason = "a setting of this program's own")]

use std::path::{Path, PathBuf};

/// Modules that are not measured, and take most of the time.
const LEFT_OUT: &str = "certstor_flatfile,certstor_sql,certstor_sqlite3,certstor_system,cli,\
                        ffi,http_util,pkcs11,roughtime,sqlite3,tls,tpm2,x509";

fn main() {
    let shims = "../../shims";
    let folder = built();
    let parts = Path::new(shims).join("botan");
    let parts = std::fs::read_dir(parts).expect("the shim is here");
    let parts = parts.filter_map(|entry| Some(entry.ok()?.path()));
    let parts = parts.filter(|path| path.extension().is_some_and(|ending| ending == "cpp"));
    cc::Build::new()
        .cpp(true)
        .std("c++20")
        .file(format!("{shims}/botan.cpp"))
        .files(parts)
        .include(folder.join("build/include/public"))
        .define("cpb_provider_v2", "cpb_shim")
        .flag_if_supported("-Wno-unused-parameter")
        .flag("-fvisibility-inlines-hidden")
        .opt_level(2)
        .compile("cpb_shim");
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=botan-3");
    println!("cargo:rerun-if-changed={shims}");
}

/// Returns the folder where Botan is built. It stays the same for all changes of the shim,
/// because configuring again would rebuild everything.
fn built() -> PathBuf {
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let folder = Path::new(&out).join("botan-build");
    if !folder.join("libbotan-3.a").exists() {
        // SAFETY: nothing else runs in this program.
        unsafe { std::env::set_var("BOTAN_CONFIGURE_DISABLE_MODULES", LEFT_OUT) };
        botan_src::build();
    }
    folder
}
