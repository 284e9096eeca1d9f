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

// An immutable dense host tensor: a type and row-major little-endian bytes, in the storage layout
// of dtypes.def. A splat keeps one element however large its type is. Copies share the bytes.
// Thread-compatible.
class Literal {
 public:
  // A scalar f32 zero.
  Literal();
  // `bytes` must hold exactly type.size_bytes() bytes, or else one element (a splat). i1 elements
  // must be 0 or 1, sub-byte integers within range.
  static absl::StatusOr<Literal> FromBytes(TensorType type, std::string bytes);
  // From host values of the element's C++ type: bool as uint8_t, f16, bf16 and f8 as their bits.
  template <typename T>
  static Literal FromValues(TensorType type, absl::Span<const T> values) {
    return Unchecked(std::move(type), std::string(reinterpret_cast<const char*>(values.data()),
                                                  values.size() * sizeof(T)));
  }
  // Every element is `value` converted to the dtype (rounded to nearest even, saturated).
  static Literal Filled(TensorType type, double value);
  static Literal Zeros(TensorType type) { return Filled(std::move(type), 0); }

  const TensorType& type() const { return type_; }
  // True when one element is stored, which a literal of exactly one element does too.
  bool is_splat() const { return splat_; }
  // One element for a splat, all of them otherwise.
  absl::string_view bytes() const { return *bytes_; }
  // All elements, also of a splat.
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
