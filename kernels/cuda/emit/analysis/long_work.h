#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// So many iterations take a large GPU some ten milliseconds; what takes longer looks now and then
// whether it is cancelled.
inline constexpr double kLongWork = int64_t{1} << 38;

// Which loops of a kernel, which must not change or move, have to look whether they are cancelled.
// What is computed and not stored costs no memory, so that a small program may ask for any number
// of iterations.
class LongWork {
 public:
  // In time that grows like the kernel.
  explicit LongWork(const Kernel& kernel);

  // The condition, of a C++ expression `turn` that counts from 0, under which one of `turns` turns
  // that each go once through `body` looks: empty if none has to, "true" if each.
  std::string TurnsThatLook(absl::string_view turn, double turns, const Block& body) const;

 private:
  double IterationsIn(const Block& block);

  absl::flat_hash_map<const Block*, double> iterations_;  // of one turn of each loop
  bool is_long_;
};

}  // namespace acceld::kernels::cuda
