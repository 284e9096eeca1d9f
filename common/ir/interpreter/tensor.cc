#include "common/ir/interpreter/tensor.h"

#include <algorithm>

#include "common/check.h"

namespace acceld::ir::interpreter {

TensorBuilder::TensorBuilder(TensorType type)
    : type_(std::move(type)), bytes_(type_.size_bytes(), '\0') {}

TensorBuilder::TensorBuilder(TensorType type, const Literal& literal)
    : type_(std::move(type)), bytes_(literal.DenseBytes()) {
  ACCELD_CHECK(static_cast<int64_t>(bytes_.size()) == type_.size_bytes());
}

Value TensorBuilder::Finish() { return MakeTensor(type_, std::move(bytes_)); }

void CopyBox(const TensorView& from, const Dims& from_start, const Dims& sizes, TensorBuilder& to,
             const Dims& to_start) {
  const Dims from_strides = RowMajorStrides(from.type().dims);
  const Dims to_strides = RowMajorStrides(to.type().dims);
  const int64_t from_begin = LinearIndex(from_strides, from_start);
  const int64_t to_begin = LinearIndex(to_strides, to_start);
  const int64_t bytes = StorageBytesOf(to.type().dtype);
  Dims index(sizes.size(), 0);
  for (int64_t i = 0, count = NumElements(sizes); i < count; ++i, NextIndex(sizes, index)) {
    const int64_t source = from_begin + LinearIndex(from_strides, index);
    std::copy_n(from.BytesAt(source), bytes, to.BytesAt(to_begin + LinearIndex(to_strides, index)));
  }
}

Value MakeSplat(const TensorType& type, const Scalar& value) {
  std::string element(StorageBytesOf(type.dtype), '\0');
  WriteScalar(type.dtype, element.data(), 0, value);
  return MakeTensor(type, std::move(element));
}

Value MakeTensor(const TensorType& type, std::string bytes) {
  auto literal = Literal::FromBytes(type, std::move(bytes));
  ACCELD_CHECK(literal.ok());
  return Value{.tensor = *std::move(literal), .elements = {}};
}

int64_t NumElements(const Dims& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

bool NextIndex(const Dims& dims, Dims& index) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

int64_t LinearIndex(const Dims& strides, const Dims& index) {
  int64_t linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear += strides[d] * index[d];
  return linear;
}

bool InBounds(const Dims& dims, const Dims& index) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) return false;
  }
  return true;
}

int64_t PositionIn(const std::vector<int64_t>& list, int64_t value) {
  const auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? -1 : found - list.begin();
}

}  // namespace acceld::ir::interpreter
