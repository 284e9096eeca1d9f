#include "common/ir/text/shardy.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/ir/text/attributes.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::text {
namespace {

// Reads an attribute without its name.
using Contents = absl::StatusOr<Attribute> (*)(Reader&);

// The nesting levels of a list of shardings, which nests deepest: the list and what contains it,
// the list of a sharding's dimensions, that of a dimension's axes, and a part of an axis with its
// sizes.
constexpr int kLevels = 9;

// Charges the memory of attributes in a list or a structure.
absl::Status Charge(Reader& reader, int64_t attributes) {
  return reader.Charge(attributes * kAttributeEntryBytes, "an attribute of Shardy",
                       reader.lexer.Peek().offset);
}

Attribute MakeStruct(absl::string_view name, AttributeDictionary fields) {
  return {StructAttribute{std::string(name), std::move(fields)}};
}

// open (element (',' element)*)? close
absl::StatusOr<Attribute> ReadList(Reader& reader, char open, char close, Contents read) {
  Lexer& lexer = reader.lexer;
  ArrayAttribute list;
  ACCELD_RETURN_IF_ERROR(lexer.Expect(open));
  if (!lexer.Peek().Is(close)) {
    do {
      ACCELD_ASSIGN_OR_RETURN(Attribute element, read(reader));
      list.elements.push_back(std::move(element));
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect(close));
  return Attribute{std::move(list)};
}

// Reads an attribute whose name is left out, or else one with its name, or an alias.
absl::StatusOr<Attribute> ReadNameless(Reader& reader, Contents read) {
  if (reader.lexer.Peek().kind == TokenKind::kHash) return ReadAttribute(reader);
  Nesting nesting(reader, kLevels);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  return read(reader);
}

absl::StatusOr<Attribute> ReadAxisName(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 1));
  ACCELD_ASSIGN_OR_RETURN(
      const Token token,
      lexer.ExpectKind(TokenKind::kString, "the name of an axis (a string in quotes)"));
  const std::string name = Unquote(token.text);
  if (name.empty() || static_cast<int64_t>(name.size()) > limits::kMaxNameBytes) {
    return lexer.Error(token.offset, absl::StrCat("the name of an axis has ", name.size(),
                                                  " bytes, expected 1 to ", limits::kMaxNameBytes));
  }
  return TextAttribute(name);
}

// name '=' size
absl::StatusOr<Attribute> ReadMeshAxis(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 2));
  AttributeDictionary fields;
  ACCELD_ASSIGN_OR_RETURN(fields["name"], ReadAxisName(reader));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
  const size_t begin = lexer.Peek().offset;
  ACCELD_ASSIGN_OR_RETURN(const int64_t size, lexer.ExpectInteger());
  if (size < 1) return lexer.Error(begin, "expected an axis of at least one device");
  fields["size"] = IntAttribute(size);
  return MakeStruct("mesh_axis", std::move(fields));
}

// '<' '[' mesh_axis,* ']' (',' 'device_ids' '=' '[' integers ']')? '>'
absl::StatusOr<Attribute> ReadMeshContents(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 3));
  AttributeDictionary fields;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
  ACCELD_ASSIGN_OR_RETURN(fields["axes"], ReadList(reader, '[', ']', ReadMeshAxis));
  if (lexer.TryPunctuation(',')) {
    ACCELD_RETURN_IF_ERROR(lexer.ExpectWord("device_ids"));
    ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
    ACCELD_ASSIGN_OR_RETURN(std::vector<int64_t> device_ids, ReadIntegers(reader));
    fields["device_ids"] = IntegersAttribute(std::move(device_ids));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return MakeStruct("mesh", std::move(fields));
}

// name (':' '(' pre_size ')' size)?
absl::StatusOr<Attribute> ReadAxis(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 1));
  AttributeDictionary fields;
  ACCELD_ASSIGN_OR_RETURN(fields["name"], ReadAxisName(reader));
  if (lexer.TryPunctuation(':')) {
    ACCELD_RETURN_IF_ERROR(Charge(reader, 3));
    AttributeDictionary part;
    ACCELD_RETURN_IF_ERROR(lexer.Expect('('));
    ACCELD_ASSIGN_OR_RETURN(const int64_t pre_size, lexer.ExpectInteger());
    ACCELD_RETURN_IF_ERROR(lexer.Expect(')'));
    ACCELD_ASSIGN_OR_RETURN(const int64_t size, lexer.ExpectInteger());
    part["pre_size"] = IntAttribute(pre_size);
    part["size"] = IntAttribute(size);
    fields["sub_axis_info"] = MakeStruct("sub_axis_info", std::move(part));
  }
  return MakeStruct("axis_ref", std::move(fields));
}

// '{' axis,* '}'
absl::StatusOr<Attribute> ReadAxisListContents(Reader& reader) {
  ACCELD_RETURN_IF_ERROR(Charge(reader, 1));
  return ReadList(reader, '{', '}', ReadAxis);
}

// 'p' priority, without a blank between them.
absl::StatusOr<Attribute> ReadPriority(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 1));
  int64_t priority = 0;
  if (lexer.Peek().text[0] != 'p' || !absl::SimpleAtoi(lexer.Peek().text.substr(1), &priority)) {
    return lexer.Expected("a priority (p0, p1, ...)");
  }
  lexer.Next();
  return IntAttribute(priority);
}

// '{' (axis,* (',' '?')? | '?') '}' priority?
absl::StatusOr<Attribute> ReadDimension(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 3));
  ArrayAttribute axes;
  bool is_closed = true;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('{'));
  if (!lexer.Peek().Is('}')) {
    do {
      is_closed = !lexer.TryPunctuation('?');
      if (!is_closed) break;
      ACCELD_ASSIGN_OR_RETURN(Attribute axis, ReadAxis(reader));
      axes.elements.push_back(std::move(axis));
    } while (lexer.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer.Expect('}'));
  AttributeDictionary fields;
  fields["axes"].value = std::move(axes);
  fields["is_closed"] = IntAttribute(is_closed ? 1 : 0, DType::kI1);
  if (lexer.Peek().kind == TokenKind::kWord) {
    ACCELD_ASSIGN_OR_RETURN(fields["priority"], ReadPriority(reader));
  }
  return MakeStruct("dimension_sharding", std::move(fields));
}

// @name | 'mesh' mesh
absl::StatusOr<Attribute> ReadMeshOrName(Reader& reader) {
  if (reader.lexer.TryWord("mesh")) return ReadMeshAttribute(reader);
  ACCELD_ASSIGN_OR_RETURN(
      const Token name,
      reader.lexer.ExpectKind(TokenKind::kSymbol, "the name of a mesh (@name) or 'mesh'"));
  return NameAttribute(SymbolName(name.text));
}

// (',' 'replicated' '=' axes)? (',' 'unreduced' '=' reduction? axes)?, in any order
absl::Status ReadOtherAxes(Reader& reader, AttributeDictionary& fields) {
  Lexer& lexer = reader.lexer;
  while (lexer.TryPunctuation(',')) {
    const Token name = lexer.Peek();
    const bool is_unreduced = name.IsWord("unreduced");
    if (!is_unreduced && !name.IsWord("replicated")) {
      return lexer.Expected("'replicated' or 'unreduced'");
    }
    if (fields.contains(std::string(name.text))) {
      return lexer.Error(name.offset, absl::StrCat("field '", name.text, "' stands twice"));
    }
    lexer.Next();
    ACCELD_RETURN_IF_ERROR(lexer.Expect('='));
    if (is_unreduced && lexer.Peek().kind == TokenKind::kWord) {
      ACCELD_ASSIGN_OR_RETURN(const int64_t reduction, ReadReductionKind(reader));
      if (reduction != 0) fields["reduction_op"] = IntAttribute(reduction);
    }
    ACCELD_ASSIGN_OR_RETURN(fields[std::string(name.text)], ReadAxisListContents(reader));
  }
  return absl::OkStatus();
}

// '<' mesh_or_name ',' '[' dimension,* ']' other_axes '>'
absl::StatusOr<Attribute> ReadShardingContents(Reader& reader) {
  Lexer& lexer = reader.lexer;
  // With its three fields and a reduction.
  ACCELD_RETURN_IF_ERROR(Charge(reader, 4));
  AttributeDictionary fields;
  ACCELD_RETURN_IF_ERROR(lexer.Expect('<'));
  ACCELD_ASSIGN_OR_RETURN(fields["mesh"], ReadMeshOrName(reader));
  ACCELD_RETURN_IF_ERROR(lexer.Expect(','));
  ACCELD_ASSIGN_OR_RETURN(fields["dimensions"], ReadList(reader, '[', ']', ReadDimension));
  ACCELD_RETURN_IF_ERROR(ReadOtherAxes(reader, fields));
  ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return MakeStruct("sharding", std::move(fields));
}

// '[' sharding,* ']'
absl::StatusOr<Attribute> ReadShardingsContents(Reader& reader) {
  ACCELD_RETURN_IF_ERROR(Charge(reader, 2));
  AttributeDictionary fields;
  ACCELD_ASSIGN_OR_RETURN(fields["shardings"], ReadList(reader, '[', ']', ReadSharding));
  return MakeStruct("sharding_per_value", std::move(fields));
}

// '<' '[' sharding,* ']' '>'
absl::StatusOr<Attribute> ReadShardingPerValue(Reader& reader) {
  ACCELD_RETURN_IF_ERROR(reader.lexer.Expect('<'));
  ACCELD_ASSIGN_OR_RETURN(Attribute shardings, ReadShardingsContents(reader));
  ACCELD_RETURN_IF_ERROR(reader.lexer.Expect('>'));
  return shardings;
}

// '{' name,* '}'
absl::StatusOr<Attribute> ReadManualAxesContents(Reader& reader) {
  ACCELD_RETURN_IF_ERROR(Charge(reader, 2));
  AttributeDictionary fields;
  ACCELD_ASSIGN_OR_RETURN(fields["axes"], ReadList(reader, '{', '}', ReadAxisName));
  return MakeStruct("manual_axes", std::move(fields));
}

// '[' axis_list,* ']'
absl::StatusOr<Attribute> ReadAxisListsContents(Reader& reader) {
  return ReadList(reader, '[', ']', ReadAxisListContents);
}

// axis_list ':' source '->' target
absl::StatusOr<Attribute> ReadAllToAllParam(Reader& reader) {
  Lexer& lexer = reader.lexer;
  ACCELD_RETURN_IF_ERROR(Charge(reader, 3));
  AttributeDictionary fields;
  ACCELD_ASSIGN_OR_RETURN(fields["axes"], ReadAxisListContents(reader));
  ACCELD_RETURN_IF_ERROR(lexer.Expect(':'));
  ACCELD_ASSIGN_OR_RETURN(const int64_t source, lexer.ExpectInteger());
  ACCELD_RETURN_IF_ERROR(lexer.ExpectArrow());
  ACCELD_ASSIGN_OR_RETURN(const int64_t target, lexer.ExpectInteger());
  fields["src_dim"] = IntAttribute(source);
  fields["tgt_dim"] = IntAttribute(target);
  return MakeStruct("all_to_all_param", std::move(fields));
}

// '[' all_to_all_param,* ']'
absl::StatusOr<Attribute> ReadAllToAllParamsContents(Reader& reader) {
  return ReadList(reader, '[', ']', ReadAllToAllParam);
}

struct NamedContents {
  absl::string_view name;
  Contents read;
};
constexpr NamedContents kAttributes[] = {
    {"all_to_all_param_list", ReadAllToAllParamsContents},
    {"axis_ref_list", ReadAxisListContents},
    {"list_of_axis_ref_lists", ReadAxisListsContents},
    {"manual_axes", ReadManualAxesContents},
    {"mesh", ReadMeshContents},
    {"sharding", ReadShardingContents},
    {"sharding_per_value", ReadShardingPerValue},
};

}  // namespace

absl::StatusOr<Attribute> ReadShardyAttribute(Reader& reader, const Token& hash) {
  Lexer& lexer = reader.lexer;
  const size_t begin = lexer.Peek().offset;
  constexpr absl::string_view kDialect = "#sdy";
  const bool is_name_inside = hash.text == kDialect;
  if (is_name_inside) lexer.Next();
  const absl::string_view name =
      is_name_inside ? lexer.Peek().text : hash.text.substr(kDialect.size() + 1);
  const auto is_it = [&](const NamedContents& attribute) { return attribute.name == name; };
  const auto* found = std::find_if(std::begin(kAttributes), std::end(kAttributes), is_it);
  if (found == std::end(kAttributes)) {
    lexer.Seek(begin);
    ACCELD_ASSIGN_OR_RETURN(const absl::string_view text, lexer.SkipBalanced());
    return Attribute{OpaqueAttribute{absl::StrCat(hash.text, text)}};
  }
  Nesting nesting(reader, kLevels);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  if (is_name_inside) lexer.Next();
  ACCELD_ASSIGN_OR_RETURN(Attribute attribute, found->read(reader));
  if (is_name_inside) ACCELD_RETURN_IF_ERROR(lexer.Expect('>'));
  return attribute;
}

absl::StatusOr<Attribute> ReadMeshAttribute(Reader& reader) {
  return ReadNameless(reader, ReadMeshContents);
}
absl::StatusOr<Attribute> ReadSharding(Reader& reader) {
  return ReadNameless(reader, ReadShardingContents);
}
absl::StatusOr<Attribute> ReadShardings(Reader& reader) {
  return ReadNameless(reader, ReadShardingsContents);
}
absl::StatusOr<Attribute> ReadManualAxes(Reader& reader) {
  return ReadNameless(reader, ReadManualAxesContents);
}
absl::StatusOr<Attribute> ReadAxisList(Reader& reader) {
  return ReadNameless(reader, ReadAxisListContents);
}
absl::StatusOr<Attribute> ReadAxisLists(Reader& reader) {
  return ReadNameless(reader, ReadAxisListsContents);
}
absl::StatusOr<Attribute> ReadAllToAllParams(Reader& reader) {
  return ReadNameless(reader, ReadAllToAllParamsContents);
}

absl::StatusOr<int64_t> ReadReductionKind(Reader& reader) {
  constexpr absl::string_view kReductions[] = {"sum", "max", "min"};
  Lexer& lexer = reader.lexer;
  for (size_t i = 0; i < std::size(kReductions); ++i) {
    if (lexer.TryWord(kReductions[i])) return static_cast<int64_t>(i);
  }
  return lexer.Expected("'sum', 'max' or 'min'");
}

}  // namespace acceld::ir::text
