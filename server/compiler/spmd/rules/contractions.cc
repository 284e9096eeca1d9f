#include <algorithm>

#include "server/compiler/spmd/neutral_element.h"
#include "server/compiler/spmd/rules/rules.h"

// Matrix products and convolutions.
namespace acceld::compiler::spmd {

void ConvolutionFactors(const RuleContext& context) {
  const auto& attributes = context.As<ir::ConvolutionAttributes>();
  const ir::ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const auto at = [](int64_t dimension) { return static_cast<size_t>(dimension); };
  FactorRule& rule = context.rule;
  if (attributes.batch_group_count != 1) return;
  context.Keep(numbers.input_batch_dimension, numbers.output_batch_dimension);
  if (attributes.feature_group_count != 1) return;
  const int out = rule.Add(context.result().dims[at(numbers.output_feature_dimension)]);
  rule.operands[1][at(numbers.kernel_output_feature_dimension)] = {out};
  rule.results[0][at(numbers.output_feature_dimension)] = {out};
  if (!MayHaveParts(context.result().dtype)) return;
  const int in = rule.Add(context.operand(0).dims[at(numbers.input_feature_dimension)],
                          /*is_reduction=*/true);
  rule.operands[0][at(numbers.input_feature_dimension)] = {in};
  rule.operands[1][at(numbers.kernel_input_feature_dimension)] = {in};
}

void DotGeneralFactors(const RuleContext& context) {
  const ir::DotDimensionNumbers& numbers =
      context.As<ir::DotGeneralAttributes>().dot_dimension_numbers;
  const auto at = [](int64_t dimension) { return static_cast<size_t>(dimension); };
  FactorRule& rule = context.rule;
  size_t result = 0;
  for (size_t i = 0; i < numbers.lhs_batching_dimensions.size(); ++i) {
    const int factor = rule.Add(context.result().dims[result]);
    rule.operands[0][at(numbers.lhs_batching_dimensions[i])] = {factor};
    rule.operands[1][at(numbers.rhs_batching_dimensions[i])] = {factor};
    rule.results[0][result++] = {factor};
  }
  for (size_t i = 0; i < numbers.lhs_contracting_dimensions.size(); ++i) {
    const size_t of_lhs = at(numbers.lhs_contracting_dimensions[i]);
    if (!MayHaveParts(context.result().dtype)) continue;
    const int factor = rule.Add(context.operand(0).dims[of_lhs], /*is_reduction=*/true);
    rule.operands[0][of_lhs] = {factor};
    rule.operands[1][at(numbers.rhs_contracting_dimensions[i])] = {factor};
  }
  // What is left are the free dimensions, of the left side and then of the right one.
  const std::vector<int64_t>* const contracted[] = {&numbers.lhs_contracting_dimensions,
                                                    &numbers.rhs_contracting_dimensions};
  for (size_t k = 0; k < 2; ++k) {
    for (size_t i = 0; i < rule.operands[k].size(); ++i) {
      std::vector<int>& factors = rule.operands[k][i];
      const auto& list = *contracted[k];
      const bool is_free = factors.empty() && std::find(list.begin(), list.end(),
                                                        static_cast<int64_t>(i)) == list.end();
      if (!is_free) continue;
      factors = {rule.Add(context.result().dims[result])};
      rule.results[0][result++] = factors;
    }
  }
}

}  // namespace acceld::compiler::spmd
