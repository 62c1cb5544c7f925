//! Builds Botan, and the shim with its headers.

#![allow(unsafe_code, reason = "a setting of this program's own")]

use std::path::Path;

/// What nothing is measured of, and which takes most of the time.
const LEFT_OUT: &str = "certstor_flatfile,certstor_sql,certstor_sqlite3,certstor_system,cli,\
                        ffi,http_util,pkcs11,roughtime,sqlite3,tls,tpm2,x509";

fn main() {
    let shims = "../../shims";
    // SAFETY: nothing else runs in this program.
    unsafe { std::env::set_var("BOTAN_CONFIGURE_DISABLE_MODULES", LEFT_OUT) };
    let (folder, headers) = botan_src::build();
    let parts = Path::new(shims).join("botan");
    let parts = std::fs::read_dir(parts).expect("the shim is here");
    let parts = parts.filter_map(|entry| Some(entry.ok()?.path()));
    let parts = parts.filter(|path| path.extension().is_some_and(|ending| ending == "cpp"));
    cc::Build::new()
        .cpp(true)
        .std("c++20")
        .file(format!("{shims}/botan.cpp"))
        .files(parts)
        .include(headers)
        .define("cpb_provider_v2", "cpb_shim")
        .flag_if_supported("-Wno-unused-parameter")
        .flag("-fvisibility-inlines-hidden")
        .opt_level(2)
        .compile("cpb_shim");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=botan-3");
    println!("cargo:rerun-if-changed={shims}");
}
