#include "kernels/cpu/support/routines/fft/root_of_unity.h"

#include <cmath>
#include <utility>

namespace acceld::kernels::cpu {

Root RootOfUnity(int64_t k, int64_t n) {
  constexpr double kPi = 3.14159265358979323846;
  // The angle is reduced to an eighth of the circle exactly.
  int64_t eighths = 8 * k / n;
  const int64_t rest = 8 * k - eighths * n;
  // In odd eighths the angle is measured back from the next multiple of a quarter.
  const bool odd = eighths % 2 != 0;
  const double angle =
      kPi / 4 * (static_cast<double>(odd ? n - rest : rest) / static_cast<double>(n));
  double c = std::cos(angle), s = std::sin(angle);
  if (odd) std::swap(c, s);
  // Now c and s are the cosine and sine of the angle within its quarter. They are rotated by the
  // quarters before.
  switch (eighths / 2) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

}  // namespace acceld::kernels::cpu
