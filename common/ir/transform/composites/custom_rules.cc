#include "common/ir/transform/composites/custom_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::ir {
namespace {

// The custom call that stands for the tangents of a custom vjp in a linear function. Its operands
// are the tangents of the arguments, `tangents` (an attribute) of them, then the residuals. It only
// exists until the function is transposed.
constexpr absl::string_view kCustomVjpTangents = "acceld.custom_vjp_tangents";

const std::string& FunctionNamed(const AttributeDictionary& attributes, const std::string& name) {
  return std::get<SymbolAttribute>(attributes.at(name).value).name;
}
int64_t NumberOf(const AttributeDictionary& attributes, const std::string& name) {
  return std::get<IntegerAttribute>(attributes.at(name).value).value;
}

// How many of the operands are arguments.
size_t NumArguments(const Op& op) {
  return static_cast<size_t>(
      NumberOf(op.As<CompositeAttributes>().composite_attributes, "arguments"));
}

absl::Status RefuseActiveCaptures(Derivation& d) {
  for (size_t i = NumArguments(d.op()); i < d.num_operands(); ++i) {
    if (d.IsActive(i)) {
      return d.Refuse(
          "a function with a rule of its own uses a tensor from around it that is differentiated; "
          "pass that as an argument");
    }
  }
  return absl::OkStatus();
}

std::vector<size_t> ResultsWithTangents(Derivation& d) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < d.op().results.size(); ++i) {
    if (HasTangents(d.function().source().TypeOf(d.op().results[i]))) numbers.push_back(i);
  }
  return numbers;
}

// What a batched function does to its results.
enum class Gather { kForAll, kSum, kKeep };

// A function that calls `callee`, and gives each result the dimension of the examples, or sums over
// it, where the callee does not.
Function WithResults(Batcher& batcher, const Batcher::Callee& callee,
                     const std::vector<Gather>& wanted) {
  const Function source = *batcher.module().Find(callee.name);
  FunctionBuilder builder(callee.name, /*is_public=*/false);
  Emitter e(builder);
  std::vector<ValueId> parameters;
  for (const Type& type : source.ParameterTypes()) parameters.push_back(builder.AddParameter(type));
  std::vector<ValueId> results = AddCall(batcher.module(), builder, callee.name, parameters, {});
  for (size_t i = 0; i < results.size(); ++i) {
    const bool batched = callee.batched_results[i];
    if (wanted[i] == Gather::kForAll && !batched) {
      results[i] = ForAll(e, results[i], batcher.size());
    } else if (wanted[i] == Gather::kSum) {
      // What does not depend on the example counts once for each.
      const ValueId times = e.Fill(results[i], static_cast<double>(batcher.size()));
      results[i] = batched ? e.Sum(results[i], {0}) : e.Mul(results[i], times);
    }
  }
  return builder.Finish(std::move(results));
}

std::vector<Gather> ForAllResults(const Batcher::Callee& callee) {
  return std::vector<Gather>(callee.batched_results.size(), Gather::kForAll);
}

// Batches the decomposition of the composite, names its batched rules, the attributes `rules`, and
// makes all of this known to the batcher. The functions themselves come later.
absl::StatusOr<CompositeAttributes> DeclareBatched(Batching& b, const Mask& operands,
                                                   std::initializer_list<const char*> rules) {
  Batcher& batcher = b.function().batcher();
  CompositeAttributes attributes = b.As<CompositeAttributes>();
  const std::string decomposition = attributes.decomposition.name;
  ACCELD_ASSIGN_OR_RETURN(const auto values, batcher.BatchOf(decomposition, operands));
  attributes.decomposition.name =
      AddFunction(batcher.module(), WithResults(batcher, values, ForAllResults(values)),
                  absl::StrCat(decomposition, ".batched"));
  for (const char* rule : rules) {
    std::string& name = std::get<SymbolAttribute>(attributes.composite_attributes[rule].value).name;
    name = AddFunction(batcher.module(), Function(), absl::StrCat(name, ".batched"));
  }
  batcher.rules().emplace(std::make_pair(decomposition, operands), attributes);
  return attributes;
}

// The composite with batched functions. All its results are batched.
void SetBatched(Batching& b, CompositeAttributes attributes) {
  FunctionBatching& f = b.function();
  const std::vector<ValueId> results =
      AddComposite(f.batcher().module(), f.builder(), std::move(attributes),
                   f.ValuesOf(b.op().operands), b.op().location);
  for (size_t i = 0; i < results.size(); ++i) b.SetResult(results[i], i);
}

// The arguments' entries of the mask that have tangents.
Mask OfTangents(const Batching& b, const Mask& operands) {
  Mask mask;
  for (size_t i = 0; i < NumArguments(b.op()); ++i) {
    if (HasTangents(b.operand_type(i))) mask.push_back(operands[i]);
  }
  return mask;
}

void Append(Mask& to, const Mask& from) { to.insert(to.end(), from.begin(), from.end()); }

void Erase(Region& region) {
  for (Op& op : region.ops) {
    for (Region& nested : op.regions) Erase(nested);
    if (op.kind != OpKind::kComposite) continue;
    const CompositeAttributes& attributes = op.As<CompositeAttributes>();
    for (const absl::string_view name : {kCheckpoint, kCustomJvp, kCustomVjp, kStopGradient}) {
      if (attributes.name != name) continue;
      op.kind = OpKind::kCall;
      op.attributes = CallAttributes{FunctionName(attributes.decomposition)};
      break;
    }
  }
}

}  // namespace

void EraseCustomRules(Module& module) {
  for (Function& function : module.functions) Erase(function.body);
}

absl::Status DeriveCustomJvp(Derivation& d) {
  ACCELD_RETURN_IF_ERROR(RefuseActiveCaptures(d));
  FunctionDerivation& f = d.function();
  Differentiator& differentiator = f.differentiator();
  const std::string& jvp = FunctionNamed(d.As<CompositeAttributes>().composite_attributes, "jvp");
  const size_t num_arguments = NumArguments(d.op());
  const std::vector<ValueId> operands = f.KnownOf(d.op().operands);
  const bool together = f.mode() == FunctionDerivation::Mode::kTogether;
  // In the linear part the rule's tangents are those of the active arguments; for the known part
  // all are zero, as the rule is linear in them.
  std::vector<ValueId> arguments(operands.begin(), operands.begin() + num_arguments);
  std::vector<ValueId> tangents;
  Mask is_tangent(num_arguments);
  for (size_t i = 0; i < num_arguments; ++i) {
    if (!HasTangents(d.operand_type(i))) continue;
    arguments.push_back(together ? d.TangentOrZeros(i) : d.known.Constant(d.operand_type(i), 0));
    is_tangent.push_back(d.IsActive(i));
    if (d.IsActive(i)) tangents.push_back(d.tangent(i));
  }
  arguments.insert(arguments.end(), operands.begin() + num_arguments, operands.end());
  is_tangent.resize(arguments.size());
  const size_t num_results = d.op().results.size();
  const std::vector<size_t> with_tangents = ResultsWithTangents(d);
  if (together) {
    const std::vector<ValueId> results =
        AddCall(differentiator.module(), f.known(), jvp, arguments, d.op().location);
    for (size_t i = 0; i < num_results; ++i) d.ReplaceResult(i, results[i]);
    for (size_t i = 0; i < with_tangents.size(); ++i) {
      d.AddTangent(results[num_results + i], with_tangents[i]);
    }
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(const auto split, differentiator.LinearizationOf(jvp, is_tangent));
  const std::vector<ValueId> known =
      AddCall(differentiator.module(), f.known(), split.known, arguments, d.op().location);
  for (size_t i = 0; i < num_results; ++i) {
    if (split.active_results[i]) {
      return d.Refuse("the rule for its tangents computes its value from tangents");
    }
    d.ReplaceResult(i, known[i]);
  }
  for (const LinearizedFunction::Residual& residual : split.residuals) {
    tangents.push_back(
        f.InLinear(residual.is_argument ? arguments[residual.index] : known[residual.index]));
  }
  const std::vector<ValueId> results =
      AddCall(differentiator.module(), f.linear(), split.linear, tangents, d.op().location);
  size_t next = 0;
  for (size_t i = 0; i < with_tangents.size(); ++i) {
    if (split.active_results[num_results + i]) d.AddTangent(results[next++], with_tangents[i]);
  }
  return absl::OkStatus();
}

absl::Status BatchCustomJvp(Batching& b) {
  Batcher& batcher = b.function().batcher();
  const CompositeAttributes& source = b.As<CompositeAttributes>();
  const Mask operands = b.function().BatchedOf(b.op().operands);
  const auto known = batcher.rules().find({source.decomposition.name, operands});
  if (known != batcher.rules().end()) {
    SetBatched(b, known->second);
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(CompositeAttributes attributes, DeclareBatched(b, operands, {"jvp"}));
  const auto first_capture = operands.begin() + static_cast<int64_t>(NumArguments(b.op()));
  Mask with_tangents(operands.begin(), first_capture);
  Append(with_tangents, OfTangents(b, operands));
  with_tangents.insert(with_tangents.end(), first_capture, operands.end());
  ACCELD_ASSIGN_OR_RETURN(
      const auto tangents,
      batcher.BatchOf(FunctionNamed(source.composite_attributes, "jvp"), with_tangents));
  ReplaceFunction(batcher.module(), FunctionNamed(attributes.composite_attributes, "jvp"),
                  WithResults(batcher, tangents, ForAllResults(tangents)));
  SetBatched(b, std::move(attributes));
  return absl::OkStatus();
}

absl::Status DeriveCustomVjp(Derivation& d) {
  ACCELD_RETURN_IF_ERROR(RefuseActiveCaptures(d));
  FunctionDerivation& f = d.function();
  if (f.mode() == FunctionDerivation::Mode::kTogether) {
    return d.Refuse("a function with a rule for reverse mode has none for forward mode");
  }
  const AttributeDictionary& attributes = d.As<CompositeAttributes>().composite_attributes;
  const Module& module = f.differentiator().module();
  const std::vector<ValueId> known =
      AddCall(module, f.known(), FunctionNamed(attributes, "forward"), f.KnownOf(d.op().operands),
              d.op().location);
  const size_t num_results = d.op().results.size();
  for (size_t i = 0; i < num_results; ++i) d.ReplaceResult(i, known[i]);

  std::vector<ValueId> operands;
  for (size_t i = 0; i < NumArguments(d.op()); ++i) {
    if (HasTangents(d.operand_type(i))) operands.push_back(d.TangentOrZeros(i));
  }
  const auto num_tangents = static_cast<int64_t>(operands.size());
  for (size_t i = num_results; i < known.size(); ++i) operands.push_back(f.InLinear(known[i]));
  const std::vector<size_t> with_tangents = ResultsWithTangents(d);
  std::vector<Type> types;
  for (const size_t i : with_tangents) types.push_back(d.result_type(i));
  CustomCallAttributes call{.call_target_name = std::string(kCustomVjpTangents)};
  AttributeDictionary config;
  config["backward"].value = SymbolAttribute{FunctionNamed(attributes, "backward")};
  config["tangents"].value = IntegerAttribute{.value = num_tangents};
  call.backend_config.value = DictionaryAttribute{std::move(config)};
  const std::vector<ValueId> tangents = f.linear().AddUnchecked(
      OpKind::kCustomCall, std::move(operands), std::move(call), {}, types, d.op().location);
  for (size_t i = 0; i < with_tangents.size(); ++i) d.AddTangent(tangents[i], with_tangents[i]);
  return absl::OkStatus();
}

absl::Status TransposeCustomVjp(Transposition& t) {
  const CustomCallAttributes& call = t.As<CustomCallAttributes>();
  if (call.call_target_name != kCustomVjpTangents) return t.Refuse("it is not linear");
  const AttributeDictionary& config =
      std::get<DictionaryAttribute>(call.backend_config.value).entries;
  const auto num_tangents = static_cast<size_t>(NumberOf(config, "tangents"));
  std::vector<ValueId> arguments;
  for (size_t i = num_tangents; i < t.num_operands(); ++i) arguments.push_back(t.known(i));
  for (size_t i = 0; i < t.op().results.size(); ++i) arguments.push_back(t.CotangentOrZeros(i));
  FunctionTransposition& f = t.function();
  const std::vector<ValueId> cotangents =
      AddCall(f.transposer().differentiator().module(), f.builder(),
              FunctionNamed(config, "backward"), std::move(arguments), t.op().location);
  for (size_t i = 0; i < num_tangents; ++i) t.AddCotangent(i, cotangents[i]);
  return absl::OkStatus();
}

absl::Status BatchCustomVjp(Batching& b) {
  Batcher& batcher = b.function().batcher();
  const CompositeAttributes& source = b.As<CompositeAttributes>();
  const Mask operands = b.function().BatchedOf(b.op().operands);
  const auto known = batcher.rules().find({source.decomposition.name, operands});
  if (known != batcher.rules().end()) {
    SetBatched(b, known->second);
    return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(CompositeAttributes attributes,
                          DeclareBatched(b, operands, {"forward", "backward"}));
  const size_t num_results = b.op().results.size();
  ACCELD_ASSIGN_OR_RETURN(
      const auto forward,
      batcher.BatchOf(FunctionNamed(source.composite_attributes, "forward"), operands));
  std::vector<Gather> wanted(forward.batched_results.size(), Gather::kKeep);
  std::fill_n(wanted.begin(), num_results, Gather::kForAll);
  ReplaceFunction(batcher.module(), FunctionNamed(attributes.composite_attributes, "forward"),
                  WithResults(batcher, forward, wanted));

  Mask backward_arguments(forward.batched_results.begin() + static_cast<int64_t>(num_results),
                          forward.batched_results.end());
  for (size_t i = 0; i < num_results; ++i) {
    if (HasTangents(b.result_type(i))) backward_arguments.push_back(true);
  }
  ACCELD_ASSIGN_OR_RETURN(
      const auto backward,
      batcher.BatchOf(FunctionNamed(source.composite_attributes, "backward"), backward_arguments));
  wanted.clear();
  for (const bool batched : OfTangents(b, operands)) {
    wanted.push_back(batched ? Gather::kForAll : Gather::kSum);
  }
  ReplaceFunction(batcher.module(), FunctionNamed(attributes.composite_attributes, "backward"),
                  WithResults(batcher, backward, wanted));
  SetBatched(b, std::move(attributes));
  return absl::OkStatus();
}

}  // namespace acceld::ir
