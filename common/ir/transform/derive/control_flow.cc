// Derivatives of calls, branches and loops: their regions are differentiated as functions.

#include <algorithm>
#include <utility>

#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

using Mode = FunctionDerivation::Mode;
using Residual = LinearizedFunction::Residual;

template <typename T>
void Append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The tangents of those of the values that are active.
std::vector<ValueId> TangentsOf(const FunctionDerivation& function, absl::Span<const ValueId> ids) {
  std::vector<ValueId> tangents;
  for (const ValueId id : ids) {
    if (const auto tangent = function.TangentOf(id)) tangents.push_back(*tangent);
  }
  return tangents;
}

void SetKnown(Derivation& d, absl::Span<const ValueId> values) {
  const std::vector<ValueId>& results = d.op().results;
  for (size_t i = 0; i < results.size(); ++i) d.ReplaceResult(i, values[i]);
}

// `tangents` has those of the active results.
void SetTangents(Derivation& d, const Mask& active, absl::Span<const ValueId> tangents) {
  size_t next = 0;
  for (size_t i = 0; i < active.size(); ++i) {
    if (active[i]) d.AddTangent(tangents[next++], i);
  }
}

Mask Union(Mask a, const Mask& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

// Spreads `tangents`, those of the results in `active`, over the results in `all`: zeros for
// others.
std::vector<ValueId> Spread(Emitter& e, const Function& source, const Mask& active, const Mask& all,
                            absl::Span<const ValueId> tangents) {
  std::vector<ValueId> spread;
  size_t next = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    spread.push_back(active[i] ? tangents[next++]
                               : e.Constant(source.TensorOf(source.body.results[i]), 0));
  }
  return spread;
}

// Branches take their values from around them: as functions, all of them take what any captures.
absl::Status DeriveBranchesTogether(Derivation& d, const std::vector<ValueId>& captures,
                                    const std::vector<Function>& branches) {
  FunctionDerivation& f = d.function();
  const Mask active = f.ActiveOf(captures);
  std::vector<JvpFunction> jvps;
  Mask all(d.op().results.size());
  for (const Function& branch : branches) {
    ACCELD_ASSIGN_OR_RETURN(JvpFunction jvp, f.differentiator().Jvp(branch, active));
    all = Union(all, jvp.active_results);
    jvps.push_back(std::move(jvp));
  }
  std::vector<ValueId> arguments = f.KnownOf(captures);
  Append(arguments, TangentsOf(f, captures));
  const size_t num_results = d.op().results.size();
  std::vector<Region> regions;
  for (size_t i = 0; i < branches.size(); ++i) {
    f.known().BeginRegion({});
    std::vector<ValueId> values = CopyBody(f.known(), jvps[i].function, arguments);
    const std::vector<ValueId> tangents = Spread(d.known, branches[i], jvps[i].active_results, all,
                                                 absl::MakeConstSpan(values).subspan(num_results));
    values.resize(num_results);
    Append(values, tangents);
    regions.push_back(f.known().EndRegion(std::move(values)));
  }
  const size_t num_values =
      num_results + static_cast<size_t>(std::count(all.begin(), all.end(), true));
  const std::vector<ValueId> values = d.known.OpWithRegions(
      d.op().kind, {d.operand(0)}, NoAttributes{}, std::move(regions), num_values);
  SetKnown(d, values);
  SetTangents(d, all, absl::MakeConstSpan(values).subspan(num_results));
  return absl::OkStatus();
}

absl::Status DeriveBranchesSplit(Derivation& d, const std::vector<ValueId>& captures,
                                 const std::vector<Function>& branches) {
  FunctionDerivation& f = d.function();
  const Mask active = f.ActiveOf(captures);
  const size_t num_results = d.op().results.size();
  std::vector<LinearizedFunction> splits;
  Mask all(num_results);
  // After the results come the residuals of each branch in turn; other branches give zeros.
  std::vector<size_t> first_residual;
  std::vector<Type> residual_types;
  for (const Function& branch : branches) {
    ACCELD_ASSIGN_OR_RETURN(LinearizedFunction split, f.differentiator().Linearize(branch, active));
    all = Union(all, split.active_results);
    first_residual.push_back(num_results + residual_types.size());
    const std::vector<Type> types = split.known.ResultTypes();
    residual_types.insert(residual_types.end(), types.begin() + num_results, types.end());
    splits.push_back(std::move(split));
  }
  const std::vector<ValueId> arguments = f.KnownOf(captures);
  std::vector<Region> regions;
  for (size_t i = 0; i < branches.size(); ++i) {
    f.known().BeginRegion({});
    const std::vector<ValueId> own = CopyBody(f.known(), splits[i].known, arguments);
    std::vector<ValueId> values(own.begin(), own.begin() + num_results);
    const size_t num_own = own.size() - num_results;
    for (size_t r = 0; r < residual_types.size(); ++r) {
      const size_t position = num_results + r;
      const bool is_own = position >= first_residual[i] && position < first_residual[i] + num_own;
      values.push_back(is_own ? own[num_results + position - first_residual[i]]
                              : d.known.Constant(residual_types[r].tensor(), 0));
    }
    regions.push_back(f.known().EndRegion(std::move(values)));
  }
  const std::vector<ValueId> known =
      d.known.OpWithRegions(d.op().kind, {d.operand(0)}, NoAttributes{}, std::move(regions),
                            num_results + residual_types.size());
  SetKnown(d, known);

  const ValueId index = f.InLinear(d.operand(0));
  const std::vector<ValueId> tangents = TangentsOf(f, captures);
  regions.clear();
  for (size_t i = 0; i < branches.size(); ++i) {
    std::vector<ValueId> inputs = tangents;
    for (const Residual& residual : splits[i].residuals) {
      const size_t position = residual.index < num_results
                                  ? residual.index
                                  : first_residual[i] + residual.index - num_results;
      inputs.push_back(
          f.InLinear(residual.is_argument ? arguments[residual.index] : known[position]));
    }
    f.linear().BeginRegion({});
    const std::vector<ValueId> values = CopyBody(f.linear(), splits[i].linear, inputs);
    regions.push_back(
        f.linear().EndRegion(Spread(d.linear, branches[i], splits[i].active_results, all, values)));
  }
  const auto num_active = static_cast<size_t>(std::count(all.begin(), all.end(), true));
  if (num_active == 0) return absl::OkStatus();
  SetTangents(
      d, all,
      d.linear.OpWithRegions(d.op().kind, {index}, NoAttributes{}, std::move(regions), num_active));
  return absl::OkStatus();
}

absl::Status DeriveBranches(Derivation& d) {
  const std::vector<ValueId> captures = CapturesOf(d.op().regions);
  std::vector<Function> branches;
  for (const Region& region : d.op().regions) {
    branches.push_back(FunctionOf(d.function().source(), region, captures));
  }
  return d.function().mode() == Mode::kTogether ? DeriveBranchesTogether(d, captures, branches)
                                                : DeriveBranchesSplit(d, captures, branches);
}

}  // namespace

absl::Status DeriveCallOf(Derivation& d, const std::string& callee) {
  FunctionDerivation& f = d.function();
  Differentiator& differentiator = f.differentiator();
  const Mask active = f.ActiveOf(d.op().operands);
  std::vector<ValueId> arguments = f.KnownOf(d.op().operands);
  std::vector<ValueId> tangents = TangentsOf(f, d.op().operands);
  const size_t num_results = d.op().results.size();
  if (f.mode() == Mode::kTogether) {
    ACCELD_ASSIGN_OR_RETURN(const auto jvp, differentiator.JvpOf(callee, active));
    Append(arguments, tangents);
    const std::vector<ValueId> results = AddCall(differentiator.module(), f.known(), jvp.name,
                                                 std::move(arguments), d.op().location);
    SetKnown(d, results);
    SetTangents(d, jvp.active_results, absl::MakeConstSpan(results).subspan(num_results));
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(const auto split, differentiator.LinearizationOf(callee, active));
  const std::vector<ValueId> results =
      AddCall(differentiator.module(), f.known(), split.known, arguments, d.op().location);
  SetKnown(d, results);
  for (const Residual& residual : split.residuals) {
    tangents.push_back(
        f.InLinear(residual.is_argument ? arguments[residual.index] : results[residual.index]));
  }
  SetTangents(d, split.active_results,
              AddCall(differentiator.module(), f.linear(), split.linear, std::move(tangents),
                      d.op().location));
  return absl::OkStatus();
}

absl::Status DeriveCall(Derivation& d) {
  return DeriveCallOf(d, d.As<CallAttributes>().callee.name);
}

absl::Status DeriveComposite(Derivation& d) {
  const CompositeAttributes& attributes = d.As<CompositeAttributes>();
  const CompositeRule* rule = FindCompositeRule(attributes.name);
  if (rule != nullptr && rule->derive != nullptr) return rule->derive(d);
  return DeriveCallOf(d, attributes.decomposition.name);
}

absl::Status DeriveCase(Derivation& d) { return DeriveBranches(d); }
absl::Status DeriveIf(Derivation& d) { return DeriveBranches(d); }

}  // namespace acceld::ir
