// Hashes, MACs and derivations under the contracts keyed and oneshot.
#ifndef CPB_BOTAN_DIGESTS_HPP
#define CPB_BOTAN_DIGESTS_HPP

#include "call.hpp"

namespace cpb {

class HashCall final : public KeyedOrOneshot<HashCall, Botan::HashFunction> {
  public:
    HashCall(const Offer &offer, const cpb_symmetric &workload) : KeyedOrOneshot(offer, workload) {
        // Botan treats an XOF as a hash whose name states the output length.
        if (offer.kind == Kind::xof) {
            algorithm_ += "(" + std::to_string(8 * workload.output_bytes) + ")";
        }
        kept_ = make();
        if (kept_->output_length() > workload.output_bytes) {
            throw std::length_error("the output is longer than the room for it");
        }
    }

    std::unique_ptr<Botan::HashFunction> make() const {
        return Botan::HashFunction::create_or_throw(algorithm_);
    }

    // `final` also resets the object.
    void use(Botan::HashFunction &hash) const {
        hash.update(workload_.message, message_bytes());
        hash.final(workload_.destination);
    }

    View output() override { return destination_view(kept_->output_length()); }
};

// A one-time MAC discards its key with every tag, so a keyed call must set the key
// again.
template <bool one_time>
class MacCall final : public KeyedOrOneshot<MacCall<one_time>, Botan::MessageAuthenticationCode> {
    using Base = KeyedOrOneshot<MacCall<one_time>, Botan::MessageAuthenticationCode>;

  public:
    MacCall(const Offer &offer, const cpb_symmetric &workload) : Base(offer, workload) {
        this->kept_ = make();
    }

    std::unique_ptr<Botan::MessageAuthenticationCode> make() const {
        auto mac = Botan::MessageAuthenticationCode::create_or_throw(this->algorithm_);
        if (!one_time) this->set_key(*mac);
        return mac;
    }

    void use(Botan::MessageAuthenticationCode &mac) const {
        if (one_time) this->set_key(mac);
        if (this->nonce_bytes() != 0) mac.start(this->workload_.nonce, this->nonce_bytes());
        mac.update(this->workload_.message, this->message_bytes());
        mac.final(this->workload_.destination);
    }

    View output() override { return this->destination_view(this->kept_->output_length()); }
};

class PasswordCall final : public KeyedOrOneshot<PasswordCall, Botan::PasswordHash> {
  public:
    PasswordCall(const Offer &offer, const cpb_symmetric &workload)
        : KeyedOrOneshot(offer, workload), kind_(offer.kind) {
        kept_ = make();
    }

    std::unique_ptr<Botan::PasswordHash> make() const {
        const auto family = Botan::PasswordHashFamily::create_or_throw(algorithm_);
        const auto iterations = static_cast<size_t>(workload_.iterations);
        switch (kind_) {
        case Kind::scrypt: return family->from_params(16384, 8, 1);
        case Kind::argon2: return family->from_params(1024, iterations, 1);
        default: return family->from_iterations(iterations);
        }
    }

    void use(const Botan::PasswordHash &hash) const {
        hash.derive_key(workload_.destination, static_cast<size_t>(workload_.output_bytes),
                        reinterpret_cast<const char *>(workload_.key),
                        static_cast<size_t>(workload_.key_bytes), workload_.nonce, nonce_bytes());
    }

    View output() override { return destination_view(workload_.output_bytes); }

  private:
    Kind kind_;
};

class DerivationCall final : public KeyedOrOneshot<DerivationCall, Botan::KDF> {
  public:
    DerivationCall(const Offer &offer, const cpb_symmetric &workload)
        : KeyedOrOneshot(offer, workload) {
        kept_ = make();
    }

    std::unique_ptr<Botan::KDF> make() const { return Botan::KDF::create_or_throw(algorithm_); }

    // Botan returns the output in a new vector.
    void use(const Botan::KDF &derivation) {
        derived_ = derivation.derive_key(static_cast<size_t>(workload_.output_bytes),
                                         workload_.key, static_cast<size_t>(workload_.key_bytes),
                                         workload_.nonce, nonce_bytes(), workload_.aad,
                                         static_cast<size_t>(workload_.aad_bytes));
    }

    View output() override { return {derived_.data(), derived_.size()}; }

  private:
    Bytes derived_;
};

} // namespace cpb

#endif
