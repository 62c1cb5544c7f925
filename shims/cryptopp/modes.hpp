// Adds the modes of a block cipher at each key length.
#pragma once

#include "headers.hpp"
#include "table.hpp"

#include <initializer_list>

namespace shim {

namespace cpp = CryptoPP;
namespace weak = CryptoPP::Weak;

// The usual nonce length in bytes of GCM, CCM and ChaCha20-Poly1305.
constexpr std::uint32_t short_nonce = 12;
constexpr std::uint32_t eax_nonce = 16;

// Returns names that include the key bits, such as `AES(192)` and `aes-192`.
inline KeyedName with_bits(const char *row, const char *name, const char *primitive,
                           std::uint32_t key) {
    const std::string bits = std::to_string(key * 8);
    return {row, std::string(name) + "(" + bits + ")", std::string(primitive) + "-" + bits, key};
}

// Adds the modes without a tag, in the order of bench-slopes.
template <class Block> void plain_modes(Table &table, const KeyedName &cipher) {
    constexpr std::uint32_t block = Block::BLOCKSIZE;
    both_directions<cpp::ECB_Mode<Block>, Begin::at_once>(
        table, cipher, {"/ECB", "-ecb", "ECB ", 0, block});
    both_directions<cpp::CBC_Mode<Block>, Begin::with_nonce>(
        table, cipher, {"/CBC", "-cbc", "CBC ", block, block});
    both_directions<cpp::CFB_Mode<Block>, Begin::with_nonce>(
        table, cipher, {"/CFB", "-cfb", "CFB ", block, 1});
    both_directions<cpp::OFB_Mode<Block>, Begin::with_nonce>(
        table, cipher, {"/OFB", "-ofb", "OFB ", block, 1});
    both_directions<cpp::CTR_Mode<Block>, Begin::with_nonce>(
        table, cipher, {"/CTR", "-ctr", "CTR ", block, 1});
}

// Adds the modes that bench-slopes times, in its order.
template <class Block> void modes(Table &table, const KeyedName &cipher) {
    constexpr std::uint32_t block = Block::BLOCKSIZE;
    plain_modes<Block>(table, cipher);
    if constexpr (block == 16) {
#ifdef SHIM_HAS_XTS
        KeyedName doubled = cipher;
        doubled.key *= 2;
        both_directions<cpp::XTS<Block>, Begin::with_nonce>(
            table, doubled, {"/XTS", "-xts", "XTS ", block, block});
#endif
        authenticated<cpp::GCM<Block>>(table, cipher, {"/GCM", "-gcm", "GCM ", short_nonce, 16});
    }
    authenticated<cpp::EAX<Block>>(table, cipher, {"/EAX", "-eax", "EAX ", eax_nonce, block});
}

// Adds what a block cipher has beyond the modes of bench-slopes.
template <class Block> void further_modes(Table &table, const KeyedName &cipher) {
    constexpr std::uint32_t block = Block::BLOCKSIZE;
    if constexpr (block == 16) {
        authenticated<cpp::CCM<Block>>(table, cipher,
                                       {"/CCM", "-ccm", "", short_nonce, 16, true});
        gmac<cpp::GCM<Block>>(table, cipher);
    }
    mac<cpp::CMAC<Block>>(table, "CMAC(" + cipher.spelling + ")", "cmac-" + cipher.primitive,
                          cipher.key, 0, block, block);
}

// Adds a cipher with rows, at its shortest key, which bench-slopes uses.
template <class Block> void row_cipher(Table &table, const char *name, const char *primitive) {
    table.ask_code_path_of<cpp::BlockCipher, typename Block::Encryption>(name);
    if constexpr (one_key_length<Block>)
        modes<Block>(table, {name, name, primitive, Block::MIN_KEYLENGTH});
    else
        modes<Block>(table, with_bits(name, name, primitive, Block::MIN_KEYLENGTH));
}

// Adds what bench-slopes does not time of a cipher with rows: further modes at the
// shortest key, and every mode at `keys`.
template <class Block>
void other_keys(Table &table, const char *name, const char *primitive,
                std::initializer_list<std::uint32_t> keys) {
    if constexpr (one_key_length<Block>)
        further_modes<Block>(table, {"", name, primitive, Block::MIN_KEYLENGTH});
    else
        further_modes<Block>(table, with_bits("", name, primitive, Block::MIN_KEYLENGTH));
    for (std::uint32_t key : keys) {
        const KeyedName cipher = with_bits("", name, primitive, key);
        modes<Block>(table, cipher);
        further_modes<Block>(table, cipher);
    }
}

// Adds GCM with tables of 64 KiB instead of 2 KiB, which matter on CPUs that have
// no carry-less multiplication.
template <class Block> void large_tables(Table &table, const char *name, const char *primitive) {
    for (std::uint32_t key : {16, 24, 32})
        authenticated<cpp::GCM<Block, cpp::GCM_64K_Tables>>(
            table, with_bits("", name, primitive, key),
            {"/GCM", "-gcm", "", short_nonce, 16, false, "64k-tables"});
}

} // namespace shim
