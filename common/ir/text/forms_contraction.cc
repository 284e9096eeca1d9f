#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/text/forms.h"

// Contractions, transforms and random bits: ops with layouts, algorithms and precisions.
namespace acceld::ir::text {
namespace {

// integers 'x' integers, as two fields of a structure.
absl::Status ReadDimensionPair(FunctionReader& in, StructAttribute& numbers, absl::string_view lhs,
                               absl::string_view rhs) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<int64_t> left, ReadIntegers(in.reader()));
  ACCELD_RETURN_IF_ERROR(in.lexer().ExpectWord("x"));
  ACCELD_ASSIGN_OR_RETURN(std::vector<int64_t> right, ReadIntegers(in.reader()));
  numbers.fields[std::string(lhs)] = IntegersAttribute(std::move(left));
  numbers.fields[std::string(rhs)] = IntegersAttribute(std::move(right));
  return absl::OkStatus();
}

// (',' 'precision' '=' '[' keywords ']')?
absl::Status ReadPrecision(FunctionReader& in, ParsedOp& op) {
  if (!TryField(in, "precision")) return absl::OkStatus();
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  ArrayAttribute precisions;
  if (!lexer.Peek().Is(']')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(const Token word, lexer.ExpectKind(TokenKind::kWord, "a precision"));
      precisions.elements.push_back(KeywordAttribute(word.text));
    } while (lexer.TryPunctuation(','));
  }
  op.attributes["precision_config"].value = std::move(precisions);
  return lexer.Expect(']');
}

absl::Status Dot(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ReadPrecision(in, op));
  return ReadEnd(in, op);
}

// lhs ',' rhs (',' 'batching_dims' '=' pair)? (',' 'contracting_dims' '=' pair)? precision?
// algorithm?
absl::Status DotGeneral(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  StructAttribute numbers;
  numbers.name = "dot";
  if (TryField(in, "batching_dims")) {
    ACCELD_RETURN_IF_ERROR(
        ReadDimensionPair(in, numbers, "lhs_batching_dimensions", "rhs_batching_dimensions"));
  }
  if (TryField(in, "contracting_dims")) {
    ACCELD_RETURN_IF_ERROR(
        ReadDimensionPair(in, numbers, "lhs_contracting_dimensions", "rhs_contracting_dimensions"));
  }
  op.attributes["dot_dimension_numbers"].value = std::move(numbers);
  ACCELD_RETURN_IF_ERROR(ReadPrecision(in, op));
  if (TryField(in, "algorithm")) {
    ACCELD_RETURN_IF_ERROR(in.lexer().Expect('<'));
    ACCELD_ASSIGN_OR_RETURN(op.attributes["algorithm"],
                            ReadStructFields(in.reader(), "dot_algorithm"));
    ACCELD_RETURN_IF_ERROR(in.lexer().Expect('>'));
  }
  return ReadEnd(in, op);
}

// '[' '[' low ',' high ']',* ']' as the tensor that the generic form has.
absl::StatusOr<Attribute> ReadPaddingPairs(FunctionReader& in) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  std::vector<int64_t> values;
  if (!lexer.Peek().Is(']')) {
    do {
      const size_t begin = lexer.Peek().offset;
      ACCELD_ASSIGN_OR_RETURN(const std::vector<int64_t> pair, ReadIntegers(in.reader()));
      if (pair.size() != 2) {
        return lexer.Error(
            begin, absl::StrCat("expected low and high padding, found ", pair.size(), " numbers"));
      }
      values.insert(values.end(), pair.begin(), pair.end());
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  const auto count = static_cast<int64_t>(values.size() / 2);
  return Attribute{Literal::FromValues<int64_t>(TensorType{DType::kI64, {count, 2}}, values)};
}

// '[' bool,* ']' or the numbers 0 and 1.
absl::StatusOr<Attribute> ReadFlags(FunctionReader& in) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  DenseArrayAttribute flags;
  flags.dtype = DType::kI1;
  if (!lexer.Peek().Is(']')) {
    do {
      if (lexer.TryWord("true")) {
        flags.values.push_back(1);
      } else if (lexer.TryWord("false")) {
        flags.values.push_back(0);
      } else {
        ACCELD_ASSIGN_OR_RETURN(const int64_t value, lexer.ExpectInteger());
        flags.values.push_back(value != 0 ? 1 : 0);
      }
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  return Attribute{std::move(flags)};
}

// One of stride, pad, lhs_dilate, rhs_dilate, reverse '=' list.
absl::Status ReadWindowField(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  const Token field = lexer.Peek();
  absl::string_view attribute;
  if (lexer.TryWord("stride")) {
    attribute = "window_strides";
  } else if (lexer.TryWord("pad")) {
    attribute = "padding";
  } else if (lexer.TryWord("lhs_dilate")) {
    attribute = "lhs_dilation";
  } else if (lexer.TryWord("rhs_dilate")) {
    attribute = "rhs_dilation";
  } else if (lexer.TryWord("reverse")) {
    attribute = "window_reversal";
  } else {
    return lexer.Expected("stride, pad, lhs_dilate, rhs_dilate or reverse");
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  Attribute value;
  if (attribute == "padding") {
    ACCELD_ASSIGN_OR_RETURN(value, ReadPaddingPairs(in));
  } else if (attribute == "window_reversal") {
    ACCELD_ASSIGN_OR_RETURN(value, ReadFlags(in));
  } else {
    ACCELD_ASSIGN_OR_RETURN(std::vector<int64_t> values, ReadIntegers(in.reader()));
    value = IntegersAttribute(std::move(values));
  }
  if (!op.attributes.try_emplace(std::string(attribute), std::move(value)).second) {
    return lexer.Error(field.offset, absl::StrCat("field '", field.text, "' stands twice"));
  }
  return absl::OkStatus();
}

// '(' lhs ',' rhs ')' 'dim_numbers' '=' layouts ',' 'window' '=' '{' fields '}'
absl::Status Convolution(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  ACCELD_RETURN_IF_ERROR(in.ReadOperandsInParentheses(op.operands));
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("dim_numbers"));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  ACCELD_ASSIGN_OR_RETURN(op.attributes["dimension_numbers"], ReadConvolutionLayouts(in.reader()));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "window"));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('{'));
  if (!lexer.Peek().Is('}')) {
    do {
      ACCELD_RETURN_IF_ERROR(ReadWindowField(in, op));
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('}'));
  return ReadEnd(in, op);
}

// operand ',' 'type' '=' KEYWORD ',' 'length' '=' integers
absl::Status Fft(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "type"));
  ACCELD_RETURN_IF_ERROR(ReadKeyword(in, op, "fft_type"));
  ACCELD_RETURN_IF_ERROR(ReadIntegersField(in, op, "length", "fft_length"));
  return ReadEnd(in, op);
}

// operand (',' 'lower' '=' bool)?
absl::Status Cholesky(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  if (TryField(in, "lower")) {
    ACCELD_ASSIGN_OR_RETURN(op.attributes["lower"], ReadAttribute(in.reader()));
  }
  return ReadEnd(in, op);
}

absl::Status Rng(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "distribution"));
  ACCELD_RETURN_IF_ERROR(ReadKeyword(in, op, "rng_distribution"));
  return ReadEnd(in, op);
}

absl::Status RngBitGenerator(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "algorithm"));
  ACCELD_RETURN_IF_ERROR(ReadKeyword(in, op, "rng_algorithm"));
  return ReadEnd(in, op);
}

absl::Status Einsum(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ExpectField(in, "config"));
  ACCELD_ASSIGN_OR_RETURN(const Token config,
                          in.lexer().ExpectKind(TokenKind::kString, "the equation of the einsum"));
  op.attributes["einsum_config"] = TextAttribute(Unquote(config.text));
  return ReadEnd(in, op);
}

constexpr NamedForm kForms[] = {
    {"stablehlo.cholesky", Cholesky},
    {"stablehlo.convolution", Convolution},
    {"stablehlo.dot", Dot},
    {"stablehlo.dot_general", DotGeneral},
    {"stablehlo.einsum", Einsum},
    {"stablehlo.fft", Fft},
    {"stablehlo.rng", Rng},
    {"stablehlo.rng_bit_generator", RngBitGenerator},
    {"stablehlo.unary_einsum", Einsum},
};

}  // namespace

absl::Span<const NamedForm> ContractionForms() { return kForms; }

}  // namespace acceld::ir::text
