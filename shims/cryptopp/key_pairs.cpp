// Offers Crypto++'s key pairs. key_work.hpp has the work on each.
#include "groups.hpp"
#include "key_work.hpp"

#include <cryptopp/oids.h>

namespace {

using namespace shim;
using CryptoPP::PKCS1v15;
using CryptoPP::PSS;
using CryptoPP::SHA256;
using CryptoPP::SHA384;
using CryptoPP::SHA512;
namespace curves = CryptoPP::ASN1;

const OnCurve agreements[] = {
    {"ecdh-p256", "ECDH-secp256r1", CPB_CURVE(32), curves::secp256r1},
    {"ecdh-p384", "ECDH-secp384r1", CPB_CURVE(48), curves::secp384r1},
    {"ecdh-p521", "ECDH-secp521r1", CPB_CURVE(66), curves::secp521r1},
    {"ecdh-secp256k1", "ECDH-secp256k1", CPB_CURVE(32), curves::secp256k1},
    {"ecdh-brainpoolp256r1", "ECDH-brainpoolP256r1", CPB_CURVE(32), curves::brainpoolP256r1},
    {"ecdh-brainpoolp384r1", "ECDH-brainpoolP384r1", CPB_CURVE(48), curves::brainpoolP384r1},
    {"ecdh-brainpoolp512r1", "ECDH-brainpoolP512r1", CPB_CURVE(64), curves::brainpoolP512r1},
};

// Uses the hash that is as strong as the curve.
const OnCurve with_sha256[] = {
    {"ecdsa-p256", "ECDSA-secp256r1", CPB_CURVE(32), curves::secp256r1},
    {"ecdsa-secp256k1", "ECDSA-secp256k1", CPB_CURVE(32), curves::secp256k1},
    {"ecdsa-brainpoolp256r1", "ECDSA-brainpoolP256r1", CPB_CURVE(32), curves::brainpoolP256r1},
};
const OnCurve with_sha384[] = {
    {"ecdsa-p384", "ECDSA-secp384r1", CPB_CURVE(48), curves::secp384r1},
    {"ecdsa-brainpoolp384r1", "ECDSA-brainpoolP384r1", CPB_CURVE(48), curves::brainpoolP384r1},
};
const OnCurve with_sha512[] = {
    {"ecdsa-p521", "ECDSA-secp521r1", CPB_CURVE(66), curves::secp521r1},
    {"ecdsa-brainpoolp512r1", "ECDSA-brainpoolP512r1", CPB_CURVE(64), curves::brainpoolP512r1},
};

#define PKCS1_ROW(bits, bytes) {"rsa-" bits "-pkcs1", "RSA-" bits "-PKCS1v15", CPB_RSA(bytes)}
#define PSS_ROW(bits, bytes) {"rsa-" bits "-pss", "RSA-" bits "-PSS", CPB_RSA(bytes)}
#define OAEP_ROW(bits, bytes) {"rsa-" bits "-oaep", "RSA-" bits "-OAEP", CPB_RSA_OAEP(bytes)}
const Plain pkcs1[] = {CPB_RSA_ROWS(PKCS1_ROW)};
const Plain pss[] = {CPB_RSA_ROWS(PSS_ROW)};
const Plain oaep[] = {CPB_RSA_ROWS(OAEP_ROW)};

const InGroup ffdh[] = {
    {"ffdh-2048", "DH-ffdhe2048", CPB_FFDH(256), ffdhe2048},
    {"ffdh-3072", "DH-ffdhe3072", CPB_FFDH(384), ffdhe3072},
};

template <class Ready> void offer(std::uint32_t operation, const typename Ready::How &of) {
    cpb_offer_key(operation, of.primitive, of.spelling, &of.sizes, &cpb::Work<Ready>::value, &of);
}

template <class Domain> void offer_pairs(const typename Domain::How &of) {
    offer<Generation<Domain>>(CPB_KEYGEN, of);
    offer<PublicKeyOf<Domain>>(CPB_PUBLIC_KEY_OF, of);
}

template <class Keys> void offer_signatures(const typename Keys::How &of) {
    offer<Signing<Keys>>(CPB_SIGN, of);
    offer<Verification<Keys>>(CPB_VERIFY, of);
}

// Making a key pair does not depend on its later use.
template <class Hash, std::size_t count> void offer_ecdsa(const OnCurve (&all)[count]) {
    for (const OnCurve &of : all) {
        offer_pairs<CurveDomain>(of);
        offer_signatures<CurveKeys<Hash>>(of);
    }
}

#if defined(SHIM_HAS_25519)
const Plain x25519 = {"x25519", "x25519", CPB_MONTGOMERY(32)};
const Plain ed25519 = {"ed25519", "ed25519", CPB_EDWARDS(32)};

void offer_25519() {
    offer_pairs<X25519Domain>(x25519);
    offer<Agreement<X25519Domain>>(CPB_AGREE, x25519);
    offer<Ed25519Generation>(CPB_KEYGEN, ed25519);
    offer<Ed25519PublicKeyOf>(CPB_PUBLIC_KEY_OF, ed25519);
    offer_signatures<Ed25519Keys>(ed25519);
}
#else
void offer_25519() {}
#endif

void offer_everything() {
    offer_25519();
    for (const OnCurve &of : agreements) {
        offer_pairs<CurveDomain>(of);
        offer<Agreement<CurveDomain>>(CPB_AGREE, of);
    }
    for (const InGroup &of : ffdh) {
        offer_pairs<GroupDomain>(of);
        offer<Agreement<GroupDomain>>(CPB_AGREE, of);
    }
    offer_ecdsa<SHA256>(with_sha256);
    offer_ecdsa<SHA384>(with_sha384);
    offer_ecdsa<SHA512>(with_sha512);
    for (const Plain &of : pkcs1) {
        offer<RsaGeneration>(CPB_KEYGEN, of);
        offer_signatures<RsaKeys<PKCS1v15>>(of);
    }
    for (const Plain &of : pss) offer_signatures<RsaKeys<PSS>>(of);
    for (const Plain &of : oaep) {
        offer<Encryption>(CPB_PUBLIC_ENCRYPT, of);
        offer<Decryption>(CPB_PRIVATE_DECRYPT, of);
    }
}

const cpb_provider provider = CPB_KEY_PAIRS;

} // namespace

const cpb_provider *cpb_key_pairs(void) {
    // If the library's version differs from its headers', nothing is offered.
    if (cpb_key_offer_count == 0 && CryptoPP::LibraryVersion() == CRYPTOPP_VERSION)
        offer_everything();
    return &provider;
}
