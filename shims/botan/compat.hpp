// Makes the calls that bench-slopes times for its rows: in place, with the shortest
// key that Botan allows and a nonce of zeros, without checking results. Each call
// works on the data that the previous one left.
#ifndef CPB_BOTAN_COMPAT_HPP
#define CPB_BOTAN_COMPAT_HPP

#include "call.hpp"

#include <vector>

namespace cpb {

// Botan's longest nonce has 64 bytes; it is that of Threefish-512.
inline const uint8_t zeros[64] = {};

class CompatCall : public Call {
  public:
    using Call::Call;
    View output() override { return {nullptr, 0}; }

  protected:
    template <typename Object> void set_shortest_key(Object &object) const {
        const size_t length = object.minimum_keylength();
        if (length > workload_.key_bytes) throw std::length_error("the key is too short");
        object.set_key(workload_.key, length);
    }
};

// Allocates a new vector for every digest.
class CompatHash final : public CompatCall {
  public:
    CompatHash(const Offer &offer, const cpb_symmetric &workload)
        : CompatCall(workload), hash_(Botan::HashFunction::create_or_throw(offer.spelling)) {}

    void run(uint64_t calls) override {
        for (uint64_t call = 0; call < calls; ++call) {
            const Bytes digest = hash_->process(workload_.message, message_bytes());
        }
    }

  private:
    std::unique_ptr<Botan::HashFunction> hash_;
};

// Starts and processes CBC, CFB and XTS, and never finishes a message.
class CompatMode final : public CompatCall {
  public:
    CompatMode(const Offer &offer, const cpb_symmetric &workload)
        : CompatCall(workload),
          mode_(Botan::Cipher_Mode::create_or_throw(
              offer.spelling, offer.shown.operation == CPB_DECRYPT ? decryption : encryption)) {
        set_shortest_key(*mode_);
    }

    void run(uint64_t calls) override {
        const size_t nonce_bytes = mode_->default_nonce_length();
        for (uint64_t call = 0; call < calls; ++call) {
            mode_->start(zeros, nonce_bytes);
            mode_->process(workload_.message, message_bytes());
        }
    }

  private:
    std::unique_ptr<Botan::Cipher_Mode> mode_;
};

// Uses the longest nonce. For ChaCha and Salsa20 it has 24 bytes, which selects
// XChaCha20 and XSalsa20. In OFB and CTR, decryption is the same as encryption.
class CompatStream final : public CompatCall {
  public:
    CompatStream(const Offer &offer, const cpb_symmetric &workload)
        : CompatCall(workload), stream_(Botan::StreamCipher::create_or_throw(offer.spelling)) {
        set_shortest_key(*stream_);
        for (size_t length = 1; length <= sizeof zeros; ++length) {
            if (stream_->valid_iv_length(length)) nonce_bytes_ = length;
        }
    }

    void run(uint64_t calls) override {
        for (uint64_t call = 0; call < calls; ++call) {
            stream_->set_iv(zeros, nonce_bytes_);
            stream_->cipher1(workload_.message, message_bytes());
        }
    }

  private:
    std::unique_ptr<Botan::StreamCipher> stream_;
    size_t nonce_bytes_ = 0;
};

// Processes multiples of the granularity in place. The last piece and the rest go
// through `finish` in a vector that is discarded.
class CompatAead final : public CompatCall {
  public:
    CompatAead(const Offer &offer, const cpb_symmetric &workload)
        : CompatCall(workload), operation_(offer.shown.operation),
          // Rows of authentication use the decrypting object.
          mode_(Botan::AEAD_Mode::create_or_throw(
              offer.spelling, operation_ == CPB_SEAL ? encryption : decryption)) {
        set_shortest_key(*mode_);
        tag_bytes_ = mode_->tag_size();
        nonce_bytes_ = mode_->default_nonce_length();
        const size_t granularity = mode_->update_granularity();
        bulk_bytes_ =
            message_bytes() == 0 ? 0 : (message_bytes() - 1) / granularity * granularity;
    }

    void run(uint64_t calls) override {
        switch (operation_) {
        case CPB_SEAL:
            for (uint64_t call = 0; call < calls; ++call) encrypt();
            break;
        case CPB_OPEN:
            for (uint64_t call = 0; call < calls; ++call) decrypt();
            break;
        default:
            for (uint64_t call = 0; call < calls; ++call) authenticate();
            break;
        }
    }

  private:
    uint32_t operation_;
    std::unique_ptr<Botan::AEAD_Mode> mode_;
    size_t tag_bytes_ = 0;
    size_t nonce_bytes_ = 0;
    size_t bulk_bytes_ = 0;

    const uint8_t *tail() const { return workload_.message + bulk_bytes_; }
    const uint8_t *end() const { return workload_.message + message_bytes(); }

    void start_and_process() {
        mode_->start(zeros, nonce_bytes_);
        if (bulk_bytes_ != 0) mode_->process(workload_.message, bulk_bytes_);
    }

    void encrypt() {
        start_and_process();
        Bytes text(tail(), end());
        mode_->finish(text);
    }

    // bench-slopes puts as many zeros before the rest of the ciphertext and the tag
    // as these are long, and so decrypts the zeros as well.
    void decrypt() {
        start_and_process();
        Bytes text(static_cast<size_t>(end() - tail()) + tag_bytes_);
        text.insert(text.end(), tail(), end());
        text.insert(text.end(), zeros, zeros + tag_bytes_);
        finish_with_wrong_tag(text);
    }

    void authenticate() {
        mode_->reset();
        mode_->set_associated_data(workload_.message, message_bytes());
        mode_->start(zeros, nonce_bytes_);
        Bytes text(tag_bytes_);
        text.insert(text.end(), zeros, zeros + tag_bytes_);
        finish_with_wrong_tag(text);
    }

    // The exception is part of the timed call.
    void finish_with_wrong_tag(Bytes &text) {
        try {
            mode_->finish(text);
        } catch (const std::exception &) {
        }
    }
};

} // namespace cpb

#endif
