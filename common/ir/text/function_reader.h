#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/ir/import/importer.h"
#include "common/ir/module.h"
#include "common/ir/text/attributes.h"
#include "common/ir/text/reader.h"

namespace acceld::ir::text {

// One op as the text has it, whatever form it was written in.
struct ParsedOp : ImportedOp {
  size_t offset = 0;
  // From the signature: the operands' types, where it names them.
  bool has_operand_types = false;
  std::vector<Type> operand_types;
  // Of an op of inlined_ops.h: what its region returns.
  std::vector<ValueId> returned;
};

// A named value that a region starts with.
struct Parameter {
  Token name;
  Type type;
};

// Reads the body of one function: ops in generic and pretty form, names scoped by region. Types of
// values are the declared ones; each op is checked against its inference rule where it stands.
class FunctionReader {
 public:
  // `op_count` counts the ops of the module over all its functions.
  FunctionReader(Reader& reader, std::string name, bool is_public, int64_t& op_count);

  // '{' ops '}' with the parameters named in the function's header, or by its first block when
  // there is no header. Gives the function.
  absl::StatusOr<Function> ReadBody(const std::vector<Parameter>* parameters);
  // What ReadBody read, as the text declares it.
  const FunctionType& type() const { return type_; }

  // For the pretty forms (forms.h).
  Reader& reader() { return reader_; }
  Lexer& lexer() { return reader_.lexer; }
  const Type& TypeOf(ValueId id) const { return importer_.TypeOf(id); }
  // %x or %x#1, defined before.
  absl::StatusOr<ValueId> ReadOperand();
  // Operands between commas, at least one; stops before a comma that no operand follows.
  absl::Status ReadOperands(std::vector<ValueId>& operands);
  // '(' operands? ')'
  absl::Status ReadOperandsInParentheses(std::vector<ValueId>& operands);
  // '{' ops '}'. Parameters come from the caller, or else from the region's block header.
  absl::StatusOr<Region> ReadRegion(const std::vector<Parameter>* parameters);
  // The region of an op of inlined_ops.h whose operands were read, with its parameters as in
  // ReadRegion; its ops are appended where the reader stands.
  absl::Status ReadInlinedRegion(ParsedOp& op, const std::vector<Parameter>* parameters);
  // Notes the meshes that shardings name, which stand in `text`: "[<@mesh, [{"a"}, {}]>]".
  absl::Status NoteMeshes(const ParsedOp& op, absl::string_view text);
  // %name ':' type loc?
  absl::StatusOr<Parameter> ReadParameter();
  // loc(...)?
  absl::Status SkipLocation();

  // Checks an op and appends it where the reader stands; gives its results. Takes the op's parts.
  absl::StatusOr<std::vector<ValueId>> Emit(ParsedOp& op);
  // A region of one op over fresh parameters: the short form of reduce.
  absl::StatusOr<Region> RegionOf(absl::string_view op_name, absl::Span<const Type> parameters,
                                  std::vector<Type> results, const ParsedOp& around);

 private:
  // The values of a name: a range of values_. The results of an op need not have ids in a row.
  struct Values {
    size_t first;
    size_t count;
  };
  struct ResultName {
    Token name;
    uint32_t count;
  };

  // Reads one op. True when it was the terminator; `returned` is what it returns then.
  absl::StatusOr<bool> ReadOp(std::vector<ValueId>& returned);
  // Ops up to and with the terminator and the '}' behind it; gives what the terminator returns.
  absl::StatusOr<std::vector<ValueId>> ReadOps();
  // The parameters of the region whose '{' was read: `given`, or else its block header's.
  absl::StatusOr<std::vector<Parameter>> ReadParameters(const std::vector<Parameter>* given);
  absl::StatusOr<std::vector<ResultName>> ReadResultNames();
  absl::Status ReadGenericForm(ParsedOp& op);
  absl::Status ReadTerminator(ParsedOp& op, bool generic);
  absl::Status CheckOperandTypes(const ParsedOp& op);
  absl::Status BindResults(const ParsedOp& op, absl::Span<const ResultName> names,
                           absl::Span<const ValueId> results);
  absl::Status Declare(const Token& name, absl::Span<const ValueId> values);
  absl::Status ReadBlockHeader(std::vector<Parameter>& parameters);
  void BeginScope(bool isolated = false);
  void EndScope();

  Reader& reader_;
  int64_t& op_count_;
  Importer importer_;
  FunctionType type_;
  absl::flat_hash_map<absl::string_view, Values> names_;  // keys are tokens of the source
  std::vector<ValueId> values_;
  // Names of the region that is open, from where its scope began.
  struct Scope {
    size_t declared;         // size of declared_
    size_t shadowed;         // size of shadowed_
    size_t isolated_values;  // values before this one lie outside of the innermost isolated region
  };
  struct Shadowed {
    absl::string_view name;
    Values values;
  };
  std::vector<absl::string_view> declared_;  // names in scope, oldest first
  std::vector<Shadowed>
      shadowed_;  // what names meant around an isolated region that uses them anew
  std::vector<Scope> scopes_;
};

}  // namespace acceld::ir::text
