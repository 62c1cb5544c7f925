// Ciphers and authenticated encryption under the contracts keyed and oneshot.
//
// Botan's modes work only in place, but these contracts require out-of-place calls.
// Such a call therefore copies the message and works on the copy, as a user of
// Botan would. Block and stream ciphers can work out of place.
#ifndef CPB_BOTAN_CIPHERS_HPP
#define CPB_BOTAN_CIPHERS_HPP

#include "call.hpp"

#include <algorithm>

namespace cpb {

// Calls a block cipher without a mode: ECB.
template <bool decrypts>
class BlockCall final : public KeyedOrOneshot<BlockCall<decrypts>, Botan::BlockCipher> {
    using Base = KeyedOrOneshot<BlockCall<decrypts>, Botan::BlockCipher>;

  public:
    BlockCall(const Offer &offer, const cpb_symmetric &workload) : Base(offer, workload) {
        this->kept_ = make();
        blocks_ = this->message_bytes() / this->kept_->block_size();
    }

    std::unique_ptr<Botan::BlockCipher> make() const {
        auto cipher = Botan::BlockCipher::create_or_throw(this->algorithm_);
        this->set_key(*cipher);
        return cipher;
    }

    void use(const Botan::BlockCipher &cipher) const {
        if (decrypts) {
            cipher.decrypt_n(this->workload_.message, this->workload_.destination, blocks_);
        } else {
            cipher.encrypt_n(this->workload_.message, this->workload_.destination, blocks_);
        }
    }

    View output() override { return this->destination_view(this->message_bytes()); }

  private:
    size_t blocks_ = 0;
};

// Calls a stream cipher. One without a nonce continues its keystream; only a new
// key restarts it, so a keyed call must set the key again.
template <bool stateful>
class StreamCall final : public KeyedOrOneshot<StreamCall<stateful>, Botan::StreamCipher> {
    using Base = KeyedOrOneshot<StreamCall<stateful>, Botan::StreamCipher>;

  public:
    StreamCall(const Offer &offer, const cpb_symmetric &workload) : Base(offer, workload) {
        this->kept_ = make();
    }

    std::unique_ptr<Botan::StreamCipher> make() const {
        auto stream = Botan::StreamCipher::create_or_throw(this->algorithm_);
        if (!stateful) this->set_key(*stream);
        return stream;
    }

    void use(Botan::StreamCipher &stream) const {
        begin(stream);
        stream.cipher(this->workload_.message, this->workload_.destination, this->message_bytes());
    }

    View output() override { return this->destination_view(this->message_bytes()); }

  private:
    void begin(Botan::StreamCipher &stream) const {
        if (stateful) {
            this->set_key(stream);
        } else {
            stream.set_iv(this->workload_.nonce, this->nonce_bytes());
        }
    }
};

// Calls CBC, CFB and XTS.
class ModeCall final : public KeyedOrOneshot<ModeCall, Botan::Cipher_Mode> {
  public:
    ModeCall(const Offer &offer, const cpb_symmetric &workload)
        : KeyedOrOneshot(offer, workload), decrypts_(offer.shown.operation == CPB_DECRYPT) {
        kept_ = make();
        // CBC and XTS take any number of blocks at once, whatever granularity they
        // report; only a CFB message may end inside a block.
        const size_t block = kept_->default_nonce_length();
        tail_bytes_ = message_bytes() % block;
        bulk_bytes_ = message_bytes() - tail_bytes_;
        tail_.reserve(2 * block);
    }

    std::unique_ptr<Botan::Cipher_Mode> make() const {
        auto mode =
            Botan::Cipher_Mode::create_or_throw(algorithm_, decrypts_ ? decryption : encryption);
        set_key(*mode);
        return mode;
    }

    void use(Botan::Cipher_Mode &mode) {
        std::memcpy(workload_.destination, workload_.message, message_bytes());
        work(mode, workload_.destination);
    }

    View output() override { return destination_view(message_bytes()); }

  private:
    bool decrypts_;
    size_t bulk_bytes_ = 0;
    size_t tail_bytes_ = 0;
    Bytes tail_;

    void work(Botan::Cipher_Mode &mode, uint8_t *text) {
        mode.start(workload_.nonce, nonce_bytes());
        mode.process(text, bulk_bytes_);
        if (tail_bytes_ != 0) {
            tail_.assign(text + bulk_bytes_, text + bulk_bytes_ + tail_bytes_);
            mode.finish(tail_);
            std::memcpy(text + bulk_bytes_, tail_.data(), tail_bytes_);
        }
    }
};

// Seals, opens, or authenticates. `finish` works in a vector of Botan's type that
// also holds the tag; its memory is reserved before the first call.
class AeadCall final : public KeyedOrOneshot<AeadCall, Botan::AEAD_Mode> {
  public:
    AeadCall(const Offer &offer, const cpb_symmetric &workload)
        : KeyedOrOneshot(offer, workload), operation_(offer.shown.operation),
          tag_bytes_(offer.tag_bytes),
          tag_first_(offer.algorithm.find("/SIV") != std::string::npos) {
        text_.reserve(message_bytes() + 2 * tag_bytes_);
        kept_ = make();
    }

    std::unique_ptr<Botan::AEAD_Mode> make() const {
        auto mode = Botan::AEAD_Mode::create_or_throw(
            algorithm_, operation_ == CPB_OPEN ? decryption : encryption);
        set_key(*mode);
        return mode;
    }

    void use(Botan::AEAD_Mode &mode) {
        switch (operation_) {
        case CPB_SEAL: seal(mode); break;
        case CPB_OPEN: open(mode); break;
        default: authenticate(mode); break;
        }
    }

    // SIV puts its tag before the ciphertext; other modes, and cpb, put it after.
    View output() override {
        shown_.assign(text_.begin(), text_.end());
        if (operation_ == CPB_SEAL && tag_first_ && shown_.size() >= tag_bytes_) {
            std::rotate(shown_.begin(), shown_.begin() + tag_bytes_, shown_.end());
        }
        return {shown_.data(), shown_.size()};
    }

  private:
    uint32_t operation_;
    size_t tag_bytes_;
    bool tag_first_;
    Bytes text_;
    Bytes shown_;

    // Sets associated data only if there are any: SIV would process an empty string
    // as a further component.
    void start(Botan::AEAD_Mode &mode) const {
        if (workload_.aad_bytes != 0) {
            set_associated_data(mode, workload_.aad, static_cast<size_t>(workload_.aad_bytes));
        }
        mode.start(workload_.nonce, nonce_bytes());
    }

    // Resets the mode first: EAX considers a sealed message unfinished until then.
    static void set_associated_data(Botan::AEAD_Mode &mode, const uint8_t *data, size_t length) {
        mode.reset();
        mode.set_associated_data(data, length);
    }

    void seal(Botan::AEAD_Mode &mode) {
        start(mode);
        text_.assign(workload_.message, workload_.message + message_bytes());
        mode.finish(text_);
    }

    // Throws if the tag does not verify.
    void open(Botan::AEAD_Mode &mode) {
        start(mode);
        if (tag_first_) {
            text_.assign(workload_.tag, workload_.tag + workload_.tag_bytes);
            text_.insert(text_.end(), workload_.message, workload_.message + message_bytes());
        } else {
            text_.assign(workload_.message, workload_.message + message_bytes());
            text_.insert(text_.end(), workload_.tag, workload_.tag + workload_.tag_bytes);
        }
        mode.finish(text_);
    }

    void authenticate(Botan::AEAD_Mode &mode) {
        set_associated_data(mode, workload_.message, message_bytes());
        mode.start(workload_.nonce, nonce_bytes());
        text_.clear();
        mode.finish(text_);
    }
};

} // namespace cpb

#endif
