#pragma once

#include <vector>

#include "common/ir/transform/differentiate.h"

// Reverse mode: the transpose of a function's linear part.
namespace acceld::ir {

// A function that is split into its values and its pullback.
struct ReverseFunction {
  // From all arguments to all results, followed by residuals.
  Function known;
  std::vector<LinearizedFunction::Residual> residuals;
  // From the residuals, followed by the cotangents of the active results, to the cotangents of the
  // active arguments.
  Function pullback;
  Mask active_results;

  // The residuals, given the values of the arguments and of the results of `known`.
  std::vector<ValueId> ResidualsOf(absl::Span<const ValueId> arguments,
                                   absl::Span<const ValueId> results) const;
};

// Errors are those of Differentiator::Linearize and Transposer::Transpose.
absl::StatusOr<ReverseFunction> Reverse(Differentiator& differentiator, const Function& source,
                                        const Mask& active);

}  // namespace acceld::ir
