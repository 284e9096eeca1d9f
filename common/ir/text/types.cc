#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/ir/text/reader.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/memory_size.h"

namespace acceld::ir::text {
namespace {

// (dimension 'x')*, on characters: "2x3xf32" is not made of tokens.
absl::Status ReadDimensions(Reader& reader, Dims& dims) {
  Lexer& lexer = reader.lexer;
  const absl::string_view source = lexer.source();
  const auto at = [&](size_t i) { return i < source.size() ? source[i] : '\0'; };
  size_t pos = lexer.Peek().offset;
  while (absl::ascii_isdigit(at(pos)) || at(pos) == '?') {
    const size_t begin = pos;
    int64_t size = kDynamicDim;
    if (at(pos) == '?') {
      ++pos;
    } else {
      while (absl::ascii_isdigit(at(pos))) ++pos;
      if (!absl::SimpleAtoi(source.substr(begin, pos - begin), &size)) {
        return lexer.Error(begin, "expected a dimension below 2^63");
      }
    }
    if (at(pos) != 'x') {
      return lexer.Error(pos, "expected 'x' and an element type after a dimension");
    }
    ++pos;
    if (static_cast<int64_t>(dims.size()) >= limits::kMaxRank) {
      return lexer.Error(begin,
                         absl::StrCat("a tensor has more than ", limits::kMaxRank, " dimensions"));
    }
    dims.push_back(size);
  }
  lexer.Seek(pos);
  return absl::OkStatus();
}

absl::StatusOr<Type> ReadTuple(Reader& reader) {
  Nesting nesting(reader);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  ACCELD_RETURN_IF_ERROR(reader.lexer.Expect('<'));
  std::vector<Type> elements;
  if (!reader.lexer.Peek().Is('>')) {
    ACCELD_ASSIGN_OR_RETURN(elements, ReadTypeList(reader));
  }
  ACCELD_RETURN_IF_ERROR(reader.lexer.Expect('>'));
  return Type::Tuple(std::move(elements));
}

bool IsKnownForeignType(absl::string_view word) {
  return word == "memref" || word == "vector" || word == "none" || word == "index";
}

}  // namespace

absl::Status Reader::Charge(int64_t bytes, absl::string_view what, size_t offset) {
  return lexer.At(offset, totals.budget.Charge(bytes, what));
}

absl::Status RegionNesting::status() const {
  if (reader_.region_depth <= limits::kMaxRegionDepth) return absl::OkStatus();
  return reader_.lexer.Error(
      reader_.lexer.Peek().offset,
      absl::StrCat("regions are nested deeper than ", limits::kMaxRegionDepth));
}

absl::Status Nesting::status() const {
  if (reader_.depth <= limits::kMaxDepth) return absl::OkStatus();
  return reader_.lexer.Error(reader_.lexer.Peek().offset,
                             absl::StrCat("nesting is deeper than ", limits::kMaxDepth));
}

bool AtFunctionAlias(const Reader& reader) {
  const Token& token = reader.lexer.Peek();
  return token.kind == TokenKind::kBang && reader.function_aliases.contains(token.text);
}

absl::Status SkipLocation(Reader& reader) {
  if (!reader.lexer.TryWord("loc")) return absl::OkStatus();
  const size_t begin = reader.lexer.Peek().offset;
  ACCELD_ASSIGN_OR_RETURN(const absl::string_view text, reader.lexer.SkipBalanced());
  if (text.find('#') == absl::string_view::npos) return absl::OkStatus();
  Lexer location(text, "location");
  for (Token token = location.Next(); token.kind != TokenKind::kEnd; token = location.Next()) {
    if (token.kind == TokenKind::kInvalid) break;
    if (token.kind != TokenKind::kHash || token.text.find('.') != absl::string_view::npos) continue;
    reader.named_locations.try_emplace(std::string(token.text), begin + token.offset);
  }
  return absl::OkStatus();
}

absl::Status CheckNamedLocations(const Reader& reader) {
  const std::string* name = nullptr;
  size_t first = 0;
  for (const auto& [named, offset] : reader.named_locations) {
    if (reader.location_aliases.contains(named) || reader.attribute_aliases.contains(named))
      continue;
    if (name != nullptr && first < offset) continue;
    name = &named;
    first = offset;
  }
  if (name == nullptr) return absl::OkStatus();
  return reader.lexer.Error(first,
                            absl::StrCat("alias '", name->substr(0, 100), "' is not defined"));
}

bool AtType(const Reader& reader) {
  const Token& token = reader.lexer.Peek();
  return token.IsWord("tensor") || token.IsWord("tuple") || token.kind == TokenKind::kBang;
}

absl::StatusOr<DType> ReadDType(Reader& reader, bool allow_index) {
  Lexer& lexer = reader.lexer;
  const Token word = lexer.Peek();
  if (word.kind == TokenKind::kBang) {
    const auto alias = reader.element_aliases.find(word.text);
    if (alias != reader.element_aliases.end()) {
      lexer.Next();
      return alias->second;
    }
    return lexer.Unsupported(word.offset,
                             absl::StrCat("element type '", word.text, "' is not supported"));
  }
  if (word.kind != TokenKind::kWord) return lexer.Expected("an element type");
  lexer.Next();
  std::string name(word.text);
  if (word.text == "complex") {
    ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
    const auto alias = reader.element_aliases.find(lexer.Peek().text);
    if (alias != reader.element_aliases.end()) {
      lexer.Next();
      name = absl::StrCat("complex<", DTypeName(alias->second), ">");
    } else {
      ACCELD_ASSIGN_OR_RETURN(const Token part, lexer.ExpectKind(TokenKind::kWord, "a type"));
      name = absl::StrCat("complex<", part.text, ">");
    }
    ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  } else if (allow_index && word.text == "index") {
    return DType::kI64;
  } else if (absl::StartsWith(name, "si")) {
    name.erase(0, 1);
  }
  if (const auto dtype = ParseDType(name)) return *dtype;
  return lexer.Unsupported(word.offset, absl::StrCat("element type '", name, "' is not supported"));
}

namespace {

// tensor<...>, quantized or not.
absl::StatusOr<Type> ReadTensor(Reader& reader, bool allow_index) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("tensor"));
  if (!lexer.Peek().Is('<')) return lexer.Expected("'<'");
  lexer.Next();
  if (lexer.Peek().Is('*')) {
    return lexer.Unsupported(begin, "tensors of unknown rank are not supported");
  }
  Dims dims;
  ACCELD_RETURN_IF_ERROR(ReadDimensions(reader, dims));
  Type type;
  if (AtQuantization(reader)) {
    ACCELD_ASSIGN_OR_RETURN(Quantization quantization, ReadQuantization(reader));
    type = Type::Quantized(std::move(dims), std::move(quantization));
  } else {
    ACCELD_ASSIGN_OR_RETURN(const DType dtype, ReadDType(reader, allow_index));
    type = TensorType{dtype, std::move(dims)};
  }
  if (lexer.Peek().Is(',')) {
    return lexer.Unsupported(lexer.Peek().offset,
                             "tensor types with an encoding or with bounds are not supported");
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  ACCELD_RETURN_IF_ERROR(lexer.At(begin, ValidateType(type)));
  ACCELD_RETURN_IF_ERROR(reader.Charge(MemoryBytesOf(type), "a type", begin));
  return type;
}

}  // namespace

absl::StatusOr<TensorType> ReadTensorType(Reader& reader, bool allow_index) {
  const size_t begin = reader.lexer.Peek().offset;
  const bool is_alias = reader.lexer.Peek().kind == TokenKind::kBang;
  ACCELD_ASSIGN_OR_RETURN(const Type type,
                          is_alias ? ReadType(reader) : ReadTensor(reader, allow_index));
  if (type.IsTensor()) return type.tensor();
  return reader.lexer.Unsupported(
      begin, absl::StrCat("type ", type.ToString(), " is supported for values only"));
}

absl::StatusOr<Type> ReadType(Reader& reader) {
  Lexer& lexer = reader.lexer;
  const Token token = lexer.Peek();
  if (token.IsWord("tensor")) return ReadTensor(reader, /*allow_index=*/false);
  if (lexer.TryWord("tuple")) return ReadTuple(reader);
  if (token.kind == TokenKind::kBang) {
    lexer.Next();
    // A future is a tuple of its values.
    if (token.text == "!stablehlo.future") return ReadTuple(reader);
    if (token.text == "!stablehlo.token" || token.text == "!mhlo.token") return Type::Token();
    const auto alias = reader.type_aliases.find(token.text);
    if (alias != reader.type_aliases.end()) {
      Nesting nesting(reader, alias->second.depth);
      ACCELD_RETURN_IF_ERROR(nesting.status());
      ACCELD_RETURN_IF_ERROR(reader.Charge(alias->second.memory_bytes, token.text, token.offset));
      return alias->second.value;
    }
    return lexer.Unsupported(token.offset,
                             absl::StrCat("type '", token.text, "' is not supported"));
  }
  if (token.kind == TokenKind::kWord &&
      (IsKnownForeignType(token.text) || ParseDType(token.text))) {
    return lexer.Unsupported(token.offset,
                             absl::StrCat("values of type '", token.text,
                                          "' are not supported, only tensors, tuples and tokens"));
  }
  return lexer.Expected("a type");
}

absl::StatusOr<std::vector<Type>> ReadTypeList(Reader& reader) {
  std::vector<Type> types;
  do {
    ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(reader));
    types.push_back(std::move(type));
    if (static_cast<int64_t>(types.size()) > limits::kMaxResults) {
      return reader.lexer.Error(
          reader.lexer.Peek().offset,
          absl::StrCat("more than ", limits::kMaxResults, " types in a list"));
    }
  } while (reader.lexer.TryPunctuation(','));
  return types;
}

absl::StatusOr<std::vector<Type>> ReadResultTypes(Reader& reader) {
  Lexer& lexer = reader.lexer;
  if (!lexer.TryPunctuation('(')) {
    ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(reader));
    return std::vector<Type>{std::move(type)};
  }
  std::vector<Type> types;
  if (!lexer.Peek().Is(')')) {
    ACCELD_ASSIGN_OR_RETURN(types, ReadTypeList(reader));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
  return types;
}

absl::StatusOr<FunctionType> ReadFunctionType(Reader& reader) {
  Nesting nesting(reader);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  FunctionType type;
  if (AtFunctionAlias(reader)) {
    const Token name = reader.lexer.Next();
    const Alias<FunctionType>& alias = reader.function_aliases.find(name.text)->second;
    ACCELD_RETURN_IF_ERROR(reader.Charge(alias.memory_bytes, name.text, name.offset));
    return alias.value;
  }
  if (!reader.lexer.Peek().Is('(')) return reader.lexer.Expected("'(' to start a function type");
  ACCELD_ASSIGN_OR_RETURN(type.parameters, ReadResultTypes(reader));
  ACCELD_RETURN_IF_ERROR(reader.lexer.ExpectArrow());
  ACCELD_ASSIGN_OR_RETURN(type.results, ReadResultTypes(reader));
  return type;
}

}  // namespace acceld::ir::text
