#pragma once

#include <array>
#include <cstdint>

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Describes a matrix product completely, except for the addresses of its operands and of its
// result. Generated code passes the fields as a descriptor to the run-time support (MatmulFunction
// in support_abi.h), and the library's primitives are cached by this key. It has no epilogue, as
// the CPU's products do not support any.
struct MatmulKey {
  enum Field : int {
    kInputDtype,
    kOutputDtype,
    kGroups,
    kBatch,
    kM,
    kN,
    kK,
    kLhsStrides,                    // strides of the batch, m and k, in elements
    kRhsStrides = kLhsStrides + 3,  // strides of the batch, k and n, in elements
    kLhsGroupStride = kRhsStrides + 3,
    kRhsGroupStride,
    kNumFields,
  };
  std::array<int64_t, kNumFields> fields{};

  ir::DType input_dtype() const { return static_cast<ir::DType>(fields[kInputDtype]); }
  ir::DType output_dtype() const { return static_cast<ir::DType>(fields[kOutputDtype]); }
  int64_t operator[](Field field) const { return fields[field]; }
  int64_t lhs_stride(int i) const { return fields[kLhsStrides + i]; }
  int64_t rhs_stride(int i) const { return fields[kRhsStrides + i]; }

  friend bool operator==(const MatmulKey&, const MatmulKey&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const MatmulKey& key) {
    return H::combine(std::move(state), key.fields);
  }
};

// Returns the key of `step`.
inline MatmulKey MatmulKeyOf(const MatmulStep& step) {
  MatmulKey key;
  key.fields = {static_cast<int64_t>(step.input_dtype),
                static_cast<int64_t>(step.output_dtype),
                step.groups,
                step.batch,
                step.m,
                step.n,
                step.k,
                step.lhs_strides[0],
                step.lhs_strides[1],
                step.lhs_strides[2],
                step.rhs_strides[0],
                step.rhs_strides[1],
                step.rhs_strides[2],
                step.lhs_group_stride,
                step.rhs_group_stride};
  return key;
}

}  // namespace acceld::kernels::cpu
