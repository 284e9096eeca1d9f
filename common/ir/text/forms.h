#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/text/function_reader.h"

// Readers of pretty forms: for each op, the text between its name and the end of its type
// (StableHLO's assembly formats). Each sets the operands, the attributes under their names in the
// specification, the regions and the types of an op.
namespace acceld::ir::text {

// Reads one op in its pretty form.
using Form = absl::Status (*)(FunctionReader&, ParsedOp&);

// Returns the reader of an op's form; nullptr for ops without a pretty form and unknown ops.
Form FindForm(absl::string_view op_name);

// The form of the op with this name.
struct NamedForm {
  absl::string_view name;
  Form form;
};
// The forms of each group of ops, in forms_<group>.cc.
absl::Span<const NamedForm> CheckForms();
absl::Span<const NamedForm> ElementwiseForms();
absl::Span<const NamedForm> IndexingForms();
absl::Span<const NamedForm> ContractionForms();
absl::Span<const NamedForm> ShardingForms();
absl::Span<const NamedForm> StructureForms();

// Makes an op of StableHLO's test programs, in either form, a custom call
// (conformance/conformance.h). An expected value that is an attribute is emitted as a constant.
// Other ops are left as they are.
absl::Status ReplaceTestOp(FunctionReader& in, ParsedOp& op);

// Reads ':' and a function type, or one type that all operands and the result have.
absl::Status ReadSignature(FunctionReader& in, ParsedOp& op);
// Reads operands dictionary? signature.
absl::Status ReadOperandsForm(FunctionReader& in, ParsedOp& op);
// Reads ',' name '='.
absl::Status ExpectField(FunctionReader& in, absl::string_view name);
// Reads ',' name '=' '[' integers ']' as the attribute `attribute`.
absl::Status ReadIntegersField(FunctionReader& in, ParsedOp& op, absl::string_view name,
                               absl::string_view attribute);
// Reads ',' name '=' if that is next; otherwise consumes nothing and returns false.
bool TryField(FunctionReader& in, absl::string_view name);
// Reads a keyword as the attribute `attribute`.
absl::Status ReadKeyword(FunctionReader& in, ParsedOp& op, absl::string_view attribute);
// Reads dictionary? signature, with which most forms end.
absl::Status ReadEnd(FunctionReader& in, ParsedOp& op);

}  // namespace acceld::ir::text
