#include "server/compiler/passes/products/swap_dots.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The number of uses of each value of a function, and the transposes by their operands.
class Readers {
 public:
  explicit Readers(const ir::Function& function) : counts_(function.value_types.size(), 0) {
    CountResults(function.body);
    ForEachOp(function.body, [this](const ir::Op& op) { Note(op); });
  }

  // Returns the only user of the product if that is a transpose; nullptr otherwise.
  const ir::Op* TransposeOf(ir::ValueId product) const {
    const auto found = transposes_.find(product);
    return found == transposes_.end() || counts_[product] != 1 ? nullptr : found->second;
  }

 private:
  void CountResults(const ir::Region& region) {
    for (const ir::ValueId id : region.results) ++counts_[id];
  }
  void Note(const ir::Op& op) {
    for (const ir::ValueId id : op.operands) ++counts_[id];
    for (const ir::Region& region : op.regions) CountResults(region);
    if (op.kind == OpKind::kTranspose) transposes_[op.operands[0]] = &op;
  }

  std::vector<int> counts_;
  absl::flat_hash_map<ir::ValueId, const ir::Op*> transposes_;
};

// Whether the permutation only exchanges the two groups of free dimensions of a product, so that
// (batch, lhs, rhs) becomes (batch, rhs, lhs). The arguments are the numbers of dimensions.
bool SwapsFreeDimensions(const std::vector<int64_t>& permutation, int64_t batch, int64_t lhs,
                         int64_t rhs) {
  for (int64_t i = 0; i < batch + lhs + rhs; ++i) {
    int64_t from = i;
    if (i >= batch) from = i < batch + rhs ? i + lhs : i - rhs;
    if (permutation[i] != from) return false;
  }
  return true;
}

ir::DotGeneralAttributes Swapped(ir::DotGeneralAttributes attributes) {
  ir::DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  std::swap(numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions);
  std::swap(numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions);
  if (attributes.precision_config.size() == 2) {
    std::swap(attributes.precision_config[0], attributes.precision_config[1]);
  }
  if (attributes.algorithm.has_value()) {
    std::swap(attributes.algorithm->lhs_precision_type, attributes.algorithm->rhs_precision_type);
    std::swap(attributes.algorithm->lhs_component_count, attributes.algorithm->rhs_component_count);
  }
  return attributes;
}

bool VisitDot(Rewriter& rewriter, const ir::Op& op, const Readers& readers,
              absl::flat_hash_map<ir::ValueId, ir::ValueId>& swapped) {
  const ir::Op* transpose = readers.TransposeOf(op.results[0]);
  if (transpose == nullptr) return false;
  const auto& attributes = op.As<ir::DotGeneralAttributes>();
  const ir::DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  const auto batch = static_cast<int64_t>(numbers.lhs_batching_dimensions.size());
  const auto contracted = static_cast<int64_t>(numbers.lhs_contracting_dimensions.size());
  if (!SwapsFreeDimensions(transpose->As<ir::TransposeAttributes>().permutation, batch,
                           rewriter.TensorOf(op.operands[0]).rank() - batch - contracted,
                           rewriter.TensorOf(op.operands[1]).rank() - batch - contracted)) {
    return false;
  }
  swapped[transpose->results[0]] =
      rewriter.Emit(OpKind::kDotGeneral, {op.operands[1], op.operands[0]}, Swapped(attributes),
                    rewriter.TypeOf(transpose->results[0]), op.location);
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> SwapDots(const ir::Module& module) {
  ir::Module out = module.WithoutFunctions();
  for (const ir::Function& function : module.functions) {
    const Readers readers(function);
    absl::flat_hash_map<ir::ValueId, ir::ValueId> swapped;  // by the transpose's result
    const auto visit = [&](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
      if (op.kind == OpKind::kDotGeneral) return VisitDot(rewriter, op, readers, swapped);
      if (op.kind != OpKind::kTranspose) return false;
      const auto found = swapped.find(op.results[0]);
      if (found == swapped.end()) return false;
      rewriter.Replace(op.results[0], found->second);
      return true;
    };
    ACCELD_ASSIGN_OR_RETURN(ir::Function rewritten, Rewriter::Run(function, visit));
    out.functions.push_back(std::move(rewritten));
  }
  return out;
}

}  // namespace acceld::compiler
