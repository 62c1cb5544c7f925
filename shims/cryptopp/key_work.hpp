// One call with keys of Crypto++, for each operation.
//
// An agreement takes both keys as bytes in each call and checks the peer's; only the group
// is kept. The library checks other keys only if a program calls `Validate`, which this
// does not, since programs need not.
#pragma once

#include "../key_pairs.hpp"

#include <cryptopp/eccrypto.h>
#include <cryptopp/ecp.h>
#include <cryptopp/filters.h>
#include <cryptopp/osrng.h>
#include <cryptopp/pssr.h>
#include <cryptopp/rsa.h>
#include <cryptopp/sha.h>
#if __has_include(<cryptopp/xed25519.h>)
#include <cryptopp/xed25519.h>
#define SHIM_HAS_25519 1
#endif

namespace shim {

using cpb::put;

// Returns the random generator that the library provides for programs.
inline CryptoPP::RandomNumberGenerator &chance() {
    static CryptoPP::AutoSeededRandomPool generator;
    return generator;
}

inline void expect(bool is_right, const char *otherwise) {
    if (!is_right) throw std::invalid_argument(otherwise);
}

// Key pairs and agreement in a group. `Domain` makes it from a line of the table and keeps
// it.

template <class Domain> struct Generation {
    using How = typename Domain::How;
    Domain domain;

    Generation(const How &how, const cpb_key_case &) : domain(how) {}
    void operator()(const cpb_key_case &given) {
        domain.group.GenerateKeyPair(chance(), given.out[CPB_SECRET_KEY].bytes,
                                     given.out[CPB_PUBLIC_KEY].bytes);
    }
};

template <class Domain> struct PublicKeyOf {
    using How = typename Domain::How;
    Domain domain;

    PublicKeyOf(const How &how, const cpb_key_case &) : domain(how) {}
    void operator()(const cpb_key_case &given) {
        domain.group.GeneratePublicKey(chance(), given.in[CPB_SECRET_KEY].bytes,
                                       given.out[CPB_PUBLIC_KEY].bytes);
    }
};

template <class Domain> struct Agreement {
    using How = typename Domain::How;
    Domain domain;

    Agreement(const How &how, const cpb_key_case &) : domain(how) {}
    void operator()(const cpb_key_case &given) {
        expect(domain.group.Agree(given.out[CPB_SHARED_SECRET].bytes,
                                  given.in[CPB_SECRET_KEY].bytes, given.in[CPB_PUBLIC_KEY].bytes),
               "Crypto++ takes no such public key");
    }
};

// A primitive on a curve.
struct OnCurve {
    const char *primitive;
    const char *spelling;
    cpb_key_sizes sizes;
    CryptoPP::OID (*curve)();
};

struct CurveDomain {
    using How = OnCurve;
    CryptoPP::ECDH<CryptoPP::ECP>::Domain group;

    explicit CurveDomain(const OnCurve &how) : group(how.curve()) {}
};

// Signatures. `Keys` gives a signer or a verifier the key of a case.

template <class Keys> struct Signing {
    using How = typename Keys::How;
    typename Keys::Signer signer;

    Signing(const How &how, const cpb_key_case &given) {
        Keys::set_secret(signer, how, given.in[CPB_SECRET_KEY]);
        expect(signer.SignatureLength() == given.out[CPB_SIGNATURE].length,
               "the secret key is one of another length");
    }
    void operator()(const cpb_key_case &given) {
        const cpb_bytes &message = given.in[CPB_MESSAGE];
        signer.SignMessage(chance(), message.bytes, message.length,
                           given.out[CPB_SIGNATURE].bytes);
    }
};

template <class Keys> struct Verification {
    using How = typename Keys::How;
    typename Keys::Verifier verifier;

    Verification(const How &how, const cpb_key_case &given) {
        Keys::set_public(verifier, how, given.in[CPB_PUBLIC_KEY]);
    }
    void operator()(const cpb_key_case &given) {
        const cpb_bytes &message = given.in[CPB_MESSAGE], &signature = given.in[CPB_SIGNATURE];
        expect(verifier.VerifyMessage(message.bytes, message.length, signature.bytes,
                                      signature.length),
               "Crypto++ rejects the signature");
    }
};

template <class Hash> struct CurveKeys {
    using How = OnCurve;
    using Scheme = CryptoPP::ECDSA<CryptoPP::ECP, Hash>;
    using Signer = typename Scheme::Signer;
    using Verifier = typename Scheme::Verifier;
    using Group = CryptoPP::DL_GroupParameters_EC<CryptoPP::ECP>;

    static void set_secret(Signer &signer, const OnCurve &how, const cpb_bytes &bytes) {
        signer.AccessKey().Initialize(Group(how.curve()),
                                      CryptoPP::Integer(bytes.bytes, bytes.length));
    }
    static void set_public(Verifier &verifier, const OnCurve &how, const cpb_bytes &bytes) {
        const Group group(how.curve());
        CryptoPP::ECP::Point point;
        expect(group.GetCurve().DecodePoint(point, bytes.bytes, bytes.length),
               "Crypto++ finds no point in the public key");
        verifier.AccessKey().Initialize(group, point);
    }
};

// A primitive without further parameters.
struct Plain {
    const char *primitive;
    const char *spelling;
    cpb_key_sizes sizes;
};

inline void read_rsa_secret(CryptoPP::InvertibleRSAFunction &key, const cpb_bytes &bytes) {
    CryptoPP::ArraySource source(bytes.bytes, bytes.length, true);
    key.BERDecodePrivateKey(source, false, bytes.length);
}

inline void read_rsa_public(CryptoPP::RSAFunction &key, const cpb_bytes &bytes) {
    CryptoPP::ArraySource source(bytes.bytes, bytes.length, true);
    key.BERDecodePublicKey(source, false, bytes.length);
}

struct RsaGeneration {
    using How = Plain;
    unsigned bits;

    RsaGeneration(const Plain &how, const cpb_key_case &) : bits(8 * how.sizes.signature) {}
    void operator()(const cpb_key_case &given) {
        CryptoPP::InvertibleRSAFunction key;
        key.Initialize(chance(), bits, 65537);
        write(given.out[CPB_PUBLIC_KEY], [&](auto &sink) { key.DEREncodePublicKey(sink); });
        write(given.out[CPB_SECRET_KEY], [&](auto &sink) { key.DEREncodePrivateKey(sink); });
    }

  private:
    template <class Encode> static void write(const cpb_bytes &room, const Encode &encode) {
        CryptoPP::ArraySink sink(room.bytes, room.length);
        encode(sink);
        expect(sink.TotalPutLength() <= room.length, "Crypto++ made a longer key");
    }
};

template <class Padding> struct RsaKeys {
    using How = Plain;
    using Scheme = CryptoPP::RSASS<Padding, CryptoPP::SHA256>;
    using Signer = typename Scheme::Signer;
    using Verifier = typename Scheme::Verifier;

    static void set_secret(Signer &signer, const Plain &, const cpb_bytes &bytes) {
        read_rsa_secret(signer.AccessKey(), bytes);
    }
    static void set_public(Verifier &verifier, const Plain &, const cpb_bytes &bytes) {
        read_rsa_public(verifier.AccessKey(), bytes);
    }
};

using Oaep = CryptoPP::RSAES<CryptoPP::OAEP<CryptoPP::SHA256>>;

struct Encryption {
    using How = Plain;
    Oaep::Encryptor encryptor;

    Encryption(const How &, const cpb_key_case &given) {
        read_rsa_public(encryptor.AccessKey(), given.in[CPB_PUBLIC_KEY]);
        expect(encryptor.FixedCiphertextLength() == given.out[CPB_CIPHERTEXT].length,
               "the public key is one of another length");
    }
    void operator()(const cpb_key_case &given) {
        const cpb_bytes &secret = given.in[CPB_SHARED_SECRET];
        encryptor.Encrypt(chance(), secret.bytes, secret.length, given.out[CPB_CIPHERTEXT].bytes);
    }
};

struct Decryption {
    using How = Plain;
    Oaep::Decryptor decryptor;
    // Has room for the longest possible plaintext: the library may write more than the
    // right one has before it rejects a ciphertext.
    CryptoPP::SecByteBlock plaintext;

    Decryption(const How &, const cpb_key_case &given) {
        read_rsa_secret(decryptor.AccessKey(), given.in[CPB_SECRET_KEY]);
        plaintext.New(decryptor.FixedMaxPlaintextLength());
    }
    void operator()(const cpb_key_case &given) {
        const cpb_bytes &ciphertext = given.in[CPB_CIPHERTEXT];
        const auto found =
            decryptor.Decrypt(chance(), ciphertext.bytes, ciphertext.length, plaintext);
        expect(found.isValidCoding, "Crypto++ rejects the ciphertext");
        put(given.out[CPB_SHARED_SECRET], plaintext, found.messageLength);
    }
};

#if defined(SHIM_HAS_25519)
struct X25519Domain {
    using How = Plain;
    CryptoPP::x25519 group;

    explicit X25519Domain(const Plain &) {}
};

struct Ed25519Keys {
    using How = Plain;
    using Signer = CryptoPP::ed25519Signer;
    using Verifier = CryptoPP::ed25519Verifier;

    static CryptoPP::ed25519PrivateKey &key_of(Signer &signer) {
        return static_cast<CryptoPP::ed25519PrivateKey &>(signer.AccessPrivateKey());
    }
    // Makes the library derive the public key.
    static void set_secret(Signer &signer, const Plain &, const cpb_bytes &bytes) {
        signer.AccessPrivateKey().AssignFrom(CryptoPP::MakeParameters(
            CryptoPP::Name::PrivateExponent(),
            CryptoPP::ConstByteArrayParameter(bytes.bytes, bytes.length))(
            "DerivePublicKey", true));
    }
    static void set_public(Verifier &verifier, const Plain &, const cpb_bytes &bytes) {
        verifier.AccessPublicKey().AssignFrom(CryptoPP::MakeParameters(
            CryptoPP::Name::PublicElement(),
            CryptoPP::ConstByteArrayParameter(bytes.bytes, bytes.length)));
    }
};

// Nothing can be prepared for a key pair of Ed25519.

struct Ed25519Generation {
    using How = Plain;

    Ed25519Generation(const Plain &, const cpb_key_case &) {}
    void operator()(const cpb_key_case &given) {
        CryptoPP::ed25519Signer signer(chance());
        const auto &key = Ed25519Keys::key_of(signer);
        put(given.out[CPB_PUBLIC_KEY], key.GetPublicKeyBytePtr(), 32);
        put(given.out[CPB_SECRET_KEY], key.GetPrivateKeyBytePtr(), 32);
    }
};

struct Ed25519PublicKeyOf {
    using How = Plain;

    Ed25519PublicKeyOf(const Plain &, const cpb_key_case &) {}
    void operator()(const cpb_key_case &given) {
        CryptoPP::ed25519Signer signer(given.in[CPB_SECRET_KEY].bytes);
        put(given.out[CPB_PUBLIC_KEY], Ed25519Keys::key_of(signer).GetPublicKeyBytePtr(), 32);
    }
};
#endif

} // namespace shim
