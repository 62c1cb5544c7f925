// fits<OURS>(&function): whether calling it as OURS passes what it takes, and takes what it
// returns. Integers agree in width and sign (an enumeration in width), pointers in the
// integers behind them; what is behind a void or byte pointer is not looked at.
#include <cstddef>
#include <cstdint>
#include <type_traits>

template <class Ours, class Theirs> constexpr bool same() {
  using Behind = std::remove_cv_t<std::remove_pointer_t<Ours>>;
  using Declared = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    if constexpr (std::is_integral_v<Declared> || std::is_pointer_v<Declared>)
      return sizeof(Declared) == 1 || same<Behind, Declared>();
    else
      return !std::is_pointer_v<Behind> || std::is_void_v<Declared>;
  } else if constexpr (std::is_enum_v<Theirs>)
    return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs);
  else if constexpr (std::is_integral_v<Ours> && std::is_integral_v<Theirs>)
    return sizeof(Ours) == sizeof(Theirs) && std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
  else
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
}

template <class Ours, class Theirs> struct functions : std::false_type {};
template <class R, class... A, class S, class... B>
struct functions<R(A...), S(B...)> {
  template <bool counts = sizeof...(A) == sizeof...(B)> static constexpr bool compare() {
    if constexpr (counts)
      return same<R, S>() && (same<A, B>() && ...);
    else
      return false;
  }
  static constexpr bool value = compare();
};
template <class R, class... A, class S, class... B>
struct functions<R(A..., ...), S(B..., ...)> : functions<R(A...), S(B...)> {};

template <class Ours, class Theirs> constexpr bool fits(Theirs *) {
  return functions<Ours, Theirs>::value;
}
