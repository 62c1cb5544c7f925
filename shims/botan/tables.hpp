// The candidates. Botan cannot list what it has; it only says whether it has a
// given algorithm. Those that a build lacks are left out.
#ifndef CPB_BOTAN_TABLES_HPP
#define CPB_BOTAN_TABLES_HPP

#include "offers.hpp"

#include <initializer_list>
#include <vector>

namespace cpb {

struct HashName {
    const char *algorithm;
    const char *primitive;
    bool has_row;
};

inline const HashName hashes[] = {
    {"BLAKE2b", "blake2b-512", true},
    // Its S-boxes are those of CryptoPro.
    {"GOST-34.11", "gosthash94-cp", true},
    {"Keccak-1600", "keccak-512", true},
    {"MD4", "md4", true},
    {"MD5", "md5", true},
    {"RIPEMD-160", "ripemd160", true},
    {"SHA-1", "sha1", true},
    {"SHA-224", "sha224", true},
    {"SHA-256", "sha256", true},
    {"SHA-384", "sha384", true},
    {"SHA-512", "sha512", true},
    {"SHA-3", "sha3-512", true},
    {"SHAKE-128", "shake128", true},
    {"SHAKE-256", "shake256", true},
    {"SM3", "sm3", true},
    {"Skein-512", "skein-512", true},
    {"Streebog-256", "streebog-256", true},
    {"Streebog-512", "streebog-512", true},
    {"Whirlpool", "whirlpool", true},
    {"Adler32", "adler32", true},
    {"CRC24", "crc24", true},
    {"CRC32", "crc32", true},

    {"BLAKE2b(160)", "blake2b-160", false},
    {"BLAKE2b(224)", "blake2b-224", false},
    {"BLAKE2b(256)", "blake2b-256", false},
    {"BLAKE2b(384)", "blake2b-384", false},
    {"BLAKE2s(128)", "blake2s-128", false},
    {"BLAKE2s(160)", "blake2s-160", false},
    {"BLAKE2s(224)", "blake2s-224", false},
    {"BLAKE2s(256)", "blake2s-256", false},
    {"Keccak-1600(224)", "keccak-224", false},
    {"Keccak-1600(256)", "keccak-256", false},
    {"Keccak-1600(384)", "keccak-384", false},
    {"SHA-512-256", "sha512-256", false},
    {"SHA-3(224)", "sha3-224", false},
    {"SHA-3(256)", "sha3-256", false},
    {"SHA-3(384)", "sha3-384", false},
    {"Skein-512(256)", "skein-512-256", false},
    {"Tiger", "tiger", false},
    {"Ascon-Hash256", "ascon-hash256", false},
};

struct CipherName {
    const char *algorithm;
    const char *primitive;
    // Whether the canonical name includes the key bits.
    bool names_bits;
    bool has_rows;
    // The cipher's usual key lengths in bytes. Only the first has rows, although
    // bench-slopes times the shortest key that Botan allows.
    std::vector<uint32_t> key_bytes;
};

inline const CipherName ciphers[] = {
    {"AES-128", "aes", true, true, {16}},
    {"AES-192", "aes", true, true, {24}},
    {"AES-256", "aes", true, true, {32}},
    {"ARIA-128", "aria", true, true, {16}},
    {"ARIA-192", "aria", true, true, {24}},
    {"ARIA-256", "aria", true, true, {32}},
    {"Blowfish", "blowfish", true, true, {16}},
    {"CAST-128", "cast5", true, true, {16}},
    {"CAST-256", "cast6", true, true, {16, 24, 32}},
    {"Camellia-128", "camellia", true, true, {16}},
    {"Camellia-192", "camellia", true, true, {24}},
    {"Camellia-256", "camellia", true, true, {32}},
    {"3DES", "3des", false, true, {24}},
    // Its S-boxes are those of GOST R 34.11-94's test parameters, like libgcrypt's.
    {"GOST-28147-89", "gost28147", false, true, {32}},
    {"Noekeon", "noekeon", false, true, {16}},
    {"SEED", "seed", false, true, {16}},
    {"SM4", "sm4", false, true, {16}},
    {"Serpent", "serpent", true, true, {16, 24, 32}},
    {"Twofish", "twofish", true, true, {16, 24, 32}},

    {"DES", "des", false, false, {8}},
    {"DESX", "desx", true, false, {24}},
    {"IDEA", "idea", false, false, {16}},
    {"KASUMI", "kasumi", true, false, {16}},
    {"MISTY1", "misty1", true, false, {16}},
    {"XTEA", "xtea", true, false, {16}},
    {"SHACAL2", "shacal2", true, false, {32, 64}},
    {"Threefish-512", "threefish", true, false, {64}},
};

enum class NonceLength { none, block, twelve, sixteen };

struct ModeName {
    const char *name;
    const char *primitive;
    Kind kind;
    // Botan names stream modes "CTR(AES-128)", and others "AES-128/CBC".
    const char *suffix;
    NonceLength nonce;
    uint32_t keys; // how many keys it takes, concatenated
    bool has_rows;
};

inline const ModeName modes[] = {
    {"CBC", "cbc", Kind::mode, "/NoPadding", NonceLength::block, 1, true},
    {"CFB", "cfb", Kind::mode, "", NonceLength::block, 1, true},
    {"OFB", "ofb", Kind::stream, "", NonceLength::block, 1, true},
    {"CTR", "ctr", Kind::stream, "", NonceLength::block, 1, true},
    {"XTS", "xts", Kind::mode, "", NonceLength::block, 2, true},
    {"GCM", "gcm", Kind::aead, "", NonceLength::twelve, 1, true},
    {"EAX", "eax", Kind::aead, "", NonceLength::sixteen, 1, true},
    {"OCB", "ocb", Kind::aead, "", NonceLength::twelve, 1, true},
    {"ECB", "ecb", Kind::block, "", NonceLength::none, 1, false},
    {"CCM", "ccm", Kind::aead, "(16,3)", NonceLength::twelve, 1, false},
    {"SIV", "siv", Kind::aead, "", NonceLength::none, 2, false},
    {"GCM-SIV", "gcm-siv", Kind::aead, "", NonceLength::twelve, 1, false},
};

struct StreamName {
    const char *algorithm;
    const char *spelling;
    const char *primitive;
    Kind kind;
    uint32_t key_bytes;
    uint32_t nonce_bytes;
    // The algorithm of the row in bench-slopes, or a null pointer.
    const char *row_algorithm;
    const char *row_mode;
};

inline const StreamName streams[] = {
    {"ChaCha", "ChaCha", "chacha20", Kind::stream, 32, 12, "ChaCha", "STREAM enc/dec"},
    {"ChaCha20Poly1305", "ChaCha20Poly1305", "chacha20-poly1305", Kind::aead, 32, 12, "ChaCha",
     "POLY1305"},
    {"Salsa20", "Salsa20", "salsa20", Kind::stream, 32, 8, "Salsa20", "STREAM enc/dec"},
    {"RC4", "RC4", "rc4-128", Kind::stateful_stream, 16, 0, "RC4", "STREAM enc/dec"},

    {"ChaCha", "ChaCha, 8-byte nonce", "chacha20-djb", Kind::stream, 32, 8, nullptr, nullptr},
    {"ChaCha", "ChaCha, 24-byte nonce", "xchacha20", Kind::stream, 32, 24, nullptr, nullptr},
    {"ChaCha", "ChaCha, 128-bit key", "chacha20-128", Kind::stream, 16, 12, nullptr, nullptr},
    {"ChaCha(12)", "ChaCha(12)", "chacha12", Kind::stream, 32, 12, nullptr, nullptr},
    {"ChaCha(8)", "ChaCha(8)", "chacha8", Kind::stream, 32, 12, nullptr, nullptr},
    {"ChaCha20Poly1305", "ChaCha20Poly1305, 24-byte nonce", "xchacha20-poly1305", Kind::aead, 32,
     24, nullptr, nullptr},
    {"Salsa20", "Salsa20, 24-byte nonce", "xsalsa20", Kind::stream, 32, 24, nullptr, nullptr},
    {"Salsa20", "Salsa20, 128-bit key", "salsa20-128", Kind::stream, 16, 8, nullptr, nullptr},
    {"RC4(256)", "MARK-4", "rc4-drop256-128", Kind::stateful_stream, 16, 0, nullptr, nullptr},
    {"Ascon-AEAD128", "Ascon-AEAD128", "ascon-aead128", Kind::aead, 16, 16, nullptr, nullptr},
};

struct MacName {
    const char *algorithm;
    const char *primitive;
    uint32_t key_bytes;
};

// MACs that are not built from a hash or cipher of the tables above.
inline const MacName macs[] = {
    {"Poly1305", "poly1305", 32},
    {"SipHash(2,4)", "siphash-2-4", 16},
    {"X9.19-MAC", "x9.19-mac", 16},
    {"KMAC-128(256)", "kmac128", 32},
    {"KMAC-256(512)", "kmac256", 32},
};

struct DerivationName {
    const char *algorithm;
    const char *primitive;
    Kind kind;
};

// Derivations that are not built from a hash of the table above.
inline const DerivationName derivations[] = {
    {"Bcrypt-PBKDF", "bcrypt-pbkdf", Kind::pbkdf},
    // N, r and p have their usual values for logins. The iterations are ignored.
    {"Scrypt", "scrypt-16384-8-1", Kind::scrypt},
    // Uses 1024 KiB and one lane; the iterations are passes.
    {"Argon2d", "argon2d-m1024-p1", Kind::argon2},
    {"Argon2i", "argon2i-m1024-p1", Kind::argon2},
    {"Argon2id", "argon2id-m1024-p1", Kind::argon2},
    {"KDF2(SHA-256)", "kdf2-sha256", Kind::derivation},
    {"SP800-108-Counter(HMAC(SHA-256))", "sp800-108-counter-hmac-sha256", Kind::derivation},
    {"TLS-12-PRF(SHA-256)", "tls12-prf-sha256", Kind::derivation},
};

} // namespace cpb

#endif
