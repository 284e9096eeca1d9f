#include "server/compiler/decompose/random_bits.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::ValueId;

constexpr uint64_t kParity = 0x1BD11BDA;
constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};

ValueId Low(ir::Emitter& e, ValueId word) { return e.Convert(word, DType::kUI32); }
ValueId High(ir::Emitter& e, ValueId word) {
  return e.Convert(e.ShiftRight(word, 32), DType::kUI32);
}

ValueId RotateLeft(ir::Emitter& e, ValueId x, int bits) {
  return e.Or(e.ShiftLeft(x, bits), e.ShiftRight(x, 32 - bits));
}

// Encrypts each element of a ui64 tensor of counters under a scalar key. The two words of a block
// are the low and the high half of an element.
ValueId Encrypt(ir::Emitter& e, ValueId key, ValueId counters) {
  const ir::Dims dims = e.TypeOf(counters).dims;
  ValueId keys[3] = {Low(e, key), High(e, key), 0};
  keys[2] = e.Xor(e.Xor(keys[0], keys[1]), e.ConstantLike(keys[0], kParity));
  for (ValueId& k : keys) k = e.Broadcast(k, dims);
  ValueId x = e.Add(Low(e, counters), keys[0]);
  ValueId y = e.Add(High(e, counters), keys[1]);
  for (int group = 1; group <= 5; ++group) {
    for (const int rotation : kRotations[(group - 1) % 2]) {
      x = e.Add(x, y);
      y = e.Xor(x, RotateLeft(e, y, rotation));
    }
    x = e.Add(x, keys[group % 3]);
    y = e.Add(y, keys[(group + 1) % 3]);
    y = e.Add(y, e.ConstantLike(y, group));
  }
  return e.Or(e.Convert(x, DType::kUI64), e.ShiftLeft(e.Convert(y, DType::kUI64), 32));
}

ValueId Blocks(ir::Emitter& e, ValueId key, ValueId counter, const ir::Dims& dims) {
  return Encrypt(e, key, e.Add(e.Broadcast(counter, dims), e.LinearIndex(dims)));
}

ValueId Advance(ir::Emitter& e, ValueId counter, int64_t blocks) {
  return e.Add(counter, e.ConstantLike(counter, blocks));
}

// Returns the dimension along which two neighbouring elements of ui32 share a block: the first of
// even size, or else the longest.
size_t PairedDimension(const ir::Dims& dims) {
  size_t longest = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] % 2 == 0) return d;
    if (dims[d] > dims[longest]) longest = d;
  }
  return longest;
}

}  // namespace

RandomBits ThreeFry(ir::Emitter& e, ValueId key, ValueId counter, const ir::TensorType& type) {
  if (type.dtype == DType::kUI64) {
    return {Blocks(e, key, counter, type.dims), Advance(e, counter, type.num_elements()), 0};
  }
  if (type.dims.empty()) {
    return {Low(e, Blocks(e, key, counter, {})), Advance(e, counter, 1), 0};
  }
  const size_t paired = PairedDimension(type.dims);
  ir::Dims half = type.dims;
  half[paired] = (half[paired] + 1) / 2;
  const ValueId blocks = Blocks(e, key, counter, half);
  // The two words of each block next to each other along the paired dimension.
  ValueId words = e.BitcastToParts(blocks, DType::kUI32);
  if (paired + 1 < type.dims.size()) {
    ir::TransposeAttributes transpose;
    const auto rank = static_cast<int64_t>(half.size());
    for (int64_t d = 0; d < rank; ++d) {
      transpose.permutation.push_back(d);
      if (d == static_cast<int64_t>(paired)) transpose.permutation.push_back(rank);
    }
    words = e.Op(ir::OpKind::kTranspose, {words}, std::move(transpose));
  }
  ir::Dims even = type.dims;
  even[paired] = half[paired] * 2;
  const ir::TensorType half_type{DType::kUI64, half};
  return {e.SliceTo(e.Reshape(words, even), type.dims),
          Advance(e, counter, half_type.num_elements()), 0};
}

}  // namespace acceld::compiler
