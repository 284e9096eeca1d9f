#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// The i64 constants of a kernel, by the value that they define.
using Constants = absl::flat_hash_map<Var, int64_t>;
Constants FindConstants(const Kernel& kernel);

// How a value changes from one iteration of a loop to the next, over a group of consecutive
// iterations.
struct Pattern {
  bool is_known = false;  // whether the value changes by `stride` in each iteration
  int64_t stride = 0;
  int64_t divisor = 1;           // a power of two, at most 64, that divides the group's first value
  bool is_not_negative = false;  // whether no value of the group is negative

  // Whether the value is the same in all iterations of the group.
  bool is_uniform() const { return is_known && stride == 0; }
  // For an index: whether a warp whose threads run consecutive iterations accesses nearly
  // contiguous memory. This includes interleaved real and imaginary parts, and descending indices.
  bool is_near() const { return is_known && stride != 0 && stride >= -2 && stride <= 2; }
  // For an index: whether the threads of such a warp access memory far from each other.
  bool is_far() const { return is_known && (stride <= -8 || stride >= 8); }
};

// Finds the patterns of values in the body of a loop, over each group of `width` consecutive
// iterations. `width` is a power of two, and a group begins at an iteration number that is a
// multiple of it; 0 stands for one group of all iterations. Values that are defined outside the
// added blocks count as the same in all iterations. Kernel and constants must outlive the object.
class Patterns {
 public:
  Patterns(const Kernel& kernel, const Constants& constants, Var induction, int64_t width);
  Patterns(const Kernel& kernel, const Constants& constants, const Block& block, Var induction,
           int64_t width)
      : Patterns(kernel, constants, induction, width) {
    Add(block);
  }

  // Finds the patterns of the values that the statements directly in `block` define. The time is
  // linear in their number. A block must be added before the blocks that are inside it.
  void Add(const Block& block);

  // The pattern of the value; is_known is false if none was found.
  Pattern Of(Var var) const;

 private:
  Pattern Find(const ScalarStatement& scalar) const;

  const Kernel& kernel_;
  const Constants& constants_;
  const int64_t width_;
  absl::flat_hash_map<Var, Pattern> patterns_;
};

}  // namespace acceld::kernels
