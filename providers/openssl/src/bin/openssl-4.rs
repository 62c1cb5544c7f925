//! Builds the newest OpenSSL 4 that exists as a crate.

fn main() -> std::process::ExitCode {
    cpb_provider_openssl::main(&openssl_4::source_dir(), openssl_4::version())
}
