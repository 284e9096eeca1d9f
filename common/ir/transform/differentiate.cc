#include "common/ir/transform/differentiate.h"

#include "absl/strings/str_cat.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/derivation.h"

namespace acceld::ir {

absl::StatusOr<JvpFunction> Differentiator::Jvp(const Function& source, const Mask& active) {
  FunctionDerivation derivation(*this, source, active, FunctionDerivation::Mode::kTogether);
  ACCELD_RETURN_IF_ERROR(derivation.Run());
  return derivation.FinishTogether();
}

absl::StatusOr<LinearizedFunction> Differentiator::Linearize(const Function& source,
                                                             const Mask& active) {
  FunctionDerivation derivation(*this, source, active, FunctionDerivation::Mode::kSplit);
  ACCELD_RETURN_IF_ERROR(derivation.Run());
  return derivation.FinishSplit();
}

std::string Differentiator::AddFunction(Function function, const std::string& name) {
  return ir::AddFunction(module_, std::move(function), name);
}

absl::StatusOr<Differentiator::JvpCallee> Differentiator::JvpOf(const std::string& callee,
                                                                const Mask& active) {
  const auto found = jvps_.find({callee, active});
  if (found != jvps_.end()) return found->second;
  ACCELD_ASSIGN_OR_RETURN(const Function* source, module_.Entry(callee));
  const Function copy = *source;  // Adding functions to the module moves the others.
  ACCELD_ASSIGN_OR_RETURN(JvpFunction jvp, Jvp(copy, active));
  JvpCallee result{AddFunction(std::move(jvp.function), absl::StrCat(callee, ".jvp")),
                   std::move(jvp.active_results)};
  jvps_.emplace(std::make_pair(callee, active), result);
  return result;
}

absl::StatusOr<Differentiator::LinearizedCallee> Differentiator::LinearizationOf(
    const std::string& callee, const Mask& active) {
  const auto found = linearizations_.find({callee, active});
  if (found != linearizations_.end()) return found->second;
  ACCELD_ASSIGN_OR_RETURN(const Function* source, module_.Entry(callee));
  const Function copy = *source;  // Adding functions to the module moves the others.
  ACCELD_ASSIGN_OR_RETURN(LinearizedFunction split, Linearize(copy, active));
  LinearizedCallee result{AddFunction(std::move(split.known), absl::StrCat(callee, ".known")),
                          AddFunction(std::move(split.linear), absl::StrCat(callee, ".linear")),
                          std::move(split.active_results), std::move(split.residuals)};
  linearizations_.emplace(std::make_pair(callee, active), result);
  return result;
}

}  // namespace acceld::ir
