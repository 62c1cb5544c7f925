// Offers Crypto++ as a provider of cpb_provider.h.
//
// The library is C++ without a stable binary interface: this file is compiled with the headers
// of one version and works with that version only. The offers are listed in
// cryptopp/algorithms.hpp.

#include "cryptopp/algorithms.hpp"
#include "cpb_provider.h"
#include "joined.h"
#include "key_pairs.h"

#include <cryptopp/config.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using shim::Call;
using shim::Table;

// Formats "8.7", "5.6.5": bench-slopes leaves out a last zero.
std::string version_text(int version) {
    std::string text = std::to_string(version / 100) + "." + std::to_string(version / 10 % 10);
    if (version % 10) text += "." + std::to_string(version % 10);
    return text;
}

bool same_version() { return CryptoPP::LibraryVersion() == CRYPTOPP_VERSION; }

const char *library_version() {
    static const std::string text = version_text(CryptoPP::LibraryVersion());
    return text.c_str();
}

Table &table() {
    static Table built = shim::everything();
    return built;
}

const std::vector<cpb_implementation> &faces() {
    static const std::vector<cpb_implementation> built = [] {
        std::vector<cpb_implementation> all;
        for (shim::Implementation &line : table().lines) all.push_back(line.face());
        return all;
    }();
    return built;
}

// Returns "AESNI: AES, ARIA; SHANI: SHA-1, SHA-256; C++: all others", from what the library's
// objects report.
std::string code_path_text() {
    const std::string portable = "C++";
    std::map<std::string, std::string> algorithms;
    for (const auto &[name, provider] : table().code_paths) {
        const std::string path = provider();
        if (path == portable) continue;
        std::string &list = algorithms[path];
        list += (list.empty() ? "" : ", ") + name;
    }
    std::string text;
    for (const auto &[path, list] : algorithms) text += path + ": " + list + "; ";
    return text + portable + ": all others";
}

const char *code_path() noexcept {
    try {
        if (!same_version()) return nullptr;
        static const std::string text = code_path_text();
        return text.c_str();
    } catch (...) {
        return nullptr;
    }
}

std::uint64_t count() noexcept {
    try {
        return faces().size();
    } catch (...) {
        return 0;
    }
}

const cpb_implementation *implementation(std::uint64_t index) noexcept {
    return index < count() ? &faces()[index] : nullptr;
}

// Says why a workload does not fit this implementation; empty if it does.
std::string mismatch(const shim::Implementation &line, const cpb_symmetric &workload) {
    if (!same_version())
        return "cpb's shim was built with the headers of Crypto++ " +
               version_text(CRYPTOPP_VERSION) + ", and the library is " + library_version() +
               "; build cpb with the headers of the library";
    if (workload.contract < CPB_KEYED || workload.contract > CPB_COMPAT)
        return "there is no contract " + std::to_string(workload.contract);
    if (workload.contract == CPB_COMPAT && line.row_group.empty())
        return "contract compat for " + line.spelling + ", which has no row in bench-slopes";
    if (workload.message_bytes % line.granularity != 0)
        return line.spelling + " takes messages of a multiple of " +
               std::to_string(line.granularity) + " bytes";
    return {};
}

int prepare(std::uint64_t index, const cpb_workload *workload, void **call, char *reason,
            std::uint64_t reason_bytes) noexcept {
    try {
        if (index >= count()) throw std::out_of_range("there is no such implementation");
        const shim::Implementation &line = table().lines[index];
        cpb_symmetric given;
        const bool is_one = cpb_symmetric_of(&given, line.operation, workload) == 0;
        const std::string refusal = is_one ? mismatch(line, given) : "a call of it has one case";
        if (!refusal.empty()) throw std::invalid_argument(refusal);
        auto made = line.prepare(given);
        made->asked = workload;
        *call = made.release();
        return 0;
    } catch (const std::exception &exception) {
        shim::state(exception.what(), reason, reason_bytes);
    } catch (...) {
        shim::state("an exception of unknown type", reason, reason_bytes);
    }
    return 1;
}

void run(void *call, std::uint64_t calls) noexcept { static_cast<Call *>(call)->run(calls); }

int output(void *handle, cpb_buffer *outputs, std::uint64_t count, char *reason,
           std::uint64_t reason_bytes) noexcept {
    Call &call = *static_cast<Call *>(handle);
    if (call.failure[0]) {
        shim::state(call.failure, reason, reason_bytes);
        return 1;
    }
    shim::Output shown = call.output;
    if (call.reversed) {
        std::reverse_copy(shown.bytes, shown.bytes + shown.length, call.number);
        shown.bytes = call.number;
    }
    cpb_symmetric_share(call.asked, shown.bytes, shown.length, outputs, count);
    return 0;
}

void release(void *call) noexcept { delete static_cast<Call *>(call); }

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

// Returns the bytes of the library's objects in the shim's own memory; calls without key pairs
// allocate theirs by `new`.
EXPORTED uint64_t cpb_shim_object_bytes(void *handle) {
    return cpb_joined_part(&handle) != 0 ? cpb_key_object_bytes(handle) : 0;
}

EXPORTED const cpb_provider *cpb_provider_v2(void) {
    try {
        // The name is what bench-slopes prints before the version.
        static const cpb_provider provider = {
            CPB_PROVIDER_ABI, 0,       "Crypto++", library_version(), code_path, count,
            implementation,   prepare, run,        output,            release,
        };
        return cpb_join(&provider, cpb_key_pairs());
    } catch (...) {
        return nullptr;
    }
}
