#include "common/ir/transform/reverse.h"

#include <algorithm>
#include <utility>

#include "common/ir/transform/transposer.h"

namespace acceld::ir {

std::vector<ValueId> ReverseFunction::ResidualsOf(absl::Span<const ValueId> arguments,
                                                  absl::Span<const ValueId> results) const {
  std::vector<ValueId> values;
  for (const LinearizedFunction::Residual& residual : residuals) {
    values.push_back(residual.is_argument ? arguments[residual.index] : results[residual.index]);
  }
  return values;
}

absl::StatusOr<ReverseFunction> Reverse(Differentiator& differentiator, const Function& source,
                                        const Mask& active) {
  ACCELD_ASSIGN_OR_RETURN(LinearizedFunction split, differentiator.Linearize(source, active));
  Mask linear(split.linear.body.parameters.size());
  std::fill_n(linear.begin(), linear.size() - split.residuals.size(), true);
  ACCELD_ASSIGN_OR_RETURN(Function pullback,
                          Transposer(differentiator).Transpose(split.linear, linear));
  return ReverseFunction{std::move(split.known), std::move(split.residuals), std::move(pullback),
                         std::move(split.active_results)};
}

}  // namespace acceld::ir
