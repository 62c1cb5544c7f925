// Every algorithm that is offered: first the rows of bench-slopes in their
// order, then the others. A new algorithm is one line here.
#pragma once

#include "headers.hpp"
#include "modes.hpp"
#include "table.hpp"

namespace shim {

inline void hash_rows(Table &table) {
    hash<cpp::BLAKE2b>(table, "BLAKE2b", "BLAKE2b", "blake2b-512");
    hash<cpp::BLAKE2s>(table, "BLAKE2s", "BLAKE2s", "blake2s-256");
    // The usual order of a checksum's bytes is that of the number in print.
    hash<cpp::CRC32>(table, "CRC32", "CRC32", "crc32", 4, Order::reversed);
    hash<cpp::CRC32C>(table, "CRC32C", "CRC32C", "crc32c", 4, Order::reversed);
    hash<weak::MD5>(table, "MD5", "MD5", "md5");
    hash<cpp::RIPEMD160>(table, "RIPEMD-160", "RIPEMD-160", "ripemd160");
    hash<cpp::SHA1>(table, "SHA-1", "SHA-1", "sha1");
    hash<cpp::SHA256>(table, "SHA-256", "SHA-256", "sha256");
    hash<cpp::SHA512>(table, "SHA-512", "SHA-512", "sha512");
    hash<cpp::SHA3_224>(table, "SHA3-224", "SHA3-224", "sha3-224");
    hash<cpp::SHA3_256>(table, "SHA3-256", "SHA3-256", "sha3-256");
    hash<cpp::SHA3_384>(table, "SHA3-384", "SHA3-384", "sha3-384");
    hash<cpp::SHA3_512>(table, "SHA3-512", "SHA3-512", "sha3-512");
    hash<cpp::SM3>(table, "SM3", "SM3", "sm3");
    hash<cpp::Whirlpool>(table, "Whirlpool", "Whirlpool", "whirlpool");
}

inline void cipher_rows(Table &table) {
    row_cipher<cpp::AES>(table, "AES", "aes");
    row_cipher<cpp::Camellia>(table, "Camellia", "camellia");
    row_cipher<cpp::Twofish>(table, "Twofish", "twofish");
    row_cipher<cpp::Serpent>(table, "Serpent", "serpent");
    row_cipher<cpp::SEED>(table, "SEED", "seed");
    row_cipher<cpp::SM4>(table, "SM4", "sm4");
    row_cipher<cpp::DES_EDE3>(table, "DES-EDE3", "3des");
    row_cipher<cpp::CAST128>(table, "CAST-128", "cast5");
    row_cipher<cpp::Blowfish>(table, "Blowfish", "blowfish");
    stream<weak::ARC4>(table, with_bits("ARC4", "ARC4", "rc4", 1), 0);
    stream<cpp::Salsa20>(table, with_bits("Salsa20", "Salsa20", "salsa20", 16), 8);
    stream<cpp::ChaCha>(table, with_bits("ChaCha", "ChaCha", "chacha20-djb", 16), 8);
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::Salsa20::Encryption>("Salsa20");
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::ChaCha::Encryption>("ChaCha");
#ifdef SHIM_HAS_8_1
    authenticated<cpp::ChaCha20Poly1305>(
        table, {"ChaCha", "ChaCha20/Poly1305", "chacha20-poly1305", 32},
        {"", "", "POLY1305 ", short_nonce, 16});
#endif
}

inline void further_hashes(Table &table) {
    hash<cpp::SHA224>(table, "", "SHA-224", "sha224");
    hash<cpp::SHA384>(table, "", "SHA-384", "sha384");
    hash<cpp::Keccak_224>(table, "", "Keccak-224", "keccak-224");
    hash<cpp::Keccak_256>(table, "", "Keccak-256", "keccak-256");
    hash<cpp::Keccak_384>(table, "", "Keccak-384", "keccak-384");
    hash<cpp::Keccak_512>(table, "", "Keccak-512", "keccak-512");
    hash<cpp::BLAKE2b, false, 48u>(table, "", "BLAKE2b-384", "blake2b-384", 48);
    hash<cpp::BLAKE2b, false, 32u>(table, "", "BLAKE2b-256", "blake2b-256", 32);
    hash<cpp::BLAKE2b, false, 20u>(table, "", "BLAKE2b-160", "blake2b-160", 20);
    hash<cpp::BLAKE2s, false, 28u>(table, "", "BLAKE2s-224", "blake2s-224", 28);
    hash<cpp::BLAKE2s, false, 20u>(table, "", "BLAKE2s-160", "blake2s-160", 20);
    hash<cpp::BLAKE2s, false, 16u>(table, "", "BLAKE2s-128", "blake2s-128", 16);
    hash<cpp::RIPEMD128>(table, "", "RIPEMD-128", "ripemd128");
    hash<cpp::RIPEMD256>(table, "", "RIPEMD-256", "ripemd256");
    hash<cpp::RIPEMD320>(table, "", "RIPEMD-320", "ripemd320");
    hash<cpp::Tiger>(table, "", "Tiger", "tiger");
    hash<weak::MD2>(table, "", "MD2", "md2");
    hash<weak::MD4>(table, "", "MD4", "md4");
    hash<weak::PanamaHash<cpp::LittleEndian>>(table, "", "Panama-LE", "panama-le");
    hash<weak::PanamaHash<cpp::BigEndian>>(table, "", "Panama-BE", "panama-be");
    hash<cpp::Adler32>(table, "", "Adler32", "adler32");
#ifdef SHIM_HAS_LSH
    // Named after their word size, too, in KS X 3262.
    hash<cpp::LSH224>(table, "", "LSH-224", "lsh-256-224");
    hash<cpp::LSH256>(table, "", "LSH-256", "lsh-256-256");
    hash<cpp::LSH384>(table, "", "LSH-384", "lsh-512-384");
    hash<cpp::LSH512>(table, "", "LSH-512", "lsh-512-512");
    hash<cpp::LSH512_256>(table, "", "LSH-512-256", "lsh-512-256");
#endif
#ifdef SHIM_HAS_SHAKE
    xof<cpp::SHAKE128>(table, "SHAKE-128", "shake128");
    xof<cpp::SHAKE256>(table, "SHAKE-256", "shake256");
#endif
}

template <class Hash>
void hmac(Table &table, const char *name, const char *primitive) {
    mac<cpp::HMAC<Hash>>(table, std::string("HMAC(") + name + ")",
                         std::string("hmac-") + primitive, 32, 0, Hash::DIGESTSIZE,
                         Hash::BLOCKSIZE);
}

inline void macs(Table &table) {
    hmac<weak::MD5>(table, "MD5", "md5");
    hmac<cpp::SHA1>(table, "SHA-1", "sha1");
    hmac<cpp::SHA224>(table, "SHA-224", "sha224");
    hmac<cpp::SHA256>(table, "SHA-256", "sha256");
    hmac<cpp::SHA384>(table, "SHA-384", "sha384");
    hmac<cpp::SHA512>(table, "SHA-512", "sha512");
    hmac<cpp::SHA3_224>(table, "SHA3-224", "sha3-224");
    hmac<cpp::SHA3_256>(table, "SHA3-256", "sha3-256");
    hmac<cpp::SHA3_384>(table, "SHA3-384", "sha3-384");
    hmac<cpp::SHA3_512>(table, "SHA3-512", "sha3-512");
    hmac<cpp::RIPEMD160>(table, "RIPEMD-160", "ripemd160");
    hmac<cpp::SM3>(table, "SM3", "sm3");
    hmac<cpp::Tiger>(table, "Tiger", "tiger");
    hmac<cpp::Whirlpool>(table, "Whirlpool", "whirlpool");
    mac<cpp::BLAKE2b>(table, "BLAKE2b with key", "keyed-blake2b-512", 32, 0, 64, 128);
    mac<cpp::BLAKE2s>(table, "BLAKE2s with key", "keyed-blake2s-256", 32, 0, 32, 64);
#ifdef SHIM_HAS_8_1
    mac<cpp::Poly1305TLS>(table, "Poly1305TLS", "poly1305", 32, 0, 16, 16, true);
#endif
    mac<cpp::Poly1305<cpp::AES>>(table, "Poly1305(AES)", "poly1305-aes-128", 32, 16, 16, 16);
    mac<cpp::SipHash<2, 4, false>>(table, "SipHash-2-4", "siphash-2-4", 16, 0, 8, 8);
    mac<cpp::SipHash<4, 8, false>>(table, "SipHash-4-8", "siphash-4-8", 16, 0, 8, 8);
    mac<cpp::SipHash<2, 4, true>>(table, "SipHash-2-4-128", "siphash-2-4-128", 16, 0, 16, 8);
    mac<cpp::SipHash<4, 8, true>>(table, "SipHash-4-8-128", "siphash-4-8-128", 16, 0, 16, 8);
    mac<cpp::VMAC<cpp::AES, 64>>(table, "VMAC(AES)-64", "vmac-64-aes-128", 16, 16, 8, 128);
    mac<cpp::VMAC<cpp::AES, 128>>(table, "VMAC(AES)-128", "vmac-128-aes-128", 16, 16, 16, 128);
    mac<cpp::CBC_MAC<cpp::AES>>(table, "CBC-MAC(AES)", "cbc-mac-aes-128", 16, 0, 16, 16);
    mac<cpp::DMAC<cpp::AES>>(table, "DMAC(AES)", "dmac-aes-128", 16, 0, 16, 16);
    mac<cpp::TTMAC>(table, "Two-Track-MAC", "ttmac", 20, 0, 20, 64);
}

inline void further_ciphers(Table &table) {
    other_keys<cpp::AES>(table, "AES", "aes", {24, 32});
    other_keys<cpp::Camellia>(table, "Camellia", "camellia", {24, 32});
    other_keys<cpp::Twofish>(table, "Twofish", "twofish", {24, 32});
    other_keys<cpp::Serpent>(table, "Serpent", "serpent", {24, 32});
    other_keys<cpp::SEED>(table, "SEED", "seed", {});
    other_keys<cpp::SM4>(table, "SM4", "sm4", {});
    other_keys<cpp::DES_EDE3>(table, "DES-EDE3", "3des", {});
    other_keys<cpp::CAST128>(table, "CAST-128", "cast5", {16});
    other_keys<cpp::Blowfish>(table, "Blowfish", "blowfish", {16});
    large_tables<cpp::AES>(table, "AES", "aes");

    table.ask_code_path_of<cpp::BlockCipher, cpp::ARIA::Encryption>("ARIA");
    for (std::uint32_t key : {16, 24, 32}) {
        const KeyedName cipher = with_bits("", "ARIA", "aria", key);
        modes<cpp::ARIA>(table, cipher);
        further_modes<cpp::ARIA>(table, cipher);
    }
    no_rows<cpp::CAST256>(table, "CAST-256", "cast6", {16, 24, 32});
    no_rows<cpp::DES>(table, "DES", "des");
    no_rows<cpp::GOST>(table, "GOST", "gost28147");
    no_rows<cpp::IDEA>(table, "IDEA", "idea");
    // Its keys are taken with all their bits, which RFC 2268 lets one choose.
    no_rows<cpp::RC2>(table, "RC2", "rc2-gutmann", {16});
    no_rows<cpp::SHACAL2>(table, "SHACAL-2", "shacal2", {32, 64});
    no_rows<cpp::Threefish512>(table, "Threefish", "threefish", {64});
    no_rows<cpp::XTEA>(table, "XTEA", "xtea", {16});

    rare<cpp::CHAM64>(table, "CHAM-64", "cham-64", {16});
    rare<cpp::CHAM128>(table, "CHAM-128", "cham-128", {16, 32});
    rare<cpp::DES_EDE2>(table, "DES-EDE2", "3des-two-key", {16});
    rare<cpp::DES_XEX3>(table, "DES-XEX3", "desx-xex3", {24});
    rare<cpp::HIGHT>(table, "HIGHT", "hight", {16});
    rare<cpp::Kalyna128>(table, "Kalyna-128", "kalyna-128", {16, 32});
    rare<cpp::Kalyna256>(table, "Kalyna-256", "kalyna-256", {32, 64});
    rare<cpp::Kalyna512>(table, "Kalyna-512", "kalyna-512", {64});
    rare<cpp::LEA>(table, "LEA", "lea", {16, 24, 32});
    rare<cpp::MARS>(table, "MARS", "mars", {16, 24, 32});
    rare<cpp::RC6>(table, "RC6", "rc6", {16, 24, 32});
    rare<cpp::SAFER_K>(table, "SAFER-K", "safer-k", {8, 16});
    rare<cpp::SAFER_SK>(table, "SAFER-SK", "safer-sk", {8, 16});
    rare<cpp::SHARK>(table, "SHARK-E", "shark", {16});
    rare<cpp::SIMECK32>(table, "SIMECK-32", "simeck-32", {8});
    rare<cpp::SIMECK64>(table, "SIMECK-64", "simeck-64", {16});
    rare<cpp::SIMON64>(table, "SIMON-64", "simon-64", {12, 16});
    rare<cpp::SIMON128>(table, "SIMON-128", "simon-128", {16, 24, 32});
    rare<cpp::SKIPJACK>(table, "SKIPJACK", "skipjack", {10});
    rare<cpp::SPECK64>(table, "SPECK-64", "speck-64", {12, 16});
    rare<cpp::SPECK128>(table, "SPECK-128", "speck-128", {16, 24, 32});
    rare<cpp::Square>(table, "Square", "square", {16});
    rare<cpp::TEA>(table, "TEA", "tea", {16});
    rare<cpp::ThreeWay>(table, "3-Way", "3-way", {12});
    rare<cpp::Threefish256>(table, "Threefish", "threefish", {32});
    rare<cpp::Threefish1024>(table, "Threefish", "threefish", {128});
    // RFC 2040 suggests 12 rounds, and OpenSSL takes them; here 16 are usual.
    three_modes<cpp::RC5>(table, with_bits("", "RC5-12", "rc5", 16), {12});
    three_modes<cpp::RC5>(table, with_bits("", "RC5-16", "rc5-16", 16), {16});
}

inline void further_streams(Table &table) {
    stream<weak::ARC4>(table, with_bits("", "ARC4", "rc4", 16), 0);
    stream<weak::MARC4>(table, with_bits("", "MARC4", "rc4-drop256", 16), 0);
    stream<cpp::Salsa20>(table, {"", "Salsa20(256)", "salsa20", 32}, 8);
    stream<cpp::Salsa20>(table, {"", "Salsa20/12(256)", "salsa20-12", 32}, 8, {12});
    stream<cpp::Salsa20>(table, {"", "Salsa20/8(256)", "salsa20-8", 32}, 8, {8});
    stream<cpp::XSalsa20>(table, {"", "XSalsa20", "xsalsa20", 32}, 24);
    stream<cpp::ChaCha>(table, {"", "ChaCha20(256)", "chacha20-djb", 32}, 8);
    stream<cpp::ChaCha>(table, {"", "ChaCha12(256)", "chacha12-djb", 32}, 8, {12});
    stream<cpp::ChaCha>(table, {"", "ChaCha8(256)", "chacha8-djb", 32}, 8, {8});
    stream<cpp::HC128>(table, {"", "HC-128", "hc-128", 16}, 16);
    stream<cpp::HC256>(table, {"", "HC-256", "hc-256", 32}, 32);
    stream<cpp::Rabbit>(table, {"", "Rabbit without IV", "rabbit-128-without-iv", 16}, 0);
    stream<cpp::RabbitWithIV>(table, with_bits("", "Rabbit", "rabbit", 16), 8);
    stream<cpp::Sosemanuk>(table, with_bits("", "Sosemanuk", "sosemanuk", 16), 16);
    stream<cpp::Sosemanuk>(table, with_bits("", "Sosemanuk", "sosemanuk", 32), 16);
    stream<cpp::PanamaCipher<cpp::LittleEndian>>(
        table, with_bits("", "Panama-LE", "panama-le", 32), 32);
    stream<cpp::PanamaCipher<cpp::BigEndian>>(
        table, with_bits("", "Panama-BE", "panama-be", 32), 32);
    stream<cpp::SEAL<cpp::LittleEndian>>(table, with_bits("", "SEAL-3.0-LE", "seal-le", 20), 4);
    stream<cpp::SEAL<cpp::BigEndian>>(table, with_bits("", "SEAL-3.0-BE", "seal-be", 20), 4);
    stream<cpp::WAKE_OFB<cpp::LittleEndian>>(
        table, with_bits("", "WAKE-OFB-LE", "wake-ofb-le", 32), 0);
    stream<cpp::WAKE_OFB<cpp::BigEndian>>(
        table, with_bits("", "WAKE-OFB-BE", "wake-ofb-be", 32), 0);
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::Sosemanuk::Encryption>("Sosemanuk");
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::PanamaCipher<cpp::LittleEndian>::Encryption>("Panama");
#ifdef SHIM_HAS_8_1
    stream<cpp::ChaChaTLS>(table, {"", "ChaChaTLS", "chacha20", 32}, 12);
    stream<cpp::XChaCha20>(table, {"", "XChaCha20", "xchacha20", 32}, 24, {0, true});
    authenticated<cpp::XChaCha20Poly1305>(
        table, {"", "XChaCha20/Poly1305", "xchacha20-poly1305", 32}, {"", "", "", 24, 16});
#endif
}

template <class Hash>
void pbkdf2(const cpb_symmetric &workload) {
    cpp::PKCS5_PBKDF2_HMAC<Hash>().DeriveKey(
        workload.destination, workload.output_bytes, 0, workload.key, workload.key_bytes,
        workload.nonce, workload.nonce_bytes, static_cast<unsigned>(workload.iterations));
}

template <class Hash>
void hkdf(const cpb_symmetric &workload) {
    cpp::HKDF<Hash>().DeriveKey(workload.destination, workload.output_bytes, workload.key,
                                workload.key_bytes, workload.nonce, workload.nonce_bytes,
                                workload.aad, workload.aad_bytes);
}

// The iterations are what scrypt calls p.
inline void scrypt_1024_8(const cpb_symmetric &workload) {
    cpp::Scrypt().DeriveKey(workload.destination, workload.output_bytes, workload.key,
                            workload.key_bytes, workload.nonce, workload.nonce_bytes, 1024, 8,
                            workload.iterations);
}

// The parameters that were once suggested for logging in.
inline void scrypt_16384_8_1(const cpb_symmetric &workload) {
    cpp::Scrypt().DeriveKey(workload.destination, workload.output_bytes, workload.key,
                            workload.key_bytes, workload.nonce, workload.nonce_bytes, 16384, 8,
                            1);
}

template <class Hash>
void derivations_of(Table &table, const std::string &name, const std::string &primitive) {
    derivation(table, "PBKDF2(HMAC(" + name + "))", "pbkdf2-hmac-" + primitive, pbkdf2<Hash>);
    derivation(table, "HKDF(" + name + ")", "hkdf-" + primitive, hkdf<Hash>);
}

inline void derivations(Table &table) {
    derivations_of<weak::MD5>(table, "MD5", "md5");
    derivations_of<cpp::SHA1>(table, "SHA-1", "sha1");
    derivations_of<cpp::SHA224>(table, "SHA-224", "sha224");
    derivations_of<cpp::SHA256>(table, "SHA-256", "sha256");
    derivations_of<cpp::SHA384>(table, "SHA-384", "sha384");
    derivations_of<cpp::SHA512>(table, "SHA-512", "sha512");
    derivations_of<cpp::SHA3_256>(table, "SHA3-256", "sha3-256");
    derivations_of<cpp::SHA3_512>(table, "SHA3-512", "sha3-512");
    derivations_of<cpp::RIPEMD160>(table, "RIPEMD-160", "ripemd160");
    derivations_of<cpp::SM3>(table, "SM3", "sm3");
    derivations_of<cpp::Whirlpool>(table, "Whirlpool", "whirlpool");
    derivation(table, "scrypt(1024, 8)", "scrypt-1024-8", scrypt_1024_8);
    derivation(table, "scrypt(16384, 8, 1)", "scrypt-16384-8-1", scrypt_16384_8_1);
}

inline Table everything() {
    Table table;
    hash_rows(table);
    cipher_rows(table);
    further_hashes(table);
    macs(table);
    further_ciphers(table);
    further_streams(table);
    derivations(table);
    return table;
}

} // namespace shim
