// Constructs objects of the library whose class only the table knows.
//
// A template makes a `Maker` for each class; all other code uses the library's
// interfaces. Memory is allocated in advance, so that a oneshot call costs as much
// as in a program with the object on its stack.
#pragma once

#include <cstddef>
#include <new>

namespace shim {

// Constructs an object of some class with the interface `Interface`.
template <class Interface> struct Maker {
    std::size_t bytes;
    Interface *(*construct)(void *memory);
};

// Returns the maker of `Class(arguments...)`.
template <class Interface, class Class, auto... arguments> constexpr Maker<Interface> maker() {
    return {sizeof(Class), [](void *memory) -> Interface * {
                // Empty parentheses would zero some of the classes first.
                if constexpr (sizeof...(arguments) == 0)
                    return new (memory) Class;
                else
                    return new (memory) Class(arguments...);
            }};
}

// Memory for one object, aligned to a cache line.
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

// An object in memory that the caller owns. It is destroyed at the end of its
// scope.
template <class Interface> class Object {
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
