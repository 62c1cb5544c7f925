// Offers hashes, MACs and derivations.
#include "algorithms.hpp"
#include "headers.hpp"
#include "modes.hpp"
#include "table.hpp"

namespace shim {

void hash_rows(Table &table) {
    hash<cpp::BLAKE2b>(table, "BLAKE2b", "BLAKE2b", "blake2b-512");
    hash<cpp::BLAKE2s>(table, "BLAKE2s", "BLAKE2s", "blake2s-256");
    // A checksum's bytes are usually in the order in which the number is printed.
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

void further_hashes(Table &table) {
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
    // KS X 3262 names them after their word size, too.
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

template <class Hash> void hmac(Table &table, const char *name, const char *primitive) {
    mac<cpp::HMAC<Hash>>(table, std::string("HMAC(") + name + ")",
                         std::string("hmac-") + primitive, 32, 0, Hash::DIGESTSIZE,
                         Hash::BLOCKSIZE);
}

void macs(Table &table) {
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

template <class Hash> void pbkdf2(const cpb_symmetric &workload) {
    cpp::PKCS5_PBKDF2_HMAC<Hash>().DeriveKey(
        workload.destination, workload.output_bytes, 0, workload.key, workload.key_bytes,
        workload.nonce, workload.nonce_bytes, static_cast<unsigned>(workload.iterations));
}

template <class Hash> void hkdf(const cpb_symmetric &workload) {
    cpp::HKDF<Hash>().DeriveKey(workload.destination, workload.output_bytes, workload.key,
                                workload.key_bytes, workload.nonce, workload.nonce_bytes,
                                workload.aad, workload.aad_bytes);
}

// The iterations are scrypt's parameter p.
inline void scrypt_1024_8(const cpb_symmetric &workload) {
    cpp::Scrypt().DeriveKey(workload.destination, workload.output_bytes, workload.key,
                            workload.key_bytes, workload.nonce, workload.nonce_bytes, 1024, 8,
                            workload.iterations);
}

// These are the parameters once recommended for interactive logins.
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

void derivations(Table &table) {
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

} // namespace shim
