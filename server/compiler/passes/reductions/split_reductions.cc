#include "server/compiler/passes/reductions/split_reductions.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "common/ceil_divide.h"
#include "server/compiler/passes/reductions/reducer_operation.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::OpKind;

// With fewer elements, one thread finishes before other threads have started.
constexpr int64_t kMinElements = int64_t{1} << 18;
// The fewest elements of a block.
constexpr int64_t kMinBlockElements = int64_t{1} << 13;
// How many neighbouring results one unit of work computes together: the first for a vector loop;
// the second where a single thread reads kFarElements or more, which come from memory and are read
// faster in long pieces of rows.
constexpr int64_t kColumnsPerUnit = 16;
constexpr int64_t kMemoryBoundColumnsPerUnit = 8192;
constexpr int64_t kFarElements = int64_t{1} << 21;

// Preferred divisors of a block's length: a group of several vectors, one vector, anything.
constexpr int64_t kVectorGroups[] = {64, 16, 1};

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// How the elements of a reduction may be regrouped.
enum class Regrouping {
  kNone,
  kAnyOrder,   // the reducer is one associative and commutative operation for each result
  kNeighbors,  // the reducer selects among its arguments: associative, but order may matter
};

bool IsAssociative(OpKind kind, DType dtype) {
  const bool of_reals =
      kind == OpKind::kMaximum || kind == OpKind::kMinimum || kind == OpKind::kMultiply;
  if (of_reals) return !ir::IsComplex(dtype);
  return kind == OpKind::kAdd || kind == OpKind::kAnd || kind == OpKind::kOr ||
         kind == OpKind::kXor;
}

Regrouping RegroupingOf(const Rewriter& rewriter, const ir::Region& region) {
  bool each_own = region.ops.size() == region.results.size();
  for (size_t i = 0; i < region.results.size() && each_own; ++i) {
    const ir::Op* op = OperationOfResult(region, i);
    each_own = op != nullptr && IsAssociative(op->kind, rewriter.TensorOf(op->results[0]).dtype);
  }
  if (each_own) return Regrouping::kAnyOrder;
  // Reducers like that of an argmax, which use no values from outside and only compare and select.
  absl::flat_hash_set<ir::ValueId> own(region.parameters.begin(), region.parameters.end());
  for (const ir::Op& op : region.ops) {
    const bool picks = op.kind == OpKind::kCompare || op.kind == OpKind::kSelect ||
                       op.kind == OpKind::kAnd || op.kind == OpKind::kOr ||
                       op.kind == OpKind::kNot || op.kind == OpKind::kMaximum ||
                       op.kind == OpKind::kMinimum;
    if (!picks) return Regrouping::kNone;
    for (ir::ValueId id : op.operands) {
      if (!own.contains(id)) return Regrouping::kNone;
    }
    own.insert(op.results[0]);
  }
  const auto is_own = [&](ir::ValueId id) { return own.contains(id); };
  return std::all_of(region.results.begin(), region.results.end(), is_own) ? Regrouping::kNeighbors
                                                                           : Regrouping::kNone;
}

// One reduced dimension is split into `blocks` blocks of `length` elements and, unless `rest` is 0,
// a last block of `rest` elements.
struct Cut {
  int64_t dimension, blocks, length, rest;
};

// Returns a number of blocks, at least `wanted`, by which `size` can be divided evenly, so that
// there is no rest. Prefers blocks that consist of whole groups of vectors, which need no code for
// a remainder.
absl::optional<int64_t> EqualBlocks(int64_t size, int64_t wanted) {
  for (const int64_t group : kVectorGroups) {
    for (int64_t blocks = wanted; blocks <= std::min(size, 4 * wanted); ++blocks) {
      if (size % blocks == 0 && size / blocks % group == 0) return blocks;
    }
  }
  return absl::nullopt;
}

absl::optional<Cut> ChooseCut(const ir::Dims& shape, const std::vector<int64_t>& reduced,
                              Regrouping regrouping, const codegen::Target& target) {
  const int64_t wanted_units = target.parallel_units();
  int64_t elements = 1, kept = 1, last_kept = -1;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    elements *= shape[d];
    if (Contains(reduced, d)) continue;
    kept *= shape[d];
    if (shape[d] > 1) last_kept = d;
  }
  if (elements < kMinElements) return absl::nullopt;
  int64_t units = kept;
  const bool by_columns = last_kept >= 0 && std::all_of(shape.begin() + last_kept + 1, shape.end(),
                                                        [](int64_t size) { return size == 1; });
  if (by_columns) {
    const int64_t columns = shape[last_kept];
    const bool is_memory_bound = elements >= kFarElements && target.threads_per_unit() == 1;
    const int64_t columns_per_unit = is_memory_bound ? kMemoryBoundColumnsPerUnit : kColumnsPerUnit;
    units = kept / columns * std::max<int64_t>(1, columns / columns_per_unit);
  }
  // The reduction is parallel enough as it is.
  if (units >= wanted_units / 2) return absl::nullopt;
  // Results times blocks.
  const int64_t wanted = std::min(CeilDivide(wanted_units, units), elements / kMinBlockElements);

  // Splitting the first dimension that has enough elements keeps the blocks contiguous.
  int64_t dimension = -1;
  for (int64_t d : reduced) {
    if (shape[d] <= 1) continue;
    if (dimension < 0 || (shape[dimension] < wanted && shape[d] > shape[dimension])) dimension = d;
    if (regrouping == Regrouping::kNeighbors) break;
  }
  if (dimension < 0) return absl::nullopt;
  const int64_t size = shape[dimension];
  int64_t blocks = std::min(wanted, size);
  blocks = EqualBlocks(size, blocks).value_or(blocks);
  if (blocks < 2) return absl::nullopt;
  return Cut{dimension, blocks, size / blocks, size % blocks};
}

// Emits the two reductions that replace one.
class Splitting {
 public:
  Splitting(Rewriter& rewriter, const ir::Op& op, const Cut& cut, bool own_operations)
      : rewriter_(rewriter), op_(op), cut_(cut), own_operations_(own_operations) {
    reduced_ = op.As<ir::DimensionsAttributes>().dimensions;
    std::sort(reduced_.begin(), reduced_.end());
    for (int64_t d = 0; d < cut.dimension; ++d) block_dimension_ += Contains(reduced_, d) ? 0 : 1;
  }

  void Run() {
    const size_t n = op_.results.size();
    std::vector<ir::ValueId> inputs, initial, neutral;
    for (size_t i = 0; i < n; ++i) {
      const bool sums = OperationOf(i) == OpKind::kAdd || OperationOf(i) == OpKind::kMultiply ||
                        OperationOf(i) == OpKind::kXor;
      const DType own = rewriter_.TensorOf(op_.operands[i]).dtype;
      const bool widens = sums && ir::IsFloat(own) && ir::BitsOf(own) <= 16;
      dtypes_.push_back(widens ? DType::kF32 : own);
      inputs.push_back(Converted(op_.operands[i], dtypes_[i]));
      initial.push_back(Converted(op_.operands[n + i], dtypes_[i]));
      // If the operation is idempotent, every block may start from the initial value.
      neutral.push_back(sums ? Neutral(i) : initial[i]);
    }
    std::vector<ir::ValueId> partial = ReduceBlocks(inputs, neutral);
    if (cut_.rest > 0) AppendRest(inputs, neutral, partial);
    std::vector<ir::ValueId> results = Reduce(partial, initial, {block_dimension_});
    for (size_t i = 0; i < n; ++i) {
      const DType own = rewriter_.TensorOf(op_.results[i]).dtype;
      rewriter_.Replace(op_.results[i], Converted(results[i], own));
    }
  }

 private:
  // Returns the operation of result i; kConstant if the reducer is not one operation per result.
  OpKind OperationOf(size_t i) const {
    return own_operations_ ? OperationOfResult(op_.regions[0], i)->kind : OpKind::kConstant;
  }

  ir::ValueId Emit(OpKind kind, std::vector<ir::ValueId> operands, ir::OpAttributes attributes,
                   ir::TensorType type) {
    return rewriter_.Emit(kind, std::move(operands), std::move(attributes), std::move(type),
                          op_.location);
  }

  ir::ValueId Converted(ir::ValueId id, DType dtype) {
    ir::TensorType type = rewriter_.TensorOf(id);
    if (type.dtype == dtype) return id;
    type.dtype = dtype;
    return Emit(OpKind::kConvert, {id}, ir::NoAttributes{}, std::move(type));
  }

  // Returns the neutral element of result i's operation. For sums of floats that is -0, because
  // x + (-0) is x for every x, whereas x + 0 is not for x = -0.
  ir::ValueId Neutral(size_t i) {
    const DType dtype = dtypes_[i];
    double value = ir::IsFloat(dtype) ? -0.0 : 0.0;
    if (OperationOf(i) == OpKind::kMultiply) value = 1;
    return rewriter_.EmitConstant(ir::Literal::Filled({dtype, {}}, value), op_.location);
  }

  // Reduces the equal blocks. In the results the blocks are dimension block_dimension_.
  std::vector<ir::ValueId> ReduceBlocks(const std::vector<ir::ValueId>& inputs,
                                        const std::vector<ir::ValueId>& neutral) {
    std::vector<ir::ValueId> blocks;
    for (ir::ValueId id : inputs) {
      ir::TensorType type = rewriter_.TensorOf(Slice(id, 0, cut_.blocks * cut_.length, &id));
      type.dims[cut_.dimension] = cut_.length;
      type.dims.insert(type.dims.begin() + cut_.dimension, cut_.blocks);
      const ir::Op* shape = rewriter_.DefinitionOf(id);
      if (shape != nullptr && shape->kind == OpKind::kReshape) id = shape->operands[0];
      blocks.push_back(Emit(OpKind::kReshape, {id}, ir::NoAttributes{}, std::move(type)));
    }
    std::vector<int64_t> dimensions;
    for (int64_t d : reduced_) dimensions.push_back(d < cut_.dimension ? d : d + 1);
    return Reduce(blocks, neutral, dimensions);
  }

  // Reduces the last, shorter block and appends its results to `partial`.
  void AppendRest(const std::vector<ir::ValueId>& inputs, const std::vector<ir::ValueId>& neutral,
                  std::vector<ir::ValueId>& partial) {
    std::vector<ir::ValueId> rest;
    const int64_t begin = cut_.blocks * cut_.length;
    for (ir::ValueId id : inputs) Slice(id, begin, begin + cut_.rest, &rest.emplace_back());
    rest = Reduce(rest, neutral, reduced_);
    for (size_t i = 0; i < rest.size(); ++i) {
      ir::TensorType type = rewriter_.TensorOf(rest[i]);
      type.dims.insert(type.dims.begin() + block_dimension_, 1);
      rest[i] = Emit(OpKind::kReshape, {rest[i]}, ir::NoAttributes{}, type);
      type.dims[block_dimension_] = cut_.blocks + 1;
      partial[i] = Emit(OpKind::kConcatenate, {partial[i], rest[i]},
                        ir::DimensionAttributes{block_dimension_}, std::move(type));
    }
  }

  // Sets `out` to the slice [begin, end) of `id` along the cut dimension, and returns it.
  ir::ValueId Slice(ir::ValueId id, int64_t begin, int64_t end, ir::ValueId* out) {
    ir::TensorType type = rewriter_.TensorOf(id);
    if (type.dims[cut_.dimension] == end - begin) return *out = id;
    ir::SliceAttributes slice;
    slice.start_indices.assign(type.rank(), 0);
    slice.limit_indices.assign(type.dims.begin(), type.dims.end());
    slice.strides.assign(type.rank(), 1);
    slice.start_indices[cut_.dimension] = begin;
    slice.limit_indices[cut_.dimension] = end;
    type.dims[cut_.dimension] = end - begin;
    return *out = Emit(OpKind::kSlice, {id}, std::move(slice), std::move(type));
  }

  std::vector<ir::ValueId> Reduce(const std::vector<ir::ValueId>& inputs,
                                  const std::vector<ir::ValueId>& initial,
                                  const std::vector<int64_t>& dimensions) {
    ir::Op reduce;
    reduce.kind = OpKind::kReduce;
    reduce.attributes = ir::DimensionsAttributes{dimensions};
    reduce.location = op_.location;
    reduce.operands = inputs;
    reduce.operands.insert(reduce.operands.end(), initial.begin(), initial.end());
    reduce.regions.push_back(Reducer());
    for (ir::ValueId id : inputs) {
      ir::TensorType type = rewriter_.TensorOf(id);
      ir::Dims dims;
      for (int64_t d = 0; d < type.rank(); ++d) {
        if (!Contains(dimensions, d)) dims.push_back(type.dims[d]);
      }
      type.dims = std::move(dims);
      reduce.results.push_back(rewriter_.NewValue(std::move(type)));
    }
    std::vector<ir::ValueId> results = reduce.results;
    rewriter_.Append(std::move(reduce));
    return results;
  }

  // Returns a copy of the reducer for the types dtypes_.
  ir::Region Reducer() {
    const ir::Region& region = op_.regions[0];
    const size_t n = region.results.size();
    absl::flat_hash_map<ir::ValueId, ir::ValueId> map;
    ir::Region copy;
    for (size_t i = 0; i < region.parameters.size(); ++i) {
      copy.parameters.push_back(rewriter_.NewValue(ir::TensorType{dtypes_[i % n], {}}));
      map[region.parameters[i]] = copy.parameters[i];
    }
    for (const ir::Op& op : region.ops) {
      ir::Op& inner = copy.ops.emplace_back();
      inner.kind = op.kind;
      inner.attributes = op.attributes;
      inner.location = op.location;
      for (ir::ValueId id : op.operands) inner.operands.push_back(map[id]);
      // With one operation per result, an op has the type of its operands; otherwise the type
      // stays.
      const ir::Type type =
          own_operations_ ? rewriter_.TypeOf(inner.operands[0]) : rewriter_.TypeOf(op.results[0]);
      inner.results = {map[op.results[0]] = rewriter_.NewValue(type)};
    }
    for (ir::ValueId id : region.results) copy.results.push_back(map[id]);
    return copy;
  }

  Rewriter& rewriter_;
  const ir::Op& op_;
  const Cut cut_;
  const bool own_operations_;
  std::vector<int64_t> reduced_;
  int64_t block_dimension_ = 0;  // the position of the block dimension among the kept dimensions
  std::vector<DType> dtypes_;    // the types in which the operands are reduced
};

// Returns the same reduction with its reduced dimensions, which are the first ones, joined into
// one. Blocks of that dimension are sequences of whole rows, and fusion can combine the reduction
// with other kernels over the same rows.
ir::Op WithOneDimension(Rewriter& rewriter, const ir::Op& op) {
  ir::Op merged = op;
  const auto count = static_cast<int64_t>(op.As<ir::DimensionsAttributes>().dimensions.size());
  merged.attributes = ir::DimensionsAttributes{{0}};
  for (size_t i = 0; i < op.results.size(); ++i) {
    ir::TensorType type = rewriter.TensorOf(op.operands[i]);
    const auto end = type.dims.begin() + count;
    const int64_t size =
        std::accumulate(type.dims.begin(), end, int64_t{1}, std::multiplies<int64_t>());
    type.dims.erase(type.dims.begin(), end);
    type.dims.insert(type.dims.begin(), size);
    merged.operands[i] = rewriter.Emit(OpKind::kReshape, {op.operands[i]}, ir::NoAttributes{},
                                       std::move(type), op.location);
  }
  return merged;
}

// Whether these are the first dimensions of the type, more than one, with others after them.
bool AreFirst(const std::vector<int64_t>& ascending, const ir::TensorType& type) {
  for (size_t i = 0; i < ascending.size(); ++i) {
    if (ascending[i] != static_cast<int64_t>(i)) return false;
  }
  return ascending.size() > 1 && static_cast<int64_t>(ascending.size()) < type.rank();
}

absl::StatusOr<bool> Split(Rewriter& rewriter, ir::Op& op, const codegen::Target& target) {
  if (op.kind != OpKind::kReduce) return false;
  const Regrouping regrouping = RegroupingOf(rewriter, op.regions[0]);
  if (regrouping == Regrouping::kNone) return false;
  std::vector<int64_t> reduced = op.As<ir::DimensionsAttributes>().dimensions;
  std::sort(reduced.begin(), reduced.end());
  const absl::optional<Cut> cut =
      ChooseCut(rewriter.TensorOf(op.operands[0]).dims, reduced, regrouping, target);
  if (!cut.has_value()) return false;
  const bool in_any_order = regrouping == Regrouping::kAnyOrder;
  if (AreFirst(reduced, rewriter.TensorOf(op.operands[0]))) {
    const ir::Op merged = WithOneDimension(rewriter, op);
    const ir::Dims& dims = rewriter.TensorOf(merged.operands[0]).dims;
    if (const auto one = ChooseCut(dims, {0}, regrouping, target)) {
      Splitting(rewriter, merged, *one, in_any_order).Run();
      return true;
    }
  }
  Splitting(rewriter, op, *cut, in_any_order).Run();
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> SplitReductions(const ir::Module& module,
                                           const codegen::Target& target) {
  return RewriteEach(
      module, [&target](Rewriter& rewriter, ir::Op& op) { return Split(rewriter, op, target); });
}

}  // namespace acceld::compiler
