// What our C++ shims for key pairs share: each kind of work is a class. No exception of
// a library leaves the functions below.
#ifndef CPB_KEY_PAIRS_HPP
#define CPB_KEY_PAIRS_HPP

#include "key_pairs.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace cpb {

// Returns 0 if `step` ends without an exception; else 1, with the exception's message
// as the reason.
template <class Step> int guarded(char *reason, const Step &step) {
    const char *const unsaid = "the library threw without a reason";
    try {
        step();
        return 0;
    } catch (const std::exception &error) {
        cpb_key_refuse(reason, error.what()[0] != 0 ? error.what() : unsaid);
    } catch (...) {
        cpb_key_refuse(reason, unsaid);
    }
    return 1;
}

// The work of a class `Ready`. Its objects are constructed from a line of the table,
// which is a `Ready::How`, and a case. The call operator makes one call.
template <class Ready> struct Work {
    static int begin(void *memory, const void *how, const cpb_key_case *given, char *reason) {
        return guarded(reason, [&] {
            new (memory) Ready(*static_cast<const typename Ready::How *>(how), *given);
        });
    }
    static int run(void *ready, const cpb_key_case *given, char *reason) {
        return guarded(reason, [&] { (*static_cast<Ready *>(ready))(*given); });
    }
    static void end(void *ready) { static_cast<Ready *>(ready)->~Ready(); }

    static constexpr cpb_key_work value = {sizeof(Ready), begin, run, end};
};

// Writes a result whose length must equal that of its room.
inline void put(const cpb_bytes &room, const uint8_t *bytes, size_t length) {
    if (length != room.length) {
        throw std::length_error("the library put out another length than is usual for it");
    }
    std::memcpy(room.bytes, bytes, length);
}

// Writes DER, which may be shorter than its room because it states its own length.
inline void put_der(const cpb_bytes &room, const uint8_t *bytes, size_t length) {
    if (length > room.length) throw std::length_error("the library put out a longer key");
    std::memcpy(room.bytes, bytes, length);
}

template <class Bytes> void put(const cpb_bytes &room, const Bytes &bytes) {
    put(room, bytes.data(), bytes.size());
}

} // namespace cpb

#endif
