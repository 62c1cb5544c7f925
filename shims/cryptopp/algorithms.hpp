// Lists every algorithm: first the rows of bench-slopes in their order, then the
// others. A new algorithm is one line in the file of its kind. The templates of
// ciphers compile slowly, so they are spread over several files, which are compiled
// at once.
#pragma once

#include "table.hpp"

namespace shim {

void hash_rows(Table &table);
void cipher_rows(Table &table);
void further_hashes(Table &table);
void macs(Table &table);
void further_ciphers(Table &table);
void rare_ciphers(Table &table);
void further_streams(Table &table);
void derivations(Table &table);

inline Table everything() {
    Table table;
    hash_rows(table);
    cipher_rows(table);
    further_hashes(table);
    macs(table);
    further_ciphers(table);
    rare_ciphers(table);
    further_streams(table);
    derivations(table);
    return table;
}

} // namespace shim
