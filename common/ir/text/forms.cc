#include "common/ir/text/forms.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/ir/chlo/chlo.h"
#include "common/ir/verify/memory_size.h"

namespace acceld::ir::text {
namespace {

// operands ':' types '->' type, as CHLO writes it, parentheses or not.
absl::Status ReadChloForm(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
  if (!in.lexer().Peek().Is(':')) return ReadSignature(in, op);
  const size_t colon = in.lexer().Next().offset;
  if (in.lexer().Peek().Is('(')) {
    in.lexer().Seek(colon);
    return ReadSignature(in, op);
  }
  ACCELD_ASSIGN_OR_RETURN(op.operand_types, ReadTypeList(in.reader()));
  op.has_operand_types = true;
  ACCELD_RETURN_IF_ERROR(in.lexer().ExpectArrow());
  ACCELD_ASSIGN_OR_RETURN(op.result_types, ReadResultTypes(in.reader()));
  return absl::OkStatus();
}

}  // namespace

Form FindForm(absl::string_view op_name) {
  static const auto& forms = *new absl::flat_hash_map<absl::string_view, Form>([] {
    absl::flat_hash_map<absl::string_view, Form> all;
    for (const auto group : {CheckForms(), ElementwiseForms(), IndexingForms(), ContractionForms(),
                             ShardingForms(), StructureForms()}) {
      for (const NamedForm& entry : group) all.emplace(entry.name, entry.form);
    }
    return all;
  }());
  const auto found = forms.find(op_name);
  if (found != forms.end()) return found->second;
  return IsChloOp(op_name) ? ReadChloForm : nullptr;
}

absl::Status ReadSignature(FunctionReader& in, ParsedOp& op) {
  Lexer& lexer = in.lexer();
  if (!lexer.Peek().Is(':')) {
    return lexer.Expected(absl::StrCat("':' before the type of '", op.name, "'"));
  }
  lexer.Next();
  op.has_operand_types = true;
  if (lexer.Peek().Is('(') || AtFunctionAlias(in.reader())) {
    ACCELD_ASSIGN_OR_RETURN(FunctionType type, ReadFunctionType(in.reader()));
    op.operand_types = std::move(type.parameters);
    op.result_types = std::move(type.results);
    return absl::OkStatus();
  }
  const size_t begin = lexer.Peek().offset;
  ACCELD_ASSIGN_OR_RETURN(Type type, ReadType(in.reader()));
  const int64_t bytes = MemoryBytesOf(type) * static_cast<int64_t>(op.operands.size());
  ACCELD_RETURN_IF_ERROR(in.reader().Charge(bytes, op.name, begin));
  op.operand_types.assign(op.operands.size(), type);
  op.result_types = {std::move(type)};
  return absl::OkStatus();
}

absl::Status ReadEnd(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(ReadOptionalDictionary(in.reader(), op.attributes));
  return ReadSignature(in, op);
}

absl::Status ReadOperandsForm(FunctionReader& in, ParsedOp& op) {
  ACCELD_RETURN_IF_ERROR(in.ReadOperands(op.operands));
  return ReadEnd(in, op);
}

absl::Status ExpectField(FunctionReader& in, absl::string_view name) {
  ACCELD_RETURN_IF_ERROR(in.lexer().Expect(','));
  ACCELD_RETURN_IF_ERROR(in.lexer().ExpectWord(name));
  return in.lexer().Expect('=');
}

bool TryField(FunctionReader& in, absl::string_view name) {
  Lexer& lexer = in.lexer();
  const size_t begin = lexer.Peek().offset;
  if (lexer.TryPunctuation(',') && lexer.TryWord(name) && lexer.TryPunctuation('=')) return true;
  lexer.Seek(begin);
  return false;
}

absl::Status ReadIntegersField(FunctionReader& in, ParsedOp& op, absl::string_view name,
                               absl::string_view attribute) {
  ACCELD_RETURN_IF_ERROR(ExpectField(in, name));
  ACCELD_ASSIGN_OR_RETURN(std::vector<int64_t> values, ReadIntegers(in.reader()));
  op.attributes[std::string(attribute)] = IntegersAttribute(std::move(values));
  return absl::OkStatus();
}

absl::Status ReadKeyword(FunctionReader& in, ParsedOp& op, absl::string_view attribute) {
  ACCELD_ASSIGN_OR_RETURN(const Token word, in.lexer().ExpectKind(TokenKind::kWord, "a keyword"));
  op.attributes[std::string(attribute)] = KeywordAttribute(word.text);
  return absl::OkStatus();
}

}  // namespace acceld::ir::text
