// Queries Botan for each candidate of the tables, and describes those that it has.
#ifndef CPB_BOTAN_CATALOGUE_HPP
#define CPB_BOTAN_CATALOGUE_HPP

#include "library.hpp"
#include "offers.hpp"
#include "tables.hpp"

#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cpb {

// Returns a null pointer where Botan has no code for what is requested. Depending on the
// class, Botan reports that with a null pointer or with an exception.
template <typename Make> auto ask(Make make) -> decltype(make()) {
    try {
        return make();
    } catch (const std::exception &) {
        return nullptr;
    }
}

class Catalogue {
  public:
    std::vector<Offer> everything() {
        for (const auto &name : hashes) {
            if (name.has_row) add_hash(name);
        }
        for (const auto &name : ciphers) {
            if (name.has_rows) add_modes(name, name.key_bytes.front(), true);
        }
        for (const auto &name : streams) {
            if (name.row_algorithm != nullptr) add_stream(name);
        }
        add_extras();
        // The vector grows no further, so pointers to its strings stay valid.
        for (auto &offer : offers_) {
            offer.shown.primitive = offer.primitive.c_str();
            offer.lengths = cpb_symmetric_usual(offer.shown.operation, offer.shown.primitive,
                                                offer.key_bytes, offer.nonce_bytes,
                                                offer.tag_bytes);
            offer.shown.lengths = offer.lengths.all;
            offer.shown.length_count = offer.lengths.count;
            offer.shown.spelling = offer.spelling.c_str();
            offer.shown.row_group = offer.row_group;
            offer.shown.row_algorithm = offer.row_algorithm.c_str();
            offer.shown.row_mode = offer.row_mode.c_str();
        }
        return std::move(offers_);
    }

    // Considers only algorithms whose name occurs in the spelling `wanted`, or all if
    // `wanted` is empty.
    explicit Catalogue(std::string wanted) : wanted_(std::move(wanted)) {}

  private:
    std::vector<Offer> offers_;
    std::string wanted_;

    bool wants(const std::string &algorithm) const {
        return wanted_.empty() || wanted_.find(algorithm) != std::string::npos;
    }

    bool is_wanted(const std::string &spelling) const {
        return wanted_.empty() || wanted_ == spelling;
    }

    void add_extras() {
        for (const auto &name : hashes) {
            if (!name.has_row) add_hash(name);
        }
        for (const auto &name : ciphers) {
            if (!wants(name.algorithm)) continue;
            for (const uint32_t key_bytes : name.key_bytes) {
                const bool has_rows = name.has_rows && key_bytes == name.key_bytes.front();
                if (!has_rows) add_modes(name, key_bytes, true);
                add_modes(name, key_bytes, false);
                add_cipher_macs(name, key_bytes);
            }
        }
        for (const auto &name : streams) {
            if (name.row_algorithm == nullptr) add_stream(name);
        }
        for (const auto &name : macs) {
            add_mac(name.algorithm, name.algorithm, name.primitive, name.key_bytes, 0, 0);
        }
        for (const auto &name : hashes) {
            if (!wants(name.algorithm)) continue;
            const auto hash = ask([&] { return Botan::HashFunction::create(name.algorithm); });
            if (!hash || is_xof(name.algorithm)) continue;
            const std::string algorithm = std::string("HMAC(") + name.algorithm + ")";
            add_mac(algorithm, algorithm, std::string("hmac-") + name.primitive, 32, 0,
                    hash->hash_block_size());
        }
        for (const auto &name : hashes) {
            const std::string hash = name.algorithm;
            if (is_xof(hash)) continue;
            add_derivation(Kind::pbkdf, "PBKDF2(" + hash + ")",
                           std::string("pbkdf2-hmac-") + name.primitive);
            add_derivation(Kind::derivation, "HKDF(" + hash + ")",
                           std::string("hkdf-") + name.primitive);
        }
        for (const auto &name : derivations) {
            add_derivation(name.kind, name.algorithm, name.primitive);
        }
    }

    static bool is_xof(const std::string &hash) { return hash.rfind("SHAKE-", 0) == 0; }

    // Appends an offer, which the caller completes.
    Offer &add(Kind kind, cpb_operation operation, std::string algorithm, std::string spelling,
               std::string primitive) {
        Offer offer;
        offer.kind = kind;
        offer.algorithm = std::move(algorithm);
        offer.spelling = std::move(spelling);
        offer.primitive = std::move(primitive);
        offer.shown.backend = "default";
        offer.shown.is_default = 1;
        offer.shown.operation = operation;
        offer.shown.granularity = 1;
        offers_.push_back(std::move(offer));
        return offers_.back();
    }

    static void set_row(Offer &offer, const char *group, std::string algorithm, std::string mode) {
        offer.row_group = group;
        offer.row_algorithm = std::move(algorithm);
        offer.row_mode = std::move(mode);
    }

    void add_hash(const HashName &name) {
        if (!wants(name.algorithm)) return;
        const auto hash = ask([&] { return Botan::HashFunction::create(name.algorithm); });
        if (!hash) return;
        const bool xof = is_xof(name.algorithm);
        auto &offer = add(xof ? Kind::xof : Kind::hash, xof ? CPB_XOF : CPB_HASH, name.algorithm,
                          name.algorithm, name.primitive);
        offer.shown.block_bytes = static_cast<uint32_t>(hash->hash_block_size());
        offer.tag_bytes = xof ? 0 : static_cast<uint32_t>(hash->output_length());
        if (name.has_row) set_row(offer, "hash", name.algorithm, "");
    }

    static std::string cipher_primitive(const CipherName &name, uint32_t key_bytes) {
        const std::string primitive = name.primitive;
        return name.names_bits ? primitive + "-" + std::to_string(8 * key_bytes) : primitive;
    }

    // Distinguishes the key lengths of one cipher. The first length gets no remark, since
    // bench-slopes passes that spelling to Botan.
    static std::string key_remark(const CipherName &name, uint32_t key_bytes) {
        return key_bytes == name.key_bytes.front()
                   ? ""
                   : ", " + std::to_string(8 * key_bytes) + "-bit key";
    }

    void add_modes(const CipherName &name, uint32_t key_bytes, bool of_rows) {
        if (!wants(name.algorithm)) return;
        const auto cipher = ask([&] { return Botan::BlockCipher::create(name.algorithm); });
        if (!cipher || !cipher->valid_keylength(key_bytes)) return;
        for (const auto &mode : modes) {
            if (mode.has_rows == of_rows) add_mode(name, *cipher, key_bytes, mode);
        }
    }

    void add_mode(const CipherName &name, const Botan::BlockCipher &cipher, uint32_t key_bytes,
                  const ModeName &mode) {
        const std::string plain = mode.kind == Kind::stream
                                      ? std::string(mode.name) + "(" + name.algorithm + ")"
                                      : std::string(name.algorithm) + "/" + mode.name;
        const auto block = static_cast<uint32_t>(cipher.block_size());
        Offer offer;
        offer.kind = mode.kind;
        offer.algorithm = mode.kind == Kind::block ? name.algorithm : plain + mode.suffix;
        offer.spelling = plain + key_remark(name, key_bytes);
        offer.primitive = cipher_primitive(name, key_bytes) + "-" + mode.primitive;
        offer.key_bytes = key_bytes * mode.keys;
        offer.nonce_bytes = mode.nonce == NonceLength::block     ? block
                                  : mode.nonce == NonceLength::twelve  ? 12
                                  : mode.nonce == NonceLength::sixteen ? 16
                                                                       : 0;
        // CFB is the only mode of its class that takes messages of any length.
        const bool is_cfb = mode.name == std::string("CFB");
        const bool whole_blocks = mode.kind == Kind::block || (mode.kind == Kind::mode && !is_cfb);
        offer.shown.granularity = whole_blocks ? block : 1;
        if (!has(offer)) return;

        const bool rows = name.has_rows && mode.has_rows && key_bytes == name.key_bytes.front();
        const bool aead = mode.kind == Kind::aead;
        const auto forth = aead ? CPB_SEAL : CPB_ENCRYPT;
        const auto back = aead ? CPB_OPEN : CPB_DECRYPT;
        add_direction(offer, forth, rows, name.algorithm, mode.name, " enc");
        add_direction(offer, back, rows, name.algorithm, mode.name, " dec");
        if (aead) add_direction(offer, CPB_AUTH, rows, name.algorithm, mode.name, " auth");
    }

    void add_direction(const Offer &described, cpb_operation operation, bool row,
                       const char *row_algorithm, const char *row_mode, const char *direction) {
        auto &offer = add(described.kind, operation, described.algorithm, described.spelling,
                          described.primitive);
        offer.key_bytes = described.key_bytes;
        offer.nonce_bytes = described.nonce_bytes;
        offer.tag_bytes = described.tag_bytes;
        offer.shown.granularity = described.shown.granularity;
        if (row) set_row(offer, "cipher", row_algorithm, std::string(row_mode) + direction);
    }

    // Whether Botan has the cipher and accepts the lengths of the offer. Sets its tag
    // length.
    static bool has(Offer &offer) {
        const size_t key = offer.key_bytes;
        const size_t nonce = offer.nonce_bytes;
        switch (offer.kind) {
        case Kind::block: return true;
        case Kind::stream:
        case Kind::stateful_stream: {
            const auto stream = ask([&] { return Botan::StreamCipher::create(offer.algorithm); });
            return stream && stream->valid_keylength(key) && stream->valid_iv_length(nonce);
        }
        case Kind::aead: {
            const auto aead =
                ask([&] { return Botan::AEAD_Mode::create(offer.algorithm, encryption); });
            // SIV is used without a nonce, so there is no length to check.
            if (!aead || !aead->valid_keylength(key)) return false;
            offer.tag_bytes = static_cast<uint32_t>(aead->tag_size());
            return nonce == 0 || aead->valid_nonce_length(nonce);
        }
        default: {
            const auto mode =
                ask([&] { return Botan::Cipher_Mode::create(offer.algorithm, encryption); });
            return mode && mode->valid_keylength(key) && mode->valid_nonce_length(nonce);
        }
        }
    }

    void add_stream(const StreamName &name) {
        Offer offer;
        offer.kind = name.kind;
        offer.algorithm = name.algorithm;
        offer.spelling = name.spelling;
        offer.primitive = name.primitive;
        offer.key_bytes = name.key_bytes;
        offer.nonce_bytes = name.nonce_bytes;
        offer.shown.granularity = 1;
        if (!is_wanted(offer.spelling) || !has(offer)) return;
        const bool row = name.row_algorithm != nullptr;
        if (name.kind == Kind::aead) {
            add_direction(offer, CPB_SEAL, row, name.row_algorithm, name.row_mode, " enc");
            add_direction(offer, CPB_OPEN, row, name.row_algorithm, name.row_mode, " dec");
            add_direction(offer, CPB_AUTH, row, name.row_algorithm, name.row_mode, " auth");
        } else {
            add_direction(offer, CPB_ENCRYPT, row, name.row_algorithm, name.row_mode, "");
        }
    }

    void add_cipher_macs(const CipherName &name, uint32_t key_bytes) {
        const auto object = ask([&] { return Botan::BlockCipher::create(name.algorithm); });
        if (!object) return;
        const size_t block_bytes = object->block_size();
        const std::string cipher = std::string("(") + name.algorithm + ")";
        const std::string made_of = cipher_primitive(name, key_bytes);
        const std::string remark = key_remark(name, key_bytes);
        for (const auto &[construction, primitive, nonce_bytes] :
             {std::tuple("CMAC", "cmac-", 0u), std::tuple("GMAC", "gmac-", 12u),
              std::tuple("CBC-MAC", "cbc-mac-", 0u)}) {
            // Botan accepts any cipher for GMAC, but GHASH has blocks of 16 bytes.
            if (nonce_bytes != 0 && block_bytes != 16) continue;
            add_mac(construction + cipher, construction + cipher + remark,
                    primitive + made_of, key_bytes, nonce_bytes, block_bytes);
        }
    }

    void add_mac(const std::string &algorithm, const std::string &spelling,
                 const std::string &primitive, uint32_t key_bytes, uint32_t nonce_bytes,
                 size_t block_bytes) {
        if (!is_wanted(spelling)) return;
        const auto mac = ask([&] { return Botan::MessageAuthenticationCode::create(algorithm); });
        if (!mac || !mac->valid_keylength(key_bytes)) return;
        const Kind kind =
            keeps_its_key(*mac, key_bytes, nonce_bytes) ? Kind::mac : Kind::one_time_mac;
        auto &offer = add(kind, CPB_MAC, algorithm, spelling, primitive);
        offer.key_bytes = key_bytes;
        offer.nonce_bytes = nonce_bytes;
        offer.shown.block_bytes = static_cast<uint32_t>(block_bytes);
        offer.tag_bytes = static_cast<uint32_t>(mac->output_length());
    }

    // Whether a MAC can make a second tag without a new key. Poly1305 must not; which
    // others can depends on Botan's version: 2.19 also drops the keys of SipHash and
    // GMAC.
    static bool keeps_its_key(Botan::MessageAuthenticationCode &mac, uint32_t key_bytes,
                              uint32_t nonce_bytes) {
        const Bytes key(key_bytes, 1);
        const Bytes nonce(nonce_bytes, 1);
        Bytes tag(mac.output_length());
        try {
            mac.set_key(key.data(), key.size());
            for (int tags = 0; tags < 2; ++tags) {
                if (nonce_bytes != 0) mac.start(nonce.data(), nonce.size());
                mac.update(nonce.data(), nonce.size());
                mac.final(tag.data());
            }
            return true;
        } catch (const std::exception &) {
            return false;
        }
    }

    void add_derivation(Kind kind, const std::string &algorithm, const std::string &primitive) {
        if (!is_wanted(algorithm)) return;
        const bool there =
            kind == Kind::derivation
                ? ask([&] { return Botan::KDF::create(algorithm); }) != nullptr
                : ask([&] { return Botan::PasswordHashFamily::create(algorithm); }) != nullptr;
        if (!there) return;
        auto &offer = add(kind, CPB_DERIVE, algorithm, algorithm, primitive);
        offer.key_bytes = 16;
        offer.nonce_bytes = 16;
    }
};

} // namespace cpb

#endif
