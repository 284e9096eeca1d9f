#include "server/compiler/passes/reductions/unroll_reductions.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/fusion/cost.h"
#include "server/compiler/passes/reductions/part_emitter.h"
#include "server/compiler/passes/reductions/reducer_operation.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::OpKind;

// The longest dimension that is short.
constexpr int64_t kMostUnrolled = 4;
// The fewest elements of a sum that is worth a vector loop of its own.
constexpr int64_t kFewestOfVectors = 64;

bool KeepsType(DType dtype) {
  return !ir::IsComplex(dtype) && !(ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16);
}

// Rewrites one reduction of one operand.
class Unrolling {
 public:
  Unrolling(Rewriter& rewriter, const ValueUses& uses, const ir::Op& op, const ir::Op& operation)
      : rewriter_(rewriter),
        parts_(rewriter, uses, op.results[0], op.location),
        op_(op),
        operation_(operation),
        dims_(rewriter.TensorOf(op.operands[0]).dims),
        is_reduced_(dims_.size(), false) {
    for (int64_t d : op.As<ir::DimensionsAttributes>().dimensions) is_reduced_[d] = true;
    for (size_t d = 0; d < dims_.size(); ++d) (is_reduced_[d] ? reduced_ : kept_) *= dims_[d];
  }

  bool HasFewElements() const { return reduced_ >= 1 && reduced_ <= kMostUnrolled && kept_ > 1; }

  // Combines the elements, in ascending order of their indices, beginning with the initial value.
  void UnrollElements() {
    const ir::TensorType type = rewriter_.TensorOf(op_.results[0]);
    ir::ValueId result = rewriter_.Emit(OpKind::kBroadcastInDim, {op_.operands[1]},
                                        ir::BroadcastInDimAttributes{}, type, op_.location);
    PartEmitter::Place place(dims_.size(), PartEmitter::kAll);
    for (int64_t k = 0; k < reduced_; ++k) {
      int64_t rest = k;
      for (size_t d = dims_.size(); d-- > 0;) {
        if (!is_reduced_[d]) continue;
        place[d] = rest % dims_[d];
        rest /= dims_[d];
      }
      const ir::ValueId element = parts_.At(op_.operands[0], place);
      result = rewriter_.Emit(operation_.kind, {result, element}, operation_.attributes, type,
                              op_.location);
    }
    rewriter_.Replace(op_.results[0], result);
  }

  // The dimension behind the reduced ones whose elements are the results of one short row; nullopt
  // if there is none.
  absl::optional<size_t> ShortRows() const {
    if (reduced_ < kFewestOfVectors) return absl::nullopt;
    for (size_t d = dims_.size(); d-- > 0;) {
      if (dims_[d] == 1) continue;
      const bool is_short = !is_reduced_[d] && dims_[d] <= kMostUnrolled;
      // A longer dimension in front of it that is not reduced would be the one to be vectorized.
      if (!is_short || d == 0 || !is_reduced_[d - 1]) return absl::nullopt;
      return d;
    }
    return absl::nullopt;
  }

  // Computes the results at each index of `dimension` apart, by one op.
  void UnrollResults(size_t dimension) {
    const int64_t size = dims_[dimension];
    ir::Dims results;
    ir::DimensionsAttributes reduced;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (d == dimension) continue;
      const auto position = static_cast<int64_t>(d > dimension ? d - 1 : d);
      if (is_reduced_[d]) reduced.dimensions.push_back(position);
      if (!is_reduced_[d]) results.push_back(dims_[d]);
    }
    ir::Op reduce;
    reduce.kind = OpKind::kReduce;
    reduce.attributes = std::move(reduced);
    reduce.location = op_.location;
    PartEmitter::Place place(dims_.size(), PartEmitter::kAll);
    const DType dtype = rewriter_.TensorOf(op_.results[0]).dtype;
    for (int64_t k = 0; k < size; ++k) {
      place[dimension] = k;
      reduce.operands.push_back(parts_.At(op_.operands[0], place));
      reduce.results.push_back(rewriter_.NewValue(ir::TensorType{dtype, results}));
    }
    reduce.operands.insert(reduce.operands.end(), size, op_.operands[1]);
    reduce.regions.push_back(Reducer(size));
    const std::vector<ir::ValueId> columns = reduce.results;
    rewriter_.Append(std::move(reduce));
    Concatenate(columns, dimension);
  }

 private:
  // Returns a reducer that does for each of `size` results what the op's reducer does for one.
  ir::Region Reducer(int64_t size) {
    const ir::TensorType scalar = rewriter_.TensorOf(op_.regions[0].parameters[0]);
    ir::Region region;
    for (int64_t i = 0; i < 2 * size; ++i) region.parameters.push_back(rewriter_.NewValue(scalar));
    for (int64_t i = 0; i < size; ++i) {
      ir::Op& inner = region.ops.emplace_back();
      inner.kind = operation_.kind;
      inner.attributes = operation_.attributes;
      inner.location = operation_.location;
      inner.operands = {region.parameters[i], region.parameters[size + i]};
      inner.results = {rewriter_.NewValue(scalar)};
      region.results.push_back(inner.results[0]);
    }
    return region;
  }

  // Replaces the op's result by the columns, side by side.
  void Concatenate(std::vector<ir::ValueId> columns, size_t dimension) {
    int64_t position = 0;
    for (size_t d = 0; d < dimension; ++d) position += is_reduced_[d] ? 0 : 1;
    for (ir::ValueId& column : columns) {
      ir::TensorType type = rewriter_.TensorOf(column);
      type.dims.insert(type.dims.begin() + position, 1);
      column = rewriter_.Emit(OpKind::kReshape, {column}, ir::NoAttributes{}, std::move(type),
                              op_.location);
    }
    rewriter_.Replace(
        op_.results[0],
        rewriter_.Emit(OpKind::kConcatenate, std::move(columns), ir::DimensionAttributes{position},
                       rewriter_.TensorOf(op_.results[0]), op_.location));
  }

  Rewriter& rewriter_;
  PartEmitter parts_;
  const ir::Op& op_;
  const ir::Op& operation_;         // of the reducer
  const ir::Dims dims_;             // of the operand
  std::vector<bool> is_reduced_;    // for each of them
  int64_t reduced_ = 1, kept_ = 1;  // the products of the reduced dimensions and of the others
};

// Whether elementwise ops compute the operand, in the same region, and nothing else uses it.
// Otherwise it is in memory anyway; to read all of it where the result is used would only keep it
// there for longer.
bool IsComputedForThis(const Rewriter& rewriter, const ValueUses& uses, const ir::Op& op) {
  const ir::Op* producer = rewriter.DefinitionOf(op.operands[0]);
  const auto use = uses.find(op.operands[0]);
  if (producer == nullptr || use == uses.end()) return false;
  if (use->second.count > 1 || use->second.region != uses.at(op.results[0]).region) return false;
  return IsPointwise(*producer) || producer->kind == OpKind::kBroadcastInDim;
}

absl::StatusOr<bool> Unroll(Rewriter& rewriter, const ValueUses& uses, const ir::Op& op,
                            const codegen::Target& target) {
  if (op.kind != OpKind::kReduce || op.results.size() != 1) return false;
  const ir::Op* operation = OperationOfResult(op.regions[0], 0);
  if (operation == nullptr || op.regions[0].ops.size() != 1) return false;
  const DType dtype = rewriter.TensorOf(op.operands[0]).dtype;
  if (!KeepsType(dtype) || rewriter.TensorOf(op.results[0]).dtype != dtype) return false;
  Unrolling unrolling(rewriter, uses, op, *operation);
  if (unrolling.HasFewElements() && IsComputedForThis(rewriter, uses, op)) {
    unrolling.UnrollElements();
    return true;
  }
  if (target.threads_per_unit() > 1) return false;
  const absl::optional<size_t> dimension = unrolling.ShortRows();
  if (!dimension.has_value()) return false;
  unrolling.UnrollResults(*dimension);
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> UnrollReductions(const ir::Module& module,
                                            const codegen::Target& target) {
  ir::Module result = module.WithoutFunctions();
  for (const ir::Function& function : module.functions) {
    const ValueUses uses = FindUses(function);
    const auto visit = [&](Rewriter& rewriter, ir::Op& op) {
      return Unroll(rewriter, uses, op, target);
    };
    ACCELD_ASSIGN_OR_RETURN(result.functions.emplace_back(), Rewriter::Run(function, visit));
  }
  ACCELD_RETURN_IF_ERROR(CheckNumOps(result));
  return result;
}

}  // namespace acceld::compiler
