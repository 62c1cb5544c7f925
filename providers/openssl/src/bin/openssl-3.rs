//! Builds the newest OpenSSL 3 that exists as a crate.

fn main() -> std::process::ExitCode {
    cpb_provider_openssl::main(&openssl_3::source_dir(), openssl_3::version())
}
