#include "common/ir/text/function_reader.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/ir/import/inlined_ops.h"
#include "common/ir/text/forms.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::text {
namespace {

bool IsTerminator(absl::string_view name) {
  return name == "func.return" || name == "stablehlo.return" || name == "sdy.return";
}

// Ops of the func dialect may be written without the dialect's name.
std::string FullName(absl::string_view name) {
  if (name == "call" || name == "return") return absl::StrCat("func.", name);
  return std::string(name);
}

absl::string_view Plural(size_t count) { return count == 1 ? "" : "s"; }

}  // namespace

FunctionReader::FunctionReader(Reader& reader, std::string name, bool is_public, int64_t& op_count)
    : reader_(reader), op_count_(op_count), importer_(std::move(name), is_public, reader.totals) {}

void FunctionReader::BeginScope(Isolation isolation) {
  Scope scope{declared_.size(), shadowed_.size(), 0, 0};
  if (!scopes_.empty()) {
    scope.isolated_values = scopes_.back().isolated_values;
    scope.hidden_values = scopes_.back().hidden_values;
  }
  if (isolation != Isolation::kNone) scope.isolated_values = values_.size();
  if (isolation == Isolation::kValues) scope.hidden_values = values_.size();
  scopes_.push_back(scope);
}

void FunctionReader::EndScope() {
  const Scope scope = scopes_.back();
  for (size_t i = scope.declared; i < declared_.size(); ++i) names_.erase(declared_[i]);
  for (size_t i = scope.shadowed; i < shadowed_.size(); ++i) {
    names_.insert_or_assign(shadowed_[i].name, shadowed_[i].values);
  }
  declared_.resize(scope.declared);
  shadowed_.resize(scope.shadowed);
  scopes_.pop_back();
}

absl::Status FunctionReader::Declare(const Token& name, absl::Span<const ValueId> values) {
  if (static_cast<int64_t>(name.text.size()) > limits::kMaxNameBytes) {
    return lexer().Error(name.offset,
                         absl::StrCat("a name is longer than ", limits::kMaxNameBytes, " bytes"));
  }
  const Values declared{values_.size(), values.size()};
  const auto [entry, is_new] = names_.try_emplace(name.text, declared);
  if (!is_new) {
    if (entry->second.first >= scopes_.back().isolated_values) {
      return lexer().Error(name.offset, absl::StrCat("value ", name.text, " is defined twice"));
    }
    shadowed_.push_back({name.text, entry->second});
    entry->second = declared;
  }
  values_.insert(values_.end(), values.begin(), values.end());
  declared_.push_back(name.text);
  return absl::OkStatus();
}

absl::Status FunctionReader::SkipLocation() { return text::SkipLocation(reader_); }

absl::StatusOr<ValueId> FunctionReader::ReadOperand() {
  ACCELD_ASSIGN_OR_RETURN(const Token name,
                          lexer().ExpectKind(TokenKind::kValue, "a value (%name)"));
  const auto found = names_.find(name.text);
  if (found == names_.end()) {
    return lexer().Error(name.offset,
                         absl::StrCat("expected a value defined before, found ", name.text));
  }
  if (found->second.first < scopes_.back().hidden_values) {
    return lexer().Error(name.offset, absl::StrCat("value ", name.text,
                                                   " lies outside of the region, which can use its "
                                                   "own values only"));
  }
  uint32_t index = 0;
  const Token hash = lexer().Peek();
  if (hash.kind == TokenKind::kHash && hash.offset == name.offset + name.text.size()) {
    lexer().Next();
    if (!absl::SimpleAtoi(hash.text.substr(1), &index) || index >= found->second.count) {
      return lexer().Error(hash.offset,
                           absl::StrCat("expected the number of one of ", found->second.count,
                                        " results of ", name.text, ", found '", hash.text, "'"));
    }
  }
  return values_[found->second.first + index];
}

absl::Status FunctionReader::ReadOperands(std::vector<ValueId>& operands) {
  while (true) {
    ACCELD_ASSIGN_OR_RETURN(const ValueId operand, ReadOperand());
    operands.push_back(operand);
    if (static_cast<int64_t>(operands.size()) > limits::kMaxOperands) {
      return lexer().Error(lexer().Peek().offset,
                           absl::StrCat("an op has more than ", limits::kMaxOperands, " operands"));
    }
    if (!lexer().Peek().Is(',')) return absl::OkStatus();
    const size_t comma = lexer().Next().offset;
    if (lexer().Peek().kind != TokenKind::kValue) {
      lexer().Seek(comma);
      return absl::OkStatus();
    }
  }
}

absl::Status FunctionReader::ReadOperandsInParentheses(std::vector<ValueId>& operands) {
  ACCELD_RETURN_IF_ERROR(lexer().Expect('('));
  if (lexer().Peek().kind == TokenKind::kValue) ACCELD_RETURN_IF_ERROR(ReadOperands(operands));
  if (operands.empty() && !lexer().Peek().Is(')'))
    return lexer().Expected("a value (%name) or ')'");
  return lexer().Expect(')');
}

absl::StatusOr<Parameter> FunctionReader::ReadParameter() {
  Parameter parameter;
  ACCELD_ASSIGN_OR_RETURN(parameter.name,
                          lexer().ExpectKind(TokenKind::kValue, "a parameter (%name)"));
  ACCELD_RETURN_IF_ERROR(lexer().Expect(':'));
  ACCELD_ASSIGN_OR_RETURN(parameter.type, ReadType(reader_));
  ACCELD_RETURN_IF_ERROR(SkipLocation());
  return parameter;
}

// '^'name ('(' parameters ')')? ':'
absl::Status FunctionReader::ReadBlockHeader(std::vector<Parameter>& parameters) {
  lexer().Next();
  if (lexer().TryPunctuation('(')) {
    if (!lexer().Peek().Is(')')) {
      do {
        ACCELD_ASSIGN_OR_RETURN(Parameter parameter, ReadParameter());
        parameters.push_back(std::move(parameter));
      } while (lexer().TryPunctuation(','));
    }
    ACCELD_RETURN_IF_ERROR(lexer().Expect(')'));
  }
  return lexer().Expect(':');
}

absl::StatusOr<std::vector<Parameter>> FunctionReader::ReadParameters(
    const std::vector<Parameter>* given) {
  if (given != nullptr) return *given;
  std::vector<Parameter> parameters;
  if (lexer().Peek().kind == TokenKind::kBlock) {
    ACCELD_RETURN_IF_ERROR(ReadBlockHeader(parameters));
  }
  return parameters;
}

absl::StatusOr<std::vector<ValueId>> FunctionReader::ReadOps() {
  std::vector<ValueId> returned;
  bool ended = false;
  while (!ended) {
    if (lexer().Peek().Is('}')) return lexer().Expected("an op or the return that ends the region");
    ACCELD_ASSIGN_OR_RETURN(ended, ReadOp(returned));
  }
  if (lexer().Peek().kind == TokenKind::kBlock) {
    return lexer().Unsupported(lexer().Peek().offset,
                               "regions of several blocks are not supported");
  }
  if (!lexer().Peek().Is('}')) return lexer().Expected("'}' after the return that ends the region");
  lexer().Next();
  return returned;
}

absl::StatusOr<Function> FunctionReader::ReadBody(const std::vector<Parameter>* given) {
  RegionNesting nesting(reader_);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  if (!lexer().Peek().Is('{')) return lexer().Expected("'{' to start a function's body");
  lexer().Next();
  BeginScope(Isolation::kNone);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, ReadParameters(given));
  for (const Parameter& parameter : parameters) {
    ACCELD_RETURN_IF_ERROR(Declare(parameter.name, {importer_.AddParameter(parameter.type)}));
    type_.parameters.push_back(parameter.type);
  }
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ReadOps());
  type_.results = importer_.TypesOf(results);
  return importer_.Finish(std::move(results));
}

absl::StatusOr<Region> FunctionReader::ReadRegion(const std::vector<Parameter>* given,
                                                  Isolation isolation) {
  RegionNesting nesting(reader_);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  if (!lexer().Peek().Is('{')) return lexer().Expected("'{' to start a region");
  lexer().Next();
  BeginScope(isolation);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, ReadParameters(given));
  std::vector<Type> types;
  types.reserve(parameters.size());
  for (const Parameter& parameter : parameters) types.push_back(parameter.type);
  const std::vector<ValueId> ids = importer_.BeginRegion(types);
  for (size_t i = 0; i < ids.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(Declare(parameters[i].name, {ids[i]}));
  }
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, ReadOps());
  EndScope();
  return importer_.EndRegion(std::move(results));
}

absl::Status FunctionReader::ReadInlinedRegion(ParsedOp& op, const std::vector<Parameter>* given) {
  RegionNesting nesting(reader_);
  ACCELD_RETURN_IF_ERROR(nesting.status());
  if (!lexer().Peek().Is('{')) return lexer().Expected("'{' to start a region");
  lexer().Next();
  const bool is_named_computation = op.name == "sdy.named_computation";
  BeginScope(is_named_computation ? Isolation::kValues : Isolation::kNames);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Parameter> parameters, ReadParameters(given));
  std::vector<Type> types;
  types.reserve(parameters.size());
  for (const Parameter& parameter : parameters) types.push_back(parameter.type);
  // Without parameters, the region of an async_start uses the operands by their outer names.
  if (is_named_computation || !parameters.empty()) {
    ACCELD_RETURN_IF_ERROR(lexer().At(op.offset, importer_.CheckInlined(op, types)));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    ACCELD_RETURN_IF_ERROR(Declare(parameters[i].name, {op.operands[i]}));
  }
  ACCELD_ASSIGN_OR_RETURN(op.returned, ReadOps());
  EndScope();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<FunctionReader::ResultName>> FunctionReader::ReadResultNames() {
  std::vector<ResultName> names;
  if (lexer().Peek().kind != TokenKind::kValue) return names;
  do {
    ResultName result;
    ACCELD_ASSIGN_OR_RETURN(result.name, lexer().ExpectKind(TokenKind::kValue, "a result (%name)"));
    result.count = 1;
    if (lexer().TryPunctuation(':')) {
      const Token count = lexer().Peek();
      if (count.kind != TokenKind::kInteger || !absl::SimpleAtoi(count.text, &result.count) ||
          result.count == 0 || result.count > limits::kMaxResults) {
        return lexer().Expected(
            absl::StrCat("a number of results from 1 to ", limits::kMaxResults));
      }
      lexer().Next();
    }
    names.push_back(result);
  } while (lexer().TryPunctuation(','));
  ACCELD_RETURN_IF_ERROR(lexer().Expect('='));
  return names;
}

absl::StatusOr<bool> FunctionReader::ReadOp(std::vector<ValueId>& returned) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ResultName> names, ReadResultNames());
  const Token token = lexer().Peek();
  const bool generic = token.kind == TokenKind::kString;
  if (!generic && token.kind != TokenKind::kWord) return lexer().Expected("an op");
  lexer().Next();
  ParsedOp op;
  op.name = generic ? Unquote(token.text) : FullName(token.text);
  op.offset = token.offset;
  op.location = lexer().LocationOf(token.offset);
  if (!absl::StrContains(op.name, '.')) {
    return lexer().Error(op.offset, absl::StrCat("expected an op (dialect.name), found '",
                                                 op.name.substr(0, 40), "'"));
  }
  if (++op_count_ > limits::kMaxOps) {
    return lexer().Error(op.offset,
                         absl::StrCat("the program has more than ", limits::kMaxOps, " ops"));
  }

  if (IsTerminator(op.name)) {
    if (!names.empty()) return lexer().Error(op.offset, absl::StrCat(op.name, " has no results"));
    ACCELD_RETURN_IF_ERROR(ReadTerminator(op, generic));
    returned = std::move(op.operands);
    return true;
  }
  if (generic) {
    ACCELD_RETURN_IF_ERROR(ReadGenericForm(op));
  } else {
    const Form form = FindForm(op.name);
    if (form == nullptr) {
      if (FindOp(op.name)) {
        return lexer().Error(op.offset, absl::StrCat("expected the generic form of '", op.name,
                                                     "': \"", op.name, "\"(...) : (...) -> ..."));
      }
      return lexer().Unsupported(op.offset, absl::StrCat("op '", op.name, "' is not supported"));
    }
    ACCELD_RETURN_IF_ERROR(form(*this, op));
  }
  ACCELD_RETURN_IF_ERROR(SkipLocation());

  ACCELD_RETURN_IF_ERROR(CheckOperandTypes(op));
  ACCELD_RETURN_IF_ERROR(ReplaceTestOp(*this, op));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results, Emit(op));
  ACCELD_RETURN_IF_ERROR(BindResults(op, names, results));
  return false;
}

absl::Status FunctionReader::BindResults(const ParsedOp& op, absl::Span<const ResultName> names,
                                         absl::Span<const ValueId> results) {
  if (names.empty()) return absl::OkStatus();
  size_t named = 0;
  for (const ResultName& name : names) named += name.count;
  if (named != results.size()) {
    return lexer().Error(op.offset,
                         absl::StrCat("op '", op.name, "' has ", results.size(), " result",
                                      Plural(results.size()), ", ", named, " are named"));
  }
  size_t next = 0;
  for (const ResultName& name : names) {
    ACCELD_RETURN_IF_ERROR(Declare(name.name, results.subspan(next, name.count)));
    next += name.count;
  }
  return absl::OkStatus();
}

absl::Status FunctionReader::ReadTerminator(ParsedOp& op, bool generic) {
  if (generic) {
    ACCELD_RETURN_IF_ERROR(ReadGenericForm(op));
  } else {
    ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, op.attributes));
    if (lexer().Peek().kind == TokenKind::kValue) {
      ACCELD_RETURN_IF_ERROR(ReadOperands(op.operands));
      ACCELD_RETURN_IF_ERROR(lexer().Expect(':'));
      ACCELD_ASSIGN_OR_RETURN(op.operand_types, ReadTypeList(reader_));
      op.has_operand_types = true;
    }
  }
  ACCELD_RETURN_IF_ERROR(SkipLocation());
  ACCELD_RETURN_IF_ERROR(lexer().At(op.offset, importer_.ChargeUses(op.operands, op.name)));
  return CheckOperandTypes(op);
}

// '(' operands ')' ('<' dictionary '>')? ('(' regions ')')? dictionary? ':' function type
absl::Status FunctionReader::ReadGenericForm(ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(ReadOperandsInParentheses(op.operands));
  if (lexer().Peek().Is('[')) {
    return lexer().Unsupported(lexer().Peek().offset,
                               "ops with successor blocks are not supported");
  }
  if (lexer().TryPunctuation('<')) {
    ACCELD_ASSIGN_OR_RETURN(op.attributes, ReadDictionary(reader_));
    ACCELD_RETURN_IF_ERROR(lexer().Expect('>'));
  }
  if (IsInlinedOp(op.name)) {
    ACCELD_RETURN_IF_ERROR(lexer().Expect('('));
    ACCELD_RETURN_IF_ERROR(ReadInlinedRegion(op, nullptr));
    ACCELD_RETURN_IF_ERROR(lexer().Expect(')'));
  } else if (lexer().TryPunctuation('(')) {
    const Isolation isolation =
        op.name == "sdy.manual_computation" ? Isolation::kValues : Isolation::kNone;
    do {
      ACCELD_ASSIGN_OR_RETURN(Region region, ReadRegion(nullptr, isolation));
      op.regions.push_back(std::move(region));
    } while (lexer().TryPunctuation(','));
    ACCELD_RETURN_IF_ERROR(lexer().Expect(')'));
  }
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(reader_, op.attributes));
  if (!lexer().Peek().Is(':')) {
    return lexer().Expected(absl::StrCat("':' before the type of '", op.name, "'"));
  }
  lexer().Next();
  ACCELD_ASSIGN_OR_RETURN(FunctionType type, ReadFunctionType(reader_));
  op.operand_types = std::move(type.parameters);
  op.has_operand_types = true;
  op.result_types = std::move(type.results);
  return absl::OkStatus();
}

}  // namespace acceld::ir::text
