#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/import/inlined_ops.h"
#include "common/ir/text/function_reader.h"

// Converts ops from their form in the text to ops of the module, with the checks that need no text.
namespace acceld::ir::text {

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

absl::StatusOr<std::vector<ValueId>> FunctionReader::Emit(ParsedOp& op) {
  auto results = IsInlinedOp(op.name) ? importer_.ImportInlined(op, std::move(op.returned))
                                      : importer_.Import(op);
  if (!results.ok()) return lexer().At(op.offset, results.status());
  return results;
}

absl::StatusOr<Region> FunctionReader::RegionOf(absl::string_view op_name,
                                                absl::Span<const Type> parameters,
                                                std::vector<Type> results, const ParsedOp& around) {
  ParsedOp op;
  op.name = std::string(op_name);
  op.offset = around.offset;
  op.location = around.location;
  op.operands = importer_.BeginRegion(parameters);
  op.result_types = std::move(results);
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> returned, Emit(op));
  return importer_.EndRegion(std::move(returned));
}

}  // namespace acceld::ir::text
