// Offers widely known ciphers in their modes, and stream ciphers.
#include "algorithms.hpp"
#include "headers.hpp"
#include "modes.hpp"
#include "table.hpp"

namespace shim {

void cipher_rows(Table &table) {
    row_cipher<cpp::AES>(table, "AES", "aes");
    row_cipher<cpp::Camellia>(table, "Camellia", "camellia");
    row_cipher<cpp::Twofish>(table, "Twofish", "twofish");
    row_cipher<cpp::Serpent>(table, "Serpent", "serpent");
    row_cipher<cpp::SEED>(table, "SEED", "seed");
    row_cipher<cpp::SM4>(table, "SM4", "sm4");
    row_cipher<cpp::DES_EDE3>(table, "DES-EDE3", "3des");
    row_cipher<cpp::CAST128>(table, "CAST-128", "cast5");
    row_cipher<cpp::Blowfish>(table, "Blowfish", "blowfish");
    stream<weak::ARC4>(table, with_bits("ARC4", "ARC4", "rc4", 1), 0);
    stream<cpp::Salsa20>(table, with_bits("Salsa20", "Salsa20", "salsa20", 16), 8);
    stream<cpp::ChaCha>(table, with_bits("ChaCha", "ChaCha", "chacha20-djb", 16), 8);
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::Salsa20::Encryption>("Salsa20");
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::ChaCha::Encryption>("ChaCha");
#ifdef SHIM_HAS_8_1
    authenticated<cpp::ChaCha20Poly1305>(
        table, {"ChaCha", "ChaCha20/Poly1305", "chacha20-poly1305", 32},
        {"", "", "POLY1305 ", short_nonce, 16});
#endif
}

void further_ciphers(Table &table) {
    other_keys<cpp::AES>(table, "AES", "aes", {24, 32});
    other_keys<cpp::Camellia>(table, "Camellia", "camellia", {24, 32});
    other_keys<cpp::Twofish>(table, "Twofish", "twofish", {24, 32});
    other_keys<cpp::Serpent>(table, "Serpent", "serpent", {24, 32});
    other_keys<cpp::SEED>(table, "SEED", "seed", {});
    other_keys<cpp::SM4>(table, "SM4", "sm4", {});
    other_keys<cpp::DES_EDE3>(table, "DES-EDE3", "3des", {});
    other_keys<cpp::CAST128>(table, "CAST-128", "cast5", {16});
    other_keys<cpp::Blowfish>(table, "Blowfish", "blowfish", {16});
    large_tables<cpp::AES>(table, "AES", "aes");

    table.ask_code_path_of<cpp::BlockCipher, cpp::ARIA::Encryption>("ARIA");
    for (std::uint32_t key : {16, 24, 32}) {
        const KeyedName cipher = with_bits("", "ARIA", "aria", key);
        modes<cpp::ARIA>(table, cipher);
        further_modes<cpp::ARIA>(table, cipher);
    }
}

void further_streams(Table &table) {
    stream<weak::ARC4>(table, with_bits("", "ARC4", "rc4", 16), 0);
    stream<weak::MARC4>(table, with_bits("", "MARC4", "rc4-drop256", 16), 0);
    stream<cpp::Salsa20>(table, {"", "Salsa20(256)", "salsa20", 32}, 8);
    stream<cpp::Salsa20>(table, {"", "Salsa20/12(256)", "salsa20-12", 32}, 8, {12});
    stream<cpp::Salsa20>(table, {"", "Salsa20/8(256)", "salsa20-8", 32}, 8, {8});
    stream<cpp::XSalsa20>(table, {"", "XSalsa20", "xsalsa20", 32}, 24);
    stream<cpp::ChaCha>(table, {"", "ChaCha20(256)", "chacha20-djb", 32}, 8);
    stream<cpp::ChaCha>(table, {"", "ChaCha12(256)", "chacha12-djb", 32}, 8, {12});
    stream<cpp::ChaCha>(table, {"", "ChaCha8(256)", "chacha8-djb", 32}, 8, {8});
    stream<cpp::HC128>(table, {"", "HC-128", "hc-128", 16}, 16);
    stream<cpp::HC256>(table, {"", "HC-256", "hc-256", 32}, 32);
    stream<cpp::Rabbit>(table, {"", "Rabbit without IV", "rabbit-128-without-iv", 16}, 0);
    stream<cpp::RabbitWithIV>(table, with_bits("", "Rabbit", "rabbit", 16), 8);
    stream<cpp::Sosemanuk>(table, with_bits("", "Sosemanuk", "sosemanuk", 16), 16);
    stream<cpp::Sosemanuk>(table, with_bits("", "Sosemanuk", "sosemanuk", 32), 16);
    stream<cpp::PanamaCipher<cpp::LittleEndian>>(
        table, with_bits("", "Panama-LE", "panama-le", 32), 32);
    stream<cpp::PanamaCipher<cpp::BigEndian>>(
        table, with_bits("", "Panama-BE", "panama-be", 32), 32);
    stream<cpp::SEAL<cpp::LittleEndian>>(table, with_bits("", "SEAL-3.0-LE", "seal-le", 20), 4);
    stream<cpp::SEAL<cpp::BigEndian>>(table, with_bits("", "SEAL-3.0-BE", "seal-be", 20), 4);
    stream<cpp::WAKE_OFB<cpp::LittleEndian>>(
        table, with_bits("", "WAKE-OFB-LE", "wake-ofb-le", 32), 0);
    stream<cpp::WAKE_OFB<cpp::BigEndian>>(
        table, with_bits("", "WAKE-OFB-BE", "wake-ofb-be", 32), 0);
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::Sosemanuk::Encryption>("Sosemanuk");
    table.ask_code_path_of<cpp::SymmetricCipher, cpp::PanamaCipher<cpp::LittleEndian>::Encryption>("Panama");
#ifdef SHIM_HAS_8_1
    stream<cpp::ChaChaTLS>(table, {"", "ChaChaTLS", "chacha20", 32}, 12);
    stream<cpp::XChaCha20>(table, {"", "XChaCha20", "xchacha20", 32}, 24, {0, true});
    authenticated<cpp::XChaCha20Poly1305>(
        table, {"", "XChaCha20/Poly1305", "xchacha20-poly1305", 32}, {"", "", "", 24, 16});
#endif
}

} // namespace shim
