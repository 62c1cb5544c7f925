// One implementation that Botan offers, as cpb_provider.h describes it.
#ifndef CPB_BOTAN_OFFERS_HPP
#define CPB_BOTAN_OFFERS_HPP

#include "../symmetric.h"

#include <cstdint>
#include <string>

namespace cpb {

// Which of Botan's classes does the work, and how it must be called.
enum class Kind {
    hash,
    xof,
    mac,
    one_time_mac, // discards its key with every tag
    block,        // a block cipher without a mode: ECB
    mode,
    stream,
    stateful_stream, // has no nonce: only a new key restarts it
    aead,
    pbkdf,
    scrypt,
    argon2,
    derivation
};

struct Offer {
    Kind kind = Kind::hash;
    // The name that Botan's `create` takes.
    std::string algorithm;
    std::string primitive;
    // Botan's own name, which bench-slopes passes to `create`.
    std::string spelling;
    std::string row_algorithm;
    std::string row_mode;
    // The group of its row in bench-slopes; null if it has none.
    const char *row_group = nullptr;
    // The lengths of key, nonce, and tag or digest; 0 if there is none.
    uint32_t key_bytes = 0;
    uint32_t nonce_bytes = 0;
    uint32_t tag_bytes = 0;
    cpb_symmetric_lengths lengths{};
    cpb_implementation shown{};
};

} // namespace cpb

#endif
