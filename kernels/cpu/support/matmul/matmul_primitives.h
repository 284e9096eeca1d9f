#pragma once

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/matmul_key.h"

namespace acceld::kernels::cpu {

// A matrix product that the library (oneDNN) has prepared for one shape. Immutable and thread-safe.
// Run computes the product on the calling thread alone. RESOURCE_EXHAUSTED when there is no memory
// for its working space.
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

// Prepares a product. UNIMPLEMENTED if the library does not support it.
absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> MakeMatmulPrimitive(
    const MatmulKey& key, const MatmulOutput& output);

// Returns whether the library has products of these types on this machine, with or without
// MatmulOutput.accumulate, whatever the depth. Found out once for each pair, by preparing a small
// product.
bool LibraryMultiplies(ir::DType input, ir::DType output, bool accumulate);

// Returns whether operands of this type are to be converted to f32 before the library multiplies
// them: bf16 where the processor has no instructions for it. Nor are those of Intel's processors
// without a matrix unit (AMX) faster than two of f32: on Sapphire Rapids a core does 85 Gflop/s
// with them, and 174 of f32.
bool IsWidened(ir::DType input);

// A bounded cache of prepared products. Thread-safe.
class MatmulPrimitives {
 public:
  // Returns the primitive for a product, newly made if there is none yet. UNIMPLEMENTED if the
  // library does not support the product.
  absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> Find(const MatmulKey& key,
                                                              const MatmulOutput& output);

 private:
  struct Key {
    MatmulKey product;
    MatmulOutput output;

    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.product, key.output.batch_stride,
                        key.output.row_stride, key.output.accumulate);
    }
  };

  Mutex mutex_;
  absl::flat_hash_map<Key, std::shared_ptr<const MatmulPrimitive>> primitives_
      ABSL_GUARDED_BY(mutex_);
};

// Returns the primitive for a product of a launch: one of the launch's CpuRuntime, or a new one if
// it has none. UNIMPLEMENTED if the library does not support the product.
absl::StatusOr<std::shared_ptr<const MatmulPrimitive>> FindMatmulPrimitive(
    const LaunchContext& launch, const MatmulKey& key, const MatmulOutput& output);

}  // namespace acceld::kernels::cpu
