#include <algorithm>
#include <iterator>
#include <utility>

#include "common/ir/text/forms.h"
#include "common/ir/text/shardy.h"

// Ops of the Shardy dialect, which say how values are distributed over devices. Source: Shardy,
// ops.td.
namespace acceld::ir::text {
namespace {

// operand sharding dictionary? ':' type
absl::Status ShardingConstraint(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_ASSIGN_OR_RETURN(op.attributes["sharding"], ReadSharding(in.reader()));
  return ReadEnd(in, op);
}

// operand 'group_id' '=' integer dictionary? ':' type
absl::Status ShardingGroup(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("group_id"));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  ACCELD_ASSIGN_OR_RETURN(const int64_t group, lexer.ExpectInteger());
  op.attributes["group_id"] = IntAttribute(group);
  ACCELD_RETURN_IF_ERROR(ReadEnd(in, op));
  op.result_types.clear();
  return absl::OkStatus();
}

// operand ('sharding' '=' sharding)? dictionary? ':' type
absl::Status DataFlowEdge(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  if (in.lexer().TryWord("sharding")) {
    ACCELD_RETURN_IF_ERROR(in.lexer().Expect('='));
    ACCELD_ASSIGN_OR_RETURN(op.attributes["sharding"], ReadSharding(in.reader()));
  }
  return ReadEnd(in, op);
}

// operand 'allowed_direction' '=' keyword dictionary? ':' type
absl::Status PropagationBarrier(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(in.lexer().ExpectWord("allowed_direction"));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect('='));
  ACCELD_RETURN_IF_ERROR(ReadKeyword(in, op, "allowed_direction"));
  return ReadEnd(in, op);
}

// The axes of a collective op of Shardy, which stand before its operand.
struct AxesField {
  absl::string_view op;
  const char* attribute;
  absl::StatusOr<Attribute> (*read)(Reader& reader);
  bool may_have_reduction = false;  // before the axes
};
constexpr AxesField kAxesFields[] = {
    {"sdy.all_gather", "gathering_axes", ReadAxisLists},
    {"sdy.all_reduce", "reduction_axes", ReadAxisList, true},
    {"sdy.all_slice", "slicing_axes", ReadAxisLists},
    {"sdy.all_to_all", "params", ReadAllToAllParams},
    {"sdy.reduce_scatter", "reduce_scatter_axes", ReadAxisLists, true},
    {"sdy.replicated_to_unreduced", "axes", ReadAxisList},
    {"sdy.sharded_to_unreduced", "axes", ReadAxisLists},
};

// reduction? axes? operand 'out_sharding' '=' sharding dictionary? ':' type
absl::Status Collective(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  const auto is_of_op = [&](const AxesField& field) { return field.op == op.name; };
  const auto* axes = std::find_if(std::begin(kAxesFields), std::end(kAxesFields), is_of_op);
  if (axes != std::end(kAxesFields)) {
    if (axes->may_have_reduction && lexer.Peek().kind == TokenKind::kWord) {
      ACCELD_ASSIGN_OR_RETURN(const int64_t reduction, ReadReductionKind(in.reader()));
      op.attributes["reduction_op"] = IntAttribute(reduction, DType::kI32);
    }
    ACCELD_ASSIGN_OR_RETURN(op.attributes[axes->attribute], axes->read(in.reader()));
  }
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("out_sharding"));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  ACCELD_ASSIGN_OR_RETURN(op.attributes["out_sharding"], ReadSharding(in.reader()));
  return ReadEnd(in, op);
}

// '(' (%name ':' type location?),* ')'
absl::StatusOr<std::vector<Parameter>> ReadRegionParameters(FunctionReader& in) {
  Lexer& lexer = in.lexer();
  std::vector<Parameter> parameters;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('('));
  if (!lexer.Peek().Is(')')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(Parameter parameter, in.ReadParameter());
      parameters.push_back(std::move(parameter));
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
  return parameters;
}

// '(' operands ')' 'in_shardings' '=' shardings 'out_shardings' '=' shardings 'manual_axes' '='
// axes '(' parameters ')' region dictionary? ':' function type
absl::Status ManualComputation(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(in.ReadOperandsInParentheses(op.operands));
  for (const char* name : {"in_shardings", "out_shardings"}) {
    ACCELD_RETURN_IF_ERROR(lexer.ExpectWord(name));
    ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
    ACCELD_ASSIGN_OR_RETURN(op.attributes[name], ReadShardings(in.reader()));
  }
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("manual_axes"));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  ACCELD_ASSIGN_OR_RETURN(op.attributes["manual_axes"], ReadManualAxes(in.reader()));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, ReadRegionParameters(in));
  ACCELD_ASSIGN_OR_RETURN(Region region,
                          in.ReadRegion(&parameters, FunctionReader::Isolation::kValues));
  op.regions.push_back(std::move(region));
  return ReadEnd(in, op);
}

// '<' name '>' '(' operands ')' ('in_shardings' '=' shardings)? ('out_shardings' '=' shardings)?
// '(' parameters ')' region dictionary? ':' function type
absl::Status NamedComputation(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
  ACCELD_ASSIGN_OR_RETURN(
      const Token name,
      lexer.ExpectKind(TokenKind::kString, "the name of the computation (a string)"));
  op.attributes["name"] = TextAttribute(Unquote(name.text));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  ACCELD_RETURN_IF_ERROR(in.ReadOperandsInParentheses(op.operands));
  for (const char* shardings : {"in_shardings", "out_shardings"}) {
    if (!lexer.TryWord(shardings)) continue;
    ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
    ACCELD_ASSIGN_OR_RETURN(op.attributes[shardings], ReadShardings(in.reader()));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, ReadRegionParameters(in));
  ACCELD_RETURN_IF_ERROR(in.ReadInlinedRegion(op, &parameters));
  return ReadEnd(in, op);
}

constexpr NamedForm kForms[] = {
    {"sdy.all_gather", Collective},
    {"sdy.all_reduce", Collective},
    {"sdy.all_slice", Collective},
    {"sdy.all_to_all", Collective},
    {"sdy.collective_permute", Collective},
    {"sdy.data_flow_edge", DataFlowEdge},
    {"sdy.manual_computation", ManualComputation},
    {"sdy.named_computation", NamedComputation},
    {"sdy.propagation_barrier", PropagationBarrier},
    {"sdy.reduce_scatter", Collective},
    {"sdy.replicated_to_unreduced", Collective},
    {"sdy.reshard", ShardingConstraint},
    {"sdy.sharded_to_unreduced", Collective},
    {"sdy.sharding_constraint", ShardingConstraint},
    {"sdy.sharding_group", ShardingGroup},
};

}  // namespace

absl::Span<const NamedForm> ShardingForms() { return kForms; }

}  // namespace acceld::ir::text
