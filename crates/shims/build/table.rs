//! The C and C++ libraries that cpb reaches through a shim, each a row: `build.rs` builds
//! the shims by it, cpb opens the libraries, and `script/setup` installs them.

/// A library and its shim.
pub(crate) struct Shim {
    /// Its name in cpb.
    pub(crate) name: &'static str,
    /// Its own name.
    pub(crate) title: &'static str,
    /// What it is, in one line.
    pub(crate) about: &'static str,
    /// The shim in `shims/`, in C or C++ by its ending; what else belongs to it is in the
    /// folder of its name.
    pub(crate) source: &'static str,
    /// The packages with its headers as Debian calls them, the best first.
    pub(crate) packages: &'static [&'static str],
    /// What the shim can be built for, best first.
    pub(crate) builds: &'static [Build],
    /// How the sonames of the library begin; none where no library is loaded.
    pub(crate) sonames: &'static [&'static str],
    /// A symbol of every version of it.
    pub(crate) symbol: &'static str,
    /// How the library is found where the shim is linked with none: cpb opens it, and the shim
    /// looks its functions up, so that it is built without headers and takes any version. Such a
    /// row has no builds.
    pub(crate) installed: Option<Installed>,
}

/// A library as systems install it; what each of these is for stands in `cpb_libraries`.
#[derive(Debug)]
pub(crate) struct Installed {
    pub(crate) files: &'static [&'static str],
    pub(crate) remedy: &'static str,
    pub(crate) others: &'static [(&'static str, &'static str)],
}

/// A version of a library, or one of its names.
#[derive(Clone, Copy)]
pub(crate) struct Build {
    /// As pkg-config knows it.
    pub(crate) package: &'static str,
    /// As the linker knows it; nothing where there is nothing to link.
    pub(crate) link: &'static str,
    /// What else is linked, as the linker knows it.
    pub(crate) beside: &'static [&'static str],
    /// Where its headers are, inside an include folder; and behind that, where those are
    /// that they include.
    pub(crate) folders: &'static [&'static str],
    /// One of them.
    pub(crate) header: &'static str,
    pub(crate) standard: &'static str,
}

/// What most C libraries are built for.
const C: Build =
    Build { package: "", link: "", beside: &[], folders: &[""], header: "", standard: "c11" };
/// Crypto++ has another name wherever it is.
const CRYPTOPP: Build = Build {
    package: "libcrypto++",
    link: "crypto++",
    beside: &[],
    folders: &[""],
    header: "cryptopp/cryptlib.h",
    standard: "c++17",
};

pub(crate) const SHIMS: &[Shim] = &[
    Shim {
        name: "openssl",
        title: "OpenSSL",
        about: "OpenSSL's libcrypto, through EVP",
        source: "openssl.c",
        // It needs no headers; those that are there are compared with what it calls.
        packages: &["libssl-dev"],
        builds: &[],
        sonames: &[],
        symbol: "OpenSSL_version",
        installed: Some(Installed {
            // The last is what development packages install.
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
        source: "gcrypt.c",
        // It needs no headers; those that are there are compared with what it calls.
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
        source: "nettle.c",
        packages: &["nettle-dev"],
        builds: &[Build {
            package: "nettle",
            link: "nettle",
            // Key pairs, over GMP's numbers.
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
        source: "botan.cpp",
        packages: &["libbotan-3-dev", "libbotan-2-dev"],
        builds: &[
            Build {
                package: "botan-3",
                link: "botan-3",
                beside: &[],
                folders: &["botan-3"],
                header: "botan/version.h",
                standard: "c++20",
            },
            Build {
                package: "botan-2",
                link: "botan-2",
                beside: &[],
                folders: &["botan-2"],
                header: "botan/version.h",
                standard: "c++17",
            },
        ],
        sonames: &["libbotan-"],
        // Botan::version_cstr().
        symbol: "_ZN5Botan12version_cstrEv",
        installed: None,
    },
    Shim {
        name: "cryptopp",
        title: "Crypto++",
        about: "Crypto++, through a C++ shim",
        source: "cryptopp.cpp",
        packages: &["libcrypto++-dev"],
        builds: &[
            CRYPTOPP,
            Build { package: "libcryptopp", link: "cryptopp", ..CRYPTOPP },
            Build { package: "cryptopp", link: "cryptopp", ..CRYPTOPP },
        ],
        // Debian's name, and that of its authors.
        sonames: &["libcrypto++.", "libcryptopp."],
        // CryptoPP::g_nullNameValuePairs.
        symbol: "_ZN8CryptoPP20g_nullNameValuePairsE",
        installed: None,
    },
    Shim {
        name: "libsodium",
        title: "libsodium",
        about: "libsodium",
        source: "libsodium.c",
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
        source: "mbedtls.c",
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
        source: "wolfssl.c",
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
        source: "gnutls.c",
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
        source: "libtomcrypt.c",
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
        source: "bearssl.c",
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
        source: "ipsec-mb.c",
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
        source: "libb2.c",
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
        source: "libblake3.c",
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
        source: "libsecp256k1.c",
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
        source: "nss.c",
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
        source: "af-alg.c",
        packages: &["linux-libc-dev"],
        builds: &[Build { header: "linux/if_alg.h", ..C }],
        // The kernel is no file.
        sonames: &[],
        symbol: "cpb_provider_v2",
        installed: None,
    },
];
