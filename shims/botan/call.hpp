// A call that is ready to run.
#ifndef CPB_BOTAN_CALL_HPP
#define CPB_BOTAN_CALL_HPP

#include "library.hpp"
#include "offers.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace cpb {

struct View {
    const uint8_t *bytes;
    uint64_t length;
};

class Call {
  public:
    explicit Call(const cpb_symmetric &workload) : workload_(workload) {}
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;
    virtual ~Call() = default;

    // Runs the timed loop. An exception of Botan's ends it.
    virtual void run(uint64_t calls) = 0;
    virtual View output() = 0;

    // States why a call failed; empty if none did.
    std::string failure;
    // The workload as cpb passed it, over whose outputs the result is distributed.
    const cpb_workload *asked = nullptr;

  protected:
    const cpb_symmetric workload_;

    size_t message_bytes() const { return static_cast<size_t>(workload_.message_bytes); }
    size_t nonce_bytes() const { return static_cast<size_t>(workload_.nonce_bytes); }
    View message_view() const { return {workload_.message, workload_.message_bytes}; }
    View destination_view(uint64_t length) const { return {workload_.destination, length}; }

    template <typename Object> void set_key(Object &object) const {
        object.set_key(workload_.key, static_cast<size_t>(workload_.key_bytes));
    }
};

// The contracts keyed and oneshot for one of Botan's classes. `Derived` has
//   make(): returns a new object with its key, as std::unique_ptr<Object>;
//   use(Object &): makes one call.
// Botan creates objects by their names, so that parsing the name is part of a
// oneshot call, as it is for any user of Botan.
template <typename Derived, typename Object> class KeyedOrOneshot : public Call {
  public:
    KeyedOrOneshot(const Offer &offer, const cpb_symmetric &workload)
        : Call(workload), algorithm_(offer.algorithm) {}

    void run(uint64_t calls) final {
        auto &self = static_cast<Derived &>(*this);
        if (workload_.contract == CPB_ONESHOT) {
            for (uint64_t call = 0; call < calls; ++call) {
                const std::unique_ptr<Object> fresh = self.make();
                self.use(*fresh);
            }
        } else {
            Object &kept = *kept_;
            for (uint64_t call = 0; call < calls; ++call) self.use(kept);
        }
    }

  protected:
    std::string algorithm_;
    std::unique_ptr<Object> kept_;
};

} // namespace cpb

#endif
