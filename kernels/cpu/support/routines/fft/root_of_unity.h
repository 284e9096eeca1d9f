#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

struct Root {
  double re, im;
};

// exp(-2 pi i k / n), 0 <= k < n, n at most 2^59; both parts are right to the last bit or nearly
// so.
Root RootOfUnity(int64_t k, int64_t n);

}  // namespace acceld::kernels::cpu
