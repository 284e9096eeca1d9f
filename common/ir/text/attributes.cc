#include "common/ir/text/attributes.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/quantization/quantized_types.h"
#include "common/ir/text/elements.h"
#include "common/ir/text/shardy.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::text {
namespace {

// `5`, `5 : i32`, `-1.5 : f32`, `0x7FC00000 : f32`.
absl::StatusOr<Attribute> ReadNumber(Reader& reader) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  lexer.TryPunctuation('-');
  const bool is_float = lexer.Peek().kind == TokenKind::kFloat;
  if (!is_float && lexer.Peek().kind != TokenKind::kInteger) return lexer.Expected("a number");
  lexer.Next();
  // The type, which is needed to read the number, is behind it.
  DType dtype = is_float ? DType::kF64 : DType::kI64;
  if (lexer.TryPunctuation(':')) {
    ACCELD_ASSIGN_OR_RETURN(dtype, ReadDType(reader, /*allow_index=*/true));
  }
  const size_t after = lexer.Peek().offset;
  lexer.Seek(begin);
  Attribute attribute;
  if (IsFloat(dtype)) {
    ACCELD_ASSIGN_OR_RETURN(const double value, ReadFloatValue(reader, dtype));
    attribute.value = FloatAttribute{value, dtype};
  } else if (IsComplex(dtype)) {
    return lexer.Expected("a number that is not complex");
  } else {
    ACCELD_ASSIGN_OR_RETURN(const int64_t value, ReadIntegerValue(reader, dtype));
    attribute = IntAttribute(value, dtype);
  }
  lexer.Seek(after);
  return attribute;
}

// Reads what follows the word `array`: <i64: 1, 2>.
absl::StatusOr<Attribute> ReadDenseArray(Reader& reader) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
  DenseArrayAttribute array;
  ACCELD_ASSIGN_OR_RETURN(array.dtype, ReadDType(reader));
  if (IsFloat(array.dtype) || IsComplex(array.dtype)) {
    lexer.Seek(begin);
    ACCELD_ASSIGN_OR_RETURN(const absl::string_view text, lexer.SkipBalanced());
    return Attribute{OpaqueAttribute{absl::StrCat("array", text)}};
  }
  if (lexer.TryPunctuation(':')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(const int64_t value, ReadIntegerValue(reader, array.dtype));
      array.values.push_back(value);
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return Attribute{std::move(array)};
}

absl::StatusOr<Attribute> ReadArray(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  ArrayAttribute array;
  if (!lexer.Peek().Is(']')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(Attribute element, ReadAttribute(reader));
      array.elements.push_back(std::move(element));
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  return Attribute{std::move(array)};
}

// #stablehlo.gather<...>, #stablehlo<precision HIGH>, #alias, #sdy.sharding<...>.
absl::StatusOr<Attribute> ReadHash(Reader& reader) {
  Lexer& lexer = reader.lexer;
  const Token hash = lexer.Next();
  if (!lexer.Peek().Is('<')) {
    const auto alias = reader.attribute_aliases.find(hash.text);
    if (alias != reader.attribute_aliases.end()) {
      // The nesting levels of the alias's value count here. ReadAttribute has counted the outermost
      // one.
      Nesting nesting(reader, alias->second.depth - 1);
      ACCELD_RETURN_IF_ERROR(nesting.status());
      ACCELD_RETURN_IF_ERROR(reader.Charge(alias->second.memory_bytes, hash.text, hash.offset));
      return alias->second.value;
    }
    // A name with a dialect is an attribute of another dialect.
    if (!reader.location_aliases.contains(hash.text) && !absl::StrContains(hash.text, '.')) {
      return lexer.Error(hash.offset,
                         absl::StrCat("alias '", hash.text.substr(0, 100), "' is not defined"));
    }
    return Attribute{OpaqueAttribute{std::string(hash.text)}};
  }
  if (hash.text == "#sdy" || absl::StartsWith(hash.text, "#sdy.")) {
    return ReadShardyAttribute(reader, hash);
  }
  const bool own = hash.text == "#stablehlo" || absl::StartsWith(hash.text, "#stablehlo.") ||
                   hash.text == "#chlo" || absl::StartsWith(hash.text, "#chlo.") ||
                   hash.text == "#mhlo" || absl::StartsWith(hash.text, "#mhlo.") ||
                   hash.text == "#acceld";
  if (!own) {
    ACCELD_ASSIGN_OR_RETURN(const absl::string_view text, lexer.SkipBalanced());
    return Attribute{OpaqueAttribute{absl::StrCat(hash.text, text)}};
  }
  lexer.Next();
  absl::string_view name = hash.text.substr(1);
  const size_t dot = name.find('.');
  name = dot == absl::string_view::npos ? absl::string_view() : name.substr(dot + 1);
  if (name.empty()) {  // #stablehlo<name ...>: the older spelling of #stablehlo.name<...>
    ACCELD_ASSIGN_OR_RETURN(const Token word,
                            lexer.ExpectKind(TokenKind::kWord, "the kind of the attribute"));
    name = word.text;
    if (lexer.TryPunctuation('<')) {
      ACCELD_ASSIGN_OR_RETURN(Attribute fields, ReadStructFields(reader, name));
      ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
      ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
      return fields;
    }
  }
  Attribute result;
  if (lexer.Peek().Is('>')) {
    result.value = StructAttribute{std::string(name), {}};
  } else if (name == "conv" && lexer.Peek().Is('[')) {
    ACCELD_ASSIGN_OR_RETURN(result, ReadConvolutionLayouts(reader));
  } else {
    const Token word = lexer.Peek();
    if (word.kind != TokenKind::kWord) return lexer.Expected("a keyword or a field");
    lexer.Next();
    if (lexer.Peek().Is('>')) {
      result = KeywordAttribute(word.text);
    } else {
      lexer.Seek(word.offset);
      ACCELD_ASSIGN_OR_RETURN(result, ReadStructFields(reader, name));
    }
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return result;
}

absl::StatusOr<Attribute> ReadSymbol(Reader& reader) {
  Lexer& lexer = reader.lexer;
  std::string name = SymbolName(lexer.Next().text);
  while (lexer.Peek().Is(':') && lexer.source().substr(lexer.Peek().offset, 3) == "::@") {
    lexer.Next();
    lexer.Next();
    absl::StrAppend(&name, "::", SymbolName(lexer.Next().text));
  }
  return NameAttribute(name);
}

absl::StatusOr<Attribute> ReadWord(Reader& reader) {
  Lexer& lexer = reader.lexer;
  const Token word = lexer.Peek();
  if (word.text == "dense") {
    lexer.Next();
    ACCELD_ASSIGN_OR_RETURN(Literal literal, ReadDense(reader, /*allow_index=*/true));
    return Attribute{std::move(literal)};
  }
  if (word.text == "array") {
    lexer.Next();
    return ReadDenseArray(reader);
  }
  if (word.text == "true" || word.text == "false") {
    lexer.Next();
    return IntAttribute(word.text == "true" ? 1 : 0, DType::kI1);
  }
  if (lexer.TryWord("unit")) return Attribute{UnitAttribute{}};
  if (word.text == "dense_resource") {
    return lexer.Unsupported(word.offset, "constants in resource sections are not supported");
  }
  if (word.text == "tensor") {
    ACCELD_ASSIGN_OR_RETURN(TensorType type, ReadTensorType(reader, /*allow_index=*/true));
    return Attribute{Type(std::move(type))};
  }
  if (word.text == "tuple") {
    ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(reader));
    if (HasQuantized(type)) {
      return lexer.Unsupported(
          word.offset, absl::StrCat("type ", type.ToString(), " is supported for values only"));
    }
    return Attribute{std::move(type)};
  }
  if (word.text == "complex" || ParseDType(word.text)) {
    ACCELD_ASSIGN_OR_RETURN(const DType dtype, ReadDType(reader));
    return Attribute{Type(TensorType{dtype, {}})};
  }
  if (word.text == "loc") {
    ACCELD_RETURN_IF_ERROR(SkipLocation(reader));
    return Attribute{OpaqueAttribute{"loc"}};
  }
  lexer.Next();
  if (!lexer.Peek().Is('<') && !lexer.Peek().Is('(')) return KeywordAttribute(word.text);
  // loc(...), affine_map<...> and types of other dialects have no meaning here.
  std::string text(word.text);
  while (lexer.Peek().Is('<') || lexer.Peek().Is('(')) {
    ACCELD_ASSIGN_OR_RETURN(const absl::string_view group, lexer.SkipBalanced());
    absl::StrAppend(&text, group);
  }
  return Attribute{OpaqueAttribute{std::move(text)}};
}

}  // namespace

namespace {

// Reads '[' ('<' fields '>'),* ']' if it starts here: structures that have no name, because their
// kind follows from the field that contains them. Otherwise nothing is consumed.
absl::StatusOr<bool> TryUnnamedStructs(Reader& reader, Attribute& to) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  if (!lexer.TryPunctuation('[') || !lexer.Peek().Is('<')) {
    lexer.Seek(begin);
    return false;
  }
  Nesting nesting(reader);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  ArrayAttribute list;
  do {
    ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
    ACCELD_RETURN_IF_ERROR(
        reader.Charge(kAttributeEntryBytes, "an attribute", lexer.Peek().offset));
    ACCELD_ASSIGN_OR_RETURN(Attribute element, ReadStructFields(reader, ""));
    ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
    list.elements.push_back(std::move(element));
  } while (lexer.TryPunctuation(','));
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  to.value = std::move(list);
  return true;
}

// '(' pre_size ')' size
absl::StatusOr<Attribute> ReadPartOfAxis(Reader& reader) {
  Lexer& lexer = reader.lexer;
  StructAttribute part{"sub_axis_info", {}};
  ACCELD_RETURN_IF_ERROR(reader.Charge(2 * kAttributeEntryBytes, part.name, lexer.Peek().offset));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('('));
  ACCELD_ASSIGN_OR_RETURN(const int64_t pre_size, lexer.ExpectInteger());
  ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
  ACCELD_ASSIGN_OR_RETURN(const int64_t size, lexer.ExpectInteger());
  part.fields["pre_size"] = IntAttribute(pre_size, DType::kI64);
  part.fields["size"] = IntAttribute(size, DType::kI64);
  return Attribute{std::move(part)};
}

}  // namespace

absl::StatusOr<Attribute> ReadStructFields(Reader& reader, absl::string_view name) {
  Lexer& lexer = reader.lexer;
  StructAttribute structure;
  structure.name = std::string(name);
  do {
    ACCELD_ASSIGN_OR_RETURN(const Token field, lexer.ExpectKind(TokenKind::kWord, "a field name"));
    ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
    Attribute value;
    const size_t begin = lexer.Peek().offset;
    ACCELD_ASSIGN_OR_RETURN(const bool are_unnamed, TryUnnamedStructs(reader, value));
    if (are_unnamed) {
      // They are in `value`.
    } else if (field.text == "sub_axis_info" && lexer.Peek().Is('(')) {
      ACCELD_ASSIGN_OR_RETURN(value, ReadPartOfAxis(reader));
    } else if (auto integers =
                   lexer.Peek().Is('[') ? ReadIntegers(reader) : absl::UnknownError("not a list");
               integers.ok()) {
      value = IntegersAttribute(*std::move(integers));
    } else {
      lexer.Seek(begin);
      ACCELD_ASSIGN_OR_RETURN(value, ReadAttribute(reader));
    }
    if (!structure.fields.try_emplace(std::string(field.text), std::move(value)).second) {
      return lexer.Error(field.offset, absl::StrCat("field '", field.text, "' stands twice"));
    }
  } while (lexer.TryPunctuation(','));
  return Attribute{std::move(structure)};
}

absl::StatusOr<Attribute> ReadAttribute(Reader& reader) {
  Nesting nesting(reader);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  Lexer& lexer = reader.lexer;
  const Token token = lexer.Peek();
  ACCELD_RETURN_IF_ERROR(reader.Charge(kAttributeEntryBytes, "an attribute", token.offset));
  switch (token.kind) {
    case TokenKind::kWord:
      return ReadWord(reader);
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ReadNumber(reader);
    case TokenKind::kString: {
      lexer.Next();
      Attribute text = TextAttribute(Unquote(token.text));
      if (lexer.TryPunctuation(':')) ACCELD_RETURN_IF_ERROR(ReadAttribute(reader).status());
      return text;
    }
    case TokenKind::kSymbol:
      return ReadSymbol(reader);
    case TokenKind::kHash:
      return ReadHash(reader);
    case TokenKind::kBang: {
      if (reader.element_aliases.contains(token.text)) {
        ACCELD_ASSIGN_OR_RETURN(const DType dtype, ReadDType(reader));
        return Attribute{Type(TensorType{dtype, {}})};
      }
      if (AtFunctionAlias(reader)) {
        ACCELD_RETURN_IF_ERROR(ReadFunctionType(reader).status());
        return Attribute{OpaqueAttribute{std::string(token.text)}};
      }
      ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(reader));
      return Attribute{std::move(type)};
    }
    case TokenKind::kPunctuation:
      if (token.Is('-')) return ReadNumber(reader);
      if (token.Is('[')) return ReadArray(reader);
      if (token.Is('{')) {
        ACCELD_ASSIGN_OR_RETURN(AttributeDictionary dictionary, ReadDictionary(reader));
        return Attribute{DictionaryAttribute{std::move(dictionary)}};
      }
      if (token.Is('(')) {
        ACCELD_RETURN_IF_ERROR(ReadFunctionType(reader).status());
        const size_t end = lexer.Peek().offset;
        return Attribute{
            OpaqueAttribute{std::string(lexer.source().substr(token.offset, end - token.offset))}};
      }
      break;
    case TokenKind::kEnd:
    case TokenKind::kInvalid:
    case TokenKind::kArrow:
    case TokenKind::kValue:
    case TokenKind::kBlock:
      break;
  }
  return lexer.Expected("an attribute");
}

absl::Status ReadDictionaryEntries(
    Reader& reader,
    const std::function<absl::Status(const std::string& name, bool has_value)>& read_value) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('{'));
  if (lexer.TryPunctuation('}')) return absl::OkStatus();
  do {
    const Token name = lexer.Peek();
    if (name.kind != TokenKind::kWord && name.kind != TokenKind::kString) {
      return lexer.Expected("an attribute name");
    }
    if (static_cast<int64_t>(name.text.size()) > limits::kMaxNameBytes) {
      return lexer.Error(name.offset,
                         absl::StrCat("a name is longer than ", limits::kMaxNameBytes, " bytes"));
    }
    lexer.Next();
    ACCELD_RETURN_IF_ERROR(
        read_value(name.kind == TokenKind::kString ? Unquote(name.text) : std::string(name.text),
                   lexer.TryPunctuation('=')));
  } while (lexer.TryPunctuation(','));
  return lexer.Expect('}');
}

absl::Status ReadOptionalDictionary(Reader& reader, AttributeDictionary& dictionary) {
  Lexer& lexer = reader.lexer;
  if (!lexer.Peek().Is('{')) return absl::OkStatus();
  return ReadDictionaryEntries(
      reader, [&](const std::string& name, bool has_value) -> absl::Status {
        const size_t offset = lexer.Peek().offset;
        Attribute value{UnitAttribute{}};
        if (has_value) {
          ACCELD_ASSIGN_OR_RETURN(value, ReadAttribute(reader));
        }
        if (!dictionary.try_emplace(name, std::move(value)).second) {
          return lexer.Error(offset, absl::StrCat("attribute '", name, "' stands twice"));
        }
        return absl::OkStatus();
      });
}

absl::StatusOr<AttributeDictionary> ReadDictionary(Reader& reader) {
  AttributeDictionary dictionary;
  if (!reader.lexer.Peek().Is('{')) return reader.lexer.Expected("'{'");
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader, dictionary));
  return dictionary;
}

absl::StatusOr<std::vector<int64_t>> ReadIntegers(Reader& reader) {
  Lexer& lexer = reader.lexer;
  std::vector<int64_t> values;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('['));
  if (!lexer.Peek().Is(']')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(const int64_t value, lexer.ExpectInteger());
      values.push_back(value);
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(']'));
  return values;
}

Attribute IntegersAttribute(std::vector<int64_t> values) {
  return {DenseArrayAttribute{DType::kI64, std::move(values)}};
}
Attribute IntAttribute(int64_t value, DType dtype) { return {IntegerAttribute{value, dtype}}; }
Attribute KeywordAttribute(absl::string_view keyword) {
  return {EnumAttribute{std::string(keyword)}};
}
Attribute TextAttribute(absl::string_view text) { return {StringAttribute{std::string(text)}}; }
Attribute NameAttribute(absl::string_view symbol) { return {SymbolAttribute{std::string(symbol)}}; }

}  // namespace acceld::ir::text
