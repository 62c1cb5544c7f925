// One call with Botan's keys, for each operation.
#ifndef CPB_BOTAN_KEY_WORK_HPP
#define CPB_BOTAN_KEY_WORK_HPP

#include "key_families.hpp"

#include <string>

namespace cpb {

// A primitive: its kind of keys, their curve or size, and the padding of what it signs or
// encrypts.
struct Primitive {
    const char *primitive;
    const char *spelling;
    cpb_key_sizes sizes;
    const Family &family;
    const char *parameters;
    const char *padding;
};

inline Secret secret_of(const Primitive &how, const cpb_key_case &given) {
    return how.family.read_secret(how.parameters, given.in[CPB_SECRET_KEY]);
}

inline Public public_of(const Primitive &how, const cpb_key_case &given) {
    return how.family.read_public(how.parameters, given.in[CPB_PUBLIC_KEY]);
}

struct Generation {
    using How = Primitive;
    const Primitive &how;

    Generation(const Primitive &how, const cpb_key_case &) : how(how) {}

    void operator()(const cpb_key_case &given) {
        const Secret key = Botan::create_private_key(how.family.name, chance(), how.parameters);
        how.family.write_public(*key, given.out[CPB_PUBLIC_KEY]);
        how.family.write_secret(*key, given.out[CPB_SECRET_KEY]);
    }
};

// Botan computes the public key while it reads the secret one, so there is nothing to prepare.
struct PublicKeyOf {
    using How = Primitive;
    const Primitive &how;

    PublicKeyOf(const Primitive &how, const cpb_key_case &) : how(how) {}

    void operator()(const cpb_key_case &given) {
        how.family.write_public(*secret_of(how, given), given.out[CPB_PUBLIC_KEY]);
    }
};

// Botan takes the peer's key as bytes in each call.
struct Agreement {
    using How = Primitive;
    const Secret secret;
    Botan::PK_Key_Agreement agreement;

    Agreement(const Primitive &how, const cpb_key_case &given)
        : secret(secret_of(how, given)), agreement(*secret, chance(), "Raw") {}

    void operator()(const cpb_key_case &given) {
        const cpb_bytes &peer = given.in[CPB_PUBLIC_KEY], &room = given.out[CPB_SHARED_SECRET];
        const auto shared = agreement.derive_key(room.length, peer.bytes, peer.length);
        put(room, shared.begin(), shared.length());
    }
};

struct Signing {
    using How = Primitive;
    const Secret secret;
    Botan::PK_Signer signer;

    Signing(const Primitive &how, const cpb_key_case &given)
        : secret(secret_of(how, given)), signer(*secret, chance(), how.padding) {}

    void operator()(const cpb_key_case &given) {
        const cpb_bytes &message = given.in[CPB_MESSAGE];
        put(given.out[CPB_SIGNATURE], signer.sign_message(message.bytes, message.length, chance()));
    }
};

struct Verification {
    using How = Primitive;
    const Public key;
    Botan::PK_Verifier verifier;

    Verification(const Primitive &how, const cpb_key_case &given)
        : key(public_of(how, given)), verifier(*key, how.padding) {}

    void operator()(const cpb_key_case &given) {
        const cpb_bytes &message = given.in[CPB_MESSAGE], &signature = given.in[CPB_SIGNATURE];
        if (!verifier.verify_message(message.bytes, message.length, signature.bytes,
                                     signature.length)) {
            throw std::invalid_argument("Botan rejects the signature");
        }
    }
};

struct Encryption {
    using How = Primitive;
    const Public key;
    Botan::PK_Encryptor_EME encryptor;

    Encryption(const Primitive &how, const cpb_key_case &given)
        : key(public_of(how, given)), encryptor(*key, chance(), how.padding) {}

    void operator()(const cpb_key_case &given) {
        const cpb_bytes &secret = given.in[CPB_SHARED_SECRET];
        put(given.out[CPB_CIPHERTEXT], encryptor.encrypt(secret.bytes, secret.length, chance()));
    }
};

struct Decryption {
    using How = Primitive;
    const Secret secret;
    Botan::PK_Decryptor_EME decryptor;

    Decryption(const Primitive &how, const cpb_key_case &given)
        : secret(secret_of(how, given)), decryptor(*secret, chance(), how.padding) {}

    void operator()(const cpb_key_case &given) {
        const cpb_bytes &ciphertext = given.in[CPB_CIPHERTEXT];
        put(given.out[CPB_SHARED_SECRET], decryptor.decrypt(ciphertext.bytes, ciphertext.length));
    }
};

} // namespace cpb

#endif
