#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "common/ir/quantization/quantization.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"

// Types of values: tensors, tokens and tuples. Plain values; thread-compatible.
namespace acceld::ir {

// The sizes of the dimensions of a tensor, or an index into it.
using Dims = absl::InlinedVector<int64_t, 6>;

// A dimension whose size is not known until the program is specialized ('?' in text).
inline constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

// The type of a tensor: an element type and the sizes of its dimensions.
struct TensorType {
  DType dtype = DType::kF32;
  Dims dims;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  bool IsStatic() const;
  // num_elements and size_bytes are only for static types that passed ValidateType, which bounds
  // them.
  int64_t num_elements() const;
  int64_t size_bytes() const { return num_elements() * StorageBytesOf(dtype); }
  // "tensor<2x3xf32>".
  std::string ToString() const;

  friend bool operator==(const TensorType&, const TensorType&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const TensorType& type) {
    return H::combine(std::move(state), type.dtype, type.dims);
  }
};

// The type of a value.
class Type {
 public:
  // Programs have quantized tensors only while they are read (importer.h).
  enum class Kind : uint8_t { kTensor, kToken, kTuple, kQuantized };

  Type() = default;
  Type(TensorType tensor) : tensor_(std::move(tensor)) {}  // NOLINT: a tensor type is a type
  static Type Token();
  static Type Tuple(std::vector<Type> elements);
  // A tensor of integers (quantization.storage) that represent real numbers.
  static Type Quantized(Dims dims, Quantization quantization);

  Kind kind() const { return kind_; }
  bool IsTensor() const { return kind_ == Kind::kTensor; }
  bool IsQuantized() const { return kind_ == Kind::kQuantized; }
  // Only for kTensor and kQuantized; for kQuantized, the tensor of the stored integers.
  const TensorType& tensor() const { return tensor_; }
  // Only for kTuple.
  const std::vector<Type>& elements() const;
  // Only for kQuantized.
  const Quantization& quantization() const { return *quantization_; }

  std::string ToString() const;
  friend bool operator==(const Type& a, const Type& b);

 private:
  Kind kind_ = Kind::kTensor;
  TensorType tensor_;
  std::shared_ptr<const std::vector<Type>> elements_;  // Shared by copies; never written.
  std::shared_ptr<const Quantization> quantization_;   // Shared by copies; never written.
};

// Returns the types separated by commas: "tensor<2xf32>, tensor<i1>".
std::string ToString(absl::Span<const Type> types);

// Returns row-major strides in elements.
Dims RowMajorStrides(absl::Span<const int64_t> dims);

// Whether a value of type `actual` may be used where `expected` is declared: the types are equal,
// except that a dynamic dimension fits every size.
bool IsCompatible(const Type& expected, const Type& actual);

// Returns an error for negative sizes, ranks above limits::kMaxRank, element or byte counts above
// limits::kMaxTensorBytes (dynamic dimensions count as 1), and for the errors of
// ValidateQuantization.
absl::Status ValidateType(const Type& type);

}  // namespace acceld::ir
