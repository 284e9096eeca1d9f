#include "common/ir/transform/transposition.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/op_table.h"
#include "common/ir/transform/copy_function.h"

namespace acceld::ir {
namespace {

using Rule = absl::Status (*)(Transposition&);
constexpr OpTable<Rule> kRules = {
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  {OpKind::k##Kind, Transpose##Kind},
#include "common/ir/ops.def"
};

int64_t EndOf(Emitter& e, const CotangentPart& part) {
  return part.start + e.TypeOf(part.cotangent).dims[part.dimension];
}

// Whether parts, sorted by their starts, can be joined along one dimension.
bool AreDisjoint(Emitter& e, const std::vector<CotangentPart>& parts) {
  int64_t end = 0;
  for (const CotangentPart& part : parts) {
    if (part.dimension != parts[0].dimension || part.start < end) return false;
    end = EndOf(e, part);
  }
  return true;
}

// The part with zeros around it, of type `type`.
ValueId Padded(Emitter& e, const TensorType& type, const CotangentPart& part) {
  const std::vector<int64_t> none(type.dims.size(), 0);
  PadAttributes pad{none, none, none};
  pad.edge_padding_low[part.dimension] = part.start;
  pad.edge_padding_high[part.dimension] = type.dims[part.dimension] - EndOf(e, part);
  return e.Op(OpKind::kPad, {part.cotangent, e.Constant({type.dtype, {}}, 0)}, std::move(pad));
}

// Disjoint parts, sorted by their starts, with zeros between them, of type `type`.
ValueId Joined(Emitter& e, const TensorType& type, const std::vector<CotangentPart>& parts) {
  const int64_t dimension = parts[0].dimension;
  std::vector<ValueId> joined;
  int64_t end = 0;
  const auto fill_up_to = [&](int64_t start) {
    TensorType gap = type;
    gap.dims[dimension] = start - end;
    if (start > end) joined.push_back(e.Constant(gap, 0));
  };
  for (const CotangentPart& part : parts) {
    fill_up_to(part.start);
    joined.push_back(part.cotangent);
    end = EndOf(e, part);
  }
  fill_up_to(type.dims[dimension]);
  return e.Concatenate(std::move(joined), dimension);
}

}  // namespace

FunctionTransposition::FunctionTransposition(Transposer& transposer, const Function& source,
                                             const Mask& linear)
    : transposer_(transposer),
      source_(source),
      builder_(source.name, /*is_public=*/false),
      is_linear_(source.value_types.size()) {
  const std::vector<ValueId>& parameters = source.body.parameters;
  ACCELD_CHECK(linear.size() == parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    is_linear_[parameters[i]] = linear[i];
    if (!linear[i]) known_of_[parameters[i]] = builder_.AddParameter(source.TypeOf(parameters[i]));
  }
}

Mask FunctionTransposition::LinearOf(absl::Span<const ValueId> ids) const {
  Mask linear;
  for (const ValueId id : ids) linear.push_back(IsLinear(id));
  return linear;
}

absl::optional<ValueId> FunctionTransposition::CotangentOf(ValueId id) const {
  const auto found = cotangent_of_.find(id);
  if (found == cotangent_of_.end()) return absl::nullopt;
  return found->second;
}

void FunctionTransposition::AddCotangent(Emitter& e, ValueId id, ValueId cotangent) {
  const auto [entry, is_new] = cotangent_of_.try_emplace(id, cotangent);
  if (!is_new) entry->second = e.Add(entry->second, cotangent);
}

void FunctionTransposition::JoinParts(Emitter& e, absl::Span<const ValueId> ids) {
  for (const ValueId id : ids) {
    const auto found = parts_of_.find(id);
    if (found == parts_of_.end()) continue;
    std::vector<CotangentPart> parts = std::move(found->second);
    parts_of_.erase(found);
    const TensorType& type = source_.TensorOf(id);
    std::stable_sort(
        parts.begin(), parts.end(),
        [](const CotangentPart& a, const CotangentPart& b) { return a.start < b.start; });
    if (parts.size() > 1 && AreDisjoint(e, parts)) {
      AddCotangent(e, id, Joined(e, type, parts));
      continue;
    }
    for (const CotangentPart& part : parts) AddCotangent(e, id, Padded(e, type, part));
  }
}

absl::StatusOr<Function> FunctionTransposition::Run() {
  const auto is_linear = [this](ValueId id) { return IsLinear(id); };
  std::vector<const Op*> linear_ops;
  for (const Op& op : source_.body.ops) {
    const std::vector<ValueId> captures = CapturesOf(op.regions);
    if (std::any_of(op.operands.begin(), op.operands.end(), is_linear) ||
        std::any_of(captures.begin(), captures.end(), is_linear)) {
      for (const ValueId id : op.results) is_linear_[id] = true;
      linear_ops.push_back(&op);
    } else {
      builder_.Clone(op, source_, known_of_);
    }
  }
  Emitter e(builder_);
  for (const ValueId id : source_.body.results) {
    const ValueId cotangent = builder_.AddParameter(source_.TypeOf(id));
    if (IsLinear(id)) AddCotangent(e, id, cotangent);
  }
  for (auto op = linear_ops.rbegin(); op != linear_ops.rend(); ++op) {
    ACCELD_RETURN_IF_ERROR(TransposeOp(**op));
  }
  JoinParts(e, source_.body.parameters);
  std::vector<ValueId> results;
  for (const ValueId id : source_.body.parameters) {
    if (!IsLinear(id)) continue;
    const absl::optional<ValueId> cotangent = CotangentOf(id);
    results.push_back(cotangent.has_value() ? *cotangent : e.Constant(source_.TensorOf(id), 0));
  }
  ACCELD_RETURN_IF_ERROR(e.status());
  return builder_.Finish(std::move(results));
}

absl::Status FunctionTransposition::TransposeOp(const Op& op) {
  Emitter e(builder_, op.location);
  JoinParts(e, op.results);
  ACCELD_RETURN_IF_ERROR(e.status());
  const bool has_cotangent = std::any_of(op.results.begin(), op.results.end(), [this](ValueId id) {
    return CotangentOf(id).has_value();
  });
  if (!has_cotangent) return absl::OkStatus();
  Transposition transposition(*this, op);
  ACCELD_RETURN_IF_ERROR(kRules[op.kind](transposition));
  return transposition.emit.status();
}

ValueId Transposition::CotangentOrZeros(size_t result) {
  return HasCotangent(result) ? cotangent(result) : emit.Constant(result_type(result), 0);
}

absl::Status Transposition::Refuse(absl::string_view why) const {
  return absl::InvalidArgumentError(absl::StrCat(NameOf(op_.kind), " cannot be transposed: ", why));
}

}  // namespace acceld::ir
