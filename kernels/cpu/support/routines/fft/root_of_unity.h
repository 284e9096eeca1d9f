#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

// A complex number.
struct Root {
  double re, im;
};

// Returns exp(-2 pi i k / n) for 0 <= k < n and n at most 2^59. Both parts are correct to the last
// bit or nearly so.
Root RootOfUnity(int64_t k, int64_t n);

}  // namespace acceld::kernels::cpu
