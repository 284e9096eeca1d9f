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

// An op as it is in the text, in generic or pretty form.
struct ParsedOp : ImportedOp {
  size_t offset = 0;
  // The operands' types from the signature, if it has them.
  bool has_operand_types = false;
  std::vector<Type> operand_types;
  // For an op of inlined_ops.h: the values that its region returns.
  std::vector<ValueId> returned;
};

// A parameter of a region, with its name.
struct Parameter {
  Token name;
  Type type;
};

// Reads the body of one function: ops in generic and pretty form, with names that are scoped by
// region. Values have their declared types; each op is checked against its inference rule when it
// is read.
class FunctionReader {
 public:
  // `op_count` counts the ops of all functions of the module.
  FunctionReader(Reader& reader, std::string name, bool is_public, int64_t& op_count);

  // Reads '{' ops '}' and returns the function. The parameters are those of the function's header
  // or, if that has none (nullptr), of the body's block header.
  absl::StatusOr<Function> ReadBody(const std::vector<Parameter>* parameters);
  // The type of the function that ReadBody has read, with the types that the text declares.
  const FunctionType& type() const { return type_; }

  // The following functions are for the pretty forms (forms.h).
  Reader& reader() { return reader_; }
  Lexer& lexer() { return reader_.lexer; }
  const Type& TypeOf(ValueId id) const { return importer_.TypeOf(id); }
  // Reads %x or %x#1, a value that is defined before.
  absl::StatusOr<ValueId> ReadOperand();
  // Reads at least one operand, and further ones behind commas. Stops before a comma that is not
  // followed by an operand.
  absl::Status ReadOperands(std::vector<ValueId>& operands);
  // Reads '(' operands? ')'.
  absl::Status ReadOperandsInParentheses(std::vector<ValueId>& operands);
  // How a region is separated from the values around it.
  enum class Isolation : uint8_t {
    kNone,
    kNames,   // it may define their names anew
    kValues,  // it also cannot use them
  };
  // Reads '{' ops '}'. The parameters are given by the caller, or else (nullptr) by the region's
  // block header.
  absl::StatusOr<Region> ReadRegion(const std::vector<Parameter>* parameters,
                                    Isolation isolation = Isolation::kNone);
  // Reads the region of an op of inlined_ops.h, whose operands must be read already, with
  // parameters as in ReadRegion. The region's ops are appended to the open region.
  absl::Status ReadInlinedRegion(ParsedOp& op, const std::vector<Parameter>* parameters);
  // Reads %name ':' type loc?.
  absl::StatusOr<Parameter> ReadParameter();
  // Skips loc(...)?.
  absl::Status SkipLocation();

  // Checks an op, appends it to the open region and returns its results. The contents of `op` are
  // moved.
  absl::StatusOr<std::vector<ValueId>> Emit(ParsedOp& op);
  // Makes a region of one op on its own parameters, for the short form of reduce.
  absl::StatusOr<Region> RegionOf(absl::string_view op_name, absl::Span<const Type> parameters,
                                  std::vector<Type> results, const ParsedOp& around);

 private:
  // The values of a name, a range of values_. (The results of an op need not have consecutive ids.)
  struct Values {
    size_t first;
    size_t count;
  };
  struct ResultName {
    Token name;
    uint32_t count;
  };

  // Reads one op. Returns true when the op was the terminator, whose operands are then in
  // `returned`.
  absl::StatusOr<bool> ReadOp(std::vector<ValueId>& returned);
  // Reads the ops up to the terminator and the '}' behind it; returns what the terminator returns.
  absl::StatusOr<std::vector<ValueId>> ReadOps();
  // Returns the parameters of the region whose '{' was read: `given`, or else those of its block
  // header.
  absl::StatusOr<std::vector<Parameter>> ReadParameters(const std::vector<Parameter>* given);
  absl::StatusOr<std::vector<ResultName>> ReadResultNames();
  absl::Status ReadGenericForm(ParsedOp& op);
  absl::Status ReadTerminator(ParsedOp& op, bool generic);
  absl::Status CheckOperandTypes(const ParsedOp& op);
  absl::Status BindResults(const ParsedOp& op, absl::Span<const ResultName> names,
                           absl::Span<const ValueId> results);
  absl::Status Declare(const Token& name, absl::Span<const ValueId> values);
  absl::Status ReadBlockHeader(std::vector<Parameter>& parameters);
  void BeginScope(Isolation isolation);
  void EndScope();

  Reader& reader_;
  int64_t& op_count_;
  Importer importer_;
  FunctionType type_;
  absl::flat_hash_map<absl::string_view, Values> names_;  // keys are tokens of the source
  std::vector<ValueId> values_;
  // The scope of a region's names.
  struct Scope {
    size_t declared;         // size of declared_
    size_t shadowed;         // size of shadowed_
    size_t isolated_values;  // the names of values before this one may be defined anew
    size_t hidden_values;    // values before this one cannot be used
  };
  struct Shadowed {
    absl::string_view name;
    Values values;
  };
  std::vector<absl::string_view> declared_;  // names in scope, oldest first
  std::vector<Shadowed> shadowed_;           // values of names that an isolated region redefines
  std::vector<Scope> scopes_;
};

}  // namespace acceld::ir::text
