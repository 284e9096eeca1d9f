#include "server/compiler/plan/steps/routines.h"

#include "absl/strings/str_cat.h"
#include "server/compiler/plan/steps/linear_algebra_calls.h"

namespace acceld::compiler {
namespace {

using kernels::Routine;
using kernels::RoutineCall;

absl::StatusOr<absl::optional<RoutineCall>> Match(const ir::Op& op, RoutineCall call) {
  if (op.kind == ir::OpKind::kCholesky) {
    call.routine = Routine::kCholesky;
    call.parameters = {op.As<ir::CholeskyAttributes>().lower ? 1 : 0};
  } else if (op.kind == ir::OpKind::kFft) {
    const auto& attributes = op.As<ir::FftAttributes>();
    call.routine = Routine::kFft;
    call.parameters = {static_cast<int64_t>(attributes.fft_type),
                       static_cast<int64_t>(attributes.fft_length.size())};
  } else if (op.kind == ir::OpKind::kTriangularSolve) {
    const auto& attributes = op.As<ir::TriangularSolveAttributes>();
    call.routine =
        attributes.left_side ? Routine::kTriangularSolveLeft : Routine::kTriangularSolveRight;
    call.parameters = {attributes.lower ? 1 : 0, attributes.unit_diagonal ? 1 : 0,
                       static_cast<int64_t>(attributes.transpose_a)};
  } else {
    ACCELD_ASSIGN_OR_RETURN(const bool known,
                            MatchLinearAlgebraCall(op.As<ir::CustomCallAttributes>(), call));
    if (!known) return absl::optional<RoutineCall>();
  }
  ACCELD_RETURN_IF_ERROR(CheckRoutine(call));
  return absl::optional<RoutineCall>(std::move(call));
}

}  // namespace

absl::StatusOr<absl::optional<RoutineCall>> MatchRoutine(const ir::Function& function,
                                                         const ir::Op& op) {
  if (ir::FamilyOf(op.kind) != ir::OpFamily::kRoutine && op.kind != ir::OpKind::kCustomCall) {
    return absl::optional<RoutineCall>();
  }
  RoutineCall call;
  for (ir::ValueId id : op.operands) call.operands.push_back(function.TensorOf(id));
  for (ir::ValueId id : op.results) call.results.push_back(function.TensorOf(id));
  absl::StatusOr<absl::optional<RoutineCall>> matched = Match(op, std::move(call));
  if (matched.ok()) return matched;
  std::string name(NameOf(op.kind));
  if (op.kind == ir::OpKind::kCustomCall) {
    absl::StrAppend(&name, " @", op.As<ir::CustomCallAttributes>().call_target_name);
  }
  return Annotate(matched.status(), name);
}

}  // namespace acceld::compiler
