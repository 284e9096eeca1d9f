#pragma once

#include <type_traits>

namespace acceld {

// The quotient of two integers, rounded up. `a` is not negative, `b` is positive, and their sum
// does not overflow their common type, in which the quotient is computed.
template <typename A, typename B>
constexpr std::common_type_t<A, B> CeilDivide(A a, B b) {
  static_assert(std::is_integral_v<A> && std::is_integral_v<B>);
  return (a + b - 1) / b;
}

// The smallest multiple of `unit` that is at least `value`, under the same conditions.
template <typename A, typename B>
constexpr std::common_type_t<A, B> RoundUp(A value, B unit) {
  return CeilDivide(value, unit) * unit;
}

}  // namespace acceld
