#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "common/ir/text/forms.h"

// Elementwise ops: operands, then one type for all or a function type.
namespace acceld::ir::text {
namespace {

// DIRECTION ',' lhs ',' rhs (',' TYPE)?
absl::Status Compare(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(ReadKeyword(in, op, "comparison_direction"));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(','));
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  if (in.lexer().TryPunctuation(',')) ACCELD_RETURN_IF_ERROR(ReadKeyword(in, op, "compare_type"));
  return ReadEnd(in, op);
}

// pred ',' on_true ',' on_false ':' type of pred ',' type of the rest. Or a function type.
absl::Status Select(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ReadEnd(in, op));
  if (op.operands.size() == 3 && in.lexer().TryPunctuation(',')) {
    ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(in.reader()));
    op.operand_types[1] = op.operand_types[2] = type;
    op.result_types = {std::move(type)};
  }
  return absl::OkStatus();
}

// lhs ',' rhs ':' the complex result type, from which the operands' follow. Or a function type.
absl::Status Complex(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(ReadOperandsForm(in, op));
  if (op.result_types.size() != 1 || !op.result_types[0].IsTensor()) return absl::OkStatus();
  TensorType part = op.result_types[0].tensor();
  part.dtype = RealPartOf(part.dtype);
  for (Type& type : op.operand_types) {
    if (type == op.result_types[0]) type = part;
  }
  return absl::OkStatus();
}

// operand ',' 'format' '=' e5m10
absl::Status ReducePrecision(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "format"));
  const Token word = in.lexer().Peek();
  const size_t split = word.text.find('m');
  int exponent = 0;
  int mantissa = 0;
  if (word.kind != TokenKind::kWord || !absl::StartsWith(word.text, "e") ||
      split == absl::string_view::npos ||
      !absl::SimpleAtoi(word.text.substr(1, split - 1), &exponent) ||
      !absl::SimpleAtoi(word.text.substr(split + 1), &mantissa)) {
    return in.lexer().Expected("a format such as e5m10");
  }
  in.lexer().Next();
  op.attributes["exponent_bits"] = IntAttribute(exponent, DType::kI32);
  op.attributes["mantissa_bits"] = IntAttribute(mantissa, DType::kI32);
  return ReadEnd(in, op);
}

// '(' operand ',' 'k' '=' integer (',' 'is_stable' '=' bool)? ')' ':' type '->' '(' types ')'
absl::Status TopK(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect('('));
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "k"));
  ACCELD_ASSIGN_OR_RETURN(const int64_t k, in.lexer().ExpectInteger());
  op.attributes["k"] = IntAttribute(k);
  if (TryField(in, "is_stable")) {
    ACCELD_ASSIGN_OR_RETURN(op.attributes["is_stable"], ReadAttribute(in.reader()));
  }
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(')'));
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(':'));
  ACCELD_ASSIGN_OR_RETURN(op.operand_types, ReadTypeList(in.reader()));
  op.has_operand_types = true;
  ACCELD_RETURN_IF_ERROR(in.lexer().ExpectArrow());
  ACCELD_ASSIGN_OR_RETURN(op.result_types, ReadResultTypes(in.reader()));
  return absl::OkStatus();
}

// The first entry of a name is used, so special forms precede those made from ops.def.
constexpr NamedForm kForms[] = {
    {"stablehlo.compare", Compare},
    {"stablehlo.complex", Complex},
    {"stablehlo.reduce_precision", ReducePrecision},
    {"stablehlo.select", Select},
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands) \
  {name, ReadOperandsForm},
#include "common/ir/ops.def"
    {"stablehlo.bitcast_convert", ReadOperandsForm},
    {"stablehlo.uniform_dequantize", ReadOperandsForm},
    {"stablehlo.uniform_quantize", ReadOperandsForm},
    {"chlo.top_k", TopK},
};

}  // namespace

absl::Span<const NamedForm> ElementwiseForms() { return kForms; }

}  // namespace acceld::ir::text
