#include "server/compiler/passes/cleanup/shrink_splats.h"

#include <string>
#include <utility>

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

constexpr int64_t kMaxDenseElements = 16;

}  // namespace

absl::StatusOr<ir::Module> ShrinkSplats(const ir::Module& module) {
  return RewriteEach(module, [](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    if (op.kind != ir::OpKind::kConstant) return false;
    const ir::Literal& value = op.As<ir::ConstantAttributes>().value;
    if (!value.is_splat() || value.type().num_elements() <= kMaxDenseElements) return false;
    const absl::string_view bytes = value.bytes();
    const ir::TensorType scalar_type{value.type().dtype, {}};
    ACCELD_ASSIGN_OR_RETURN(
        ir::Literal scalar,
        ir::Literal::FromBytes(scalar_type, std::string(bytes.data(), bytes.size())));
    const ir::TensorType type = value.type();
    const ir::ValueId element = rewriter.EmitConstant(std::move(scalar), op.location);
    rewriter.Replace(op.results[0],
                     rewriter.Emit(ir::OpKind::kBroadcastInDim, {element},
                                   ir::BroadcastInDimAttributes{}, type, op.location));
    return true;
  });
}

}  // namespace acceld::compiler
