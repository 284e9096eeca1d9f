#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attribute_dictionary.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/infer.h"
#include "common/ir/text/function_reader.h"

// From the op as it was read to the op of the module: the checks that need no text.
namespace acceld::ir::text {
namespace {

constexpr absl::string_view kShardingConstraint = "sdy.sharding_constraint";

// Ops that exist in text only.
bool IsReplaced(absl::string_view op_name) {
  return op_name == kShardingConstraint || IsChloOp(op_name);
}

}  // namespace

absl::Status FunctionReader::CheckOperandTypes(const ParsedOp& op) {
  if (!op.has_operand_types) return absl::OkStatus();
  if (op.operands.size() != op.operand_types.size()) {
    return lexer().Error(op.offset,
                         absl::StrCat("op '", op.name, "' has ", op.operands.size(),
                                      " operands, its signature says ", op.operand_types.size()));
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Type& actual = TypeOf(op.operands[i]);
    if (!(actual == op.operand_types[i])) {
      return lexer().Error(
          op.offset, absl::StrCat("operand ", i, " of '", op.name, "' is a ", actual.ToString(),
                                  ", its signature says ", op.operand_types[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionReader::CheckResultTypes(const ParsedOp& op, const OpAttributes& attributes,
                                              OpKind kind) {
  // What a callee takes and gives is known when all functions are read: the verifier checks it.
  if (kind == OpKind::kCall || kind == OpKind::kComposite) return absl::OkStatus();
  const std::vector<Type> operand_types = builder_.function().TypesOf(op.operands);
  std::vector<InferContext::RegionSignature> regions;
  regions.reserve(op.regions.size());
  for (const Region& region : op.regions) regions.push_back(builder_.SignatureOf(region));
  const InferContext context{kind, attributes, operand_types, regions, op.result_types};
  const auto inferred = InferResultTypes(context);
  if (!inferred.ok()) return lexer().At(op.offset, inferred.status());
  if (inferred->size() != op.result_types.size()) {
    return lexer().Error(op.offset,
                         absl::StrCat("op '", op.name, "' has ", inferred->size(),
                                      " results, its signature says ", op.result_types.size()));
  }
  for (size_t i = 0; i < inferred->size(); ++i) {
    if (!IsCompatible(op.result_types[i], (*inferred)[i])) {
      return lexer().Error(
          op.offset,
          absl::StrCat("result ", i, " of '", op.name, "' is a ", (*inferred)[i].ToString(),
                       ", its signature says ", op.result_types[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::EmitReplacement(const ParsedOp& op) {
  std::vector<ValueId> results = op.operands;
  // One device sees all of a value, however it would be spread over several.
  if (op.name != kShardingConstraint) {
    auto expanded = ExpandChlo(builder_, op.name, op.operands, op.location);
    if (!expanded.ok()) return lexer().At(op.offset, expanded.status());
    results = *std::move(expanded);
  }
  const std::vector<Type> types = builder_.function().TypesOf(results);
  if (types != op.result_types) {
    return lexer().Error(op.offset,
                         absl::StrCat("op '", op.name, "' gives (", ToString(types),
                                      "), its signature says (", ToString(op.result_types), ")"));
  }
  return results;
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::Emit(ParsedOp& op) {
  if (IsReplaced(op.name)) return EmitReplacement(op);
  const auto kind = FindOp(op.name);
  if (!kind) {
    return lexer().Unsupported(op.offset, absl::StrCat("op '", op.name, "' is not supported"));
  }
  auto attributes = FromDictionary(*kind, op.attributes);
  if (!attributes.ok()) return lexer().At(op.offset, attributes.status());
  ACCELD_RETURN_IF_ERROR(CheckResultTypes(op, *attributes, *kind));
  return builder_.AddUnchecked(*kind, std::move(op.operands), *std::move(attributes),
                               std::move(op.regions), op.result_types, op.location);
}

absl::StatusOr<Region> FunctionReader::RegionOf(absl::string_view op_name,
                                                absl::Span<const Type> parameters,
                                                std::vector<Type> results, const ParsedOp& around) {
  ParsedOp op;
  op.name = std::string(op_name);
  op.offset = around.offset;
  op.location = around.location;
  op.operands = builder_.BeginRegion(parameters);
  op.result_types = std::move(results);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> returned, Emit(op));
  return builder_.EndRegion(std::move(returned));
}

}  // namespace acceld::ir::text
