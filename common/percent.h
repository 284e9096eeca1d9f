#pragma once

namespace acceld {

// So many hundredths of `amount`, rounded down, without overflow. `amount` is not negative, and
// `percent` is from 0 to 100.
template <typename Integer>
constexpr Integer PercentOf(Integer amount, int percent) {
  const auto hundredths = static_cast<Integer>(percent);
  return amount / 100 * hundredths + amount % 100 * hundredths / 100;
}

}  // namespace acceld
