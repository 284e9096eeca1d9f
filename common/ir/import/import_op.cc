#include "common/ir/import/import_op.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/import/custom_calls.h"
#include "common/ir/import/lapack_layouts.h"
#include "common/ir/import/replaced_ops.h"
#include "common/ir/infer/infer.h"

namespace acceld::ir {
namespace {

absl::Status CheckResultTypes(const FunctionBuilder& builder, const ImportedOp& op,
                              const OpAttributes& attributes, OpKind kind) {
  // The types of a callee are known only when all functions are read; the verifier checks them.
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

absl::StatusOr<std::vector<ValueId>> ImportReplacement(FunctionBuilder& builder,
                                                       const ImportedOp& op) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results, ReplaceOp(builder, op));
  const std::vector<Type> types = builder.function().TypesOf(results);
  if (types != op.result_types) {
    return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "' gives (", ToString(types),
                                                   "), its signature says (",
                                                   ToString(op.result_types), ")"));
  }
  return results;
}

absl::StatusOr<std::vector<ValueId>> ImportCustomCall(FunctionBuilder& builder, ImportedOp& op,
                                                      OpAttributes attributes) {
  ACCELD_ASSIGN_OR_RETURN(const LapackLayouts layouts, ReadLapackLayouts(builder, op));
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> operands,
                          LayOutOperands(builder, layouts, std::move(op.operands), op.location));
  std::vector<ValueId> results =
      builder.AddUnchecked(OpKind::kCustomCall, std::move(operands), std::move(attributes),
                           std::move(op.regions), op.result_types, op.location);
  return LayOutResults(builder, layouts, std::move(results), op.location);
}

}  // namespace

absl::StatusOr<std::vector<ValueId>> ImportOp(FunctionBuilder& builder, ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(UnwrapCustomCall(builder, op));
  if (IsReplacedOp(op.name)) return ImportReplacement(builder, op);
  const auto kind = FindOp(op.name);
  if (!kind) return absl::UnimplementedError(absl::StrCat("op '", op.name, "' is not supported"));
  ACCELD_ASSIGN_OR_RETURN(OpAttributes attributes, FromDictionary(*kind, op.attributes));
  ACCELD_RETURN_IF_ERROR(CheckResultTypes(builder, op, attributes, *kind));
  if (*kind == OpKind::kCustomCall) return ImportCustomCall(builder, op, std::move(attributes));
  return builder.AddUnchecked(*kind, std::move(op.operands), std::move(attributes),
                              std::move(op.regions), op.result_types, op.location);
}

}  // namespace acceld::ir
