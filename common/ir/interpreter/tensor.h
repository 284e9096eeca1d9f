#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ir/interpreter/elements/scalar.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/types/literal.h"

// Element access for handlers: reading literals, building them, walking index spaces.
namespace acceld::ir::interpreter {

// The elements of a literal, splat or not. The literal outlives the view.
class TensorView {
 public:
  explicit TensorView(const Literal& literal)
      : type_(literal.type()), data_(literal.bytes().data()), stride_(literal.is_splat() ? 0 : 1) {}

  const TensorType& type() const { return type_; }
  // `index` is row-major.
  Scalar At(int64_t index) const { return ReadScalar(type_.dtype, data_, index * stride_); }
  int64_t IndexAt(int64_t index) const { return ReadIndex(type_.dtype, data_, index * stride_); }
  const char* BytesAt(int64_t index) const {
    return data_ + index * stride_ * StorageBytesOf(type_.dtype);
  }

 private:
  const TensorType& type_;
  const char* data_;
  int64_t stride_;
};

// A tensor under construction; starts as zero bytes.
class TensorBuilder {
 public:
  explicit TensorBuilder(TensorType type);
  // Starts with the elements of `literal`.
  TensorBuilder(TensorType type, const Literal& literal);

  const TensorType& type() const { return type_; }
  Scalar At(int64_t index) const { return ReadScalar(type_.dtype, bytes_.data(), index); }
  void Set(int64_t index, const Scalar& value) {
    WriteScalar(type_.dtype, bytes_.data(), index, value);
  }
  char* BytesAt(int64_t index) { return bytes_.data() + index * StorageBytesOf(type_.dtype); }
  // Ends the construction.
  Value Finish();

 private:
  TensorType type_;
  std::string bytes_;
};

// A tensor every element of which is `value`.
Value MakeSplat(const TensorType& type, const Scalar& value);
// `bytes` as a tensor of `type` (all elements, or one for a splat).
Value MakeTensor(const TensorType& type, std::string bytes);

inline std::vector<Value> OneResult(Value value) {
  std::vector<Value> results;
  results.push_back(std::move(value));
  return results;
}

int64_t NumElements(const Dims& dims);

// Moves `index` to the next one of the row-major order of `dims`; false after the last.
bool NextIndex(const Dims& dims, Dims& index);

// The row-major position of `index`.
int64_t LinearIndex(const Dims& strides, const Dims& index);

// Whether `index` lies within `dims`.
bool InBounds(const Dims& dims, const Dims& index);

// Position of `value` in `list`, -1 when it is not there.
int64_t PositionIn(const std::vector<int64_t>& list, int64_t value);

}  // namespace acceld::ir::interpreter
