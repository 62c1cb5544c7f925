// Calls that are ready to run, one class per contract.
#pragma once

#include "../symmetric.h"
#include "object.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace shim {

using Byte = unsigned char;

// Writes `text` to a reason of the C interface, truncated to `room` bytes.
inline void state(const char *text, char *reason, std::uint64_t room) {
    if (reason && room) std::snprintf(reason, static_cast<std::size_t>(room), "%s", text);
}

// The location of the last call's result.
struct Output {
    const Byte *bytes = nullptr;
    std::uint64_t length = 0;
};

// A call that is ready. It may outlive its maker, but not the workload's memory.
class Call {
  public:
    virtual ~Call() = default;
    // Makes `calls` calls. A failure ends the batch and is recorded in `failure`.
    virtual void run(std::uint64_t calls) noexcept = 0;

    Output output;
    // Whether the result is a checksum whose last byte comes first. `number` is
    // room to reverse it.
    bool reversed = false;
    Byte number[8] = {};
    // The workload as cpb passed it, over whose outputs the result is distributed.
    const cpb_workload *asked = nullptr;
    // States why a call failed; empty if none did.
    char failure[256] = "";
};

// Repeats a step, which is the work of one call, in a loop with nothing else in it.
template <class Step> class Loop final : public Call {
  public:
    template <class... Arguments>
    explicit Loop(Arguments &&...arguments) : step{std::forward<Arguments>(arguments)...} {}

    void run(std::uint64_t calls) noexcept override {
        try {
            for (; calls != 0; --calls) step();
        } catch (const std::exception &exception) {
            state(exception.what(), failure, sizeof failure);
        } catch (...) {
            state("an exception of unknown type", failure, sizeof failure);
        }
    }

  private:
    Step step;
};

// Contract keyed: the object exists and has its key before the first call.
template <class Work> class Keyed {
  public:
    Keyed(Maker<typename Work::Interface> maker, const Work &work)
        : work(work), memory(maker.bytes), object(maker, memory) {
        this->work.key(*object);
        // EAX accepts no new nonce before it has finished a message.
        this->work.process(*object);
    }
    void operator()() {
        work.start(*object);
        work.process(*object);
    }

  private:
    Work work;
    Memory memory;
    Object<typename Work::Interface> object;
};

// Contract oneshot: every call makes, keys, uses and destroys an object.
template <class Work> class Oneshot {
  public:
    Oneshot(Maker<typename Work::Interface> maker, const Work &work)
        : work(work), memory(maker.bytes), maker(maker) {}
    void operator()() {
        Object<typename Work::Interface> object(maker, memory);
        work.key(*object);
        work.process(*object);
    }

  private:
    Work work;
    Memory memory;
    Maker<typename Work::Interface> maker;
};

// Contract compat: makes the call that bench-slopes times.
template <class Work> class Compat {
  public:
    Compat(Maker<typename Work::Interface> maker, const Work &work)
        : work(work), memory(maker.bytes), object(maker, memory) {
        this->work.key(*object);
        this->work.shortest_nonce(*object);
    }
    void operator()() { work.as_bench_slopes(*object); }

  private:
    Work work;
    Memory memory;
    Object<typename Work::Interface> object;
};

// Returns the call that does `work` under the workload's contract.
template <class Work>
std::unique_ptr<Call> ready(const cpb_symmetric &workload, Maker<typename Work::Interface> maker,
                            const Work &work) {
    std::unique_ptr<Call> call;
    switch (workload.contract) {
    case CPB_KEYED:
        call = std::make_unique<Loop<Keyed<Work>>>(maker, work);
        break;
    case CPB_ONESHOT:
        call = std::make_unique<Loop<Oneshot<Work>>>(maker, work);
        break;
    default:
        call = std::make_unique<Loop<Compat<Work>>>(maker, work);
        break;
    }
    call->output = work.output(workload.contract == CPB_COMPAT);
    return call;
}

} // namespace shim
