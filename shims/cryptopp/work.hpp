// One call with an object of the library, for each operation.
//
// Every class of work has the same parts: `key` prepares a new object for a
// message, `start` prepares a keyed one for the next, and `process` handles the
// message. `as_bench_slopes` makes the call that bench-slopes times.
#pragma once

#include "call.hpp"

#include <cryptopp/algparam.h>
#include <cryptopp/argnames.h>
#include <cryptopp/cryptlib.h>

#include <stdexcept>

namespace shim {

// Parameters of an algorithm besides its key.
struct Settings {
    // 0 stands for the algorithm's usual number.
    int rounds = 0;
    // Without this, XChaCha20 begins with block 1.
    bool from_block_0 = false;
};

// Sets the key, together with the nonce if there is one, because the library then
// does not take the key alone.
template <class Keyable>
void set_key(Keyable &object, const cpb_symmetric &workload, Settings settings = {}) {
    namespace Name = CryptoPP::Name;
    if (settings.rounds || settings.from_block_0) {
        CryptoPP::AlgorithmParameters parameters;
        if (settings.rounds) parameters(Name::Rounds(), settings.rounds);
        if (settings.from_block_0) parameters("InitialBlock", CryptoPP::word64{0});
        if (workload.nonce_bytes)
            parameters(Name::IV(),
                       CryptoPP::ConstByteArrayParameter(workload.nonce, workload.nonce_bytes));
        object.SetKey(workload.key, workload.key_bytes, parameters);
    } else if (workload.nonce_bytes) {
        object.SetKeyWithIV(workload.key, workload.key_bytes, workload.nonce,
                            workload.nonce_bytes);
    } else {
        object.SetKey(workload.key, workload.key_bytes);
    }
}

// Computes hashes and XOFs. Finalising also restarts them, as the library
// documents.
struct Digest {
    using Interface = CryptoPP::HashTransformation;
    cpb_symmetric workload;

    void key(Interface &) {}
    void start(Interface &) {}
    void process(Interface &hash) {
        hash.Update(workload.message, workload.message_bytes);
        hash.TruncatedFinal(workload.destination, workload.output_bytes);
    }
    void shortest_nonce(Interface &) {}
    void as_bench_slopes(Interface &hash) {
        hash.Update(workload.message, workload.message_bytes);
        hash.Final(workload.destination);
        hash.Restart();
    }
    Output output(bool) const { return {workload.destination, workload.output_bytes}; }
};

// Computes MACs, with or without a nonce. bench-slopes has no rows of them.
struct Tag {
    using Interface = CryptoPP::MessageAuthenticationCode;
    cpb_symmetric workload;
    bool one_time;

    void key(Interface &mac) { set_key(mac, workload); }
    void start(Interface &mac) {
        if (one_time)
            key(mac);
        else if (workload.nonce_bytes)
            mac.Resynchronize(workload.nonce, static_cast<int>(workload.nonce_bytes));
    }
    void process(Interface &mac) {
        mac.Update(workload.message, workload.message_bytes);
        mac.TruncatedFinal(workload.destination, workload.output_bytes);
    }
    void shortest_nonce(Interface &) {}
    void as_bench_slopes(Interface &mac) { process(mac); }
    Output output(bool) const { return {workload.destination, workload.output_bytes}; }
};

// How a cipher begins its next message.
enum class Begin { with_nonce, with_key, at_once };

// Encrypts or decrypts with ciphers without a tag.
template <Begin begin> struct Cipher {
    using Interface = CryptoPP::SymmetricCipher;
    cpb_symmetric workload;
    Settings settings;

    void key(Interface &cipher) { set_key(cipher, workload, settings); }
    void start(Interface &cipher) {
        if constexpr (begin == Begin::with_nonce)
            cipher.Resynchronize(workload.nonce, static_cast<int>(workload.nonce_bytes));
        // A keystream without a nonce can only be restarted with the key.
        if constexpr (begin == Begin::with_key) key(cipher);
    }
    void process(Interface &cipher) {
        cipher.ProcessData(workload.destination, workload.message, workload.message_bytes);
    }
    void shortest_nonce(Interface &) {}
    void as_bench_slopes(Interface &cipher) {
        cipher.ProcessString(workload.message, workload.message_bytes);
    }
    Output output(bool compat) const {
        return compat ? Output{} : Output{workload.destination, workload.message_bytes};
    }
};

// The common part of the three operations of authenticated encryption.
struct Authenticated {
    using Interface = CryptoPP::AuthenticatedSymmetricCipher;
    static constexpr std::size_t longest_tag = 64;
    cpb_symmetric workload;
    std::size_t tag_bytes;
    // Whether the lengths must be set in advance, as CCM requires.
    bool lengths_first;
    int shortest = 0;
    Byte tag[longest_tag] = {};

    void key(Interface &cipher) { set_key(cipher, workload); }
    void start(Interface &cipher) {
        cipher.Resynchronize(workload.nonce, static_cast<int>(workload.nonce_bytes));
    }
    void shortest_nonce(Interface &cipher) { shortest = static_cast<int>(cipher.MinIVLength()); }
    void as_bench_slopes(Interface &cipher) {
        cipher.Resynchronize(workload.nonce, shortest);
        cipher.ProcessString(workload.message, workload.message_bytes);
        cipher.TruncatedFinal(tag, tag_bytes);
        cipher.Restart();
    }

  protected:
    void begin(Interface &cipher) {
        if (lengths_first) cipher.SpecifyDataLengths(workload.aad_bytes, workload.message_bytes);
        cipher.Update(workload.aad, workload.aad_bytes);
    }
};

struct Seal : Authenticated {
    void process(Interface &cipher) {
        begin(cipher);
        cipher.ProcessData(workload.destination, workload.message, workload.message_bytes);
        cipher.TruncatedFinal(workload.destination + workload.message_bytes, tag_bytes);
    }
    Output output(bool compat) const {
        return compat ? Output{}
                      : Output{workload.destination, workload.message_bytes + tag_bytes};
    }
};

struct Open : Authenticated {
    void process(Interface &cipher) {
        begin(cipher);
        cipher.ProcessData(workload.destination, workload.message, workload.message_bytes);
        if (!cipher.TruncatedVerify(workload.tag, workload.tag_bytes))
            throw std::runtime_error("the tag did not verify");
    }
    Output output(bool compat) const {
        return compat ? Output{} : Output{workload.destination, workload.message_bytes};
    }
};

// Authenticates the message as the associated data of an empty plaintext.
struct Auth : Authenticated {
    void process(Interface &cipher) {
        if (lengths_first) cipher.SpecifyDataLengths(workload.message_bytes, 0);
        cipher.Update(workload.message, workload.message_bytes);
        cipher.TruncatedFinal(workload.destination, tag_bytes);
    }
    void as_bench_slopes(Interface &cipher) {
        cipher.Resynchronize(workload.nonce, shortest);
        cipher.Update(workload.message, workload.message_bytes);
        cipher.TruncatedFinal(tag, tag_bytes);
        cipher.Restart();
    }
    Output output(bool compat) const {
        return compat ? Output{} : Output{workload.destination, tag_bytes};
    }
};

// A derivation creates all its objects in every call.
struct Derivation {
    void (*derive)(const cpb_symmetric &);
    cpb_symmetric workload;

    void operator()() { derive(workload); }
};

} // namespace shim
