//! Compiles the shim with the headers of the libsodium that was built.

fn main() {
    let shims = "../../shims";
    let headers = std::env::var("DEP_SODIUM_INCLUDE").expect("libsodium-sys-stable says where");
    cc::Build::new()
        .file(format!("{shims}/libsodium.c"))
        .include(headers)
        .define("cpb_provider_v2", "cpb_shim")
        .std("c11")
        .flag_if_supported("-Wno-unused-parameter")
        .opt_level(2)
        .compile("cpb_shim");
    println!("cargo:rerun-if-changed={shims}");
}
