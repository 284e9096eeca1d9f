#include "common/ir/import_op.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/attribute_dictionary.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/infer.h"

namespace acceld::ir {
namespace {

constexpr absl::string_view kShardingConstraint = "sdy.sharding_constraint";

absl::Status CheckResultTypes(const FunctionBuilder& builder, const ImportedOp& op,
                              const OpAttributes& attributes, OpKind kind) {
  // What a callee takes and gives is known when all functions are read: the verifier checks it.
  if (kind == OpKind::kCall || kind == OpKind::kComposite) return absl::OkStatus();
  const std::vector<Type> operand_types = builder.function().TypesOf(op.operands);
  std::vector<InferContext::RegionSignature> regions;
  regions.reserve(op.regions.size());
  for (const Region& region : op.regions) regions.push_back(builder.SignatureOf(region));
  const InferContext context{kind, attributes, operand_types, regions, op.result_types};
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Type> inferred, InferResultTypes(context));
  if (inferred.size() != op.result_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "' has ", inferred.size(),
                                                   " results, its signature says ",
                                                   op.result_types.size()));
  }
  for (size_t i = 0; i < inferred.size(); ++i) {
    if (!IsCompatible(op.result_types[i], inferred[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("result ", i, " of '", op.name, "' is a ", inferred[i].ToString(),
                       ", its signature says ", op.result_types[i].ToString()));
    }
  }
  return absl::OkStatus();
}

// The CHLO op that the op is or stands for; empty for others. Artifacts of some producers have CHLO
// ops as custom calls: @mhlo.erf is chlo.erf.
std::string ChloNameOf(const ImportedOp& op) {
  if (IsChloOp(op.name)) return op.name;
  if (op.name != NameOf(OpKind::kCustomCall)) return "";
  const auto found = op.attributes.find("call_target_name");
  if (found == op.attributes.end()) return "";
  const auto* target = std::get_if<StringAttribute>(&found->second.value);
  if (target == nullptr || !absl::StartsWith(target->value, "mhlo.")) return "";
  std::string name = absl::StrCat("chlo.", target->value.substr(5));
  return IsChloOp(name) ? name : "";
}

absl::StatusOr<std::vector<ValueId>> ImportReplacement(FunctionBuilder& builder,
                                                       const ImportedOp& op,
                                                       absl::string_view chlo_name) {
  std::vector<ValueId> results = op.operands;
  // One device sees all of a value, however it would be spread over several.
  if (op.name != kShardingConstraint) {
    ACCELD_ASSIGN_OR_RETURN(results, ExpandChlo(builder, chlo_name, op.operands, op.location));
  }
  const std::vector<Type> types = builder.function().TypesOf(results);
  if (types != op.result_types) {
    return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "' gives (", ToString(types),
                                                   "), its signature says (",
                                                   ToString(op.result_types), ")"));
  }
  return results;
}

}  // namespace

absl::StatusOr<std::vector<ValueId>> ImportOp(FunctionBuilder& builder, ImportedOp& op) {
  const std::string chlo_name = ChloNameOf(op);
  if (op.name == kShardingConstraint || !chlo_name.empty()) {
    return ImportReplacement(builder, op, chlo_name);
  }
  const auto kind = FindOp(op.name);
  if (!kind) return absl::UnimplementedError(absl::StrCat("op '", op.name, "' is not supported"));
  ACCELD_ASSIGN_OR_RETURN(OpAttributes attributes, FromDictionary(*kind, op.attributes));
  ACCELD_RETURN_IF_ERROR(CheckResultTypes(builder, op, attributes, *kind));
  return builder.AddUnchecked(*kind, std::move(op.operands), std::move(attributes),
                              std::move(op.regions), op.result_types, op.location);
}

}  // namespace acceld::ir
