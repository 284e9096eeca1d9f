#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"

namespace acceld::ir::text {

// Appends the text of one function. Values are named in the order in which they appear. The
// arguments of the constructor must outlive the printer.
class FunctionPrinter {
 public:
  // `meshes` are those of the module, to which the function's shardings refer.
  FunctionPrinter(const Function& function, absl::Span<const Mesh> meshes, std::string& out)
      : function_(function), meshes_(meshes), out_(out), names_(function.value_types.size()) {}

  // Appends the function, indented by `indent` levels.
  void Print(int indent);

  // The following functions are for the pretty forms (printer_forms.cc).
  const Function& function() const { return function_; }
  absl::Span<const Mesh> meshes() const { return meshes_; }
  std::string& out() { return out_; }
  // Appends "%0, %1#2".
  void Values(absl::Span<const ValueId> values);
  // Appends " : (types) -> types".
  void Signature(const Op& op);

 private:
  void PrintOps(const Region& region, absl::string_view terminator, int indent);
  void PrintOp(const Op& op, int indent);
  void PrintGeneric(const Op& op, int indent);
  void PrintManualComputation(const Op& op, int indent);
  void PrintRegion(const Region& region, int indent);
  void NameResults(const Op& op);
  void NameParameters(const Region& region);
  // Appends "%0: type, %1: type". `attributes` has those of each parameter, or no entries.
  void Parameters(const Region& region, absl::Span<const AttributeDictionary> attributes);
  // Appends " -> " and the types of the function's results, with their attributes.
  void FunctionResults();
  void Indent(int indent) { out_.append(static_cast<size_t>(indent) * 2, ' '); }

  const Function& function_;
  absl::Span<const Mesh> meshes_;
  std::string& out_;
  std::vector<std::string> names_;  // by ValueId
  int64_t next_name_ = 0;
};

// Appends an op in its pretty form, from its name to its type. Returns false, and appends nothing,
// if the op has to be written in generic form.
bool PrintPrettyForm(FunctionPrinter& printer, const Op& op);

// Returns the properties of an op in generic form: the attributes that differ from their defaults,
// and those that other tools require.
AttributeDictionary GenericProperties(const Op& op);

}  // namespace acceld::ir::text
