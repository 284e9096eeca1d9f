#include "common/ir/import/custom_calls.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/import/approx_top_k.h"

namespace acceld::ir {
namespace {

// "mhlo.topk" -> chlo.top_k
absl::Status UnwrapChlo(const std::string& target, ImportedOp& op) {
  const absl::string_view mnemonic = absl::StripPrefix(target, "mhlo.");
  const std::string chlo = absl::StrCat("chlo.", mnemonic == "topk" ? "top_k" : mnemonic);
  if (!IsChloOp(chlo)) return absl::OkStatus();
  AttributeDictionary attributes;
  if (const auto found = op.attributes.find("mhlo.attributes"); found != op.attributes.end()) {
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(found->second, attributes), target));
  }
  if (const auto largest = attributes.find("largest"); largest != attributes.end()) {
    bool is_largest = true;
    ACCELD_RETURN_IF_ERROR(Annotate(ReadField(largest->second, is_largest), target));
    if (!is_largest) {
      return absl::UnimplementedError(absl::StrCat("custom call '", target, "' of the smallest"));
    }
  }
  op.name = chlo;
  op.attributes = std::move(attributes);
  return absl::OkStatus();
}

// The function that reduces becomes a region that calls it.
absl::Status UnwrapReduceWindow(FunctionBuilder& builder, ImportedOp& op) {
  constexpr size_t kShapeOperands = 5;
  ACCELD_ASSIGN_OR_RETURN(FunctionName reducer, CalledComputation(op));
  if (op.operands.size() < kShapeOperands + 2 || (op.operands.size() - kShapeOperands) % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        op.operands.size(), " operands, not inputs, initial values and ", kShapeOperands, " more"));
  }
  const size_t inputs = (op.operands.size() - kShapeOperands) / 2;
  std::vector<Type> results;
  for (size_t i = 0; i < inputs; ++i) results.push_back(builder.TypeOf(op.operands[inputs + i]));
  std::vector<Type> parameters = results;
  parameters.insert(parameters.end(), results.begin(), results.end());
  const std::vector<ValueId> values = builder.BeginRegion(parameters);
  op.regions.push_back(builder.EndRegion(builder.AddUnchecked(
      OpKind::kCall, values, CallAttributes{std::move(reducer)}, {}, results, op.location)));
  op.attributes.clear();
  return absl::OkStatus();
}

// Result tilings give the order of the bytes of a result. No function of acceld writes tiles.
absl::Status TakeTilings(const std::string& target, ImportedOp& op) {
  const auto found = op.attributes.find("result_tilings");
  if (found == op.attributes.end()) return absl::OkStatus();
  const auto* list = std::get_if<ArrayAttribute>(&found->second.value);
  if (list == nullptr || !list->elements.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("custom call '", target, "' with result_tilings ", ToString(found->second)));
  }
  op.attributes.erase(found);
  return absl::OkStatus();
}

absl::Status UnwrapDynamic(FunctionBuilder& builder, const std::string& target, ImportedOp& op) {
  if (!op.regions.empty()) return absl::OkStatus();
  if (target == "stablehlo.dynamic_reduce_window") {
    ACCELD_RETURN_IF_ERROR(Annotate(UnwrapReduceWindow(builder, op), target));
  } else if (target == "stablehlo.dynamic_rng_bit_generator") {
    AttributeDictionary attributes;
    const auto algorithm = op.attributes.find("rng_algorithm");
    if (algorithm != op.attributes.end()) attributes.insert(*algorithm);
    op.attributes = std::move(attributes);
  } else if (target == "stablehlo.dynamic_top_k") {
    op.attributes.clear();
  } else {
    return absl::OkStatus();
  }
  op.name = target;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FunctionName> CalledComputation(const ImportedOp& op) {
  const auto found = op.attributes.find("called_computations");
  const auto* names =
      found == op.attributes.end() ? nullptr : std::get_if<ArrayAttribute>(&found->second.value);
  if (names == nullptr || names->elements.size() != 1) {
    return absl::InvalidArgumentError("needs one function in called_computations");
  }
  FunctionName name;
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(names->elements[0], name), "called_computations"));
  return name;
}

absl::Status UnwrapCustomCall(FunctionBuilder& builder, ImportedOp& op) {
  const auto found = op.attributes.find("call_target_name");
  if (op.name != "stablehlo.custom_call" || found == op.attributes.end()) return absl::OkStatus();
  std::string target;
  ACCELD_RETURN_IF_ERROR(ReadField(found->second, target));
  ACCELD_RETURN_IF_ERROR(TakeTilings(target, op));
  if (absl::StartsWith(target, "mhlo.")) return UnwrapChlo(target, op);
  if (target == kApproxTopK || target == kDynamicApproxTopK) {
    op.name = target;
    return absl::OkStatus();
  }
  if (target == kHostCallbackTarget) return NormalizeHostCallback(op);
  if (absl::StartsWith(target, "stablehlo.dynamic_")) return UnwrapDynamic(builder, target, op);
  return absl::OkStatus();
}

}  // namespace acceld::ir
