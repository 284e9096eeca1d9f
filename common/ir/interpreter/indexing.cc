#include <algorithm>

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

// Data movement: each element of the result has the bytes of one element of an operand. Source:
// StableHLO specification, the sections of these ops.
namespace acceld::ir::interpreter {
namespace {

constexpr int64_t kNoSource = -1;

// Returns a result whose element at each index is the operand's element at source_of(index), or the
// scalar `fill` if that is kNoSource.
template <typename SourceOf>
EvalResult Move(EvalContext& c, const Literal& operand, const Literal* fill, SourceOf source_of) {
  const TensorType& type = c.result();
  const int64_t bytes = StorageBytesOf(type.dtype);
  const TensorView view(operand);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder result(type);
  Dims index(type.dims.size(), 0);
  for (int64_t i = 0, count = type.num_elements(); i < count; ++i, NextIndex(type.dims, index)) {
    const int64_t source = source_of(index);
    const char* from = source == kNoSource ? fill->bytes().data() : view.BytesAt(source);
    std::copy_n(from, bytes, result.BytesAt(i));
  }
  return OneResult(result.Finish());
}

// True when moving elements around changes nothing.
bool IsSplatInto(const Literal& operand, const TensorType& result) {
  return operand.is_splat() && result.num_elements() > 0;
}

EvalResult SplatInto(const Literal& operand, const TensorType& result) {
  return OneResult(MakeTensor(result, std::string(operand.bytes())));
}

// Returns the start indices of a dynamic slice, operands [first, ...), moved so that the slice
// fits.
Dims ClampedStart(const EvalContext& c, size_t first, const Dims& dims, const Dims& slice) {
  Dims start(dims.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d) {
    start[d] =
        std::clamp<int64_t>(TensorView(c.operand(first + d)).IndexAt(0), 0, dims[d] - slice[d]);
  }
  return start;
}

}  // namespace

// The bits of the elements are in order, lowest first; an element of the wider type consists of
// elements of the narrower type, the first in its lowest bits.
EvalResult EvalBitcastConvert(EvalContext& c) {
  const TensorType& from = c.operand(0).type();
  const TensorType& to = c.result();
  if (BitsOf(from.dtype) == BitsOf(to.dtype) && IsSplatInto(c.operand(0), to) &&
      IsSigned(from.dtype) == IsSigned(to.dtype)) {
    return SplatInto(c.operand(0), to);
  }
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(from.num_elements() + to.num_elements()));
  std::string bytes = c.operand(0).DenseBytes();
  if (BitsOf(from.dtype) >= 8 && BitsOf(to.dtype) >= 8) {
    return OneResult(MakeTensor(to, std::move(bytes)));
  }
  // Sub-byte elements take a byte each in storage: go through a dense string of bits.
  std::vector<bool> bits;
  const int from_bits = BitsOf(from.dtype);
  for (int64_t i = 0, count = from.num_elements(); i < count; ++i) {
    const auto element = static_cast<uint64_t>(
        ReadInt(from_bits >= 8 ? DType::kUI8 : from.dtype, bytes.data(), from_bits >= 8 ? 0 : i));
    for (int b = 0; b < from_bits; ++b) {
      const int64_t at = i * StorageBytesOf(from.dtype) + b / 8;
      bits.push_back(from_bits >= 8 ? (static_cast<uint8_t>(bytes[at]) >> (b % 8)) & 1
                                    : (element >> b) & 1);
    }
  }
  const int to_bits = BitsOf(to.dtype);
  std::string out(to.size_bytes(), '\0');
  for (int64_t i = 0, count = to.num_elements(); i < count; ++i) {
    if (to_bits >= 8) {
      for (int b = 0; b < to_bits; ++b) {
        if (bits[i * to_bits + b]) {
          out[i * StorageBytesOf(to.dtype) + b / 8] |= static_cast<char>(1 << (b % 8));
        }
      }
    } else {
      int64_t element = 0;
      for (int b = 0; b < to_bits; ++b) element |= int64_t{bits[i * to_bits + b]} << b;
      WriteInt(to.dtype, out.data(), i, element);
    }
  }
  return OneResult(MakeTensor(to, std::move(out)));
}

EvalResult EvalBroadcastInDim(EvalContext& c) {
  const Literal& operand = c.operand(0);
  if (IsSplatInto(operand, c.result())) return SplatInto(operand, c.result());
  const std::vector<int64_t>& mapping = c.As<BroadcastInDimAttributes>().broadcast_dimensions;
  const Dims& dims = operand.type().dims;
  const Dims strides = RowMajorStrides(dims);
  return Move(c, operand, nullptr, [&](const Dims& index) {
    int64_t source = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      source += dims[d] == 1 ? 0 : strides[d] * index[mapping[d]];
    }
    return source;
  });
}

EvalResult EvalConcatenate(EvalContext& c) {
  const int64_t dimension = c.As<DimensionAttributes>().dimension;
  const TensorType& type = c.result();
  const int64_t bytes = StorageBytesOf(type.dtype);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder result(type);
  const Dims strides = RowMajorStrides(type.dims);
  int64_t offset = 0;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    const TensorView view(c.operand(k));
    const Dims& dims = view.type().dims;
    Dims index(dims.size(), 0);
    for (int64_t i = 0, count = NumElements(dims); i < count; ++i, NextIndex(dims, index)) {
      const int64_t target = LinearIndex(strides, index) + offset * strides[dimension];
      std::copy_n(view.BytesAt(i), bytes, result.BytesAt(target));
    }
    offset += dims[dimension];
  }
  return OneResult(result.Finish());
}

EvalResult EvalDynamicSlice(EvalContext& c) {
  const Dims& dims = c.operand(0).type().dims;
  const Dims start = ClampedStart(c, 1, dims, c.result().dims);
  const Dims strides = RowMajorStrides(dims);
  return Move(c, c.operand(0), nullptr, [&](const Dims& index) {
    return LinearIndex(strides, start) + LinearIndex(strides, index);
  });
}

// In this file, and not with the other loop nests, since it is the counterpart of dynamic_slice.
EvalResult EvalDynamicUpdateSlice(EvalContext& c) {
  const Literal& update = c.operand(1);
  const Dims& dims = c.operand(0).type().dims;
  const Dims& slice = update.type().dims;
  const Dims start = ClampedStart(c, 2, dims, slice);
  const Dims strides = RowMajorStrides(dims);
  const TensorView view(update);
  const int64_t bytes = StorageBytesOf(c.result().dtype);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(c.result().num_elements()));
  TensorBuilder result(c.result(), c.operand(0));
  Dims index(slice.size(), 0);
  for (int64_t i = 0, count = NumElements(slice); i < count; ++i, NextIndex(slice, index)) {
    const int64_t target = LinearIndex(strides, start) + LinearIndex(strides, index);
    std::copy_n(view.BytesAt(i), bytes, result.BytesAt(target));
  }
  return OneResult(result.Finish());
}

// Values are computed in the widest type of the class and converted.
EvalResult EvalIota(EvalContext& c) {
  const int64_t dimension = c.As<IotaAttributes>().iota_dimension;
  const TensorType& type = c.result();
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder result(type);
  Dims index(type.dims.size(), 0);
  for (int64_t i = 0, count = type.num_elements(); i < count; ++i, NextIndex(type.dims, index)) {
    const auto real = static_cast<double>(index[dimension]);
    result.Set(i, Scalar{.integer = index[dimension], .complex = {real, 0}});
  }
  return OneResult(result.Finish());
}

// Negative padding cuts off; interior padding comes first.
EvalResult EvalPad(EvalContext& c) {
  const auto& attributes = c.As<PadAttributes>();
  const Literal& operand = c.operand(0);
  const Dims& dims = operand.type().dims;
  const Dims strides = RowMajorStrides(dims);
  return Move(c, operand, &c.operand(1), [&](const Dims& index) {
    int64_t source = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t cell = index[d] - attributes.edge_padding_low[d];
      const int64_t step = attributes.interior_padding[d] + 1;
      if (cell < 0 || cell % step != 0 || cell / step >= dims[d]) return kNoSource;
      source += strides[d] * (cell / step);
    }
    return source;
  });
}

EvalResult EvalReshape(EvalContext& c) {
  return OneResult(MakeTensor(c.result(), std::string(c.operand(0).bytes())));
}

EvalResult EvalReverse(EvalContext& c) {
  const std::vector<int64_t>& reversed = c.As<DimensionsAttributes>().dimensions;
  const Dims& dims = c.result().dims;
  const Dims strides = RowMajorStrides(dims);
  return Move(c, c.operand(0), nullptr, [&](const Dims& index) {
    Dims source = index;
    for (int64_t d : reversed) source[d] = dims[d] - 1 - index[d];
    return LinearIndex(strides, source);
  });
}

EvalResult EvalSlice(EvalContext& c) {
  const auto& attributes = c.As<SliceAttributes>();
  const Dims strides = RowMajorStrides(c.operand(0).type().dims);
  return Move(c, c.operand(0), nullptr, [&](const Dims& index) {
    Dims source = index;
    for (size_t d = 0; d < source.size(); ++d) {
      const int64_t step = attributes.strides.empty() ? 1 : attributes.strides[d];
      source[d] = attributes.start_indices[d] + index[d] * step;
    }
    return LinearIndex(strides, source);
  });
}

EvalResult EvalTranspose(EvalContext& c) {
  const Literal& operand = c.operand(0);
  if (IsSplatInto(operand, c.result())) return SplatInto(operand, c.result());
  const std::vector<int64_t>& permutation = c.As<TransposeAttributes>().permutation;
  const Dims strides = RowMajorStrides(operand.type().dims);
  return Move(c, operand, nullptr, [&](const Dims& index) {
    int64_t source = 0;
    for (size_t d = 0; d < permutation.size(); ++d) source += strides[permutation[d]] * index[d];
    return source;
  });
}

}  // namespace acceld::ir::interpreter
