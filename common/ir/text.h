#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

// The reader and the printer of StableHLO text. Grammar: the MLIR language reference and the
// assembly formats of the StableHLO dialect, with static and dynamic types, in pretty and generic
// form.
namespace acceld::ir {

// Reads and verifies a module. Error messages contain `file_name` and the position:
// "model.mlir:12:7: expected ':' before the type of 'stablehlo.add', found '->'". UNIMPLEMENTED for
// an unknown op: "...: op 'stablehlo.foo' is not supported". The text is untrusted: depth and
// counts are bounded, and a program that would take too much memory (verify/memory_budget.h) is
// RESOURCE_EXHAUSTED. The checks and parallel runs of StableHLO's test programs are read as custom
// calls (conformance/conformance.h).
absl::StatusOr<Module> ParseModule(absl::string_view text,
                                   absl::string_view file_name = "<program>");

// Prints StableHLO text that ParseModule reads back to an equal module; so do other StableHLO
// tools, except for acceld.* ops. Deterministic: values are named %0, %1, ... in the order of their
// definition.
std::string PrintModule(const Module& module);
// Prints one function. Without its module, meshes and axes have no names: shardings are printed
// with their numbers, <#0, [{#1}]>, which ParseModule does not read.
std::string PrintFunction(const Function& function);

}  // namespace acceld::ir
