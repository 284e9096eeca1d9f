#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

// StableHLO text: reader and printer. Grammar: the MLIR language reference and the assembly formats
// of the StableHLO dialect, static and dynamic types, pretty and generic forms.
namespace acceld::ir {

// Reads a module. `file_name` stands in messages: "model.mlir:12:7: expected ':' before the type of
// 'stablehlo.add', found '->'". The result is verified. An op outside ops.def is UNIMPLEMENTED:
// "...: op 'stablehlo.foo' is not supported". The text is untrusted: depth and counts are
// bounded, and the memory that it may take (memory_budget.h) is a RESOURCE_EXHAUSTED.
absl::StatusOr<Module> ParseModule(absl::string_view text,
                                   absl::string_view file_name = "<program>");

// Prints StableHLO text that ParseModule (and other StableHLO tools, save for acceld.* ops) reads
// back to an equal module. Deterministic: values are %0, %1, ... in order of definition.
std::string PrintModule(const Module& module);
std::string PrintFunction(const Function& function);

}  // namespace acceld::ir
