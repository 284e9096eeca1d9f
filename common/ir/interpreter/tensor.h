#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ir/interpreter/elements/scalar.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/types/literal.h"

// Access to elements for handlers: reading literals, building them, and iterating over indices.
namespace acceld::ir::interpreter {

// Reads the elements of a literal, which may be a splat. The literal must outlive the view.
class TensorView {
 public:
  explicit TensorView(const Literal& literal)
      : type_(literal.type()), data_(literal.bytes().data()), stride_(literal.is_splat() ? 0 : 1) {}

  const TensorType& type() const { return type_; }
  // The element at a row-major index.
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

// Builds a tensor. Its bytes are zero at first.
class TensorBuilder {
 public:
  explicit TensorBuilder(TensorType type);
  // A tensor with the elements of `literal` at first.
  TensorBuilder(TensorType type, const Literal& literal);

  const TensorType& type() const { return type_; }
  Scalar At(int64_t index) const { return ReadScalar(type_.dtype, bytes_.data(), index); }
  void Set(int64_t index, const Scalar& value) {
    WriteScalar(type_.dtype, bytes_.data(), index, value);
  }
  char* BytesAt(int64_t index) { return bytes_.data() + index * StorageBytesOf(type_.dtype); }
  // Returns the tensor. The builder must not be used afterwards.
  Value Finish();

 private:
  TensorType type_;
  std::string bytes_;
};

// Copies the elements of a box of `sizes` elements that begins at the index `from_start` of a
// tensor to the index `to_start` of another one of the same dtype.
void CopyBox(const TensorView& from, const Dims& from_start, const Dims& sizes, TensorBuilder& to,
             const Dims& to_start);

// Returns a tensor whose elements are all `value`.
Value MakeSplat(const TensorType& type, const Scalar& value);
// Returns a tensor of these bytes, those of all elements, or of one element for a splat.
Value MakeTensor(const TensorType& type, std::string bytes);

inline std::vector<Value> OneResult(Value value) {
  std::vector<Value> results;
  results.push_back(std::move(value));
  return results;
}

int64_t NumElements(const Dims& dims);

// Moves `index` to the next index within `dims` in row-major order; returns false after the last
// one.
bool NextIndex(const Dims& dims, Dims& index);

// Returns the row-major position of `index`.
int64_t LinearIndex(const Dims& strides, const Dims& index);

// Whether `index` lies within `dims`.
bool InBounds(const Dims& dims, const Dims& index);

// Returns the position of `value` in `list`, or -1.
int64_t PositionIn(const std::vector<int64_t>& list, int64_t value);

}  // namespace acceld::ir::interpreter
