#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/text/elements.h"
#include "common/ir/text/forms.h"
#include "common/ir/verify/memory_size.h"

// Constants, calls, control flow, reductions with their regions, tuples and tokens.
namespace acceld::ir::text {
namespace {

// dictionary? dense<...> : type, or '()' '<' dictionary '>' ':' '()' '->' type
absl::Status Constant(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  if (lexer.TryPunctuation('(')) {
    ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
    if (lexer.TryPunctuation('<')) {
      ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
      ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
    }
    return ReadEnd(in, op);
  }
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
  if (lexer.Peek().IsWord("dense_resource")) return ReadAttribute(in.reader()).status();
  if (lexer.Peek().kind == TokenKind::kHash) {
    const size_t begin = lexer.Peek().offset;
    ACCELD_ASSIGN_OR_RETURN(Attribute value, ReadAttribute(in.reader()));
    const auto* literal = std::get_if<Literal>(&value.value);
    if (literal == nullptr) return lexer.Error(begin, "expected the alias of a dense constant");
    op.result_types = {Type(literal->type())};
    op.attributes["value"] = std::move(value);
    return absl::OkStatus();
  }
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("dense"));
  ACCELD_ASSIGN_OR_RETURN(Literal value, ReadDense(in.reader(), /*allow_index=*/false));
  op.result_types = {Type(value.type())};
  op.attributes["value"].value = std::move(value);
  return absl::OkStatus();
}

// @callee '(' operands ')' dictionary? ':' function type
absl::Status Call(FunctionReader& in, ParsedOp& op) {
  ACCELD_ASSIGN_OR_RETURN(
      const Token symbol,
      in.lexer().ExpectKind(TokenKind::kSymbol, "the name of a function (@name)"));
  op.attributes["callee"] = NameAttribute(SymbolName(symbol.text));
  ACCELD_RETURN_IF_ERROR(in.ReadOperandsInParentheses(op.operands));
  return ReadEnd(in, op);
}

absl::Status CustomCall(FunctionReader& in, ParsedOp& op) {
  ACCELD_ASSIGN_OR_RETURN(
      const Token symbol,
      in.lexer().ExpectKind(TokenKind::kSymbol, "the target of the call (@name)"));
  op.attributes["call_target_name"] = TextAttribute(SymbolName(symbol.text));
  ACCELD_RETURN_IF_ERROR(in.ReadOperandsInParentheses(op.operands));
  return ReadEnd(in, op);
}

// "name" operands? dictionary? ':' function type
absl::Status Composite(FunctionReader& in, ParsedOp& op) {
  ACCELD_ASSIGN_OR_RETURN(
      const Token name, in.lexer().ExpectKind(TokenKind::kString, "the name of the composite op"));
  op.attributes["name"] = TextAttribute(Unquote(name.text));
  if (in.lexer().Peek().kind == TokenKind::kValue) {
    ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  }
  return ReadEnd(in, op);
}

// '(' (%parameter '=' operand),* ')' (':' types)? ('attributes' dictionary)? 'cond' region 'do'
// region
absl::Status While(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  std::vector<Parameter> parameters;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('('));
  if (!lexer.Peek().Is(')')) {
    do {
      Parameter parameter;
      ACCELD_ASSIGN_OR_RETURN(parameter.name,
                              lexer.ExpectKind(TokenKind::kValue, "a parameter (%name)"));
      ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
      ACCELD_ASSIGN_OR_RETURN(const ValueId operand, in.ReadOperand());
      parameter.type = in.TypeOf(operand);
      // Copies of the operand's type, for both regions and the loop.
      constexpr int64_t kCopies = 4;
      ACCELD_RETURN_IF_ERROR(in.reader().Charge(kCopies * MemoryBytesOf(parameter.type), op.name,
                                                parameter.name.offset));
      op.operands.push_back(operand);
      parameters.push_back(std::move(parameter));
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
  if (lexer.TryPunctuation(':')) {
    ACCELD_ASSIGN_OR_RETURN(op.operand_types, ReadTypeList(in.reader()));
    op.has_operand_types = true;
  }
  if (lexer.TryWord("attributes")) {
    ACCELD_ASSIGN_OR_RETURN(op.attributes, ReadDictionary(in.reader()));
  }
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("cond"));
  ACCELD_ASSIGN_OR_RETURN(Region condition, in.ReadRegion(&parameters));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("do"));
  ACCELD_ASSIGN_OR_RETURN(Region body, in.ReadRegion(&parameters));
  op.regions.push_back(std::move(condition));
  op.regions.push_back(std::move(body));
  for (const Parameter& parameter : parameters) op.result_types.push_back(parameter.type);
  return absl::OkStatus();
}

// 'applies' name: a region with that op on two scalars for each pair of input and initial value.
absl::StatusOr<Region> RegionThatApplies(FunctionReader& in, const ParsedOp& op,
                                         absl::string_view name,
                                         absl::Span<const ValueId> initials) {
  std::vector<Type> scalars;
  for (const ValueId initial : initials) {
    const Type& type = in.TypeOf(initial);
    if (type.IsQuantized()) {
      scalars.push_back(Type::Quantized({}, type.quantization()));
    } else if (type.IsTensor()) {
      scalars.push_back(TensorType{type.tensor().dtype, {}});
    } else {
      return in.lexer().Error(op.offset, "reduce: an initial value is no tensor");
    }
  }
  std::vector<Type> parameters = scalars;
  parameters.insert(parameters.end(), scalars.begin(), scalars.end());
  return in.RegionOf(name, parameters, std::move(scalars), op);
}

// 'reducer' ('(' %lhs ':' type ',' %rhs ':' type ')')+ region. The region's parameters are all left
// ones followed by all right ones.
absl::StatusOr<Region> ReadReducer(FunctionReader& in) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("reducer"));
  std::vector<Parameter> left;
  std::vector<Parameter> right;
  do {
    ACCELD_RETURN_IF_ERROR(lexer.Expect('('));
    ACCELD_ASSIGN_OR_RETURN(Parameter lhs, in.ReadParameter());
    ACCELD_RETURN_IF_ERROR(lexer.Expect(','));
    ACCELD_ASSIGN_OR_RETURN(Parameter rhs, in.ReadParameter());
    ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
    left.push_back(std::move(lhs));
    right.push_back(std::move(rhs));
  } while (lexer.Peek().Is('('));
  for (Parameter& parameter : right) left.push_back(std::move(parameter));
  return in.ReadRegion(&left);
}

// ('(' input 'init' ':' initial ')'),+ ('applies' name)? 'across' 'dimensions' '=' integers ...
// reducer?
absl::Status Reduce(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  std::vector<ValueId> initials;
  do {
    ACCELD_RETURN_IF_ERROR(lexer.Expect('('));
    ACCELD_ASSIGN_OR_RETURN(const ValueId input, in.ReadOperand());
    ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("init"));
    ACCELD_RETURN_IF_ERROR(lexer.Expect(':'));
    ACCELD_ASSIGN_OR_RETURN(const ValueId initial, in.ReadOperand());
    ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
    op.operands.push_back(input);
    initials.push_back(initial);
  } while (lexer.TryPunctuation(','));
  std::string applied;
  if (lexer.TryWord("applies")) {
    ACCELD_ASSIGN_OR_RETURN(const Token name,
                            lexer.ExpectKind(TokenKind::kWord, "the name of an op"));
    applied = std::string(name.text);
  }
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("across"));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("dimensions"));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  ACCELD_ASSIGN_OR_RETURN(std::vector<int64_t> dimensions, ReadIntegers(in.reader()));
  op.attributes["dimensions"] = IntegersAttribute(std::move(dimensions));
  op.operands.insert(op.operands.end(), initials.begin(), initials.end());
  ACCELD_RETURN_IF_ERROR(ReadEnd(in, op));
  ACCELD_RETURN_IF_ERROR(in.SkipLocation());
  ACCELD_ASSIGN_OR_RETURN(Region region, applied.empty()
                                             ? ReadReducer(in)
                                             : RegionThatApplies(in, op, applied, initials));
  op.regions.push_back(std::move(region));
  return absl::OkStatus();
}

// operands? ':' the types of operands and results, pair by pair. Without operands: '()'.
absl::Status OptimizationBarrier(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
  if (lexer.TryPunctuation('(')) return lexer.Expect(')');
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(lexer.Expect(':'));
  ACCELD_ASSIGN_OR_RETURN(op.operand_types, ReadTypeList(in.reader()));
  op.has_operand_types = true;
  op.result_types = op.operand_types;
  return absl::OkStatus();
}

// operands? ':' the result's type alone; the operands' follow from it.
absl::Status ResultTypeOnly(FunctionReader& in, ParsedOp& op) {
  if (in.lexer().Peek().kind == TokenKind::kValue) {
    ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  }
  ACCELD_RETURN_IF_ERROR(ReadEnd(in, op));
  if (op.name == "stablehlo.tuple" && op.result_types.size() == 1 &&
      op.result_types[0].kind() == Type::Kind::kTuple) {
    op.operand_types = op.result_types[0].elements();
  }
  return absl::OkStatus();
}

// operand '[' index ']'
absl::Status GetTupleElement(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect('['));
  ACCELD_ASSIGN_OR_RETURN(const int64_t index, in.lexer().ExpectInteger());
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(']'));
  op.attributes["index"] = IntAttribute(index, DType::kI32);
  return ReadEnd(in, op);
}

constexpr NamedForm kForms[] = {
    {"func.call", Call},
    {"sdy.constant", Constant},
    {"stablehlo.after_all", ResultTypeOnly},
    {"stablehlo.composite", Composite},
    {"stablehlo.constant", Constant},
    {"stablehlo.create_token", ResultTypeOnly},
    {"stablehlo.custom_call", CustomCall},
    {"stablehlo.get_tuple_element", GetTupleElement},
    {"stablehlo.optimization_barrier", OptimizationBarrier},
    {"stablehlo.partition_id", ResultTypeOnly},
    {"stablehlo.reduce", Reduce},
    {"stablehlo.replica_id", ResultTypeOnly},
    {"stablehlo.tuple", ResultTypeOnly},
    {"stablehlo.while", While},
};

}  // namespace

absl::Span<const NamedForm> StructureForms() { return kForms; }

}  // namespace acceld::ir::text
