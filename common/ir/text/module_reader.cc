#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/calls/donation.h"
#include "common/ir/text.h"
#include "common/ir/text/attributes.h"
#include "common/ir/text/function_reader.h"
#include "common/ir/text/shardy.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/memory_size.h"
#include "common/ir/verify/verifier.h"
#include "common/memory/allocation.h"

// Reads modules and functions, in pretty and generic form, and what may surround them.
namespace acceld::ir {
namespace text {
namespace {

// The attributes of a parameter or a result, and where they stand in the text.
struct ValueAttributes {
  size_t offset = 0;
  AttributeDictionary attributes;
};

// A function's header, from either form.
struct Header {
  size_t offset = 0;
  std::string name;
  bool is_public = true;
  bool has_type = false;
  FunctionType type;
  // One entry for each parameter and result; in generic form, none at all if none has attributes.
  std::vector<ValueAttributes> of_parameters, of_results;
};

using Shardings = std::vector<std::optional<Sharding>>;

class ModuleReader {
 public:
  ModuleReader(absl::string_view source, absl::string_view file_name)
      : file_name_(file_name), reader_(source, file_name), lexer_(reader_.lexer) {}

  absl::StatusOr<Module> Read();

 private:
  absl::Status ReadTop();
  absl::Status ReadAlias();
  bool AtElementType() const;
  absl::Status ReadResources();
  absl::Status ReadModule();
  absl::Status ReadGenericModule();
  absl::Status ReadItems();
  absl::Status ReadItem();
  absl::Status ReadFunction();
  absl::Status ReadGenericFunction();
  absl::Status ReadFunctionProperties(Header& header);
  absl::Status ReadMeshOp();
  absl::Status ReadGenericMeshOp();
  absl::Status DeclareMesh(const Token& at, std::string name, const Attribute& mesh);
  absl::Status ReadValueAttributes(std::vector<ValueAttributes>& to);
  absl::Status ReadListOfValueAttributes(std::vector<ValueAttributes>& to);
  absl::StatusOr<std::vector<Parameter>> ReadHeaderParameters(Header& header);
  absl::StatusOr<std::vector<Type>> ReadHeaderResults(Header& header);
  absl::StatusOr<std::vector<Donation>> DonationsOf(const Header& header);
  // `what` names the values: "parameters". There are `count`, and `all` has their attributes.
  absl::StatusOr<Shardings> ShardingsOf(const Header& header, absl::Span<const ValueAttributes> all,
                                        absl::string_view what, size_t count);
  absl::Status SetName(const Token& token, std::string name, std::string& to);
  // `read` is the type of the function that was read, which must be that of the header.
  absl::Status AddFunction(const Header& header, const FunctionType& read, Function function);
  absl::Status SkipLocation();

  const absl::string_view file_name_;
  Reader reader_;
  Lexer& lexer_;
  Module module_;
  absl::flat_hash_set<std::string> aliases_;  // that are defined, with their "#" or "!"
  bool seen_module_ = false;
  int64_t op_count_ = 0;
};

absl::StatusOr<Module> ModuleReader::Read() {
  while (lexer_.Peek().kind != TokenKind::kEnd) ACCELD_RETURN_IF_ERROR(ReadTop());
  if (!seen_module_ && module_.functions.empty()) return lexer_.Expected("a module or a function");
  ACCELD_RETURN_IF_ERROR(CheckNamedLocations(reader_));
  auto module = reader_.totals.Finish(std::move(module_));
  if (!module.ok()) return Annotate(module.status(), file_name_);
  return module;
}

absl::Status ModuleReader::ReadTop() {
  const Token token = lexer_.Peek();
  if (token.kind == TokenKind::kHash || token.kind == TokenKind::kBang) return ReadAlias();
  if (token.Is('{')) return ReadResources();
  const bool pretty = token.IsWord("module") || token.IsWord("builtin.module");
  if (!pretty && token.text != "\"builtin.module\"") return ReadItem();
  if (seen_module_ || !module_.functions.empty()) {
    return lexer_.Error(token.offset, "expected one module, found another");
  }
  seen_module_ = true;
  lexer_.Next();
  return pretty ? ReadModule() : ReadGenericModule();
}

bool ModuleReader::AtElementType() const {
  const Token& token = lexer_.Peek();
  return token.IsWord("complex") || (token.kind == TokenKind::kWord && ParseDType(token.text)) ||
         (token.kind == TokenKind::kBang && reader_.element_aliases.contains(token.text));
}

// '#'name '=' attribute | '!'name '=' type
absl::Status ModuleReader::ReadAlias() {
  const Token name = lexer_.Next();
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('='));
  reader_.max_depth_seen = 0;
  const std::string alias(name.text);
  if (!aliases_.insert(alias).second) {
    return lexer_.Error(name.offset,
                        absl::StrCat("alias '", alias.substr(0, 100), "' is defined twice"));
  }
  if (name.kind == TokenKind::kBang && AtQuantization(reader_)) {
    ACCELD_ASSIGN_OR_RETURN(reader_.quantization_aliases[std::string(name.text)],
                            ReadQuantization(reader_));
    return absl::OkStatus();
  }
  if (name.kind == TokenKind::kBang && AtElementType()) {
    ACCELD_ASSIGN_OR_RETURN(reader_.element_aliases[alias], ReadDType(reader_));
    return absl::OkStatus();
  }
  if (name.kind == TokenKind::kBang && (lexer_.Peek().Is('(') || AtFunctionAlias(reader_))) {
    ACCELD_ASSIGN_OR_RETURN(FunctionType type, ReadFunctionType(reader_));
    int64_t bytes = 0;
    for (const Type& parameter : type.parameters) bytes += MemoryBytesOf(parameter);
    for (const Type& result : type.results) bytes += MemoryBytesOf(result);
    reader_.function_aliases[alias] = {std::move(type), bytes, reader_.max_depth_seen};
    return absl::OkStatus();
  }
  if (name.kind == TokenKind::kBang) {
    ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(reader_));
    const int64_t bytes = MemoryBytesOf(type);
    reader_.type_aliases[std::string(name.text)] = {std::move(type), bytes, reader_.max_depth_seen};
    return absl::OkStatus();
  }
  if (lexer_.Peek().IsWord("loc")) {
    reader_.location_aliases.insert(alias);
    return SkipLocation();
  }
  ACCELD_ASSIGN_OR_RETURN(Attribute value, ReadAttribute(reader_));
  const int64_t bytes = MemoryBytesOf(value);
  reader_.attribute_aliases[std::string(name.text)] = {std::move(value), bytes,
                                                       reader_.max_depth_seen};
  return absl::OkStatus();
}

// '{-#' anything '#-}' at the end of the file. Only dense_resource constants can refer to the
// resources that it declares, and these are refused when they are read.
absl::Status ModuleReader::ReadResources() {
  const size_t begin = lexer_.Peek().offset;
  const absl::string_view rest = lexer_.source().substr(begin);
  if (rest.substr(0, 3) != "{-#") return lexer_.Expected("a module or a function");
  const size_t end = rest.rfind("#-}");
  if (end == absl::string_view::npos) {
    return lexer_.Error(begin, "expected '#-}' to end the resource section");
  }
  lexer_.Seek(begin + end + 3);
  return absl::OkStatus();
}

absl::Status ModuleReader::SkipLocation() { return text::SkipLocation(reader_); }

absl::Status ModuleReader::SetName(const Token& token, std::string name, std::string& to) {
  if (name.empty() || static_cast<int64_t>(name.size()) > limits::kMaxNameBytes) {
    return lexer_.Error(token.offset,
                        absl::StrCat("expected a name of 1 to ", limits::kMaxNameBytes,
                                     " bytes, found ", name.size()));
  }
  to = std::move(name);
  return absl::OkStatus();
}

// @name? ('attributes' dictionary)? '{' items '}' location?
absl::Status ModuleReader::ReadModule() {
  if (lexer_.Peek().kind == TokenKind::kSymbol) {
    const Token name = lexer_.Next();
    ACCELD_RETURN_IF_ERROR(SetName(name, SymbolName(name.text), module_.name));
  }
  if (lexer_.TryWord("attributes")) {
    const size_t begin = lexer_.Peek().offset;
    ACCELD_ASSIGN_OR_RETURN(const AttributeDictionary attributes, ReadDictionary(reader_));
    ACCELD_RETURN_IF_ERROR(lexer_.At(begin, reader_.totals.distribution.ReadGrid(attributes)));
  }
  if (!lexer_.Peek().Is('{')) return lexer_.Expected("'{' to start the module");
  lexer_.Next();
  ACCELD_RETURN_IF_ERROR(ReadItems());
  return SkipLocation();
}

// '()' ('<' dictionary '>')? '({' items '})' dictionary? ':' type location?
absl::Status ModuleReader::ReadGenericModule() {
  AttributeDictionary properties;
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('('));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  const Token begin = lexer_.Peek();
  if (lexer_.TryPunctuation('<')) {
    ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, properties));
    ACCELD_RETURN_IF_ERROR(lexer_.Expect('>'));
  }
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('('));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('{'));
  if (lexer_.Peek().kind == TokenKind::kBlock) {
    lexer_.Next();
    ACCELD_RETURN_IF_ERROR(lexer_.Expect(':'));
  }
  ACCELD_RETURN_IF_ERROR(ReadItems());
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, properties));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(':'));
  ACCELD_RETURN_IF_ERROR(ReadFunctionType(reader_).status());
  ACCELD_RETURN_IF_ERROR(lexer_.At(begin.offset, reader_.totals.distribution.ReadGrid(properties)));
  const auto name = properties.find("sym_name");
  if (name != properties.end()) {
    if (const auto* text = std::get_if<StringAttribute>(&name->second.value)) {
      ACCELD_RETURN_IF_ERROR(SetName(begin, text->value, module_.name));
    }
  }
  return SkipLocation();
}

absl::Status ModuleReader::ReadItems() {
  while (!lexer_.TryPunctuation('}')) {
    if (lexer_.Peek().kind == TokenKind::kEnd) return lexer_.Expected("'}' to end the module");
    ACCELD_RETURN_IF_ERROR(ReadItem());
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::ReadItem() {
  const Token token = lexer_.Peek();
  if (token.kind != TokenKind::kWord && token.kind != TokenKind::kString) {
    return lexer_.Expected("a function");
  }
  const bool generic = token.kind == TokenKind::kString;
  const std::string name = generic ? Unquote(token.text) : std::string(token.text);
  if (name == "func.func") return generic ? ReadGenericFunction() : ReadFunction();
  if (name == "sdy.mesh") return generic ? ReadGenericMeshOp() : ReadMeshOp();
  if (name.find('.') == std::string::npos && name != "module") return lexer_.Expected("a function");
  return lexer_.Unsupported(token.offset, absl::StrCat("op '", name.substr(0, 100),
                                                       "' is not supported outside of functions"));
}

absl::Status ModuleReader::DeclareMesh(const Token& at, std::string name, const Attribute& mesh) {
  std::string checked;
  ACCELD_RETURN_IF_ERROR(SetName(at, std::move(name), checked));
  return lexer_.At(at.offset, reader_.totals.distribution.DeclareMesh(checked, mesh));
}

// @name '=' mesh dictionary? location?
absl::Status ModuleReader::ReadMeshOp() {
  lexer_.Next();
  ACCELD_ASSIGN_OR_RETURN(const Token name,
                          lexer_.ExpectKind(TokenKind::kSymbol, "the name of the mesh"));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('='));
  ACCELD_ASSIGN_OR_RETURN(const Attribute mesh, ReadMeshAttribute(reader_));
  ACCELD_RETURN_IF_ERROR(DeclareMesh(name, SymbolName(name.text), mesh));
  AttributeDictionary ignored;
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, ignored));
  return SkipLocation();
}

// '()' ('<' dictionary '>')? dictionary? ':' type location?
absl::Status ModuleReader::ReadGenericMeshOp() {
  const Token begin = lexer_.Next();
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('('));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  AttributeDictionary properties;
  if (lexer_.TryPunctuation('<')) {
    ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, properties));
    ACCELD_RETURN_IF_ERROR(lexer_.Expect('>'));
  }
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, properties));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(':'));
  ACCELD_RETURN_IF_ERROR(ReadFunctionType(reader_).status());
  const auto* name = std::get_if<StringAttribute>(&properties["sym_name"].value);
  const auto mesh = properties.find("mesh");
  if (name == nullptr || mesh == properties.end()) {
    return lexer_.Error(begin.offset, "a mesh has no sym_name or no mesh");
  }
  ACCELD_RETURN_IF_ERROR(DeclareMesh(begin, name->value, mesh->second));
  return SkipLocation();
}

// dictionary?: the attributes of a parameter or a result.
absl::Status ModuleReader::ReadValueAttributes(std::vector<ValueAttributes>& to) {
  ValueAttributes& value = to.emplace_back();
  value.offset = lexer_.Peek().offset;
  return ReadOptionalDictionary(reader_, value.attributes);
}

// '[' dictionary,* ']': a function's arg_attrs or res_attrs.
absl::Status ModuleReader::ReadListOfValueAttributes(std::vector<ValueAttributes>& to) {
  to.clear();
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('['));
  if (lexer_.TryPunctuation(']')) return absl::OkStatus();
  do {
    if (!lexer_.Peek().Is('{')) {
      return lexer_.Expected("the attributes of a parameter or a result");
    }
    ACCELD_RETURN_IF_ERROR(ReadValueAttributes(to));
  } while (lexer_.TryPunctuation(','));
  return lexer_.Expect(']');
}

// '(' (%name ':' type dictionary? location?),* ')'
absl::StatusOr<std::vector<Parameter>> ModuleReader::ReadHeaderParameters(Header& header) {
  std::vector<Parameter> parameters;
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('('));
  if (!lexer_.Peek().Is(')')) {
    do {
      Parameter parameter;
      if (AtType(reader_)) {
        return lexer_.Unsupported(lexer_.Peek().offset,
                                  "functions without a body are not supported");
      }
      ACCELD_ASSIGN_OR_RETURN(parameter.name,
                              lexer_.ExpectKind(TokenKind::kValue, "a parameter (%name)"));
      ACCELD_RETURN_IF_ERROR(lexer_.Expect(':'));
      ACCELD_ASSIGN_OR_RETURN(parameter.type, ReadType(reader_));
      ACCELD_RETURN_IF_ERROR(ReadValueAttributes(header.of_parameters));
      ACCELD_RETURN_IF_ERROR(SkipLocation());
      parameters.push_back(std::move(parameter));
    } while (lexer_.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  return parameters;
}

// type | '(' (type dictionary?),* ')'
absl::StatusOr<std::vector<Type>> ModuleReader::ReadHeaderResults(Header& header) {
  if (!lexer_.Peek().Is('(')) return ReadResultTypes(reader_);
  lexer_.Next();
  std::vector<Type> types;
  if (!lexer_.Peek().Is(')')) {
    do {
      ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(reader_));
      ACCELD_RETURN_IF_ERROR(ReadValueAttributes(header.of_results));
      types.push_back(std::move(type));
    } while (lexer_.TryPunctuation(','));
  }
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  return types;
}

// visibility? @name parameters ('->' results)? ('attributes' dictionary)? body location?
absl::Status ModuleReader::ReadFunction() {
  Header header;
  header.offset = lexer_.Next().offset;
  if (lexer_.TryWord("private") || lexer_.TryWord("nested")) {
    header.is_public = false;
  } else {
    lexer_.TryWord("public");
  }
  ACCELD_ASSIGN_OR_RETURN(const Token name,
                          lexer_.ExpectKind(TokenKind::kSymbol, "the function's name (@name)"));
  ACCELD_RETURN_IF_ERROR(SetName(name, SymbolName(name.text), header.name));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, ReadHeaderParameters(header));
  if (lexer_.TryArrow()) {
    ACCELD_ASSIGN_OR_RETURN(header.type.results, ReadHeaderResults(header));
  }
  for (const Parameter& parameter : parameters) header.type.parameters.push_back(parameter.type);
  header.has_type = true;
  if (lexer_.TryWord("attributes")) ACCELD_RETURN_IF_ERROR(ReadDictionary(reader_).status());
  if (!lexer_.Peek().Is('{')) return lexer_.Expected("'{' to start the body of the function");
  FunctionReader body(reader_, header.name, header.is_public, op_count_);
  ACCELD_ASSIGN_OR_RETURN(Function function, body.ReadBody(&parameters));
  ACCELD_RETURN_IF_ERROR(SkipLocation());
  return AddFunction(header, body.type(), std::move(function));
}

// dictionary?: the properties of the function.
absl::Status ModuleReader::ReadFunctionProperties(Header& header) {
  if (!lexer_.Peek().Is('{')) return absl::OkStatus();
  return ReadDictionaryEntries(
      reader_, [&](const std::string& name, bool has_value) -> absl::Status {
        if (!has_value) return absl::OkStatus();
        if (name == "function_type") {
          header.has_type = true;
          ACCELD_ASSIGN_OR_RETURN(header.type, ReadFunctionType(reader_));
          return absl::OkStatus();
        }
        if (name == "arg_attrs" && lexer_.Peek().Is('[')) {
          return ReadListOfValueAttributes(header.of_parameters);
        }
        if (name == "res_attrs" && lexer_.Peek().Is('[')) {
          return ReadListOfValueAttributes(header.of_results);
        }
        const Token token = lexer_.Peek();
        ACCELD_ASSIGN_OR_RETURN(const Attribute value, ReadAttribute(reader_));
        const auto* text = std::get_if<StringAttribute>(&value.value);
        if (name == "sym_name" && text != nullptr) return SetName(token, text->value, header.name);
        if (name == "sym_visibility" && text != nullptr) header.is_public = text->value == "public";
        return absl::OkStatus();
      });
}

// '()' ('<' properties '>')? '(' body ')' properties? ':' type location?
absl::Status ModuleReader::ReadGenericFunction() {
  Header header;
  header.offset = lexer_.Next().offset;
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('('));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  if (lexer_.TryPunctuation('<')) {
    ACCELD_RETURN_IF_ERROR(ReadFunctionProperties(header));
    ACCELD_RETURN_IF_ERROR(lexer_.Expect('>'));
  }
  ACCELD_RETURN_IF_ERROR(lexer_.Expect('('));
  FunctionReader body(reader_, header.name, header.is_public, op_count_);
  ACCELD_ASSIGN_OR_RETURN(Function function, body.ReadBody(nullptr));
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(')'));
  ACCELD_RETURN_IF_ERROR(ReadFunctionProperties(header));
  if (header.name.empty()) return lexer_.Error(header.offset, "a function has no sym_name");
  ACCELD_RETURN_IF_ERROR(lexer_.Expect(':'));
  ACCELD_RETURN_IF_ERROR(ReadFunctionType(reader_).status());
  ACCELD_RETURN_IF_ERROR(SkipLocation());
  function.name = header.name;
  function.is_public = header.is_public;
  return AddFunction(header, body.type(), std::move(function));
}

absl::StatusOr<std::vector<Donation>> ModuleReader::DonationsOf(const Header& header) {
  std::vector<Donation> donations;
  for (size_t i = 0; i < header.of_parameters.size(); ++i) {
    const ValueAttributes& parameter = header.of_parameters[i];
    const auto donation = ReadDonation(parameter.attributes, i);
    ACCELD_RETURN_IF_ERROR(lexer_.At(parameter.offset, donation.status()));
    if (donation->has_value()) donations.push_back(**donation);
  }
  return donations;
}

absl::StatusOr<Shardings> ModuleReader::ShardingsOf(const Header& header,
                                                    absl::Span<const ValueAttributes> all,
                                                    absl::string_view what, size_t count) {
  Shardings shardings;
  bool has_any = false;
  for (const ValueAttributes& value : all) {
    auto sharding = reader_.totals.distribution.ShardingAmong(value.attributes, header.name);
    ACCELD_RETURN_IF_ERROR(lexer_.At(value.offset, sharding.status()));
    has_any |= sharding->has_value();
    shardings.push_back(*std::move(sharding));
  }
  if (!has_any) return Shardings();
  if (shardings.size() == count) return shardings;
  return lexer_.Error(header.offset,
                      absl::StrCat("function @", header.name, " has attributes of ",
                                   shardings.size(), " ", what, ", expected ", count));
}

absl::Status ModuleReader::AddFunction(const Header& header, const FunctionType& read,
                                       Function function) {
  if (static_cast<int64_t>(module_.functions.size()) >= limits::kMaxFunctions) {
    return lexer_.Error(header.offset, absl::StrCat("the program has more than ",
                                                    limits::kMaxFunctions, " functions"));
  }
  if (header.has_type) {
    if (read.parameters != header.type.parameters) {
      return lexer_.Error(
          header.offset,
          absl::StrCat("function @", header.name, " takes (", ToString(read.parameters),
                       "), its type says (", ToString(header.type.parameters), ")"));
    }
    if (read.results != header.type.results) {
      return lexer_.Error(header.offset, absl::StrCat("function @", header.name, " returns (",
                                                      ToString(read.results), "), its type says (",
                                                      ToString(header.type.results), ")"));
    }
  }
  reader_.totals.signatures.Declare(header.name, read.parameters, read.results);
  ACCELD_ASSIGN_OR_RETURN(function.donations, DonationsOf(header));
  ACCELD_ASSIGN_OR_RETURN(
      function.parameter_shardings,
      ShardingsOf(header, header.of_parameters, "parameters", read.parameters.size()));
  ACCELD_ASSIGN_OR_RETURN(function.result_shardings,
                          ShardingsOf(header, header.of_results, "results", read.results.size()));
  module_.functions.push_back(std::move(function));
  return absl::OkStatus();
}

}  // namespace
}  // namespace text

absl::StatusOr<Module> ParseModule(absl::string_view source, absl::string_view file_name) {
  if (static_cast<int64_t>(source.size()) > limits::kMaxProgramBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(file_name, ": the program has ", source.size(),
                                                     " bytes, more than ",
                                                     limits::kMaxProgramBytes));
  }
  return ContainAllocationFailure(file_name, [&]() -> absl::StatusOr<Module> {
    ACCELD_ASSIGN_OR_RETURN(Module module, text::ModuleReader(source, file_name).Read());
    ACCELD_RETURN_IF_ERROR(Annotate(Verify(module), file_name));
    return module;
  });
}

}  // namespace acceld::ir
