//! Converts names of functions to their readable form.

use cpp_demangle::{DemangleOptions, Symbol};

/// Demangles a name of Rust or C++, and leaves parameters out.
pub(crate) fn readable(name: &str) -> String {
    // Names in Rust's older form, whose last part is a hash, begin like those of C++, so Rust
    // comes first.
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return format!("{name:#}");
    }
    let symbol = Symbol::new(name).ok().filter(|_| name.starts_with("_Z"));
    let options = DemangleOptions::new().no_params().no_return_type();
    symbol.and_then(|it| it.demangle_with_options(&options).ok()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_they_were_written() {
        for (name, written) in [
            ("sha256_block_data_order", "sha256_block_data_order"),
            (
                "_ZN11cpb_kernels6sha2565shani13compress_each17hd415e1eccaf5a020E",
                "cpb_kernels::sha256::shani::compress_each",
            ),
            (
                "_ZN5Botan7SHA_25615compress_digestERSt6vectorIjSaIjEEPKhm",
                "Botan::SHA_256::compress_digest",
            ),
            ("_Znonsense", "_Znonsense"),
        ] {
            assert_eq!(readable(name), written);
        }
    }
}
