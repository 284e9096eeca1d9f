#include "server/compiler/passes/products/canonicalize_dots.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/compiler/passes/rewriter.h"
#include "server/compiler/plan/steps/matmul.h"

namespace acceld::compiler {
namespace {

// With fewer multiplications a plain loop nest is as fast as a transpose and a library.
constexpr int64_t kMinWork = 32 * 1024;
// The same bound for each single product of a batch.
constexpr double kMinProduct = 4096;

struct Side {
  ir::ValueId* operand;
  std::vector<int64_t>* batching;
  std::vector<int64_t>* contracting;
};

absl::optional<kernels::MatmulStep> Match(const Rewriter& rewriter, const ir::Op& op) {
  return MatchMatmul(rewriter.TensorOf(op.operands[0]), rewriter.TensorOf(op.operands[1]),
                     rewriter.TensorOf(op.results[0]), op.As<ir::DotGeneralAttributes>());
}

bool Matches(const Rewriter& rewriter, const ir::Op& op) { return Match(rewriter, op).has_value(); }

// Whether the operands should be transposed: if MatchMatmul does not accept the product as it is
// (floats only), or if the target's library does not support it as it is but would with transposed
// operands.
bool WantsTransposes(const Rewriter& rewriter, const ir::Op& op, const codegen::Target& target) {
  const absl::optional<kernels::MatmulStep> now = Match(rewriter, op);
  if (!now.has_value()) return ir::IsFloat(rewriter.TensorOf(op.operands[0]).dtype);
  if (target.SupportsMatmul(*now)) return false;
  // A loop nest is as fast for many small products, too.
  if (static_cast<double>(now->m) * now->n * now->k <= kMinProduct) return false;
  const absl::optional<kernels::MatmulStep> then =
      ContiguousMatmul(rewriter.TensorOf(op.operands[0]), rewriter.TensorOf(op.operands[1]),
                       rewriter.TensorOf(op.results[0]), op.As<ir::DotGeneralAttributes>());
  return then.has_value() && target.SupportsMatmul(*then);
}

// Replaces an operand that is a transpose by the operand of the transpose, if the free dimensions
// keep their order and MatchMatmul still accepts the product.
void FoldTranspose(const Rewriter& rewriter, ir::Op& op, const Side& side) {
  const ir::Op* transpose = rewriter.DefinitionOf(*side.operand);
  if (transpose == nullptr || transpose->kind != ir::OpKind::kTranspose) return;
  const auto& permutation = transpose->As<ir::TransposeAttributes>().permutation;
  int64_t last = -1;
  for (int64_t dim :
       FreeDimensions(rewriter.TensorOf(*side.operand), *side.batching, *side.contracting)) {
    if (permutation[dim] < last) return;
    last = permutation[dim];
  }
  const ir::ValueId old_operand = *side.operand;
  const std::vector<int64_t> old_batching = *side.batching, old_contracting = *side.contracting;
  for (int64_t& dim : *side.batching) dim = permutation[dim];
  for (int64_t& dim : *side.contracting) dim = permutation[dim];
  *side.operand = transpose->operands[0];
  if (Matches(rewriter, op)) return;
  *side.operand = old_operand;
  *side.batching = old_batching;
  *side.contracting = old_contracting;
}

// Transposes the operand to the order (batch, free, contracting).
void InsertTranspose(Rewriter& rewriter, ir::Op& op, const Side& side) {
  const ir::TensorType type = rewriter.TensorOf(*side.operand);
  std::vector<int64_t> permutation = *side.batching;
  for (int64_t dim : FreeDimensions(type, *side.batching, *side.contracting)) {
    permutation.push_back(dim);
  }
  permutation.insert(permutation.end(), side.contracting->begin(), side.contracting->end());
  ir::TensorType transposed{type.dtype, {}};
  for (int64_t dim : permutation) transposed.dims.push_back(type.dims[dim]);
  const auto batches = static_cast<int64_t>(side.batching->size());
  const auto contractions = static_cast<int64_t>(side.contracting->size());
  for (int64_t i = 0; i < batches; ++i) (*side.batching)[i] = i;
  for (int64_t i = 0; i < contractions; ++i) {
    (*side.contracting)[i] = type.rank() - contractions + i;
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) return;
  *side.operand = rewriter.Emit(ir::OpKind::kTranspose, {*side.operand},
                                ir::TransposeAttributes{std::move(permutation)},
                                std::move(transposed), op.location);
}

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op, const codegen::Target& target) {
  if (op.kind != ir::OpKind::kDotGeneral) return false;
  auto& numbers = std::get<ir::DotGeneralAttributes>(op.attributes).dot_dimension_numbers;
  const Side lhs{&op.operands[0], &numbers.lhs_batching_dimensions,
                 &numbers.lhs_contracting_dimensions};
  const Side rhs{&op.operands[1], &numbers.rhs_batching_dimensions,
                 &numbers.rhs_contracting_dimensions};
  FoldTranspose(rewriter, op, lhs);
  FoldTranspose(rewriter, op, rhs);
  const ir::TensorType& lhs_type = rewriter.TensorOf(op.operands[0]);
  int64_t work = rewriter.TensorOf(op.results[0]).num_elements();
  if (work == 0 || !WantsTransposes(rewriter, op, target)) return false;
  for (int64_t dim : numbers.lhs_contracting_dimensions) {
    work = work > kMinWork ? work : work * lhs_type.dims[dim];
  }
  if (work <= kMinWork) return false;
  InsertTranspose(rewriter, op, lhs);
  InsertTranspose(rewriter, op, rhs);
  return false;
}

}  // namespace

absl::StatusOr<ir::Module> CanonicalizeDots(const ir::Module& module,
                                            const codegen::Target& target) {
  return RewriteEach(
      module, [&target](Rewriter& rewriter, ir::Op& op) { return Visit(rewriter, op, target); });
}

}  // namespace acceld::compiler
