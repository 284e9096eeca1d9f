#include "common/ir/transform/derivation.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/op_table.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::ir {
namespace {

using Residual = LinearizedFunction::Residual;

using Rule = absl::Status (*)(Derivation&);
constexpr OpTable<Rule> kRules = {
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  {OpKind::k##Kind, Derive##Kind},
#include "common/ir/ops.def"
};

void MarkUsed(const Region& region, std::vector<bool>& used) {
  for (const Op& op : region.ops) {
    for (const ValueId id : op.operands) used[id] = true;
    for (const Region& inner : op.regions) MarkUsed(inner, used);
  }
  for (const ValueId id : region.results) used[id] = true;
}

}  // namespace

FunctionDerivation::FunctionDerivation(Differentiator& differentiator, const Function& source,
                                       const Mask& active, Mode mode)
    : differentiator_(differentiator),
      source_(source),
      mode_(mode),
      known_(source.name, /*is_public=*/false),
      linear_(source.name, /*is_public=*/false),
      used_(source.value_types.size()) {
  MarkUsed(source.body, used_);
  const std::vector<ValueId>& parameters = source.body.parameters;
  ACCELD_CHECK(active.size() == parameters.size());
  for (const ValueId id : parameters) known_of_[id] = known_.AddParameter(source.TypeOf(id));
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Type& type = source.TypeOf(parameters[i]);
    if (active[i] && HasTangents(type)) {
      tangent_of_[parameters[i]] = linear().AddParameter(type);
    }
  }
}

std::vector<ValueId> FunctionDerivation::KnownOf(absl::Span<const ValueId> ids) const {
  std::vector<ValueId> values;
  for (const ValueId id : ids) values.push_back(KnownOf(id));
  return values;
}

absl::optional<ValueId> FunctionDerivation::TangentOf(ValueId id) const {
  const auto found = tangent_of_.find(id);
  if (found == tangent_of_.end()) return absl::nullopt;
  return found->second;
}

const Literal* FunctionDerivation::ConstantOf(ValueId id) const {
  const auto found = constants_.find(id);
  return found == constants_.end() ? nullptr : found->second;
}

Mask FunctionDerivation::ActiveOf(absl::Span<const ValueId> ids) const {
  Mask active;
  for (const ValueId id : ids) active.push_back(IsActive(id));
  return active;
}

ValueId FunctionDerivation::InLinear(ValueId known) {
  if (mode_ == Mode::kTogether) return known;
  const auto [entry, is_new] = in_linear_.try_emplace(known, 0);
  if (is_new) {
    entry->second = linear_.AddParameter(known_.TypeOf(known));
    residuals_.push_back(known);
  }
  return entry->second;
}

absl::Status FunctionDerivation::Run() {
  for (const Op& op : source_.body.ops) ACCELD_RETURN_IF_ERROR(Differentiate(op));
  return absl::OkStatus();
}

absl::Status FunctionDerivation::Differentiate(const Op& op) {
  if (op.kind == OpKind::kConstant) {
    constants_.emplace(op.results[0], &op.As<ConstantAttributes>().value);
  }
  const auto is_active = [this](ValueId id) { return IsActive(id); };
  const std::vector<ValueId> captures = CapturesOf(op.regions);
  const bool captures_active = std::any_of(captures.begin(), captures.end(), is_active);
  const bool depends =
      captures_active || std::any_of(op.operands.begin(), op.operands.end(), is_active);
  const bool is_structure = FamilyOf(op.kind) == OpFamily::kStructure;
  if (!depends || !is_structure) known_.Clone(op, source_, known_of_);
  if (!depends) return absl::OkStatus();
  const bool has_tangents = std::any_of(op.results.begin(), op.results.end(), [this](ValueId id) {
    return HasTangents(source_.TypeOf(id));
  });
  if (!has_tangents && !is_structure) return absl::OkStatus();
  Derivation derivation(*this, op);
  if (captures_active && !is_structure) {
    return derivation.Refuse("its region uses values from around it that have derivatives");
  }
  ACCELD_RETURN_IF_ERROR(kRules[op.kind](derivation));
  return derivation.status();
}

JvpFunction FunctionDerivation::FinishTogether() {
  std::vector<ValueId> results = KnownOf(source_.body.results);
  for (const ValueId id : source_.body.results) {
    if (const auto tangent = TangentOf(id)) results.push_back(*tangent);
  }
  Mask active = ActiveResults();
  return {known_.Finish(std::move(results)), std::move(active)};
}

LinearizedFunction FunctionDerivation::FinishSplit() {
  LinearizedFunction split{.active_results = ActiveResults()};
  std::vector<ValueId> tangents;
  for (const ValueId id : source_.body.results) {
    if (const auto tangent = TangentOf(id)) tangents.push_back(*tangent);
  }
  split.linear = linear_.Finish(std::move(tangents));
  CopyConstantsToLinear(split.linear.body);

  // Where the known part has each residual: the first place, for a value that it has twice.
  std::vector<ValueId> results = KnownOf(source_.body.results);
  absl::flat_hash_map<ValueId, Residual> places;
  for (size_t i = 0; i < source_.body.parameters.size(); ++i) {
    places.try_emplace(KnownOf(source_.body.parameters[i]), Residual{true, i});
  }
  for (size_t i = 0; i < results.size(); ++i) places.try_emplace(results[i], Residual{false, i});
  for (const ValueId id : residuals_) {
    const auto [place, is_new] = places.try_emplace(id, Residual{false, results.size()});
    if (is_new) results.push_back(id);
    split.residuals.push_back(place->second);
  }
  split.known = known_.Finish(std::move(results));
  return split;
}

void FunctionDerivation::CopyConstantsToLinear(Region& linear) {
  absl::flat_hash_map<ValueId, const Op*> constants;
  for (const Op& op : known_.function().body.ops) {
    if (op.kind == OpKind::kConstant) constants.emplace(op.results[0], &op);
  }
  const size_t first_residual = linear.parameters.size() - residuals_.size();
  std::vector<ValueId> parameters(linear.parameters.begin(),
                                  linear.parameters.begin() + static_cast<int64_t>(first_residual));
  std::vector<ValueId> residuals;
  std::vector<Op> copies;
  for (size_t i = 0; i < residuals_.size(); ++i) {
    const ValueId parameter = linear.parameters[first_residual + i];
    if (const auto found = constants.find(residuals_[i]); found != constants.end()) {
      copies.push_back(*found->second);
      copies.back().results = {parameter};
    } else {
      parameters.push_back(parameter);
      residuals.push_back(residuals_[i]);
    }
  }
  linear.parameters = std::move(parameters);
  residuals_ = std::move(residuals);
  linear.ops.insert(linear.ops.begin(), std::make_move_iterator(copies.begin()),
                    std::make_move_iterator(copies.end()));
}

ValueId Derivation::TangentOrZeros(size_t operand) {
  return IsActive(operand) ? tangent(operand) : linear.Constant(operand_type(operand), 0);
}

ValueId Derivation::CopyForTangents(std::initializer_list<size_t> linear_operands) {
  std::vector<ValueId> operands;
  for (size_t i = 0; i < num_operands(); ++i) {
    const bool is_linear =
        std::find(linear_operands.begin(), linear_operands.end(), i) != linear_operands.end();
    operands.push_back(is_linear ? TangentOrZeros(i) : InLinear(operand(i)));
  }
  return linear.Op(op_.kind, std::move(operands), op_.attributes, &result_type());
}

std::vector<Region> Derivation::CopyRegions() {
  absl::flat_hash_map<ValueId, ValueId> values;
  for (const ValueId id : CapturesOf(op_.regions)) values[id] = InLinear(function_.KnownOf(id));
  std::vector<Region> regions;
  for (const Region& region : op_.regions) {
    regions.push_back(function_.linear().CloneRegion(region, function_.source(), values));
  }
  return regions;
}

void Derivation::AddTangent(ValueId value, size_t result) {
  const ValueId id = op_.results[result];
  const absl::optional<ValueId> before = function_.TangentOf(id);
  function_.SetTangent(id, before.has_value() ? linear.Add(*before, value) : value);
}

absl::Status Derivation::Refuse(absl::string_view why) const {
  return absl::InvalidArgumentError(
      absl::StrCat(NameOf(op_.kind), " cannot be differentiated: ", why));
}

}  // namespace acceld::ir
