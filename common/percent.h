#pragma once

namespace acceld {

// Returns `percent` percent of `amount`, rounded down, without overflow. `amount` must not be
// negative, and `percent` must be from 0 to 100.
template <typename Integer>
constexpr Integer PercentOf(Integer amount, int percent) {
  const auto hundredths = static_cast<Integer>(percent);
  return amount / 100 * hundredths + amount % 100 * hundredths / 100;
}

}  // namespace acceld
