// Reads and writes Botan's keys, which Botan 2 and Botan 3 do differently.
//
// Tested with Botan 2.19 and 3.13.
#ifndef CPB_BOTAN_KEY_FAMILIES_HPP
#define CPB_BOTAN_KEY_FAMILIES_HPP

#include "../key_pairs.hpp"

#include <botan/auto_rng.h>
#include <botan/bigint.h>
#include <botan/ec_group.h>
#include <botan/pk_algs.h>
#include <botan/pk_keys.h>
#include <botan/pubkey.h>
#include <botan/version.h>

#if defined(BOTAN_HAS_DIFFIE_HELLMAN)
#include <botan/dh.h>
#include <botan/dl_group.h>
#endif
#if defined(BOTAN_HAS_ECDH)
#include <botan/ecdh.h>
#endif
#if defined(BOTAN_HAS_ECDSA)
#include <botan/ecdsa.h>
#endif
#if defined(BOTAN_HAS_ED25519)
#include <botan/ed25519.h>
#endif
#if defined(BOTAN_HAS_ED448)
#include <botan/ed448.h>
#endif
#if defined(BOTAN_HAS_RSA)
#include <botan/rsa.h>
#endif
#if defined(BOTAN_HAS_X448)
#include <botan/x448.h>
#endif
#if defined(BOTAN_HAS_X25519) && BOTAN_VERSION_MAJOR >= 3
#include <botan/x25519.h>
#define SHIM_HAS_X25519 1
#elif defined(BOTAN_HAS_CURVE_25519)
#include <botan/curve25519.h>
#define SHIM_HAS_X25519 1
#endif

#include <memory>
#include <vector>

namespace cpb {

using Secret = std::unique_ptr<Botan::Private_Key>;
using Public = std::unique_ptr<Botan::Public_Key>;

// One of Botan's kinds of keys. `name` is what Botan's `create_private_key` takes.
struct Family {
    const char *name;
    Secret (*read_secret)(const char *parameters, const cpb_bytes &bytes);
    Public (*read_public)(const char *parameters, const cpb_bytes &bytes);
    void (*write_secret)(const Botan::Private_Key &key, const cpb_bytes &room);
    void (*write_public)(const Botan::Private_Key &key, const cpb_bytes &room);
};

inline void write_public(const Botan::Private_Key &key, const cpb_bytes &room) {
    put(room, key.public_key_bits());
}

// Returns the random generator that Botan provides for programs.
inline Botan::RandomNumberGenerator &chance() {
    static Botan::AutoSeeded_RNG generator;
    return generator;
}

inline std::vector<uint8_t> vector_of(const cpb_bytes &bytes) {
    return std::vector<uint8_t>(bytes.bytes, bytes.bytes + bytes.length);
}

inline Botan::secure_vector<uint8_t> secure_vector_of(const cpb_bytes &bytes) {
    return Botan::secure_vector<uint8_t>(bytes.bytes, bytes.bytes + bytes.length);
}

// Families whose keys are plain bytes.

template <class Key> Secret read_raw_secret(const char *, const cpb_bytes &bytes) {
    return std::make_unique<Key>(secure_vector_of(bytes));
}

template <class Key> Public read_raw_public(const char *, const cpb_bytes &bytes) {
    return std::make_unique<Key>(vector_of(bytes));
}

#if BOTAN_VERSION_MAJOR >= 3
template <class Key> void write_raw_secret(const Botan::Private_Key &key, const cpb_bytes &room) {
    put(room, key.raw_private_key_bits());
}
#elif defined(SHIM_HAS_X25519)
inline void write_x25519(const Botan::Private_Key &key, const cpb_bytes &room) {
    put(room, dynamic_cast<const Botan::X25519_PrivateKey &>(key).get_x());
}
#endif

#if defined(SHIM_HAS_X25519)
inline const Family x25519 = {
#if BOTAN_VERSION_MAJOR >= 3
    "X25519", read_raw_secret<Botan::X25519_PrivateKey>, read_raw_public<Botan::X25519_PublicKey>,
    write_raw_secret<Botan::X25519_PrivateKey>, write_public,
#else
    "Curve25519", read_raw_secret<Botan::X25519_PrivateKey>,
    read_raw_public<Botan::X25519_PublicKey>, write_x25519, write_public,
#endif
};
#endif

#if defined(BOTAN_HAS_X448)
inline const Family x448 = {"X448", read_raw_secret<Botan::X448_PrivateKey>,
                            read_raw_public<Botan::X448_PublicKey>,
                            write_raw_secret<Botan::X448_PrivateKey>, write_public};
#endif

#if defined(BOTAN_HAS_ED25519)
// Botan's secret key holds the seed and then the public key; only the seed is written.
inline void write_ed25519(const Botan::Private_Key &key, const cpb_bytes &room) {
#if BOTAN_VERSION_MAJOR >= 3
    const auto both = key.raw_private_key_bits();
#else
    const auto &both = dynamic_cast<const Botan::Ed25519_PrivateKey &>(key).get_private_key();
#endif
    put(room, both.data(), both.size() == 64 ? 32 : both.size());
}

inline const Family ed25519 = {"Ed25519", read_raw_secret<Botan::Ed25519_PrivateKey>,
                               read_raw_public<Botan::Ed25519_PublicKey>, write_ed25519,
                               write_public};
#endif

#if defined(BOTAN_HAS_ED448)
inline const Family ed448 = {"Ed448", read_raw_secret<Botan::Ed448_PrivateKey>,
                             read_raw_public<Botan::Ed448_PublicKey>,
                             write_raw_secret<Botan::Ed448_PrivateKey>, write_public};
#endif

// Families whose keys are on a curve, which is given by name.

template <class Key> Secret read_number(const char *curve, const cpb_bytes &bytes) {
    const Botan::BigInt number(bytes.bytes, bytes.length);
    // Botan would draw a random key in place of 0.
    if (number.is_zero()) throw std::invalid_argument("a secret key is not 0");
    return std::make_unique<Key>(chance(), Botan::EC_Group(curve), number);
}

template <class Key> Public read_point(const char *curve, const cpb_bytes &bytes) {
    const Botan::EC_Group group(curve);
    return std::make_unique<Key>(group, group.OS2ECP(bytes.bytes, bytes.length));
}

inline void write_number(const Botan::Private_Key &key, const cpb_bytes &room) {
    const auto &number = dynamic_cast<const Botan::EC_PrivateKey &>(key).private_value();
    number.binary_encode(room.bytes, room.length);
}

#if defined(BOTAN_HAS_ECDH)
inline const Family ecdh = {"ECDH", read_number<Botan::ECDH_PrivateKey>,
                            read_point<Botan::ECDH_PublicKey>, write_number, write_public};
#endif
#if defined(BOTAN_HAS_ECDSA)
inline const Family ecdsa = {"ECDSA", read_number<Botan::ECDSA_PrivateKey>,
                             read_point<Botan::ECDSA_PublicKey>, write_number, write_public};
#endif

#if defined(BOTAN_HAS_RSA)
inline Secret read_rsa_secret(const char *, const cpb_bytes &bytes) {
    return std::make_unique<Botan::RSA_PrivateKey>(Botan::AlgorithmIdentifier(),
                                                   secure_vector_of(bytes));
}

inline Public read_rsa_public(const char *, const cpb_bytes &bytes) {
    return std::make_unique<Botan::RSA_PublicKey>(Botan::AlgorithmIdentifier(), vector_of(bytes));
}

// Botan's DER of RSA keys is that of PKCS #1.
inline void write_rsa_secret(const Botan::Private_Key &key, const cpb_bytes &room) {
    const auto der = key.private_key_bits();
    put_der(room, der.data(), der.size());
}

inline const Family rsa = {"RSA", read_rsa_secret, read_rsa_public, write_rsa_secret,
                           write_public};
#endif

#if defined(BOTAN_HAS_DIFFIE_HELLMAN)
inline Secret read_exponent(const char *group, const cpb_bytes &bytes) {
    const Botan::BigInt number(bytes.bytes, bytes.length);
    // Botan would draw a random key in place of 0.
    if (number.is_zero()) throw std::invalid_argument("a secret key is not 0");
#if BOTAN_VERSION_MAJOR >= 3
    return std::make_unique<Botan::DH_PrivateKey>(Botan::DL_Group::from_name(group), number);
#else
    return std::make_unique<Botan::DH_PrivateKey>(chance(), Botan::DL_Group(group), number);
#endif
}

inline void write_exponent(const Botan::Private_Key &key, const cpb_bytes &room) {
#if BOTAN_VERSION_MAJOR >= 3
    const auto number = key.get_int_field("x");
#else
    const auto &number = dynamic_cast<const Botan::DH_PrivateKey &>(key).get_x();
#endif
    if (number.bytes() > room.length) throw std::length_error("the secret key is longer");
    number.binary_encode(room.bytes, room.length);
}

// Writes the number, which is what a peer receives; `public_key_bits` would be DER.
inline void write_power(const Botan::Private_Key &key, const cpb_bytes &room) {
    put(room, dynamic_cast<const Botan::DH_PrivateKey &>(key).public_value());
}

// There is no function that reads public keys: `Agreement` takes the peer's as bytes.
inline const Family dh = {"DH", read_exponent, nullptr, write_exponent, write_power};
#endif

} // namespace cpb

#endif
