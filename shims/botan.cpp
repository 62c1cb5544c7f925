// Offers Botan as a provider of cpb_provider.h.
//
// It uses the C++ classes, because the C interface copies in chunks, which would be timed. No
// exception of Botan leaves the functions below.

#include "botan/catalogue.hpp"
#include "botan/ciphers.hpp"
#include "botan/compat.hpp"
#include "botan/digests.hpp"
#include "cpb_provider.h"
#include "joined.h"
#include "key_pairs.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using namespace cpb;

// Filled before the provider is returned, and never changed afterwards.
std::vector<Offer> offers;
std::string wanted;
std::string version;
std::string banner;
std::string path_taken;

std::unique_ptr<Call> make_compat(const Offer &offer, const cpb_symmetric &workload) {
    if (offer.row_group == nullptr) {
        throw std::invalid_argument("bench-slopes has no row for " + offer.spelling);
    }
    switch (offer.kind) {
    case Kind::hash:
    case Kind::xof: return std::make_unique<CompatHash>(offer, workload);
    case Kind::mode: return std::make_unique<CompatMode>(offer, workload);
    case Kind::stream:
    case Kind::stateful_stream: return std::make_unique<CompatStream>(offer, workload);
    case Kind::aead: return std::make_unique<CompatAead>(offer, workload);
    default: throw std::logic_error("no row of bench-slopes is of this kind");
    }
}

std::unique_ptr<Call> make_call(const Offer &offer, const cpb_symmetric &workload) {
    if (workload.contract == CPB_COMPAT) return make_compat(offer, workload);
    switch (offer.kind) {
    case Kind::hash:
    case Kind::xof: return std::make_unique<HashCall>(offer, workload);
    case Kind::mac: return std::make_unique<MacCall<false>>(offer, workload);
    case Kind::one_time_mac: return std::make_unique<MacCall<true>>(offer, workload);
    case Kind::block:
        if (offer.shown.operation == CPB_DECRYPT) {
            return std::make_unique<BlockCall<true>>(offer, workload);
        }
        return std::make_unique<BlockCall<false>>(offer, workload);
    case Kind::mode: return std::make_unique<ModeCall>(offer, workload);
    case Kind::stream: return std::make_unique<StreamCall<false>>(offer, workload);
    case Kind::stateful_stream: return std::make_unique<StreamCall<true>>(offer, workload);
    case Kind::aead: return std::make_unique<AeadCall>(offer, workload);
    case Kind::pbkdf:
    case Kind::scrypt:
    case Kind::argon2: return std::make_unique<PasswordCall>(offer, workload);
    case Kind::derivation: return std::make_unique<DerivationCall>(offer, workload);
    }
    throw std::logic_error("an offer of unknown kind");
}

void write_reason(const char *text, char *reason, uint64_t reason_bytes) {
    std::snprintf(reason, static_cast<size_t>(reason_bytes), "%s", text);
}

const char *code_path_of_provider() { return path_taken.empty() ? nullptr : path_taken.c_str(); }

uint64_t count() { return offers.size(); }

const cpb_implementation *implementation(uint64_t index) {
    return index < offers.size() ? &offers[index].shown : nullptr;
}

int prepare(uint64_t index, const cpb_workload *workload, void **call, char *reason,
            uint64_t reason_bytes) {
    try {
        const Offer &offer = offers.at(index);
        cpb_symmetric given;
        if (cpb_symmetric_of(&given, offer.shown.operation, workload) != 0) {
            throw std::invalid_argument("a call of it has one case");
        }
        auto made = make_call(offer, given);
        made->asked = workload;
        *call = made.release();
        return 0;
    } catch (const std::exception &error) {
        write_reason(error.what(), reason, reason_bytes);
    } catch (...) {
        write_reason("Botan threw something that is no exception", reason, reason_bytes);
    }
    return 1;
}

void run(void *call, uint64_t calls) {
    auto &prepared = *static_cast<Call *>(call);
    try {
        prepared.run(calls);
    } catch (const std::exception &error) {
        prepared.failure = error.what();
        if (prepared.failure.empty()) prepared.failure = "Botan threw without a reason";
    } catch (...) {
        prepared.failure = "Botan threw something that is no exception";
    }
}

int output(void *call, cpb_buffer *outputs, uint64_t count, char *reason,
           uint64_t reason_bytes) {
    auto &prepared = *static_cast<Call *>(call);
    try {
        if (prepared.failure.empty()) {
            const View view = prepared.output();
            cpb_symmetric_share(prepared.asked, view.bytes, view.length, outputs, count);
            return 0;
        }
        write_reason(prepared.failure.c_str(), reason, reason_bytes);
    } catch (...) {
        write_reason("no room for the output", reason, reason_bytes);
    }
    return 1;
}

void release(void *call) { delete static_cast<Call *>(call); }

cpb_provider provider = {
    CPB_PROVIDER_ABI, 0,       "botan", nullptr, code_path_of_provider, count,
    implementation,   prepare, run,     output,  release,
};

} // namespace

// Asks Botan only for the algorithm with this spelling, because timing a first use needs no
// list.
EXPORTED void cpb_shim_want(const char *spelling, uint32_t) { wanted = spelling; }

// Returns the bytes of the library's objects in the shim's own memory; calls without key pairs
// allocate theirs by `new`.
EXPORTED uint64_t cpb_shim_object_bytes(void *handle) {
    return cpb_joined_part(&handle) != 0 ? cpb_key_object_bytes(handle) : 0;
}

EXPORTED const cpb_provider *cpb_provider_v2(void) {
    try {
        if (offers.empty()) {
            version = Botan::short_version_string();
            banner = Botan::version_string();
            path_taken = code_path();
            offers = Catalogue(wanted).everything();
            provider.version = version.c_str();
        }
        return cpb_join(&provider, cpb_key_pairs());
    } catch (...) {
        return nullptr;
    }
}

// Returns the version as bench-slopes prints it.
EXPORTED const char *cpb_shim_banner(void) { return banner.c_str(); }
