#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "common/ir/types/type.h"
#include "kernels/ir/routine.h"

namespace acceld::kernels::cuda {

// The element types that libraries of linear algebra support. The values are indices into the
// tables of their functions (Cublas, Cusolver).
enum class Element : uint8_t { kF32, kF64, kC64, kC128 };

// The element type for a dtype; nullopt if the libraries do not support it.
inline absl::optional<Element> ElementOf(ir::DType dtype) {
  if (dtype == ir::DType::kF32) return Element::kF32;
  if (dtype == ir::DType::kF64) return Element::kF64;
  if (dtype == ir::DType::kC64) return Element::kC64;
  if (dtype == ir::DType::kC128) return Element::kC128;
  return absl::nullopt;
}

inline bool IsDouble(Element element) {
  return element == Element::kF64 || element == Element::kC128;
}
// The number of real numbers in an element: 2 for complex types, else 1.
inline int64_t PartsOf(Element element) {
  return element == Element::kC64 || element == Element::kC128 ? 2 : 1;
}
inline int64_t RealBytesOf(Element element) { return IsDouble(element) ? 8 : 4; }
inline int64_t BytesOf(Element element) { return PartsOf(element) * RealBytesOf(element); }

// The shape of a batch of dense matrices. A batch of vectors has one column.
struct Matrices {
  Element element = Element::kF32;
  int64_t batch = 1, rows = 1, columns = 1;

  int64_t item_elements() const { return rows * columns; }
  int64_t item_bytes() const { return item_elements() * BytesOf(element); }
  int64_t size_bytes() const { return batch * item_bytes(); }
  Matrices Transposed() const { return {element, batch, columns, rows}; }
};

// The shape of an operand or result whose first `batch_rank` dimensions are batch dimensions. Its
// dtype must be one for which ElementOf has a value.
inline Matrices MatricesOf(const ir::TensorType& type, int64_t batch_rank) {
  Matrices out{.element = *ElementOf(type.dtype)};
  for (int64_t d = 0; d < batch_rank; ++d) out.batch *= type.dims[static_cast<size_t>(d)];
  const auto rank = static_cast<int64_t>(type.dims.size());
  if (rank > batch_rank) out.rows = type.dims[static_cast<size_t>(batch_rank)];
  if (rank > batch_rank + 1) out.columns = type.dims[static_cast<size_t>(batch_rank + 1)];
  return out;
}

}  // namespace acceld::kernels::cuda
