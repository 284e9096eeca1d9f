#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attribute_dictionary.h"
#include "common/ir/infer.h"
#include "common/ir/text/function_reader.h"

// From the op as it was read to the op of the module: the checks that need no text.
namespace acceld::ir::text {
namespace {

InferContext::RegionSignature SignatureOf(const Function& function, const Region& region) {
  return {function.TypesOf(region.parameters), function.TypesOf(region.results)};
}

}  // namespace

absl::Status FunctionReader::CheckOperandTypes(const ParsedOp& op) {
  if (!op.has_operand_types) return absl::OkStatus();
  if (op.operands.size() != op.operand_types.size()) {
    return lexer().Error(op.offset, absl::StrCat("op '", op.name, "' has ", op.operands.size(),
                                                 " operands, its signature says ", op.operand_types.size()));
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Type& actual = TypeOf(op.operands[i]);
    if (!(actual == op.operand_types[i])) {
      return lexer().Error(op.offset, absl::StrCat("operand ", i, " of '", op.name, "' is a ", actual.ToString(),
                                                   ", its signature says ", op.operand_types[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionReader::CheckResultTypes(const ParsedOp& op, const OpAttributes& attributes,
                                              OpKind kind) {
  // What a callee takes and gives is known when all functions are read: the verifier checks it.
  if (kind == OpKind::kCall || kind == OpKind::kComposite) return absl::OkStatus();
  const std::vector<Type> operand_types = function_.TypesOf(op.operands);
  std::vector<InferContext::RegionSignature> regions;
  regions.reserve(op.regions.size());
  for (const Region& region : op.regions) regions.push_back(SignatureOf(function_, region));
  const InferContext context{kind, attributes, operand_types, regions, op.result_types};
  const auto inferred = InferResultTypes(context);
  if (!inferred.ok()) return lexer().At(op.offset, inferred.status());
  if (inferred->size() != op.result_types.size()) {
    return lexer().Error(op.offset, absl::StrCat("op '", op.name, "' has ", inferred->size(),
                                                 " results, its signature says ", op.result_types.size()));
  }
  for (size_t i = 0; i < inferred->size(); ++i) {
    if (!IsCompatible(op.result_types[i], (*inferred)[i])) {
      return lexer().Error(op.offset, absl::StrCat("result ", i, " of '", op.name, "' is a ", (*inferred)[i].ToString(),
                                                   ", its signature says ", op.result_types[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::Emit(ParsedOp op) {
  const auto kind = FindOp(op.name);
  if (!kind) {
    return lexer().Unsupported(op.offset, absl::StrCat("op '", op.name, "' is not supported"));
  }
  ACCELD_RETURN_IF_ERROR(CheckOperandTypes(op));
  auto attributes = FromDictionary(*kind, op.attributes);
  if (!attributes.ok()) return lexer().At(op.offset, attributes.status());
  ACCELD_RETURN_IF_ERROR(CheckResultTypes(op, *attributes, *kind));

  std::vector<ValueId> results;
  results.reserve(op.result_types.size());
  for (Type& type : op.result_types) results.push_back(NewValue(std::move(type)));
  open_regions_.back().ops.push_back(Op{*kind, *std::move(attributes), std::move(op.operands), results,
                                        std::move(op.regions), op.location});
  return results;
}

absl::StatusOr<Region> FunctionReader::RegionOf(absl::string_view op_name, std::vector<Type> parameters,
                                                std::vector<Type> results, const ParsedOp& around) {
  BeginScope();
  ParsedOp op;
  op.name = std::string(op_name);
  op.offset = around.offset;
  op.location = around.location;
  for (Type& type : parameters) op.operands.push_back(NewValue(std::move(type)));
  op.result_types = std::move(results);
  open_regions_.back().parameters = op.operands;
  ACCELD_ASSIGN_OR_RETURN(open_regions_.back().results, Emit(std::move(op)));
  return EndScope();
}

}  // namespace acceld::ir::text
