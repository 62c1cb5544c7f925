//! Lists the C and C++ libraries that cpb reaches through a shim, each in a row: `build.rs`
//! builds the shims from it, cpb opens the libraries, and `script/setup` installs them.

/// A library and its shim.
pub(crate) struct Shim {
    /// Its name in cpb, and that of its source in `shims/`; further parts are in the folder of that
    /// name.
    pub(crate) name: &'static str,
    /// The library's own name.
    pub(crate) title: &'static str,
    /// A one-line description.
    pub(crate) about: &'static str,
    /// Debian's packages with its headers, the best first.
    pub(crate) packages: &'static [&'static str],
    /// The possible builds of the shim, best first.
    pub(crate) builds: &'static [Build],
    /// The prefixes of the library's sonames; empty if no library is loaded.
    pub(crate) sonames: &'static [&'static str],
    /// A symbol that every version has.
    pub(crate) symbol: &'static str,
    /// How the library is found if the shim is linked with none: cpb opens it, and the shim
    /// looks up its functions, so that it is built without headers and accepts any version. Such
    /// a row has no builds.
    pub(crate) installed: Option<Installed>,
}

impl Shim {
    /// Returns its source's name: C++ where its builds are.
    pub(crate) fn source(&self) -> String {
        let is_cpp = self.builds.iter().any(|build| build.standard.starts_with("c++"));
        format!("{}.{}", self.name, if is_cpp { "cpp" } else { "c" })
    }
}

/// A library as systems install it; `cpb_libraries` explains the fields.
#[derive(Debug)]
pub(crate) struct Installed {
    pub(crate) files: &'static [&'static str],
    pub(crate) remedy: &'static str,
    pub(crate) others: &'static [(&'static str, &'static str)],
}

/// A version of a library, or one of its names.
#[derive(Clone, Copy)]
pub(crate) struct Build {
    /// The name in pkg-config.
    pub(crate) package: &'static str,
    /// The linker's name; empty if there is nothing to link.
    pub(crate) link: &'static str,
    /// Further libraries to link, by the linker's names.
    pub(crate) beside: &'static [&'static str],
    /// The folder of its headers inside an include folder, followed by those of the headers they
    /// include.
    pub(crate) folders: &'static [&'static str],
    /// The name of one header.
    pub(crate) header: &'static str,
    pub(crate) standard: &'static str,
}

/// The default for C libraries.
const C: Build =
    Build { package: "", link: "", beside: &[], folders: &[""], header: "", standard: "c11" };
/// Crypto++ has a different name on every system.
const CRYPTOPP: Build = Build {
    package: "libcrypto++",
    link: "crypto++",
    header: "cryptopp/cryptlib.h",
    standard: "c++17",
    ..C
};
const BOTAN: Build = Build {
    package: "botan-3",
    link: "botan-3",
    folders: &["botan-3"],
    header: "botan/version.h",
    standard: "c++20",
    ..C
};
/// Botan 2, which other systems still have.
const BOTAN_2: Build = Build {
    package: "botan-2",
    link: "botan-2",
    folders: &["botan-2"],
    standard: "c++17",
    ..BOTAN
};

pub(crate) const SHIMS: &[Shim] = &[
    Shim {
        name: "openssl",
        title: "OpenSSL",
        about: "OpenSSL's libcrypto, through EVP",
        // It needs no headers; installed ones are compared with our declarations.
        packages: &["libssl-dev"],
        builds: &[],
        sonames: &[],
        symbol: "OpenSSL_version",
        installed: Some(Installed {
            // Development packages install the last one.
            files: &["libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"],
            remedy: "install OpenSSL's library (Debian: package libssl3, from Debian 13 on \
                     libssl3t64), or give its path, as openssl=/opt/openssl/lib/libcrypto.so.3",
            // AWS-LC has BoringSSL's symbol, too.
            others: &[("awslc_version_string", "AWS-LC"), ("BORINGSSL_self_test", "BoringSSL")],
        }),
    },
    Shim {
        name: "gcrypt",
        title: "libgcrypt",
        about: "libgcrypt",
        // It needs no headers; installed ones are compared with our declarations.
        packages: &["libgcrypt20-dev"],
        builds: &[],
        sonames: &[],
        symbol: "gcry_check_version",
        installed: Some(Installed {
            files: &["libgcrypt.so.20"],
            remedy: "install it, on Debian: apt install libgcrypt20",
            others: &[],
        }),
    },
    Shim {
        name: "nettle",
        title: "Nettle",
        about: "Nettle",
        packages: &["nettle-dev"],
        builds: &[Build {
            package: "nettle",
            link: "nettle",
            // Key pairs need GMP's numbers.
            beside: &["hogweed", "gmp"],
            header: "nettle/version.h",
            ..C
        }],
        sonames: &["libnettle."],
        symbol: "nettle_version_major",
        installed: None,
    },
    Shim {
        name: "botan",
        title: "Botan",
        about: "Botan, through a C++ shim",
        packages: &["libbotan-3-dev", "libbotan-2-dev"],
        builds: &[BOTAN, BOTAN_2],
        sonames: &["libbotan-"],
        // This is Botan::version_cstr().
        symbol: "_ZN5Botan12version_cstrEv",
        installed: None,
    },
    Shim {
        name: "cryptopp",
        title: "Crypto++",
        about: "Crypto++, through a C++ shim",
        packages: &["libcrypto++-dev"],
        builds: &[
            CRYPTOPP,
            Build { package: "libcryptopp", link: "cryptopp", ..CRYPTOPP },
            Build { package: "cryptopp", link: "cryptopp", ..CRYPTOPP },
        ],
        // These are Debian's name, and that of the authors.
        sonames: &["libcrypto++.", "libcryptopp."],
        // This is CryptoPP::g_nullNameValuePairs.
        symbol: "_ZN8CryptoPP20g_nullNameValuePairsE",
        installed: None,
    },
    Shim {
        name: "libsodium",
        title: "libsodium",
        about: "libsodium",
        packages: &["libsodium-dev"],
        builds: &[Build { package: "libsodium", link: "sodium", header: "sodium.h", ..C }],
        sonames: &["libsodium."],
        symbol: "sodium_version_string",
        installed: None,
    },
    Shim {
        name: "mbedtls",
        title: "Mbed TLS",
        about: "Mbed TLS",
        packages: &["libmbedtls-dev"],
        builds: &[Build { link: "mbedcrypto", header: "mbedtls/version.h", ..C }],
        sonames: &["libmbedcrypto."],
        symbol: "mbedtls_version_get_string",
        installed: None,
    },
    Shim {
        name: "wolfssl",
        title: "wolfSSL",
        about: "wolfSSL's wolfCrypt",
        packages: &["libwolfssl-dev"],
        builds: &[Build { package: "wolfssl", link: "wolfssl", header: "wolfssl/options.h", ..C }],
        sonames: &["libwolfssl."],
        symbol: "wolfSSL_lib_version",
        installed: None,
    },
    Shim {
        name: "gnutls",
        title: "GnuTLS",
        about: "GnuTLS, by its interface for algorithms",
        packages: &["libgnutls28-dev"],
        builds: &[Build { package: "gnutls", link: "gnutls", header: "gnutls/crypto.h", ..C }],
        sonames: &["libgnutls."],
        symbol: "gnutls_check_version",
        installed: None,
    },
    Shim {
        name: "libtomcrypt",
        title: "LibTomCrypt",
        about: "LibTomCrypt",
        packages: &["libtomcrypt-dev"],
        builds: &[Build { package: "libtomcrypt", link: "tomcrypt", header: "tomcrypt.h", ..C }],
        sonames: &["libtomcrypt."],
        symbol: "crypt_build_settings",
        installed: None,
    },
    Shim {
        name: "bearssl",
        title: "BearSSL",
        about: "BearSSL",
        packages: &["libbearssl-dev"],
        builds: &[Build { link: "bearssl", header: "bearssl.h", ..C }],
        sonames: &["libbearssl."],
        symbol: "br_sha256_init",
        installed: None,
    },
    Shim {
        name: "ipsec-mb",
        title: "Intel IPsec-MB",
        about: "Intel Multi-Buffer Crypto for IPsec, one message at a time",
        packages: &["libipsec-mb-dev"],
        builds: &[Build { link: "IPSec_MB", header: "intel-ipsec-mb.h", ..C }],
        sonames: &["libIPSec_MB."],
        symbol: "imb_get_version_str",
        installed: None,
    },
    Shim {
        name: "libb2",
        title: "libb2",
        about: "BLAKE2's C library",
        packages: &["libb2-dev"],
        builds: &[Build { package: "libb2", link: "b2", header: "blake2.h", ..C }],
        sonames: &["libb2."],
        symbol: "blake2bp_init",
        installed: None,
    },
    Shim {
        name: "libblake3",
        title: "libblake3",
        about: "BLAKE3's C library",
        packages: &["libblake3-dev"],
        builds: &[Build { package: "libblake3", link: "blake3", header: "blake3.h", ..C }],
        sonames: &["libblake3."],
        symbol: "blake3_version",
        installed: None,
    },
    Shim {
        name: "libsecp256k1",
        title: "libsecp256k1",
        about: "Bitcoin Core's library for the curve secp256k1",
        packages: &["libsecp256k1-dev"],
        builds: &[Build {
            package: "libsecp256k1",
            link: "secp256k1",
            header: "secp256k1_schnorrsig.h",
            ..C
        }],
        sonames: &["libsecp256k1."],
        symbol: "secp256k1_context_create",
        installed: None,
    },
    Shim {
        name: "nss",
        title: "NSS",
        about: "Mozilla's NSS, through PK11 and its software token",
        packages: &["libnss3-dev"],
        builds: &[Build {
            package: "nss",
            link: "nss3",
            folders: &["nss", "nspr"],
            header: "pk11pub.h",
            ..C
        }],
        sonames: &["libnss3."],
        symbol: "NSS_GetVersion",
        installed: None,
    },
    Shim {
        name: "af-alg",
        title: "AF_ALG",
        about: "the Linux kernel's algorithms, through AF_ALG",
        packages: &["linux-libc-dev"],
        builds: &[Build { header: "linux/if_alg.h", ..C }],
        // The kernel is not a file.
        sonames: &[],
        symbol: "cpb_provider_v2",
        installed: None,
    },
];
