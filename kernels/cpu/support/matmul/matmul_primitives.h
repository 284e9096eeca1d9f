#pragma once

#include <memory>

#include "common/status.h"
#include "kernels/cpu/matmul_key.h"

namespace acceld::kernels::cpu {

// A matrix product that the library (oneDNN) has prepared for one shape. Immutable and thread-safe.
// Run computes the product on the calling thread alone.
class MatmulPrimitive {
 public:
  virtual ~MatmulPrimitive() = default;
  virtual absl::Status Run(const void* lhs, const void* rhs, void* out) const = 0;
};

// How a product is written. Strides are in elements. With `accumulate` it is added to the previous
// contents of the output.
struct MatmulOutput {
  int64_t batch_stride = 0;
  int64_t row_stride = 0;
  bool accumulate = false;
  friend bool operator==(const MatmulOutput&, const MatmulOutput&) = default;
};

// Returns the primitive for a product, from a bounded process-wide cache or newly made.
// Thread-safe. Returns UNIMPLEMENTED if the library does not support the product.
absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> FindMatmulPrimitive(
    const MatmulKey& key, const MatmulOutput& output);

}  // namespace acceld::kernels::cpu
