#include "server/compiler/passes/sorts/sort_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/ceil_divide.h"
#include "common/check.h"
#include "common/ir/types/float_formats.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::OpKind;

constexpr int kMaxKeyBits = 64;
// Payloads of more bytes per element are gathered at the end (SortPayloadsIndirectly).
constexpr int64_t kMaxPayloadBytes = 8;

// A float of one byte that can represent the values of all narrower floats.
constexpr DType kWholeByte = DType::kF8E4M3FN;

// Returns the width of the unsigned integer to which a key of this type is mapped.
int OrderedBitsOf(DType dtype) { return std::max(8, ir::BitsOf(dtype)); }

uint64_t SignBit(int bits) { return uint64_t{1} << (bits - 1); }

bool IsParameterOf(const ir::Region& region, size_t operand, ir::ValueId id) {
  return region.parameters[2 * operand] == id || region.parameters[2 * operand + 1] == id;
}

bool Uses(const ir::Region& region, ir::ValueId id) {
  bool uses = std::find(region.results.begin(), region.results.end(), id) != region.results.end();
  ForEachOp(region, [&](const ir::Op& op) {
    uses |= std::find(op.operands.begin(), op.operands.end(), id) != op.operands.end();
    for (const ir::Region& inner : op.regions) {
      uses |= std::find(inner.results.begin(), inner.results.end(), id) != inner.results.end();
    }
  });
  return uses;
}

}  // namespace

SortRows::SortRows(Rewriter& rewriter, const ir::Op& op, int64_t dimension)
    : rewriter_(rewriter), op_(op), dimension_(dimension) {
  const ir::Dims dims = TypeOf(op.operands[0]).dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (static_cast<int64_t>(d) != dimension) rows_ *= dims[d];
  }
  length_ = dims[dimension];
  is_indirect_.resize(op.operands.size());
}

int64_t SortRows::element_bytes() const {
  int64_t bytes = 0;
  for (size_t k = 0; k < op_.operands.size(); ++k) {
    if (!is_indirect_[k]) bytes += ir::StorageBytesOf(TypeOf(op_.operands[k]).dtype);
  }
  const bool has_numbers =
      std::find(is_indirect_.begin(), is_indirect_.end(), true) != is_indirect_.end();
  return bytes + (has_numbers ? ir::StorageBytesOf(DType::kUI32) : 0);
}

void SortRows::SortPayloadsIndirectly() {
  const ir::Region& region = op_.regions[0];
  std::vector<bool> is_payload;
  int64_t bytes = 0;
  for (size_t k = 0; k < op_.operands.size(); ++k) {
    is_payload.push_back(!Uses(region, region.parameters[2 * k]) &&
                         !Uses(region, region.parameters[2 * k + 1]));
    if (is_payload[k]) bytes += ir::StorageBytesOf(TypeOf(op_.operands[k]).dtype);
  }
  if (bytes > kMaxPayloadBytes) is_indirect_ = is_payload;
}

bool SortRows::CanSortByDigits(const ir::Function& function, const std::vector<SortKey>& keys) {
  int bits = 0;
  for (const SortKey& key : keys) {
    const DType dtype = function.TensorOf(key.value).dtype;
    const bool is_known_float = dtype == DType::kF16 || dtype == DType::kBF16 ||
                                dtype == DType::kF32 || dtype == DType::kF64;
    if (ir::IsFloat(dtype) ? !is_known_float : !ir::IsInteger(dtype) && dtype != DType::kI1) {
      return false;
    }
    bits += OrderedBitsOf(dtype);
    if (bits > kMaxKeyBits) return false;
  }
  return true;
}

ir::ValueId SortRows::Emit(OpKind kind, Ids operands, ir::OpAttributes attributes,
                           ir::TensorType type) {
  return rewriter_.Emit(kind, std::move(operands), std::move(attributes), std::move(type),
                        op_.location);
}

ir::ValueId SortRows::Reshape(ir::ValueId id, ir::Dims dims) {
  const ir::TensorType& type = TypeOf(id);
  if (type.dims == dims) return id;
  const DType dtype = type.dtype;
  return Emit(OpKind::kReshape, {id}, ir::NoAttributes{}, {dtype, std::move(dims)});
}

ir::ValueId SortRows::ToRows(ir::ValueId id) {
  const ir::TensorType type = TypeOf(id);
  if (dimension_ != type.rank() - 1) {
    std::vector<int64_t> permutation(type.rank());
    std::iota(permutation.begin(), permutation.end(), 0);
    permutation.erase(permutation.begin() + dimension_);
    permutation.push_back(dimension_);
    ir::TensorType moved{type.dtype, {}};
    for (const int64_t d : permutation) moved.dims.push_back(type.dims[d]);
    id = Emit(OpKind::kTranspose, {id}, ir::TransposeAttributes{permutation}, std::move(moved));
  }
  return Reshape(id, {rows_, length_});
}

ir::ValueId SortRows::FromRows(ir::ValueId id, const ir::TensorType& type) {
  ir::Dims moved = type.dims;
  moved.erase(moved.begin() + dimension_);
  moved.push_back(type.dims[dimension_]);
  id = Reshape(id, std::move(moved));
  if (dimension_ == type.rank() - 1) return id;
  std::vector<int64_t> permutation(type.rank() - 1);
  std::iota(permutation.begin(), permutation.end(), 0);
  permutation.insert(permutation.begin() + dimension_, type.rank() - 1);
  return Emit(OpKind::kTranspose, {id}, ir::TransposeAttributes{permutation}, type);
}

ir::ValueId SortRows::Slice(ir::ValueId id, int64_t begin, int64_t end) {
  ir::TensorType type = TypeOf(id);
  if (begin == 0 && end == type.dims[1]) return id;
  ir::SliceAttributes slice{{0, begin}, {type.dims[0], end}, {1, 1}};
  type.dims[1] = end - begin;
  return Emit(OpKind::kSlice, {id}, std::move(slice), std::move(type));
}

ir::ValueId SortRows::Numbers() {
  return Emit(OpKind::kIota, {}, ir::IotaAttributes{1}, {DType::kUI32, {rows_, length_}});
}

ir::ValueId SortRows::Gather(ir::ValueId id, ir::ValueId numbers) {
  const ir::TensorType type{TypeOf(id).dtype, TypeOf(numbers).dims};
  ir::GatherAttributes gather;
  gather.dimension_numbers.collapsed_slice_dims = {1};
  gather.dimension_numbers.operand_batching_dims = {0};
  gather.dimension_numbers.start_indices_batching_dims = {0};
  gather.dimension_numbers.start_index_map = {1};
  gather.dimension_numbers.index_vector_dim = 2;
  gather.slice_sizes = {1, 1};
  return Emit(OpKind::kGather, {id, numbers}, std::move(gather), type);
}

ir::Region SortRows::Comparator() {
  ir::Region region = rewriter_.Clone(op_.regions[0]);
  std::vector<ir::ValueId> parameters;
  for (size_t k = 0; k < op_.operands.size(); ++k) {
    if (is_indirect_[k]) continue;
    parameters.push_back(region.parameters[2 * k]);
    parameters.push_back(region.parameters[2 * k + 1]);
  }
  while (parameters.size() < 2 * values_.size()) {
    parameters.push_back(rewriter_.NewValue(ir::TensorType{DType::kUI32, {}}));
  }
  region.parameters = std::move(parameters);
  return region;
}

SortRows::Ids SortRows::EmitWithComparator(OpKind kind, ir::OpAttributes attributes,
                                           const Ids& operands, const ir::Dims& result_dims) {
  ir::Op nest;
  nest.kind = kind;
  nest.attributes = std::move(attributes);
  nest.location = op_.location;
  nest.operands = operands;
  nest.regions.push_back(Comparator());
  for (const ir::ValueId id : operands) {
    nest.results.push_back(rewriter_.NewValue(ir::TensorType{TypeOf(id).dtype, result_dims}));
  }
  Ids results = nest.results;
  rewriter_.Append(std::move(nest));
  return results;
}

void SortRows::TakeOperands() {
  if (!operands_.empty()) return;
  for (const ir::ValueId id : op_.operands) operands_.push_back(ToRows(id));
  bool has_numbers = false;
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (!is_indirect_[k]) values_.push_back(operands_[k]);
    has_numbers |= is_indirect_[k];
  }
  if (has_numbers) values_.push_back(Numbers());
}

void SortRows::SortRuns(int64_t run, int64_t piece, int64_t keep) {
  TakeOperands();
  length_ = length_ / run * keep + std::min(length_ % run, keep);
  values_ = EmitWithComparator(OpKind::kSortRuns, ir::SortRunsAttributes{run, piece, keep}, values_,
                               {rows_, length_});
}

void SortRows::MergeRuns(int64_t run, int64_t piece) {
  TakeOperands();
  values_ = EmitWithComparator(OpKind::kMergeRuns, ir::MergeRunsAttributes{run, piece}, values_,
                               {rows_, length_});
}

void SortRows::SelectFromBlocks(int64_t block, int64_t limit) {
  TakeOperands();
  const int64_t blocks = length_ / block, all = blocks * block;
  Ids parts;
  for (const ir::ValueId id : values_) {
    parts.push_back(Reshape(Slice(id, 0, all), {rows_, blocks, block}));
  }
  parts = EmitWithComparator(OpKind::kPartialSort, ir::PartialSortAttributes{2, limit}, parts,
                             {rows_, blocks, limit});
  const int64_t rest = length_ - all;
  for (size_t k = 0; k < parts.size(); ++k) {
    parts[k] = Reshape(parts[k], {rows_, blocks * limit});
    if (rest == 0) continue;
    const ir::ValueId behind = Slice(values_[k], all, length_);
    parts[k] = Emit(OpKind::kConcatenate, {parts[k], behind}, ir::DimensionAttributes{1},
                    {TypeOf(behind).dtype, {rows_, blocks * limit + rest}});
  }
  values_ = std::move(parts);
  length_ = blocks * limit + rest;
}

void SortRows::SelectFirst(int64_t limit) {
  TakeOperands();
  length_ = limit;
  values_ = EmitWithComparator(OpKind::kPartialSort, ir::PartialSortAttributes{1, limit}, values_,
                               {rows_, length_});
}

void SortRows::SortByDigits(const std::vector<SortKey>& keys, int64_t tile) {
  is_indirect_.assign(op_.operands.size(), false);
  TakeOperands();
  int bits = 0;
  for (const SortKey& key : keys) bits += OrderedBitsOf(TypeOf(key.value).dtype);
  int width = 8;
  while (width < bits) width *= 2;
  // All keys are packed into one integer, the last key in the lowest bits.
  const DType dtype = ir::UnsignedOfWidth(width);
  const ir::TensorType type{dtype, {rows_, length_}};
  ir::ValueId sorted = 0;
  int above = bits;
  for (const SortKey& key : keys) {
    ir::ValueId part = OrderedBits(key);
    above -= OrderedBitsOf(TypeOf(key.value).dtype);
    if (TypeOf(part).dtype != dtype) {
      part = Emit(OpKind::kConvert, {part}, ir::NoAttributes{}, type);
    }
    if (above > 0) {
      part = Emit(OpKind::kShiftLeft, {part, Constant(dtype, static_cast<uint64_t>(above))},
                  ir::NoAttributes{}, type);
    }
    const bool is_first = &key == &keys.front();
    sorted = is_first ? part : Emit(OpKind::kOr, {sorted, part}, ir::NoAttributes{}, type);
  }

  // An operand that can be recovered from the sorted key, which has been rotated by its full width
  // by then, need not be moved.
  const ir::Region& region = op_.regions[0];
  const auto is_key = [&](size_t k) {
    return keys.size() == 1 && !keys[0].by_value && IsParameterOf(region, k, keys[0].value);
  };
  bool has_numbers = false;
  for (size_t k = 0; k < operands_.size(); ++k) has_numbers |= !is_key(k);
  ir::ValueId numbers = has_numbers ? Numbers() : 0;
  const int64_t tiles = CeilDivide(length_, tile);
  for (int sorted_bits = 0; sorted_bits < bits; sorted_bits += 8) {
    ir::Op pass;
    pass.kind = OpKind::kDigitSort;
    pass.attributes = ir::DigitSortAttributes{tile};
    pass.location = op_.location;
    pass.operands = {sorted};
    if (has_numbers) pass.operands.push_back(numbers);
    for (const ir::ValueId id : pass.operands) {
      pass.results.push_back(rewriter_.NewValue(ir::Type(TypeOf(id))));
    }
    sorted = pass.results[0];
    if (has_numbers) numbers = pass.results[1];
    pass.results.push_back(
        rewriter_.NewValue(ir::TensorType{DType::kUI32, {rows_, 256, tiles + 1}}));
    rewriter_.Append(std::move(pass));
  }
  for (size_t k = 0; k < operands_.size(); ++k) {
    values_[k] = is_key(k) ? FromOrderedBits(sorted, keys[0]) : Gather(operands_[k], numbers);
  }
}

void SortRows::Finish() {
  size_t next = 0;
  for (size_t k = 0; k < operands_.size(); ++k) {
    const ir::ValueId rows =
        is_indirect_[k] ? Gather(operands_[k], values_.back()) : values_[next++];
    rewriter_.Replace(op_.results[k], FromRows(rows, ir::TensorType(TypeOf(op_.results[k]))));
  }
}

ir::ValueId SortRows::Constant(DType dtype, uint64_t bits) {
  const auto bytes = static_cast<size_t>(ir::StorageBytesOf(dtype));
  absl::StatusOr<ir::Literal> literal = ir::Literal::FromBytes(
      {dtype, {rows_, length_}}, std::string(reinterpret_cast<const char*>(&bits), bytes));
  ACCELD_CHECK(literal.ok());
  return rewriter_.EmitConstant(*std::move(literal), op_.location);
}

ir::ValueId SortRows::Compare(ir::ValueId a, ir::ComparisonDirection direction, ir::ValueId b) {
  const DType dtype = TypeOf(a).dtype;
  const auto type = ir::IsFloat(dtype) ? ir::ComparisonType::kFloat : ir::ComparisonType::kUnsigned;
  return Emit(OpKind::kCompare, {a, b}, ir::CompareAttributes{direction, type},
              {DType::kI1, {rows_, length_}});
}

ir::ValueId SortRows::Computed(ir::ValueId id) {
  const auto found = computed_.find(id);
  if (found != computed_.end()) return found->second;
  const ir::Region& region = op_.regions[0];
  const ir::TensorType type{TypeOf(id).dtype, {rows_, length_}};
  ir::ValueId result = 0;
  bool is_known = false;
  for (size_t k = 0; k < operands_.size() && !is_known; ++k) {
    is_known = IsParameterOf(region, k, id);
    if (is_known) result = operands_[k];
  }
  for (size_t i = 0; i < region.ops.size() && !is_known; ++i) {
    const ir::Op& op = region.ops[i];
    if (op.results[0] != id) continue;
    is_known = true;
    if (op.kind == OpKind::kConstant) {
      absl::StatusOr<ir::Literal> literal =
          ir::Literal::FromBytes(type, std::string(op.As<ir::ConstantAttributes>().value.bytes()));
      ACCELD_CHECK(literal.ok());
      result = rewriter_.EmitConstant(*std::move(literal), op_.location);
    } else {
      Ids operands;
      for (const ir::ValueId operand : op.operands) operands.push_back(Computed(operand));
      result = Emit(op.kind, std::move(operands), op.attributes, type);
    }
  }
  // A scalar from outside the region.
  if (!is_known) {
    result = Emit(OpKind::kBroadcastInDim, {id}, ir::BroadcastInDimAttributes{}, type);
  }
  return computed_[id] = result;
}

ir::ValueId SortRows::OrderedBits(const SortKey& key) {
  ir::ValueId x = Computed(key.value);
  DType dtype = TypeOf(x).dtype;
  const int bits = OrderedBitsOf(dtype);
  const DType whole = ir::UnsignedOfWidth(bits);
  const auto apply = [&](OpKind kind, Ids operands, DType to) {
    return Emit(kind, std::move(operands), ir::NoAttributes{}, {to, {rows_, length_}});
  };
  if (ir::IsFloat(dtype)) {
    if (ir::BitsOf(dtype) < 8) {
      dtype = kWholeByte;
      x = apply(OpKind::kConvert, {x}, dtype);
    }
    if (key.by_value) {
      const ir::ValueId zero = Constant(dtype, 0);
      const ir::ValueId is_zero = Compare(x, ir::ComparisonDirection::kEq, zero);
      const ir::ValueId is_nan = Compare(x, ir::ComparisonDirection::kNe, x);
      x = apply(OpKind::kSelect, {is_zero, zero, x}, dtype);
      const uint64_t ones = SignBit(bits) - 1;
      x = apply(OpKind::kSelect, {is_nan, Constant(dtype, ones), x}, dtype);
    }
    x = apply(OpKind::kBitcastConvert, {x}, whole);
    const ir::ValueId sign = Constant(whole, SignBit(bits));
    const ir::ValueId is_negative = Compare(x, ir::ComparisonDirection::kGe, sign);
    x = apply(OpKind::kSelect,
              {is_negative, apply(OpKind::kNot, {x}, whole), apply(OpKind::kOr, {x, sign}, whole)},
              whole);
  } else if (ir::IsSigned(dtype)) {
    if (ir::BitsOf(dtype) < 8) x = apply(OpKind::kConvert, {x}, DType::kI8);
    x = apply(OpKind::kBitcastConvert, {x}, whole);
    x = apply(OpKind::kXor, {x, Constant(whole, SignBit(bits))}, whole);
  } else if (dtype != whole) {
    x = apply(OpKind::kConvert, {x}, whole);
  }
  return key.descending ? apply(OpKind::kNot, {x}, whole) : x;
}

ir::ValueId SortRows::FromOrderedBits(ir::ValueId x, const SortKey& key) {
  const DType dtype = TypeOf(key.value).dtype;
  const int bits = OrderedBitsOf(dtype);
  const DType whole = ir::UnsignedOfWidth(bits);
  const auto apply = [&](OpKind kind, Ids operands, DType to) {
    return Emit(kind, std::move(operands), ir::NoAttributes{}, {to, {rows_, length_}});
  };
  if (key.descending) x = apply(OpKind::kNot, {x}, whole);
  if (ir::IsFloat(dtype)) {
    const ir::ValueId sign = Constant(whole, SignBit(bits));
    const ir::ValueId is_positive = Compare(x, ir::ComparisonDirection::kGe, sign);
    x = apply(OpKind::kSelect,
              {is_positive, apply(OpKind::kXor, {x, sign}, whole), apply(OpKind::kNot, {x}, whole)},
              whole);
    if (ir::BitsOf(dtype) == bits) return apply(OpKind::kBitcastConvert, {x}, dtype);
    return apply(OpKind::kConvert, {apply(OpKind::kBitcastConvert, {x}, kWholeByte)}, dtype);
  }
  if (ir::IsSigned(dtype)) {
    x = apply(OpKind::kXor, {x, Constant(whole, SignBit(bits))}, whole);
    const bool is_narrow = ir::BitsOf(dtype) < 8;
    x = apply(OpKind::kBitcastConvert, {x}, is_narrow ? DType::kI8 : dtype);
    return is_narrow ? apply(OpKind::kConvert, {x}, dtype) : x;
  }
  return dtype == whole ? x : apply(OpKind::kConvert, {x}, dtype);
}

}  // namespace acceld::compiler
