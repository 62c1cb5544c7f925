// Hides the differences between Botan 2 and Botan 3.
//
// Tested with Botan 2.19 and 3.13.
#ifndef CPB_BOTAN_LIBRARY_HPP
#define CPB_BOTAN_LIBRARY_HPP

#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/hash.h>
#include <botan/kdf.h>
#include <botan/mac.h>
#include <botan/pwdhash.h>
#include <botan/secmem.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#if BOTAN_VERSION_MAJOR < 3
#include <botan/cpuid.h>
#endif

#include <string>

namespace cpb {

using Bytes = Botan::secure_vector<uint8_t>;

#if BOTAN_VERSION_MAJOR >= 3

constexpr auto encryption = Botan::Cipher_Dir::Encryption;
constexpr auto decryption = Botan::Cipher_Dir::Decryption;

// Botan 3 does not publish which CPU features it found, but its objects name the
// instructions that they use.
inline std::string code_path() {
    std::string path;
    for (const char *name : {"AES-128", "Serpent", "SM4"}) {
        if (const auto cipher = Botan::BlockCipher::create(name)) {
            path += (path.empty() ? "" : " ") + std::string(name) + "=" + cipher->provider();
        }
    }
    for (const char *name : {"SHA-1", "SHA-256", "SHA-512", "SHA-3(256)"}) {
        if (const auto hash = Botan::HashFunction::create(name)) {
            path += (path.empty() ? "" : " ") + std::string(name) + "=" + hash->provider();
        }
    }
    return path;
}

#else

constexpr auto encryption = Botan::ENCRYPTION;
constexpr auto decryption = Botan::DECRYPTION;

inline std::string code_path() { return Botan::CPUID::to_string(); }

#endif

} // namespace cpb

#endif
