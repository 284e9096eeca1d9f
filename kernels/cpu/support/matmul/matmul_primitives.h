#pragma once

#include <memory>

#include "common/status.h"
#include "kernels/cpu/matmul_key.h"

namespace acceld::kernels::cpu {

// A matrix product prepared by the library for one shape. Immutable; any number of threads may run
// it at the same time. It runs on the calling thread alone.
class MatmulPrimitive {
 public:
  virtual ~MatmulPrimitive() = default;
  virtual absl::Status Run(const void* lhs, const void* rhs, void* out) const = 0;
};

// How the product is written; strides in elements. With `accumulate` it is added to what is there.
struct MatmulOutput {
  int64_t batch_stride = 0;
  int64_t row_stride = 0;
  bool accumulate = false;
  friend bool operator==(const MatmulOutput&, const MatmulOutput&) = default;
};

// Uses a bounded process-wide table. Thread-safe. UNIMPLEMENTED when the library does not have it.
absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> FindMatmulPrimitive(
    const MatmulKey& key, const MatmulOutput& output);

}  // namespace acceld::kernels::cpu
