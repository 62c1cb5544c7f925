// What our shims in C++ share that work with key pairs: work as classes. Nothing that a
// library throws passes the functions below.
#ifndef CPB_KEY_PAIRS_HPP
#define CPB_KEY_PAIRS_HPP

#include "key_pairs.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace cpb {

// Whether `step` ends without an exception: 0, or 1 with its words as the reason.
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

// The work of a class `Ready`: its objects are made of a line of the table, which is a
// `Ready::How`, and a case; the call operator is one call of it.
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

// Puts out what has to be as long as there is room for.
inline void put(const cpb_bytes &room, const uint8_t *bytes, size_t length) {
    if (length != room.length) {
        throw std::length_error("the library put out another length than is usual for it");
    }
    std::memcpy(room.bytes, bytes, length);
}

// The same of DER, which may be shorter and says how long it is.
inline void put_der(const cpb_bytes &room, const uint8_t *bytes, size_t length) {
    if (length > room.length) throw std::length_error("the library put out a longer key");
    std::memcpy(room.bytes, bytes, length);
}

template <class Bytes> void put(const cpb_bytes &room, const Bytes &bytes) {
    put(room, bytes.data(), bytes.size());
}

} // namespace cpb

#endif
