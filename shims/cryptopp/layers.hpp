// Modes that get their block cipher as a separate object.
//
// One class for each mode of each cipher would take as long to compile as all other parts of
// this library together. Here there is one class for each mode, and one for each direction
// of a cipher. A keyed call runs the same code in both designs, because a mode always uses
// its cipher through a pointer.
#pragma once

#include "headers.hpp"
#include "modes.hpp"
#include "table.hpp"

namespace shim {

// A block cipher, and a mode that uses it.
struct Layers {
    cpp::BlockCipher *block;
    cpp::CipherModeBase *mode;

    ~Layers() {
        mode->~CipherModeBase();
        block->~BlockCipher();
    }
};

template <> struct Maker<Layers> {
    Maker<cpp::BlockCipher> block;
    Maker<cpp::CipherModeBase> mode;
    std::size_t bytes = 2 * line + whole_lines(block.bytes) + mode.bytes;

    Layers *construct(void *memory) const {
        const auto at = [memory](std::size_t offset) {
            return static_cast<Byte *>(memory) + offset;
        };
        cpp::BlockCipher *const made = block.construct(at(line));
        return new (memory) Layers{made, mode.construct(at(line + whole_lines(block.bytes)))};
    }

  private:
    static constexpr std::size_t line = 64;
    static constexpr std::size_t whole_lines(std::size_t bytes) {
        return (bytes + line - 1) / line * line;
    }
};

// Does the work of `Cipher` with such a mode.
template <Begin begin> class LayeredCipher {
  public:
    using Interface = Layers;

    LayeredCipher(const cpb_symmetric &workload, Settings settings)
        : workload(workload), keyed(workload), settings(settings) {
        keyed.nonce_bytes = 0;
    }
    void key(Layers &layers) {
        set_key(*layers.block, keyed, settings);
        if constexpr (begin == Begin::with_nonce)
            layers.mode->SetCipherWithIV(*layers.block, workload.nonce);
        else
            layers.mode->SetCipher(*layers.block);
    }
    void start(Layers &layers) {
        if constexpr (begin == Begin::with_nonce)
            layers.mode->Resynchronize(workload.nonce, static_cast<int>(workload.nonce_bytes));
    }
    void process(Layers &layers) {
        layers.mode->ProcessData(workload.destination, workload.message, workload.message_bytes);
    }
    // No row of bench-slopes uses these modes.
    void shortest_nonce(Layers &) {}
    void as_bench_slopes(Layers &layers) { process(layers); }
    Output output(bool) const { return {workload.destination, workload.message_bytes}; }

  private:
    cpb_symmetric workload;
    // The workload without its nonce, for the block cipher.
    cpb_symmetric keyed;
    Settings settings;
};

// Both directions of a block cipher, and its block length.
struct Block {
    Maker<cpp::BlockCipher> encryption;
    Maker<cpp::BlockCipher> decryption;
    std::uint32_t bytes;
};

template <class Class> Block block_of() {
    return {maker<cpp::BlockCipher, typename Class::Encryption>(),
            maker<cpp::BlockCipher, typename Class::Decryption>(), Class::BLOCKSIZE};
}

// Adds a mode whose decryption runs the cipher `decryption`.
template <class Mode, Begin begin>
void layered(Table &table, const KeyedName &cipher, const Plain &mode, const Block &block,
             const Maker<cpp::BlockCipher> &decryption) {
    two_lines<LayeredCipher<begin>>(
        table, cipher, mode,
        {block.encryption, maker<cpp::CipherModeBase, typename Mode::Encryption>()},
        {decryption, maker<cpp::CipherModeBase, typename Mode::Decryption>()});
}

inline void ecb_and_cbc(Table &table, const KeyedName &cipher, const Block &block,
                        Settings settings) {
    layered<cpp::ECB_Mode_ExternalCipher, Begin::at_once>(
        table, cipher, {"/ECB", "-ecb", "", 0, block.bytes, settings}, block, block.decryption);
    layered<cpp::CBC_Mode_ExternalCipher, Begin::with_nonce>(
        table, cipher, {"/CBC", "-cbc", "", block.bytes, block.bytes, settings}, block,
        block.decryption);
}

inline void cfb_and_ofb(Table &table, const KeyedName &cipher, const Block &block) {
    layered<cpp::CFB_Mode_ExternalCipher, Begin::with_nonce>(
        table, cipher, {"/CFB", "-cfb", "", block.bytes, 1}, block, block.encryption);
    layered<cpp::OFB_Mode_ExternalCipher, Begin::with_nonce>(
        table, cipher, {"/OFB", "-ofb", "", block.bytes, 1}, block, block.encryption);
}

inline void ctr(Table &table, const KeyedName &cipher, const Block &block, Settings settings) {
    layered<cpp::CTR_Mode_ExternalCipher, Begin::with_nonce>(
        table, cipher, {"/CTR", "-ctr", "", block.bytes, 1, settings}, block, block.encryption);
}

inline void three_modes(Table &table, const KeyedName &cipher, const Block &block,
                        Settings settings = {}) {
    ecb_and_cbc(table, cipher, block, settings);
    ctr(table, cipher, block, settings);
}

inline void five_modes(Table &table, const KeyedName &cipher, const Block &block) {
    ecb_and_cbc(table, cipher, block, {});
    cfb_and_ofb(table, cipher, block);
    ctr(table, cipher, block, {});
}

// Adds a cipher without rows at these key lengths, in every mode without a tag, since other
// libraries have it, too.
template <class Class>
void no_rows(Table &table, const char *name, const char *primitive,
             std::initializer_list<std::uint32_t> keys) {
    table.ask_code_path_of<cpp::BlockCipher, typename Class::Encryption>(name);
    for (std::uint32_t key : keys)
        five_modes(table, with_bits("", name, primitive, key), block_of<Class>());
}

// Does the same for a canonical name without key bits.
template <class Class> void no_rows(Table &table, const char *name, const char *primitive) {
    five_modes(table, {"", name, primitive, Class::DEFAULT_KEYLENGTH}, block_of<Class>());
}

// Adds a cipher that few other libraries have, in three modes.
template <class Class>
void rare(Table &table, const char *name, const char *primitive,
          std::initializer_list<std::uint32_t> keys) {
    table.ask_code_path_of<cpp::BlockCipher, typename Class::Encryption>(name);
    for (std::uint32_t key : keys)
        three_modes(table, with_bits("", name, primitive, key), block_of<Class>());
}

} // namespace shim
