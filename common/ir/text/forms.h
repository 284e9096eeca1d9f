#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/text/function_reader.h"

// Pretty forms: what stands between an op's name and the end of its type, per op (StableHLO's
// assembly formats). Each fills in operands, attributes under their names in the specification,
// regions and types.
namespace acceld::ir::text {

using Form = absl::Status (*)(FunctionReader&, ParsedOp&);

// nullptr for ops that have no pretty form or that are not known at all.
Form FindForm(absl::string_view op_name);

struct NamedForm {
  absl::string_view name;
  Form form;
};
// The forms of each group, in the files forms_<group>.cc.
absl::Span<const NamedForm> ElementwiseForms();
absl::Span<const NamedForm> IndexingForms();
absl::Span<const NamedForm> ContractionForms();
absl::Span<const NamedForm> StructureForms();

// ':' and a function type, or one type that all operands and the result share.
absl::Status ReadSignature(FunctionReader& in, ParsedOp& op);
// Operands, dictionary?, signature.
absl::Status ReadOperandsForm(FunctionReader& in, ParsedOp& op);
// ',' name '='
absl::Status ExpectField(FunctionReader& in, absl::string_view name);
// ',' name '=' '[' integers ']', as the attribute `attribute`.
absl::Status ReadIntegersField(FunctionReader& in, ParsedOp& op, absl::string_view name,
                               absl::string_view attribute);
// name '=' if it stands next, after a ','. Consumes nothing otherwise.
bool TryField(FunctionReader& in, absl::string_view name);
// A keyword, as the attribute `attribute`.
absl::Status ReadKeyword(FunctionReader& in, ParsedOp& op, absl::string_view attribute);
// Dictionary?, signature: how most forms end.
absl::Status ReadEnd(FunctionReader& in, ParsedOp& op);

}  // namespace acceld::ir::text
