// Objects of the library whose class only the table knows.
//
// A template stamps a `Maker` from each class; everything after works through
// the library's own interfaces. Memory is set aside in advance, so that a oneshot
// call pays for what a program with the object on its stack would pay for.
#pragma once

#include <cstddef>
#include <new>

namespace shim {

// How to construct an object of some class with the interface `Interface`.
template <class Interface>
struct Maker {
    std::size_t bytes;
    Interface *(*construct)(void *memory);
};

// The maker of `Class(arguments...)`.
template <class Interface, class Class, auto... arguments>
constexpr Maker<Interface> maker() {
    return {sizeof(Class), [](void *memory) -> Interface * {
                // Empty parentheses would zero some of the classes first.
                if constexpr (sizeof...(arguments) == 0)
                    return new (memory) Class;
                else
                    return new (memory) Class(arguments...);
            }};
}

// Room for one object, at the start of a cache line.
class Memory {
public:
    explicit Memory(std::size_t bytes) : start(::operator new(bytes, line)) {}
    ~Memory() { ::operator delete(start, line); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    void *const start;

private:
    static constexpr std::align_val_t line{64};
};

// An object in memory that somebody else keeps; destroyed at the end of scope.
template <class Interface>
class Object {
public:
    Object(const Maker<Interface> &maker, const Memory &memory)
        : object(maker.construct(memory.start)) {}
    ~Object() { object->~Interface(); }
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;

    Interface &operator*() const { return *object; }
    Interface *operator->() const { return object; }

private:
    Interface *const object;
};

} // namespace shim
