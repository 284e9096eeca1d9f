#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

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
  // As an index: whether the threads of a warp, on neighbouring iterations, touch about one piece
  // of memory; also the parts of complex numbers, and backwards.
  bool is_near() const { return is_known && stride != 0 && stride >= -2 && stride <= 2; }
  // Or each of them a piece of its own.
  bool is_far() const { return is_known && (stride <= -8 || stride >= 8); }
};

// The patterns of values over `width` neighbouring iterations (a power of two) of the loop with
// `induction`, the first of which is a multiple of `width`; over all iterations when `width` is 0.
// What is defined outside of the blocks that are added is the same in all of them.
class Patterns {
 public:
  Patterns(const Kernel& kernel, const Constants& constants, Var induction, int64_t width);
  Patterns(const Kernel& kernel, const Constants& constants, const Block& block, Var induction,
           int64_t width)
      : Patterns(kernel, constants, induction, width) {
    Add(block);
  }

  // Outer blocks first. Takes time for the block, without the blocks inside.
  void Add(const Block& block);

  Pattern Of(Var var) const;

 private:
  Pattern Find(const ScalarStatement& scalar) const;

  const Kernel& kernel_;
  const Constants& constants_;
  const int64_t width_;
  absl::flat_hash_map<Var, Pattern> patterns_;
};

}  // namespace acceld::kernels
