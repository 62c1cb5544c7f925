// Offers block ciphers in fewer modes.
#include "algorithms.hpp"
#include "layers.hpp"

namespace shim {

void rare_ciphers(Table &table) {
    no_rows<cpp::CAST256>(table, "CAST-256", "cast6", {16, 24, 32});
    no_rows<cpp::DES>(table, "DES", "des");
    no_rows<cpp::GOST>(table, "GOST", "gost28147");
    no_rows<cpp::IDEA>(table, "IDEA", "idea");
    // All bits of its keys are effective; RFC 2268 lets callers choose how many
    // are.
    no_rows<cpp::RC2>(table, "RC2", "rc2-gutmann", {16});
    no_rows<cpp::SHACAL2>(table, "SHACAL-2", "shacal2", {32, 64});
    no_rows<cpp::Threefish512>(table, "Threefish", "threefish", {64});
    no_rows<cpp::XTEA>(table, "XTEA", "xtea", {16});

    rare<cpp::CHAM64>(table, "CHAM-64", "cham-64", {16});
    rare<cpp::CHAM128>(table, "CHAM-128", "cham-128", {16, 32});
    rare<cpp::DES_EDE2>(table, "DES-EDE2", "3des-two-key", {16});
    rare<cpp::DES_XEX3>(table, "DES-XEX3", "desx-xex3", {24});
    rare<cpp::HIGHT>(table, "HIGHT", "hight", {16});
    rare<cpp::Kalyna128>(table, "Kalyna-128", "kalyna-128", {16, 32});
    rare<cpp::Kalyna256>(table, "Kalyna-256", "kalyna-256", {32, 64});
    rare<cpp::Kalyna512>(table, "Kalyna-512", "kalyna-512", {64});
    rare<cpp::LEA>(table, "LEA", "lea", {16, 24, 32});
    rare<cpp::MARS>(table, "MARS", "mars", {16, 24, 32});
    rare<cpp::RC6>(table, "RC6", "rc6", {16, 24, 32});
    rare<cpp::SAFER_K>(table, "SAFER-K", "safer-k", {8, 16});
    rare<cpp::SAFER_SK>(table, "SAFER-SK", "safer-sk", {8, 16});
    rare<cpp::SHARK>(table, "SHARK-E", "shark", {16});
    rare<cpp::SIMECK32>(table, "SIMECK-32", "simeck-32", {8});
    rare<cpp::SIMECK64>(table, "SIMECK-64", "simeck-64", {16});
    rare<cpp::SIMON64>(table, "SIMON-64", "simon-64", {12, 16});
    rare<cpp::SIMON128>(table, "SIMON-128", "simon-128", {16, 24, 32});
    rare<cpp::SKIPJACK>(table, "SKIPJACK", "skipjack", {10});
    rare<cpp::SPECK64>(table, "SPECK-64", "speck-64", {12, 16});
    rare<cpp::SPECK128>(table, "SPECK-128", "speck-128", {16, 24, 32});
    rare<cpp::Square>(table, "Square", "square", {16});
    rare<cpp::TEA>(table, "TEA", "tea", {16});
    rare<cpp::ThreeWay>(table, "3-Way", "3-way", {12});
    rare<cpp::Threefish256>(table, "Threefish", "threefish", {32});
    rare<cpp::Threefish1024>(table, "Threefish", "threefish", {128});
    // RFC 2040 suggests 12 rounds, which OpenSSL uses; Crypto++ defaults to 16.
    three_modes(table, with_bits("", "RC5-12", "rc5", 16), block_of<cpp::RC5>(), {12});
    three_modes(table, with_bits("", "RC5-16", "rc5-16", 16), block_of<cpp::RC5>(), {16});
}

} // namespace shim
