#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/ir/text/reader.h"
#include "common/ir/verify/limits.h"

// The element type of quantized tensors. Source: StableHLO specification, "QuantizedTensorType".
namespace acceld::ir::text {
namespace {

constexpr absl::string_view kUniform = "!quant.uniform";

// i8, u8, si8 or ui8
absl::StatusOr<DType> ReadStorage(Lexer& lexer) {
  ACCELD_ASSIGN_OR_RETURN(const Token word,
                          lexer.ExpectKind(TokenKind::kWord, "the integer type of storage"));
  std::string name(word.text);
  if (absl::StartsWith(name, "si")) name.erase(0, 1);
  if (absl::StartsWith(name, "u") && !absl::StartsWith(name, "ui")) name.insert(1, 1, 'i');
  const absl::optional<DType> dtype = ParseDType(name);
  if (dtype.has_value() && IsInteger(*dtype) && BitsOf(*dtype) <= 32) return *dtype;
  return lexer.Unsupported(word.offset,
                           absl::StrCat("quantized values are stored in integers of at most 32 "
                                        "bits, not in '",
                                        word.text, "'"));
}

// scale (':' zero point)?
absl::Status ReadParameters(Lexer& lexer, Quantization& quantization) {
  const Token token = lexer.Peek();
  double scale = 0;
  if ((token.kind != TokenKind::kFloat && token.kind != TokenKind::kInteger) ||
      !absl::SimpleAtod(token.text, &scale)) {
    return lexer.Expected("a scale");
  }
  lexer.Next();
  int64_t zero_point = 0;
  if (lexer.TryPunctuation(':')) {
    ACCELD_ASSIGN_OR_RETURN(zero_point, lexer.ExpectInteger());
  }
  quantization.scales.push_back(scale);
  quantization.zero_points.push_back(zero_point);
  return absl::OkStatus();
}

}  // namespace

bool AtQuantization(const Reader& reader) {
  const Token& token = reader.lexer.Peek();
  return token.kind == TokenKind::kBang &&
         (token.text == kUniform || reader.quantization_aliases.contains(token.text));
}

// '!quant.uniform' '<' storage ('<' min ':' max '>')? ':' expressed (':' axis)? ','
//   (parameters | '{' parameters,* '}') '>'
absl::StatusOr<Quantization> ReadQuantization(Reader& reader) {
  Lexer& lexer = reader.lexer;
  const Token name = lexer.Next();
  const auto alias = reader.quantization_aliases.find(name.text);
  if (alias != reader.quantization_aliases.end()) {
    // Each use is a copy, so a short name may stand for much memory.
    const auto bytes =
        static_cast<int64_t>(alias->second.scales.size() * (sizeof(double) + sizeof(int64_t)));
    ACCELD_RETURN_IF_ERROR(reader.Charge(bytes, name.text, name.offset));
    reader.totals.constant_bytes += bytes;
    if (reader.totals.constant_bytes > limits::kMaxProgramBytes) {
      return lexer.At(name.offset, absl::ResourceExhaustedError(absl::StrCat(
                                       "the program's constants, scales and zero points take more "
                                       "than ",
                                       limits::kMaxProgramBytes, " bytes")));
    }
    return alias->second;
  }

  Quantization quantization;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
  ACCELD_ASSIGN_OR_RETURN(quantization.storage, ReadStorage(lexer));
  const StorageRange range = StorageRangeOf(quantization.storage);
  quantization.storage_min = range.min;
  quantization.storage_max = range.max;
  if (lexer.TryPunctuation('<')) {
    ACCELD_ASSIGN_OR_RETURN(quantization.storage_min, lexer.ExpectInteger());
    ACCELD_RETURN_IF_ERROR(lexer.Expect(':'));
    ACCELD_ASSIGN_OR_RETURN(quantization.storage_max, lexer.ExpectInteger());
    ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(':'));
  ACCELD_ASSIGN_OR_RETURN(quantization.expressed, ReadDType(reader));
  if (lexer.TryPunctuation(':')) {
    if (lexer.Peek().Is('{')) {
      return lexer.Unsupported(name.offset,
                               "quantization of blocks within a dimension is not supported");
    }
    ACCELD_ASSIGN_OR_RETURN(quantization.axis, lexer.ExpectInteger());
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(','));
  if (!quantization.axis.has_value()) {
    ACCELD_RETURN_IF_ERROR(ReadParameters(lexer, quantization));
  } else {
    ACCELD_RETURN_IF_ERROR(lexer.Expect('{'));
    do {
      ACCELD_RETURN_IF_ERROR(ReadParameters(lexer, quantization));
    } while (lexer.TryPunctuation(','));
    ACCELD_RETURN_IF_ERROR(lexer.Expect('}'));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return quantization;
}

}  // namespace acceld::ir::text
