// Functions whose values are computed again for reverse mode, and values without a tangent.

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/composites/custom_rules.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::ir {
namespace {

using Residual = LinearizedFunction::Residual;

// Adds a function from the tangents of the active arguments, followed by all arguments, to the
// tangents of the active results: it computes the residuals, which it then needs. A barrier keeps
// the compiler from taking the values that were computed first instead.
std::string AddRecomputation(Differentiator& differentiator, const std::string& callee,
                             const Differentiator::LinearizedCallee& split, size_t num_tangents) {
  const Module& module = differentiator.module();
  const std::string name = absl::StrCat(callee, ".again");
  FunctionBuilder builder(name, /*is_public=*/false);
  Emitter e(builder);
  const std::vector<Type> linear_types = module.Find(split.linear)->ParameterTypes();
  std::vector<ValueId> inputs, arguments;
  for (size_t i = 0; i < num_tangents; ++i) inputs.push_back(builder.AddParameter(linear_types[i]));
  for (const Type& type : module.Find(split.known)->ParameterTypes()) {
    arguments.push_back(builder.AddParameter(type));
  }
  arguments = builder.AddUnchecked(OpKind::kOptimizationBarrier, arguments, NoAttributes{}, {},
                                   module.Find(split.known)->ParameterTypes());
  const std::vector<ValueId> known = AddCall(module, builder, split.known, arguments, {});
  for (const Residual& residual : split.residuals) {
    inputs.push_back(residual.is_argument ? arguments[residual.index] : known[residual.index]);
  }
  std::vector<ValueId> results = AddCall(module, builder, split.linear, std::move(inputs), {});
  return differentiator.AddFunction(builder.Finish(std::move(results)), name);
}

}  // namespace

absl::Status DeriveCheckpoint(Derivation& d) {
  FunctionDerivation& f = d.function();
  Differentiator& differentiator = f.differentiator();
  CompositeAttributes attributes = d.As<CompositeAttributes>();
  const std::string callee = attributes.decomposition.name;
  const Mask active = f.ActiveOf(d.op().operands);
  const size_t num_results = d.op().results.size();
  const std::vector<ValueId> operands = f.KnownOf(d.op().operands);
  std::vector<ValueId> tangents;
  for (size_t i = 0; i < active.size(); ++i) {
    if (active[i]) tangents.push_back(d.tangent(i));
  }
  const auto set = [&](const std::vector<ValueId>& values, const Mask& active_results,
                       const std::vector<ValueId>& result_tangents, size_t next) {
    for (size_t i = 0; i < num_results; ++i) {
      d.ReplaceResult(i, values[i]);
      if (active_results[i]) d.AddTangent(result_tangents[next++], i);
    }
  };
  if (f.mode() == FunctionDerivation::Mode::kTogether) {
    // The values and tangents are computed again, too, if this is differentiated in reverse mode.
    ACCELD_ASSIGN_OR_RETURN(const auto jvp, differentiator.JvpOf(callee, active));
    std::vector<ValueId> inputs = operands;
    inputs.insert(inputs.end(), tangents.begin(), tangents.end());
    attributes.decomposition.name = jvp.name;
    const std::vector<ValueId> results =
        AddComposite(differentiator.module(), f.known(), std::move(attributes), std::move(inputs),
                     d.op().location);
    set(results, jvp.active_results, results, num_results);
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(const auto split, differentiator.LinearizationOf(callee, active));
  const std::vector<ValueId> values = AddComposite(
      differentiator.module(), f.known(), std::move(attributes), operands, d.op().location);
  const std::string again = AddRecomputation(differentiator, callee, split, tangents.size());
  std::vector<ValueId> inputs = tangents;
  for (const ValueId operand : operands) inputs.push_back(f.InLinear(operand));
  set(values, split.active_results,
      AddCall(differentiator.module(), f.linear(), again, std::move(inputs), d.op().location), 0);
  return absl::OkStatus();
}

absl::Status BatchCheckpoint(Batching& b) {
  FunctionBatching& f = b.function();
  CompositeAttributes attributes = b.As<CompositeAttributes>();
  ACCELD_ASSIGN_OR_RETURN(const auto batched, f.batcher().BatchOf(attributes.decomposition.name,
                                                                  f.BatchedOf(b.op().operands)));
  attributes.decomposition.name = batched.name;
  const std::vector<ValueId> results =
      AddComposite(f.batcher().module(), f.builder(), std::move(attributes),
                   f.ValuesOf(b.op().operands), b.op().location);
  for (size_t i = 0; i < results.size(); ++i) {
    f.Set(b.op().results[i], results[i], batched.batched_results[i]);
  }
  return absl::OkStatus();
}

absl::Status DeriveStopGradient(Derivation& d) {
  FunctionDerivation& f = d.function();
  const std::vector<ValueId> results =
      AddComposite(f.differentiator().module(), f.known(), d.As<CompositeAttributes>(),
                   f.KnownOf(d.op().operands), d.op().location);
  for (size_t i = 0; i < results.size(); ++i) d.ReplaceResult(i, results[i]);
  return absl::OkStatus();
}

absl::Status BatchStopGradient(Batching& b) { return BatchCheckpoint(b); }

}  // namespace acceld::ir
