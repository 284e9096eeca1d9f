#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/types/element.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// An immutable dense tensor in host memory: a type and row-major little-endian bytes, in the
// storage layout of dtypes.def. A splat, whose elements are all equal, stores one element. Copies
// share the bytes. Thread-compatible.
class Literal {
 public:
  // A scalar f32 zero.
  Literal();
  // Makes a literal of exactly type.size_bytes() bytes, or of the bytes of one element (a splat).
  // INVALID_ARGUMENT for other sizes, i1 elements other than 0 and 1, and sub-byte integers out of
  // range.
  static absl::StatusOr<Literal> FromBytes(TensorType type, std::string bytes);
  // Makes a literal of values of the element's C++ type: uint8_t for bool, the bits for f16, bf16
  // and f8.
  template <typename T>
  static Literal FromValues(TensorType type, absl::Span<const T> values) {
    return Unchecked(std::move(type), std::string(reinterpret_cast<const char*>(values.data()),
                                                  values.size() * sizeof(T)));
  }
  // Makes a splat of `value`, converted to the dtype (rounded to nearest even, saturated).
  static Literal Filled(TensorType type, double value);
  static Literal Zeros(TensorType type) { return Filled(std::move(type), 0); }

  const TensorType& type() const { return type_; }
  // True when one element is stored, which is also the case for a tensor of one element.
  bool is_splat() const { return splat_; }
  // The bytes of one element for a splat, else of all elements.
  absl::string_view bytes() const { return *bytes_; }
  // Returns the bytes of all elements, also for a splat.
  std::string DenseBytes() const;

  // Equal types and equal element bits, whether or not one of them is stored as a splat.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  static Literal Unchecked(TensorType type, std::string bytes);
  TensorType type_;
  bool splat_ = false;
  std::shared_ptr<const std::string> bytes_;  // Shared by copies; never written after construction.
};

}  // namespace acceld::ir
