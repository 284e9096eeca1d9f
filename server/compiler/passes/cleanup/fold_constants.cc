#include "server/compiler/passes/cleanup/fold_constants.h"

#include <string>
#include <utility>
#include <vector>

#include "common/ir/interpreter.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

constexpr int64_t kMaxElements = 4096;
// The size of all new constants of a program together, from which on ops are not evaluated.
constexpr int64_t kMaxFoldedBytes = int64_t{64} << 20;

// Evaluates an elementwise op whose operands are splats on their scalars, and returns the result as
// a splat of the given type.
absl::StatusOr<ir::Literal> EvaluateElement(const Rewriter& rewriter, const ir::Op& op,
                                            const ir::TensorType& result_type) {
  ir::Function function;
  ir::Op scalar_op = op;
  std::vector<ir::Literal> operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ir::Literal& value = *rewriter.ConstantOf(op.operands[i]);
    const ir::TensorType type{value.type().dtype, {}};
    const absl::string_view bytes = value.bytes();
    ACCELD_ASSIGN_OR_RETURN(ir::Literal element,
                            ir::Literal::FromBytes(type, std::string(bytes.data(), bytes.size())));
    operands.push_back(std::move(element));
    scalar_op.operands[i] = static_cast<ir::ValueId>(function.value_types.size());
    function.value_types.push_back(type);
  }
  scalar_op.results[0] = static_cast<ir::ValueId>(function.value_types.size());
  const ir::TensorType scalar_type{result_type.dtype, {}};
  function.value_types.push_back(scalar_type);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ir::Literal> results,
                          ir::InterpretOp(function, scalar_op, operands));
  const absl::string_view bytes = results[0].bytes();
  return ir::Literal::FromBytes(result_type, std::string(bytes.data(), bytes.size()));
}

// `bytes_left` is the size that further new constants may have together.
absl::StatusOr<bool> Visit(int64_t& bytes_left, Rewriter& rewriter, ir::Op& op) {
  if (bytes_left < 0) return false;
  const ir::OpFamily family = ir::FamilyOf(op.kind);
  if ((family != ir::OpFamily::kElementwise && family != ir::OpFamily::kIndexing) ||
      op.operands.empty()) {
    return false;
  }
  bool all_splats = true;
  for (ir::ValueId id : op.operands) {
    const ir::Literal* value = rewriter.ConstantOf(id);
    if (value == nullptr) return false;
    all_splats = all_splats && (value->is_splat() || value->type().num_elements() == 1);
    if (!value->is_splat() && value->type().num_elements() > kMaxElements) return false;
  }
  const ir::TensorType type = rewriter.TensorOf(op.results[0]);
  if (type.num_elements() == 0) return false;
  absl::StatusOr<ir::Literal> result = ir::Literal();
  if (all_splats && family == ir::OpFamily::kElementwise) {
    result = EvaluateElement(rewriter, op, type);
  } else if (all_splats && op.kind == ir::OpKind::kBroadcastInDim) {
    const absl::string_view bytes = rewriter.ConstantOf(op.operands[0])->bytes();
    result = ir::Literal::FromBytes(type, std::string(bytes.data(), bytes.size()));
  } else {
    if (type.num_elements() > kMaxElements) return false;
    std::vector<ir::Literal> operands;
    for (ir::ValueId id : op.operands) {
      if (rewriter.TensorOf(id).num_elements() > kMaxElements) return false;
      operands.push_back(*rewriter.ConstantOf(id));
    }
    absl::StatusOr<std::vector<ir::Literal>> results =
        ir::InterpretOp(rewriter.function(), op, operands);
    if (!results.ok()) return results.status();
    result = std::move((*results)[0]);
  }
  if (!result.ok()) return result.status();
  bytes_left -= static_cast<int64_t>(result->bytes().size());
  rewriter.Replace(op.results[0], rewriter.EmitConstant(*std::move(result), op.location));
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> FoldConstants(const ir::Module& module) {
  int64_t bytes_left = kMaxFoldedBytes;
  return RewriteEach(
      module, [&](Rewriter& rewriter, ir::Op& op) { return Visit(bytes_left, rewriter, op); });
}

}  // namespace acceld::compiler
