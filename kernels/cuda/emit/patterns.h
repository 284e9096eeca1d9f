#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The i64 constants of a kernel.
using Constants = absl::flat_hash_map<Var, int64_t>;
Constants FindConstants(const Kernel& kernel);

// How a value changes from one iteration of a loop to the next.
struct Pattern {
  bool is_known = false;
  int64_t stride = 0;            // per iteration
  int64_t divisor = 1;           // a power of two that divides the first value, 64 at most
  bool is_not_negative = false;  // none of the values

  bool is_uniform() const { return is_known && stride == 0; }
};

// The patterns of the values of one block, over `width` neighbouring iterations (a power of two) of
// the loop with `induction`, the first of which is a multiple of `width`; over all iterations when
// `width` is 0. What is defined outside of the block is the same in all of them.
class Patterns {
 public:
  // Takes time for the block, without the blocks inside.
  Patterns(const Kernel& kernel, const Constants& constants, const Block& block, Var induction,
           int64_t width);

  Pattern Of(Var var) const;

 private:
  Pattern Find(const ScalarStatement& scalar) const;

  const Constants& constants_;
  const int64_t width_;
  absl::flat_hash_map<Var, Pattern> patterns_;
};

}  // namespace acceld::kernels::cuda
