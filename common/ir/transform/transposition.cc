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
