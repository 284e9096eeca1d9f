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

// `out_row_stride` and `out_batch_stride` are in elements. Uses a bounded process-wide table.
// Thread-safe. UNIMPLEMENTED when the library does not take these types and sizes.
absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> FindMatmulPrimitive(const MatmulKey& key,
                                                                           int64_t out_batch_stride,
                                                                           int64_t out_row_stride);

}  // namespace acceld::kernels::cpu
