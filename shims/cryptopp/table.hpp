// The table of implementations, and the templates that add its lines.
#pragma once

#include "work.hpp"

#include <deque>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace shim {

// One implementation: its description, and a function that prepares its workloads.
struct Implementation {
    std::string primitive;
    std::string spelling;
    std::uint32_t operation;
    std::uint32_t key = 0;
    std::uint32_t nonce = 0;
    std::uint32_t output = 0;
    std::uint32_t block = 0;
    std::uint32_t granularity = 1;
    std::string backend = "default";
    // The row in bench-slopes; there is none if the group is empty.
    std::string row_group{};
    std::string row_algorithm{};
    std::string row_mode{};
    std::function<std::unique_ptr<Call>(const cpb_symmetric &)> prepare{};

    cpb_symmetric_lengths lengths{};

    // Returns the description for cpb. The line must not move afterwards.
    cpb_implementation face() {
        lengths = cpb_symmetric_usual(operation, primitive.c_str(), key, nonce, output);
        const bool row = !row_group.empty();
        return {primitive.c_str(),
                spelling.c_str(),
                backend.c_str(),
                operation,
                backend == "default",
                lengths.all,
                lengths.count,
                granularity,
                block,
                row ? row_group.c_str() : nullptr,
                row ? row_algorithm.c_str() : nullptr,
                row ? row_mode.c_str() : nullptr};
    }
};

// The implementations, and for each algorithm a function that returns its code
// path.
struct Table {
    std::deque<Implementation> lines;
    std::deque<std::pair<std::string, std::string (*)()>> code_paths;

    // Adds a line, with a row if `row_algorithm` is not empty.
    void add(Implementation line, const char *group, const std::string &row_algorithm,
             const char *row_mode) {
        if (!row_algorithm.empty()) {
            line.row_group = group;
            line.row_algorithm = row_algorithm;
            line.row_mode = row_mode;
        }
        lines.push_back(std::move(line));
    }
    template <class Interface, class Class> void ask_code_path_of(const char *name) {
        code_paths.emplace_back(name, [] {
            const Class object;
            return static_cast<const Interface &>(object).AlgorithmProvider();
        });
    }
};

// Whether all keys of a block cipher have the same length.
template <class Block>
constexpr bool one_key_length = int{Block::MIN_KEYLENGTH} == int{Block::MAX_KEYLENGTH};

// The length of a hash's compression block; 0 if it has none.
template <class Hash, class = void> struct BlockOf : std::integral_constant<std::uint32_t, 0> {};
template <class Hash>
struct BlockOf<Hash, std::void_t<decltype(Hash::BLOCKSIZE)>>
    : std::integral_constant<std::uint32_t, Hash::BLOCKSIZE> {};

// Hashes. ------------------------------------------------------------------

// Whether a checksum's bytes are in the usual order.
enum class Order { as_is, reversed };

// Adds a hash of `digest` bytes, made by `Hash(arguments...)`. `row` is the name of
// its row, or empty.
template <class Hash, auto... arguments>
void hash(Table &table, const char *row, const char *name, const char *primitive,
          std::uint32_t digest = Hash::DIGESTSIZE, Order order = Order::as_is) {
    Implementation line{primitive, name, CPB_HASH, 0, 0, digest, BlockOf<Hash>::value};
    line.prepare = [order](const cpb_symmetric &workload) {
        auto call = ready(workload, maker<CryptoPP::HashTransformation, Hash, arguments...>(),
                          Digest{workload});
        call->reversed = order == Order::reversed;
        return call;
    };
    table.add(std::move(line), "hash", row, "");
    if constexpr (sizeof...(arguments) == 0)
        table.ask_code_path_of<CryptoPP::HashTransformation, Hash>(name);
}

template <class Hash> void xof(Table &table, const char *name, const char *primitive) {
    Implementation line{primitive, name, CPB_XOF, 0, 0, 0, BlockOf<Hash>::value};
    line.prepare = [](const cpb_symmetric &workload) {
        return ready(workload, maker<CryptoPP::HashTransformation, Hash>(), Digest{workload});
    };
    table.add(std::move(line), "", "", "");
}

// MACs. --------------------------------------------------------------------

// Adds a MAC whose key, nonce and tag have these lengths in bytes. With `one_time`,
// a key serves one message only.
template <class Mac>
void mac(Table &table, const std::string &name, const std::string &primitive, std::uint32_t key,
         std::uint32_t nonce, std::uint32_t tag, std::uint32_t block, bool one_time = false) {
    Implementation line{primitive, name, CPB_MAC, key, nonce, tag, block};
    line.prepare = [one_time](const cpb_symmetric &workload) {
        return ready(workload, maker<CryptoPP::MessageAuthenticationCode, Mac>(),
                     Tag{workload, one_time});
    };
    table.add(std::move(line), "", "", "");
}

// Ciphers. -----------------------------------------------------------------

// A cipher with one key length: its name in bench-slopes, its spelling, and its
// canonical name.
struct KeyedName {
    // Empty if bench-slopes has no rows of it.
    std::string row;
    std::string spelling;
    std::string primitive;
    std::uint32_t key;
};

// A mode or stream cipher without a tag.
struct Plain {
    const char *spelling;  // "/CBC"; empty for a stream cipher
    const char *primitive; // "-cbc"
    const char *row;       // "CBC "; the direction follows
    std::uint32_t nonce;
    std::uint32_t granularity;
    Settings settings = {};
};

inline Implementation plain_line(const KeyedName &cipher, const Plain &mode,
                                 std::uint32_t operation) {
    return {cipher.primitive + mode.primitive, cipher.spelling + mode.spelling, operation,
            cipher.key, mode.nonce, 0, 0, mode.granularity};
}

// Adds both directions of a mode. `Work` gets the objects that these makers
// construct.
template <class Work>
void two_lines(Table &table, const KeyedName &cipher, const Plain &mode,
               Maker<typename Work::Interface> encryption,
               Maker<typename Work::Interface> decryption) {
    const auto add = [&](std::uint32_t operation, const auto &made, const char *direction) {
        Implementation line = plain_line(cipher, mode, operation);
        line.prepare = [made, settings = mode.settings](const cpb_symmetric &workload) {
            return ready(workload, made, Work{workload, settings});
        };
        table.add(std::move(line), "cipher", cipher.row,
                  (mode.row + std::string(direction)).c_str());
    };
    add(CPB_ENCRYPT, encryption, "enc");
    add(CPB_DECRYPT, decryption, "dec");
}

// Does the same for a mode whose class contains its cipher.
template <class Mode, Begin begin>
void both_directions(Table &table, const KeyedName &cipher, const Plain &mode) {
    using CryptoPP::SymmetricCipher;
    two_lines<Cipher<begin>>(table, cipher, mode,
                             maker<SymmetricCipher, typename Mode::Encryption>(),
                             maker<SymmetricCipher, typename Mode::Decryption>());
}

// Adds a stream cipher, whose two directions are the same work.
template <class Stream>
void stream(Table &table, const KeyedName &cipher, std::uint32_t nonce, Settings settings = {}) {
    Implementation line = plain_line(cipher, {"", "", "", nonce, 1}, CPB_ENCRYPT);
    line.prepare = [nonce, settings](const cpb_symmetric &workload) {
        const auto made = maker<CryptoPP::SymmetricCipher, typename Stream::Encryption>();
        return nonce ? ready(workload, made, Cipher<Begin::with_nonce>{workload, settings})
                     : ready(workload, made, Cipher<Begin::with_key>{workload, settings});
    };
    table.add(std::move(line), "cipher", cipher.row, "STREAM enc/dec");
}

// Authenticated encryption. --------------------------------------------------

struct Aead {
    const char *spelling;  // "/GCM"
    const char *primitive; // "-gcm"
    const char *row;       // "GCM "
    std::uint32_t nonce;
    std::uint32_t tag;
    bool lengths_first = false;
    const char *backend = "default";
};

inline Implementation sealing_line(const KeyedName &cipher, const Aead &mode,
                                   std::uint32_t operation) {
    return {cipher.primitive + mode.primitive, cipher.spelling + mode.spelling, operation,
            cipher.key, mode.nonce, mode.tag, 0, 1, mode.backend};
}

// Adds the operations seal, open and authenticate.
template <class Mode>
void authenticated(Table &table, const KeyedName &cipher, const Aead &mode) {
    using CryptoPP::AuthenticatedSymmetricCipher;
    const auto encrypting = [] {
        return maker<AuthenticatedSymmetricCipher, typename Mode::Encryption>();
    };
    const auto decrypting = [] {
        return maker<AuthenticatedSymmetricCipher, typename Mode::Decryption>();
    };
    const auto parts = [mode](const cpb_symmetric &workload) {
        return Authenticated{workload, mode.tag, mode.lengths_first};
    };
    const auto add = [&](std::uint32_t operation, const char *step, auto prepare) {
        Implementation line = sealing_line(cipher, mode, operation);
        line.prepare = prepare;
        table.add(std::move(line), "cipher", cipher.row, (mode.row + std::string(step)).c_str());
    };
    add(CPB_SEAL, "enc", [=](const cpb_symmetric &workload) {
        return ready(workload, encrypting(), Seal{parts(workload)});
    });
    add(CPB_OPEN, "dec", [=](const cpb_symmetric &workload) {
        return ready(workload, decrypting(), Open{parts(workload)});
    });
    add(CPB_AUTH, "auth", [=](const cpb_symmetric &workload) {
        return ready(workload, encrypting(), Auth{parts(workload)});
    });
}

// Adds GMAC, which is GCM of an empty message with cpb's message as associated
// data.
template <class Mode> void gmac(Table &table, const KeyedName &cipher) {
    Implementation line{"gmac-" + cipher.primitive, cipher.spelling + "/GCM as GMAC", CPB_MAC,
                        cipher.key, 12, 16};
    line.prepare = [](const cpb_symmetric &workload) {
        return ready(workload,
                     maker<CryptoPP::AuthenticatedSymmetricCipher, typename Mode::Encryption>(),
                     Auth{{workload, 16, false}});
    };
    table.add(std::move(line), "", "", "");
}

// Derivations. ---------------------------------------------------------------

inline void derivation(Table &table, const std::string &name, const std::string &primitive,
                       void (*derive)(const cpb_symmetric &)) {
    Implementation line{primitive, name, CPB_DERIVE, 16, 16};
    line.prepare = [derive](const cpb_symmetric &workload) -> std::unique_ptr<Call> {
        auto call = std::make_unique<Loop<Derivation>>(derive, workload);
        call->output = {workload.destination, workload.output_bytes};
        return call;
    };
    table.add(std::move(line), "", "", "");
}

} // namespace shim
